/* SPDX-License-Identifier: MIT */
/* snapshot: see snapshot.h.  Owned by the collector that fills it; on the loop's thread. */
#include "model/snapshot.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { ERRORS_MAX = 64 };

void snapshot_init(struct snapshot *s, const char *name, enum target_kind kind, const char *host)
{
	*s = (struct snapshot){.target = {.kind = kind, .observed_wall_ms = CLOCK_NEVER}};
	str_clean(s->target.name, sizeof s->target.name, name);
	str_clean(s->target.host, sizeof s->target.host, host && *host ? host : name);
}

void snapshot_release(struct snapshot *s)
{
	for (size_t i = 0; i < s->n_hops; i++)
		free(s->hops[i].shared_by);
	for (size_t i = 0; i < s->n_pools; i++)
		pool_release(&s->pools[i]);
	free(s->pools);
	free(s->hops);
	free(s->bays);
	events_release(&s->log);
	free(s->target.errors);
	*s = (struct snapshot){0};
}

struct bay *snapshot_add_bay(struct snapshot *s, const char *name)
{
	struct bay *b;

	s->bays = mem_grow(s->bays, s->n_bays, sizeof *s->bays);
	b = &s->bays[s->n_bays++];
	*b = bay_unknown(s->target.name, s->target.host, name);
	b->observed_wall_ms = s->target.observed_wall_ms;
	return b;
}

struct hop *snapshot_add_hop(struct snapshot *s, const char *at)
{
	struct hop *h;

	s->hops = mem_grow(s->hops, s->n_hops, sizeof *s->hops);
	h = &s->hops[s->n_hops++];
	*h = (struct hop){.link = pcie_link_unknown()};
	str_copy(h->target, sizeof h->target, s->target.name);
	str_copy(h->host, sizeof h->host, s->target.host);
	str_clean(h->at, sizeof h->at, at);
	return h;
}

void snapshot_take_pool(struct snapshot *s, struct pool *p)
{
	struct pool *mine;

	s->pools = mem_grow(s->pools, s->n_pools, sizeof *s->pools);
	mine = &s->pools[s->n_pools++];
	*mine = *p;
	*p = (struct pool){0};
	str_copy(mine->target, sizeof mine->target, s->target.name);
	str_copy(mine->host, sizeof mine->host, s->target.host);
	mine->observed_wall_ms = s->target.observed_wall_ms;
}

void hop_add_shared(struct hop *h, const char *bay)
{
	char name[sizeof h->shared_by[0]];

	str_clean(name, sizeof name, bay);
	for (size_t i = 0; i < h->n_shared; i++)
		if (str_same(h->shared_by[i], name))
			return;
	h->shared_by = mem_grow(h->shared_by, h->n_shared, sizeof *h->shared_by);
	str_copy(h->shared_by[h->n_shared++], sizeof *h->shared_by, name);
}

void target_unreachable(struct target *t, enum reason reason, const char *message)
{
	t->verdict = TARGET_UNREACHABLE;
	t->reason = reason;
	str_copy(t->message, sizeof t->message, message);
}

void target_add_error(struct target *t, const char *resource, const char *code, const char *message)
{
	struct target_error *e;

	t->partial = true;
	if (t->n_errors >= ERRORS_MAX)
		return;
	t->errors = mem_grow(t->errors, t->n_errors, sizeof *t->errors);
	e = &t->errors[t->n_errors++];
	str_clean(e->resource, sizeof e->resource, resource);
	str_clean(e->code, sizeof e->code, code);
	str_clean(e->message, sizeof e->message, message);
}

static const char *const kind_words[] = {
	[TARGET_REDFISH] = "redfish",
	[TARGET_NVME] = "nvme",
	[TARGET_ZFS] = "zfs",
	[TARGET_REPLAY] = "replay",
};

const char *target_kind_word(enum target_kind k)
{
	return kind_words[k];
}

enum target_kind target_kind_of(const char *word)
{
	for (size_t i = 1; word && i < sizeof kind_words / sizeof kind_words[0]; i++)
		if (str_same(kind_words[i], word))
			return (enum target_kind)i;
	return TARGET_KIND_UNKNOWN;
}

static const char *const tls_words[] = {NULL, "none", "unverified", "pinned", "verified"};

const char *target_tls_word(enum target_tls t)
{
	return tls_words[t];
}

enum target_tls target_tls_of(const char *word)
{
	for (size_t i = 1; i < sizeof tls_words / sizeof tls_words[0]; i++)
		if (str_same(word, tls_words[i]))
			return (enum target_tls)i;
	return TARGET_TLS_UNKNOWN;
}

const char *target_verdict_word(enum target_verdict v)
{
	return v == TARGET_OK ? "ok" : v == TARGET_UNREACHABLE ? "unreachable" : "unknown";
}

enum target_verdict target_verdict_of(const char *word)
{
	return str_same(word, "ok") ? TARGET_OK : str_same(word, "unreachable") ? TARGET_UNREACHABLE : TARGET_UNKNOWN;
}
