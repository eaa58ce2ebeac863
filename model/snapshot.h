/* SPDX-License-Identifier: MIT */
/*
 * snapshot: what one source saw in one round.  A collector makes it and hands it over; it
 * does not know who reads it.  Nothing in it is judged yet.
 */
#ifndef MODEL_SNAPSHOT_H
#define MODEL_SNAPSHOT_H

#include "model/bay.h"
#include "model/event.h"
#include "model/pool.h"
#include "model/reason.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum target_kind { TARGET_KIND_UNKNOWN = 0, TARGET_REDFISH, TARGET_NVME, TARGET_ZFS, TARGET_REPLAY };

enum target_verdict { TARGET_UNKNOWN = 0, TARGET_OK, TARGET_UNREACHABLE };

/* How a target that was reached over the net was known to be itself. */
enum target_tls {
	TARGET_TLS_UNKNOWN = 0, /* not reached, or not over the net */
	TARGET_TLS_NONE,	/* plain http */
	TARGET_TLS_UNVERIFIED,	/* tls_verify = false: anybody may have answered */
	TARGET_TLS_PINNED,	/* by its key alone */
	TARGET_TLS_VERIFIED,	/* certificate and name */
};

/* One resource that could not be read. */
struct target_error {
	char resource[192];
	char code[64];	   /* HTTP status, Redfish MessageId, errno name */
	char message[192]; /* for people */
};

/* One target as it was in this round: TARGET of the contract. */
struct target {
	char name[64];
	enum target_kind kind;
	char host[96];
	char url[192]; /* "" for local ones */
	char vendor[64], product[96], firmware[64];
	enum tri power; /* TRI_YES on, TRI_NO off */
	enum target_tls tls;
	enum target_verdict verdict;
	bool old;     /* it told this before the last round, and nothing since */
	bool in_round; /* it told this in the last round */
	bool partial; /* something that belongs to it could not be read */
	enum reason reason;
	char message[256]; /* the reason in words, "" when all is well */
	int requests;
	int64_t duration_ms;
	int64_t observed_wall_ms;
	int64_t retry_after_ms; /* it asks not to be asked again before; 0: it does not */
	size_t n_errors;
	struct target_error *errors;
};

/* A hop above the drives (switch uplink), judged once. */
struct hop {
	char target[64];
	char host[96];
	char at[24]; /* PCI address */
	struct pcie_link link;
	enum verdict verdict;
	char message[256]; /* the verdict in words */
	size_t n_shared;
	char (*shared_by)[64]; /* names of bays */
};

struct snapshot {
	struct target target;
	size_t n_bays, n_hops, n_pools;
	struct bay *bays;
	struct hop *hops;
	struct pool *pools;
	struct events log; /* what its log told since the last round */
};

void snapshot_init(struct snapshot *s, const char *name, enum target_kind kind, const char *host);
void snapshot_release(struct snapshot *s);

/* Adds an unknown bay and returns it; valid until the next is added. */
struct bay *snapshot_add_bay(struct snapshot *s, const char *name);
struct hop *snapshot_add_hop(struct snapshot *s, const char *at);
/* Takes over the rows of the pool, which then names this target and host. */
void snapshot_take_pool(struct snapshot *s, struct pool *p);
void hop_add_shared(struct hop *h, const char *bay);

/* Says that nothing of the target could be read, and why; the message is made by us, or cleaned before. */
void target_unreachable(struct target *t, enum reason reason, const char *message);

/* Remembers what could not be read; marks the target partial. At most 64 are kept. */
void target_add_error(struct target *t, const char *resource, const char *code, const char *message);

const char *target_kind_word(enum target_kind k); /* NULL for unknown */
enum target_kind target_kind_of(const char *word);
const char *target_tls_word(enum target_tls t); /* NULL for unknown */
enum target_tls target_tls_of(const char *word);
const char *target_verdict_word(enum target_verdict v);
enum target_verdict target_verdict_of(const char *word);

#endif
