/* SPDX-License-Identifier: MIT */
/*
 * writer: see writer.h.  Between the threads: `waiting` and what stands with it in struct writer,
 * under the lock.  The thread takes all of `waiting` into `hand` and writes that without the lock.
 */
#include "storage/writer.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "storage/heap.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

enum {
	EARLY_BYTES = 1 << 20, /* so many bytes of polls wait for no other */
	RETRY_MS = 1000,
	LOOK_MS = 1000, /* at the clock, at least */
	STOP_MS = 20,
};

/* What is in the file is looked through as often, when there is nothing else to do; and again so long
 * after that gave way to something. */
#define THOROUGH_MS INT64_C(604800000)
#define AGAIN_MS    INT64_C(3600000)

struct released {
	struct store_notice notice;
	bool kept;
};

/* On its way to the disk, by ticket. */
struct told {
	uint64_t ticket;
	int64_t notice;
};

struct writer {
	char *path;
	uv_thread_t thread;
	uv_mutex_t lock;
	uv_cond_t more, changed; /* there is something to do; something was done */
	_Atomic bool ending, stop; /* stop: what is looked through */

	/* under the lock */
	struct heap waiting;
	struct writer_state state;
	struct store_limits limits;
	bool limits_changed, looked, stalled;
	bool looking, thorough; /* the file is being looked through */
	int64_t commit_every_ms, busy_mono_ms; /* CLOCK_NEVER: it is at nothing */
	uint64_t kept, failed; /* tickets up to which all is on the disk, or was tried in vain */
	size_t n_released;
	struct released *released;
	void (*news)(void *arg);
	void *news_arg;

	/* the writer's thread */
	struct store *store;
	struct heap hand;
	bool sound; /* what is in the file was looked through */
	int64_t tried_mono_ms, thorough_mono_ms; /* when it was looked through last, or is taken to be */

	/* the thread that opened it */
	struct store *reader;
	uint64_t given;
	uint64_t alerts_said; /* what was last given of them */
	size_t n_told;
	struct told *told;
};

/* ---- in the thread ---- */

static int put(struct writer *w, struct err *e)
{
	const struct heap *h = &w->hand;
	const struct store_round r = {.at_wall_ms = h->at_wall_ms,
		.n_polls = h->n_polls,
		.polls = h->polls,
		.history = h->has_history ? &h->history : NULL,
		.alerts = h->has_alerts ? &h->alerts : NULL,
		.silences = h->has_silences ? &h->silences : NULL,
		.document = h->document,
		.events = &h->events,
		.notices = h->notices,
		.n_notices = h->n_notices,
		.told = h->told,
		.n_told = h->n_told};

	return store_put_round(w->store, &r, e);
}

/* As store_look(), which stop_look() ends. */
static int look_through(struct writer *w, bool thorough, struct err *e)
{
	int found;

	uv_mutex_lock(&w->lock);
	w->stop = w->ending || (thorough && w->waiting.urgent);
	w->looking = true;
	w->thorough = thorough;
	uv_mutex_unlock(&w->lock);
	found = store_look(w->store, thorough, &w->stop, e);
	uv_mutex_lock(&w->lock);
	w->looking = false;
	uv_cond_broadcast(&w->changed);
	uv_mutex_unlock(&w->lock);
	return found;
}

static int look_and_mend(struct writer *w, bool thorough, struct err *e)
{
	int rc = look_through(w, thorough, e);

	if (rc > 0)
		rc = store_mend(w->store, thorough, e);
	if (rc > 0) {
		uv_mutex_lock(&w->lock);
		w->state.files_begun++;
		uv_mutex_unlock(&w->lock);
	}
	return rc;
}

/* Nothing is written into a file that was not looked through. */
static int look(struct writer *w, struct err *e)
{
	/* one that takes longer than may be waited for at the end is looked through at the next start */
	w->sound = w->sound || look_and_mend(w, false, e) >= 0 || w->ending;
	return w->sound ? 0 : -1;
}

/* Once a week. Without the lock. */
static void look_thoroughly(struct writer *w)
{
	int64_t now = clock_mono_ms();
	struct err e = {""};
	int rc;

	if (now - w->thorough_mono_ms < THOROUGH_MS)
		return;
	rc = look_and_mend(w, true, &e);
	w->thorough_mono_ms = rc < 0 ? now - THOROUGH_MS + AGAIN_MS : now;
	if (rc == 0)
		log_info("store", "all of the database was looked through; it is sound");
	else if (rc < 0 && !w->stop)
		log_warn("store", "%s", e.text);
}

/* Under the lock. */
static void stop_look(struct writer *w)
{
	w->stop = true;
	store_stop_look(w->store);
}

