/* SPDX-License-Identifier: MIT */
/* memory: see memory.h. */
#include "collectors/nvme/memory.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/nvme/logpages.h"

#include <errno.h>
#include <stdlib.h>

enum { HOUR_MS = 3600 * 1000, DAY_MS = 24 * HOUR_MS };

/* In the order in which a drive is asked: where it does not answer, it is not asked for the rest. */
static const enum nv_page wanted[] = {NV_PAGE_SMART, NV_PAGE_IDENTIFY, NV_PAGE_ERROR, NV_PAGE_FIRMWARE,
	NV_PAGE_SELF_TEST, NV_PAGE_OCP_SMART, NV_PAGE_ENDURANCE_GROUP};

enum { N_WANTED = sizeof wanted / sizeof wanted[0] };

/* One drive, by the controller that speaks for it: the number is used again for others. */
struct known {
	char controller[24], serial[64];
	bool may_ask;
	int64_t next_mono_ms[NV_PAGES]; /* when the page is due again; 0: now */
	struct nv_answer answers[NV_PAGES];
};

struct nv_memory {
	size_t n;
	struct known **drives;
};

struct nv_memory *nv_memory_new(void)
{
	return mem_new(1, sizeof(struct nv_memory));
}

static void forget_all(struct nv_memory *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->drives[i]);
	free(m->drives);
	*m = (struct nv_memory){0};
}

void nv_memory_free(struct nv_memory *m)
{
	if (!m)
		return;
	forget_all(m);
	free(m);
}

/* Takes a drive out of the memory; NULL if it was not there, or has no serial number to know it by. */
static struct known *recall(struct nv_memory *m, const struct nv_controller *c)
{
	for (size_t i = 0; c->serial[0] && i < m->n; i++) {
		struct known *k = m->drives[i];

		if (!k || !str_same(k->controller, c->name) || !str_same(k->serial, c->serial))
			continue;
		m->drives[i] = NULL;
		return k;
	}
	return NULL;
}

/* The drives of this round with what is known of them, in the order of the controllers. */
static void begin_round(struct nv_memory *m, const struct nv_controller *const *controllers, size_t n)
{
	struct nv_memory now = {.n = n};

	now.drives = mem_new(n + 1, sizeof(struct known *));
	for (size_t i = 0; i < n; i++) {
		struct known *k = recall(m, controllers[i]);

		if (!k) {
			k = mem_new(1, sizeof *k);
			str_copy(k->controller, sizeof k->controller, controllers[i]->name);
			str_copy(k->serial, sizeof k->serial, controllers[i]->serial);
		}
		k->may_ask = controllers[i]->may_ask;
		now.drives[i] = k;
	}
	forget_all(m);
	*m = now;
}

/*
 * Which endurance group there is to ask for, 0 for none.  A drive that has several does not say in
 * which a namespace lies before each is identified: its first one counts.
 */
static uint16_t group_of(const struct known *k)
{
	const struct nv_answer *a = &k->answers[NV_PAGE_IDENTIFY];
	struct nv_identify id;

	if (a->end == NV_READ)
		return nv_identify_decode(a->data, a->len, &id) && id.endurance_groups ? 1 : 0;
	return a->end == NV_NOT_OFFERED ? 1 : 0; /* of a recording without that page */
}

static bool due(const struct known *k, enum nv_page page, int64_t now_mono_ms)
{
	if (!k->may_ask || k->next_mono_ms[page] > now_mono_ms)
		return false;
	return page != NV_PAGE_ENDURANCE_GROUP || group_of(k) != 0;
}

static int64_t next_time(enum nv_page page, const struct nv_answer *a, int64_t now_mono_ms)
{
	switch (a->end) {
	case NV_READ:
		if (page == NV_PAGE_SMART)
			return 0;
		return page == NV_PAGE_IDENTIFY ? INT64_MAX : now_mono_ms + HOUR_MS;
	case NV_NOT_OFFERED:
	case NV_REFUSED:
		return page == NV_PAGE_SMART ? 0 : now_mono_ms + DAY_MS;
	case NV_TIMED_OUT:
	case NV_FAILED:
		return page == NV_PAGE_SMART ? 0 : now_mono_ms + HOUR_MS;
	case NV_END_UNKNOWN:
	case NV_DENIED:
		return 0;
	}
	return 0;
}

/* True if it went to a drive: a recording tells of what a drive does not offer without a status. */
static bool was_sent(const struct nv_answer *a)
{
	return a->end != NV_END_UNKNOWN && (a->end != NV_NOT_OFFERED || a->status);
}

/*
 * Takes the answers of one drive and gives the number of those that were sent to it.  Behind the first
 * page that did not come the rest was not asked: that is due again in the next round, and what was
 * known of it stays.
 */
static int take_answers(struct known *k, const struct nv_ask *asks, size_t n, int64_t now_mono_ms)
{
	int sent = 0;

	for (size_t i = 0; i < n; i++) {
		enum nv_page page = asks[i].page;
		enum nv_end end = asks[i].answer.end;

		sent += was_sent(&asks[i].answer);
		k->answers[page] = asks[i].answer;
		k->next_mono_ms[page] = next_time(page, &asks[i].answer, now_mono_ms);
		if (end == NV_TIMED_OUT || end == NV_FAILED || end == NV_DENIED)
			break;
	}
	return sent;
}

/* Asks all drives for what is due of some pages. */
static int ask_for(struct nv_memory *m, const struct nv_ops *ops, void *ops_arg, unsigned timeout_ms,
	const enum nv_page *pages, size_t n_pages)
{
	int64_t now_mono_ms = clock_mono_ms();
	struct nv_ask *asks = mem_new(m->n * n_pages + 1, sizeof *asks);
	size_t *first = mem_new(m->n + 1, sizeof *first), n = 0;
	int sent = 0;

	for (size_t i = 0; i < m->n; i++) {
		first[i] = n;
		for (size_t p = 0; p < n_pages; p++) {
			if (!due(m->drives[i], pages[p], now_mono_ms))
				continue;
			str_copy(asks[n].controller, sizeof asks[n].controller, m->drives[i]->controller);
			asks[n].endurance_group = pages[p] == NV_PAGE_ENDURANCE_GROUP ? group_of(m->drives[i]) : 0;
			asks[n++].page = pages[p];
		}
	}
	first[m->n] = n;
	if (n)
		ops->ask(ops_arg, asks, n, timeout_ms);
	for (size_t i = 0; i < m->n; i++)
		sent += take_answers(m->drives[i], asks + first[i], first[i + 1] - first[i], now_mono_ms);
	free(first);
	free(asks);
	return sent;
}

int nv_memory_ask(struct nv_memory *m, const struct nv_ops *ops, void *ops_arg, unsigned timeout_ms,
	const struct nv_controller *const *controllers, size_t n)
{
	int sent;

	begin_round(m, controllers, n);
	if (!ops)
		return 0;
	sent = ask_for(m, ops, ops_arg, timeout_ms, wanted, N_WANTED);
	/* whether there are endurance groups is known once the drive was identified */
	return sent + ask_for(m, ops, ops_arg, timeout_ms, &wanted[N_WANTED - 1], 1);
}

const struct nv_answer *nv_memory_answer(const struct nv_memory *m, const struct nv_controller *c, enum nv_page page)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct known *k = m->drives[i];

		if (k->may_ask && str_same(k->controller, c->name))
			return k->answers[page].end == NV_END_UNKNOWN ? NULL : &k->answers[page];
	}
	return NULL;
}
