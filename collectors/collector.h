/* SPDX-License-Identifier: MIT */
/*
 * collector: how a kind of target is read: a const table of functions, one for each kind.
 *
 * A source is one target that is being read.  A round ends with one call of `done` and a
 * snapshot, also when nothing could be read: then the snapshot's target says why
 * (unreachable, reason, message) and has no bays.  All on the loop's thread.
 */
#ifndef COLLECTORS_COLLECTOR_H
#define COLLECTORS_COLLECTOR_H

#include "base/err.h"
#include "model/snapshot.h"

#include <jansson.h>
#include <stdbool.h>
#include <uv.h>

struct http;
struct nv_reader;

/* One target of the configuration or the command line. Texts are NULL where not given. */
struct target_config {
	char name[64];
	enum target_kind kind;
	char host[96];
	char group[64];	      /* what happens to targets of one group is told together; "" none */
	char url[192];	      /* "https://192.0.2.12", normalised, without path; "" for local ones */
	char *username;
	char *password_file;
	char *ca_file, *pin;
	bool tls_insecure;    /* tls_verify = false: said at start and on the page */
	bool allow_plaintext; /* credentials over http to another machine */
	bool no_expand;	      /* never ask for $expand */
	bool no_events;	      /* do not listen to its event stream */
	unsigned requests_at_once; /* 0: as usual, two */
	int64_t poll_interval_ms; /* 0: that of all targets */
	int64_t logs_interval_ms, metrics_interval_ms, topology_interval_ms; /* 0: as usual */
	char *recording;      /* folder of this target in a step of a recording: read from there */
	char *path;	      /* kind replay: the recording that is played */
};

void target_config_release(struct target_config *c);

/* A copy that owns its texts; and whether two say the same in every point. */
struct target_config target_config_copy(const struct target_config *c);
bool target_config_same(const struct target_config *a, const struct target_config *b);

/* What every source may use; outlives all of them. */
struct collector_env {
	uv_loop_t *loop;
	struct http *http;
	/* asks local drives (collectors/nvme/reader.h), started before any thread; NULL: a source starts its own */
	struct nv_reader *reader;
	const char *state_dir; /* for session notes and the like; NULL: keep nothing */
	bool links_only;       /* no request for wear and temperature alone */
	bool logs;	       /* read what is new in the BMCs' logs */
	/* called when a target tells by itself that something happened: it should be polled soon; NULL: nobody listens */
	void (*heard)(void *arg, const char *target);
	void *heard_arg;
	/* gets each document that a round read, at its end (capture); NULL: nobody wants them */
	void (*keep)(void *arg, const char *target, const char *path, const json_t *doc);
	void *keep_arg;
	/* asks a person for a password on the terminal; NULL where there is nobody. Freed by mem_wipe_free(). */
	char *(*ask_password)(const char *target);
};

struct collector {
	enum target_kind kind;
	/* Makes a source; the configuration and env are borrowed and outlive it. NULL with the reason. */
	void *(*open)(const struct target_config *c, const struct collector_env *env, struct err *e);
	/* Starts a round and returns at once; ends it with done(arg, snapshot). The snapshot is borrowed for the call. */
	void (*poll)(void *source, void (*done)(void *arg, const struct snapshot *s), void *arg);
	/* Ends a source (logs out, stops a round in progress without calling its done), then calls closed(arg) and is gone. */
	void (*close)(void *source, void (*closed)(void *arg), void *arg);
};

/* The collector of a kind, NULL if this build has none. */
const struct collector *collector_find(enum target_kind kind);

#endif