static int try_to_write(struct writer *w, struct err *e)
{
	if (look(w, e))
		return -1;
	if (put(w, e) == 0)
		return 0;
	if (!store_met_damage(w->store))
		return -1;
	w->sound = false;
	return look(w, e) || put(w, e);
}

static bool is_due(const struct writer *w)
{
	int64_t now = clock_mono_ms();

	if (w->hand.ticket) /* tried in vain */
		return w->waiting.urgent || now - w->tried_mono_ms >= RETRY_MS || w->ending;
	return w->waiting.ticket && (w->waiting.urgent || w->waiting.n_bytes > EARLY_BYTES || w->ending ||
					    now - w->tried_mono_ms >= w->commit_every_ms);
}

/* Takes what is due into the hand; false at the end. Under the lock. */
static bool take(struct writer *w)
{
	while (!is_due(w)) {
		if (w->ending)
			return false;
		if (w->hand.ticket || w->waiting.ticket)
			uv_cond_timedwait(&w->more, &w->lock, LOOK_MS * UINT64_C(1000000));
		else
			uv_cond_wait(&w->more, &w->lock);
	}
	heap_join(&w->hand, &w->waiting);
	w->state.dropped += heap_drop_oldest(&w->hand);
	if (w->limits_changed)
		store_limit(w->store, &w->limits);
	w->limits_changed = false;
	return true;
}

static void release(struct writer *w, struct store_notice n, bool kept)
{
	w->released = mem_grow(w->released, w->n_released, sizeof *w->released);
	w->released[w->n_released++] = (struct released){n, kept};
}

/* Under the lock; true if somebody has to hear of it. */
static bool succeeded(struct writer *w)
{
	bool news = w->state.trouble[0] || w->hand.n_notices > w->hand.n_released;

	for (size_t i = 0; i < w->hand.n_notices; i++)
		if (i < w->hand.n_released)
			notice_release(&w->hand.notices[i]);
		else
			release(w, w->hand.notices[i], true);
	w->hand.n_notices = 0;
	w->kept = w->hand.ticket;
	w->state.trouble[0] = '\0';
	heap_release(&w->hand);
	return news;
}

static bool failed(struct writer *w, const struct err *e)
{
	bool news = !w->state.trouble[0] || w->hand.n_notices > w->hand.n_released;

	for (size_t i = w->hand.n_released; i < w->hand.n_notices; i++)
		release(w, notice_copy(&w->hand.notices[i]), false);
	w->hand.n_released = w->hand.n_notices;
	w->hand.urgent = false;
	w->failed = w->hand.ticket;
	str_copy(w->state.trouble, sizeof w->state.trouble, e->text);
	return news;
}

/* Under the lock, which it gives up meanwhile. */
static void write_hand(struct writer *w)
{
	struct err e = {""};
	int rc;

	w->busy_mono_ms = clock_mono_ms();
	while (w->stalled && !w->ending)
		uv_cond_wait(&w->more, &w->lock);
	uv_mutex_unlock(&w->lock);
	rc = try_to_write(w, &e);
	uv_mutex_lock(&w->lock);
	w->busy_mono_ms = CLOCK_NEVER;
	w->tried_mono_ms = clock_mono_ms();
	if ((rc ? failed(w, &e) : succeeded(w)) && w->news)
		w->news(w->news_arg);
	uv_cond_broadcast(&w->changed);
}

static void work(void *arg)
{
	struct writer *w = arg;
	struct err e = {""};

	if (look(w, &e))
		log_warn("store", "%s", e.text);
	uv_mutex_lock(&w->lock);
	w->looked = true;
	uv_cond_broadcast(&w->changed);
	while (take(w)) {
		write_hand(w);
		if (w->ending && w->hand.ticket)
			break; /* once more at the end, and no more */
		uv_mutex_unlock(&w->lock);
		look_thoroughly(w);
		uv_mutex_lock(&w->lock);
	}
	uv_mutex_unlock(&w->lock);
}

/* ---- beginning and end ---- */

struct writer *writer_open(const char *path, enum store_fault *fault, struct err *e)
{
	struct store *s = store_open(path, STORE_WRITE_UNSEEN, fault, e);
	struct writer *w;

	if (!s)
		return NULL;
	w = mem_new(1, sizeof *w);
	w->store = s;
	w->path = mem_text(path);
	w->busy_mono_ms = CLOCK_NEVER;
	w->thorough_mono_ms = clock_mono_ms();
	uv_mutex_init(&w->lock);
	uv_cond_init(&w->more);
	uv_cond_init(&w->changed);
	if (uv_thread_create(&w->thread, work, w) == 0)
		return w;
	err_set(e, "cannot start a thread for the store");
	if (fault)
		*fault = STORE_UNUSABLE;
	w->thread = 0;
	writer_close(w);
	return NULL;
}

static void say_what_is_lost(const struct writer *w)
{
	if (w->hand.ticket)
		log_error("store", "%s; %zu poll%s and %zu event%s are lost", w->state.trouble, w->hand.n_polls,
			w->hand.n_polls == 1 ? "" : "s", w->hand.events.n, w->hand.events.n == 1 ? "" : "s");
}

void writer_close(struct writer *w)
{
	if (!w)
		return;
	store_close(w->reader);
	uv_mutex_lock(&w->lock);
	w->ending = true;
	uv_cond_signal(&w->more);
	while (w->looking) {
		stop_look(w);
		uv_cond_timedwait(&w->changed, &w->lock, STOP_MS * UINT64_C(1000000));
	}
	uv_mutex_unlock(&w->lock);
	if (w->thread)
		uv_thread_join(&w->thread);
	say_what_is_lost(w);
	store_close(w->store);
	heap_release(&w->hand);
	heap_release(&w->waiting);
	for (size_t i = 0; i < w->n_released; i++)
		notice_release(&w->released[i].notice);
	free(w->released);
	free(w->told);
	uv_cond_destroy(&w->changed);
	uv_cond_destroy(&w->more);
	uv_mutex_destroy(&w->lock);
	free(w->path);
	free(w);
}

int writer_await_look(struct writer *w)
{
	int begun;

	uv_mutex_lock(&w->lock);
	while (!w->looked)
		uv_cond_wait(&w->changed, &w->lock);
	begun = w->state.files_begun > 0;
	uv_mutex_unlock(&w->lock);
	return begun;
}

void writer_limit(struct writer *w, const struct store_limits *limits, int64_t commit_every_ms)
{
	uv_mutex_lock(&w->lock);
	w->limits = *limits;
	w->limits_changed = true;
	w->commit_every_ms = commit_every_ms;
	uv_mutex_unlock(&w->lock);
}

/* ---- handing over ---- */

/* Once a week does not matter where somebody waits. Under the lock. */
static void give_way(struct writer *w)
{
	if (w->looking && w->thorough && w->waiting.urgent)
		stop_look(w);
}

static void mix(uint64_t *h, uint64_t n)
{
	*h = (*h ^ n) * UINT64_C(0x100000001b3);
}

/* Of alerts what makes them due at once: all but when each was seen last. */
static uint64_t summary(const struct alerts *a)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < a->n; i++) {
		const struct alert *x = &a->items[i];

		mix(&h, (uint64_t)x->id);
		mix(&h, (uint64_t)x->state << 16 | (uint64_t)x->severity << 8 | (uint64_t)x->told_severity);
		mix(&h, (uint64_t)x->notices);
		mix(&h, (uint64_t)x->silenced_until_wall_ms);
		mix(&h, strlen(x->acknowledged_by));
	}
	return h;
}

static void *copy_items(const void *items, size_t n, size_t size)
{
	void *copy = mem_new(n, size);

	if (n)
		memcpy(copy, items, n * size);
	return copy;
}

/* Those that something was told of in the last round, or all. */
static struct drive_past *copy_drives(const struct history *from, bool all, size_t *n)
{
	struct drive_past *copy;

	*n = 0;
	for (size_t i = 0; i < from->n_drives; i++)
		*n += all || from->drives[i].told_at_ms == from->steady_ms;
	copy = mem_new(*n, sizeof *copy);
	*n = 0;
	for (size_t i = 0; i < from->n_drives; i++)
		if (all || from->drives[i].told_at_ms == from->steady_ms)
			copy[(*n)++] = from->drives[i];
	return copy;
}

static void copy_history(struct heap *h, const struct history *from, bool all)
{
	size_t n;
	struct drive_past *drives = copy_drives(from, all, &n);

	h->has_history = true;
	h->history = (struct history){.started = from->started,
		.wall_ms = from->wall_ms,
		.steady_ms = from->steady_ms,
		.n_drives = n,
		.n_targets = from->n_targets,
		.drives = drives,
		.targets = copy_items(from->targets, from->n_targets, sizeof *from->targets)};
}

static void copy_alerts(struct writer *w, struct heap *h, const struct alerts *from)
{
	uint64_t said = summary(from);

	h->has_alerts = true;
	h->alerts = (struct alerts){.n = from->n, .items = copy_items(from->items, from->n, sizeof *from->items)};
	h->urgent |= said != w->alerts_said;
	w->alerts_said = said;
}

static void copy_silences(struct heap *h, const struct silences *from)
{
	h->has_silences = h->urgent = true;
	for (size_t i = 0; i < from->n; i++)
		*silences_add(&h->silences) = from->items[i];
}

static void remember_told(struct writer *w, const struct store_round *r, uint64_t ticket)
{
	for (size_t i = 0; i < r->n_told; i++) {
		w->told = mem_grow(w->told, w->n_told, sizeof *w->told);
		w->told[w->n_told++] = (struct told){ticket, r->told[i].id};
	}
}

static struct heap copy_round(struct writer *w, struct store_poll *poll, const struct store_round *r)
{
	struct heap h = {.ticket = ++w->given, .at_wall_ms = r->at_wall_ms};

	h.urgent = (r->events && r->events->n) || r->n_notices || r->n_told;
	if (poll)
		heap_add_poll(&h, poll);
	if (r->history)
		copy_history(&h, r->history, r->all_drives);
	if (r->alerts)
		copy_alerts(w, &h, r->alerts);
	if (r->silences)
		copy_silences(&h, r->silences);
	if (r->document && r->document[0])
		h.document = mem_text(r->document);
	if (r->events)
		heap_add_events(&h, r->events);
	for (size_t i = 0; i < r->n_notices; i++)
		heap_add_notice(&h, notice_copy(&r->notices[i]));
	heap_add_told(&h, r->told, r->n_told);
	return h;
}

uint64_t writer_put(struct writer *w, struct store_poll *poll, const struct store_round *r)
{
	struct heap h = copy_round(w, poll, r);

	if (poll)
		*poll = (struct store_poll){0};
	remember_told(w, r, h.ticket);
	uv_mutex_lock(&w->lock);
	heap_join(&w->waiting, &h);
	w->state.dropped += heap_drop_oldest(&w->waiting);
	give_way(w);
	uv_cond_signal(&w->more);
	uv_mutex_unlock(&w->lock);
	return w->given;
}

int writer_wait(struct writer *w, uint64_t ticket, int64_t within_ms, struct err *e)
{
	uint64_t end = uv_hrtime() + (uint64_t)within_ms * 1000000, now;
	int rc = 0;

	uv_mutex_lock(&w->lock);
	w->waiting.urgent |= w->waiting.ticket != 0;
	give_way(w);
	uv_cond_signal(&w->more);
	while (w->kept < ticket && w->failed < ticket && (now = uv_hrtime()) < end)
		uv_cond_timedwait(&w->changed, &w->lock, end - now);
	if (w->kept < ticket)
		rc = err_set(e, "%s", w->state.trouble[0] ? w->state.trouble : "the disk takes long");
	uv_mutex_unlock(&w->lock);
	return rc;
}

/* ---- what became of it ---- */

void writer_get_state(struct writer *w, struct writer_state *out)
{
	uv_mutex_lock(&w->lock);
	*out = w->state;
	uv_mutex_unlock(&w->lock);
}

int64_t writer_busy_ms(struct writer *w)
{
	int64_t since;

	uv_mutex_lock(&w->lock);
	since = w->busy_mono_ms;
	uv_mutex_unlock(&w->lock);
	return since == CLOCK_NEVER ? 0 : clock_mono_ms() - since;
}

void writer_stall(struct writer *w)
{
	uv_mutex_lock(&w->lock);
	w->stalled = true;
	uv_mutex_unlock(&w->lock);
}

void writer_on_news(struct writer *w, void (*news)(void *arg), void *arg)
{
	uv_mutex_lock(&w->lock);
	w->news = news;
	w->news_arg = arg;
	uv_mutex_unlock(&w->lock);
}

void writer_each_notice(
	struct writer *w, void (*fn)(void *arg, const struct store_notice *n, bool kept), void *arg)
{
	struct released *list;
	size_t n;

	uv_mutex_lock(&w->lock);
	list = w->released;
	n = w->n_released;
	w->released = NULL;
	w->n_released = 0;
	uv_mutex_unlock(&w->lock);
	for (size_t i = 0; i < n; i++) {
		fn(arg, &list[i].notice, list[i].kept);
		notice_release(&list[i].notice);
	}
	free(list);
}

/* Those that are on the disk before a read begins are known to it. */
static void forget_told(struct writer *w)
{
	uint64_t kept;
	size_t n = 0;

	uv_mutex_lock(&w->lock);
	kept = w->kept;
	uv_mutex_unlock(&w->lock);
	for (size_t i = 0; i < w->n_told; i++)
		if (w->told[i].ticket > kept)
			w->told[n++] = w->told[i];
	w->n_told = n;
}

struct store *writer_reader(struct writer *w)
{
	struct err e;

	forget_told(w);
	if (w->reader && !store_is_at(w->reader, w->path)) {
		store_close(w->reader);
		w->reader = NULL;
	}
	if (!w->reader)
		w->reader = store_open(w->path, STORE_READ_INSIDE, NULL, &e);
	return w->reader;
}

bool writer_was_told(const struct writer *w, int64_t notice)
{
	for (size_t i = 0; i < w->n_told; i++)
		if (w->told[i].notice == notice)
			return true;
	return false;
}
