/* SPDX-License-Identifier: MIT */
/* pipeline: see pipeline.h. */
#include "agent/pipeline.h"

#include "base/clock.h"
#include "base/jtext.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "document/bays.h"
#include "document/events.h"
#include "model/localise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The document of a fleet; past it nothing is stored, and that is said. */
enum {
	DOCUMENT_BYTES_MAX = 256 << 20,
	PATIENCE_MS = 60000,
};

static int recall_told(struct pipeline *p, struct store *store, struct err *e);

/* ---- beginning and end ---- */

/* The last document: its bays are what is known until their targets answer. */
static int recall(struct pipeline *p, struct err *e)
{
	struct store *store = writer_reader(p->writer);
	char *text = store ? store_take_document(store, e) : NULL;
	struct inventory last;
	int rc = -1;

	inventory_init(&last);
	if (!text || document_read_text(text, &last, e))
		goto out;
	for (size_t i = 0; i < last.n_targets; i++)
		inventory_put_target(&p->inventory, &last.targets[i]);
	for (size_t i = 0; i < last.n_bays; i++)
		inventory_recall(&p->inventory, &last.bays[i]);
	inventory_settled(&p->inventory);
	inventory_restore(&p->inventory, &last); /* they are also the bays of the round before */
	rc = 0;
out:
	inventory_release(&last);
	free(text);
	return rc;
}

/* What a new one has to know. */
static int take_up(struct pipeline *p, struct store *store, struct err *e)
{
	if (!store)
		return err_set(e, "%s cannot be read", p->config->database);
	return store_get_history(store, &p->history, e) || store_get_alerts(store, false, &p->alerts, e) ||
			       store_get_silences(store, &p->silences, e) ||
			       store_get_next_ids(store, &p->next_event, &p->next_notice, e) || recall_told(p, store, e)
		       ? -1
		       : 0;
}

int pipeline_init(
	struct pipeline *p, const struct config *c, struct writer *writer, struct err *e)
{
	*p = (struct pipeline){.config = c, .writer = writer};
	inventory_init(&p->inventory);
	history_init(&p->history);
	alerts_init(&p->alerts);
	if (!writer)
		return 0;
	writer_limit(writer, &c->store, c->commit_every_ms);
	if (take_up(p, writer_reader(writer), e))
		return -1;
	/* a document that cannot be read costs the last known values, nothing else */
	if (p->history.started && recall(p, e))
		log_warn("store", "the last round cannot be read: %s", e->text);
	return 0;
}

void pipeline_change(struct pipeline *p, const struct config *c)
{
	p->config = c;
	inventory_touch_all(&p->inventory); /* its policies may be others */
}

/* The document as JSON; "" where there is no memory for it. */
static const char *document_text(struct pipeline *p, struct buf *out)
{
	buf_init(out, DOCUMENT_BYTES_MAX);
	if (document_add_inventory(out, &p->inventory, NULL, NULL)) {
		log_warn("store", "the last round is too large to be kept as a document");
		buf_clear(out);
	}
	return buf_text(out);
}

/* What is kept only now and then is kept at the end. */
static void keep_last(struct pipeline *p)
{
	struct buf text;

	if (!p->writer || !p->document_behind)
		return;
	writer_put(p->writer, NULL,
		&(struct store_round){.at_wall_ms = p->history.wall_ms, .document = document_text(p, &text)});
	buf_release(&text);
}

void pipeline_release(struct pipeline *p)
{
	keep_last(p);
	inventory_release(&p->inventory);
	history_release(&p->history);
	alerts_release(&p->alerts);
	silences_release(&p->silences);
	events_release(&p->told);
	foresight_release(&p->foresight);
	free(p->asked);
	p->asked = NULL;
	p->n_asked = 0;
}

void outcome_release(struct outcome *o)
{
	events_release(&o->events);
	notices_release(&o->notices);
	for (size_t i = 0; i < o->n_outbox; i++)
		free((char *)o->outbox[i].body);
	free(o->outbox);
	*o = (struct outcome){0};
}

/* ---- collect ---- */

static bool is_asked(const struct pipeline *p, const char *target)
{
	for (size_t i = 0; i < p->n_asked; i++)
		if (str_same(p->asked[i], target))
			return true;
	return false;
}

void pipeline_ask(struct pipeline *p, const char *target)
{
	if (is_asked(p, target))
		return;
	p->asked = mem_grow(p->asked, p->n_asked, sizeof *p->asked);
	str_copy(p->asked[p->n_asked++], sizeof p->asked[0], target);
}

/* ---- what logs tell ---- */

static uint64_t told_key(const struct event *e)
{
	const char *const texts[] = {e->target, e->source_id, e->message};
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		for (const char *s = texts[i]; *s; s++)
			h = (h ^ (unsigned char)*s) * 0x100000001b3u;
		h = (h ^ 0xff) * 0x100000001b3u;
	}
	return h;
}

static void remember_told(struct pipeline *p, const struct event *e)
{
	p->told_last[p->n_told_last++ % PIPELINE_TOLD_LAST] = told_key(e);
}

/* A record that was read before a kill may be read again after it. */
static bool told_before(const struct pipeline *p, const struct event *e)
{
	uint64_t key = told_key(e);
	size_t n = p->n_told_last < PIPELINE_TOLD_LAST ? p->n_told_last : PIPELINE_TOLD_LAST;

	for (size_t i = 0; i < n; i++)
		if (p->told_last[i] == key)
			return true;
	return false;
}

static void take_log(struct pipeline *p, const struct events *log)
{
	for (size_t i = 0; i < log->n; i++) {
		const struct event *e = &log->items[i];

		if (told_before(p, e))
			continue;
		remember_told(p, e);
		*events_add(&p->told, e->at_wall_ms, e->type, e->severity) = *e;
	}
}

/* The drive in a bay, or the one that was lost there last; NULL if none is known. */
static const struct drive_past *drive_of(struct pipeline *p, const struct event *e)
{
	const struct drive_past *best = history_at(&p->history, e->host, e->bay);

	for (size_t i = 0; !best && i < p->history.n_drives; i++) {
		const struct drive_past *d = &p->history.drives[i];

		if (d->lost && str_same(d->bay, e->bay) && str_same(d->host, e->host))
			best = d;
	}
	return best;
}

/* A drive that was pulled is not there any more to tell its serial number; the past knows it. */
static void add_told(struct pipeline *p, struct outcome *o)
{
	for (size_t i = 0; i < p->told.n; i++) {
		struct event *e = &p->told.items[i];
		const struct drive_past *past = e->bay[0] && !e->serial[0] ? drive_of(p, e) : NULL;

		if (past)
			str_copy(e->serial, sizeof e->serial, past->serial);
		*events_add(&o->events, e->at_wall_ms, e->type, e->severity) = *e;
	}
	events_release(&p->told);
}

/* The events of earlier runs that logs told. */
static int recall_told(struct pipeline *p, struct store *store, struct err *e)
{
	const struct store_filter f = {
		.since_wall_ms = CLOCK_NEVER, .until_wall_ms = CLOCK_NEVER, .last = 4 * PIPELINE_TOLD_LAST};
	struct events ev = {0};
	int rc = store_get_events(store, &f, &ev, e);

	for (size_t i = 0; i < ev.n; i++)
		if (ev.items[i].type == EVENT_BMC_LOG)
			remember_told(p, &ev.items[i]);
	events_release(&ev);
	return rc;
}

void pipeline_take(struct pipeline *p, const struct snapshot *s)
{
	take_log(p, &s->log);
	pipeline_ask(p, s->target.name);
	inventory_apply(&p->inventory, s);
}

/* ---- normalise ---- */

static void forget_unasked(struct pipeline *p)
{
	for (size_t i = p->inventory.n_targets; i-- > 0;)
		if (!is_asked(p, p->inventory.targets[i].name)) {
			char name[64];

			str_copy(name, sizeof name, p->inventory.targets[i].name);
			inventory_forget(&p->inventory, name);
		}
	p->n_asked = 0;
}

/* Time goes on; returns by how much the wall clock jumped. */
static int64_t tick(struct pipeline *p)
{
	int64_t mono_ms = clock_mono_ms(),
		passed_ms = p->ticked ? mono_ms - p->round_mono_ms : -1;

	p->round_mono_ms = mono_ms;
	p->ticked = true;
	return history_tick(&p->history, clock_wall_ms(), passed_ms);
}

/* Joins what the targets said, with what the past knows, into judged bays. */
static void normalise(struct pipeline *p)
{
	struct bay_pack last = {0};

	forget_unasked(p);
	inventory_last(&p->inventory, &last);
	inventory_join(&p->inventory, &p->config->policies, p->history.wall_ms);
	history_support(&p->history, &p->inventory);
	inventory_judge(&p->inventory, &p->config->policies);
	history_carry(&p->history, &last, &p->inventory);
	bay_pack_release(&last);
}

/* ---- reconcile, evaluate ---- */

static void reconcile(struct pipeline *p, int64_t jump_ms, struct outcome *o)
{
	add_told(p, o);
	if (jump_ms)
		change_clock_jumped(&p->history, jump_ms, &o->events);
	change_reconcile(
		&p->history, &p->config->policies.wear, &p->inventory, &o->events);
	localise_faults(&p->history, &p->inventory);
}

/* Whether a channel is told of it. */
static bool wants(const void *arg, const struct notice *n)
{
	const struct notify_config *c = arg;

	return n->severity >= c->severity_min && (c->kinds.n == 0 || patterns_match(&c->kinds, alert_kind_word(n->kind)));
}

/* What one channel is told: grouped, but for Alertmanager, which groups by itself. */
static void address_to(struct pipeline *p, const struct notify_config *c, struct outcome *o)
{
	struct notices mine = {0};

	notices_pick(&o->notices, wants, c, &mine);
	if (c->type != NOTIFY_ALERTMANAGER)
		notices_group(&mine);
	for (size_t i = 0; i < mine.n; i++) {
		json_t *j = document_of_notice(&mine.items[i], c->name);

		o->outbox = mem_grow(o->outbox, o->n_outbox, sizeof *o->outbox);
		o->outbox[o->n_outbox++] = (struct store_notice){.id = p->next_notice++,
			.alert_id = mine.items[i].alert_id,
			.channel = c->name,
			.body = jtext_print(j, JSON_COMPACT)};
		json_decref(j);
	}
	notices_release(&mine);
}

void pipeline_silence(struct pipeline *p, struct alert *a, const char *by, const char *note, int64_t until_wall_ms)
{
	int64_t last_id = 0;
	size_t kept = 0;
	struct silence *s;

	for (size_t i = 0; i < p->silences.n; i++) {
		if (p->silences.items[i].id > last_id)
			last_id = p->silences.items[i].id;
		if (!str_same(p->silences.items[i].key, a->key))
			p->silences.items[kept++] = p->silences.items[i];
	}
	p->silences.n = kept;
	if (until_wall_ms != CLOCK_NEVER) {
		s = silences_add(&p->silences);
		s->id = last_id + 1;
		s->from_wall_ms = clock_wall_ms();
		s->until_wall_ms = until_wall_ms;
		str_copy(s->key, sizeof s->key, a->key);
		str_copy(s->by, sizeof s->by, by);
		str_copy(s->comment, sizeof s->comment, note);
	}
	alert_look_silent(a, &p->silences, &p->config->maintenance, clock_wall_ms());
}

uint64_t pipeline_keep_said(struct pipeline *p)
{
	const struct store_round said = {.at_wall_ms = p->history.wall_ms, .alerts = &p->alerts, .silences = &p->silences};

	return p->writer ? writer_put(p->writer, NULL, &said) : 0;
}

/* Those that are over are forgotten. */
static void drop_silences(struct pipeline *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->silences.n; i++)
		if (p->silences.items[i].until_wall_ms > p->history.wall_ms)
			p->silences.items[kept++] = p->silences.items[i];
	p->silences.n = kept;
}

static const char *group_of(const void *arg, const char *target)
{
	const struct config *c = arg;

	for (size_t i = 0; i < c->n_targets; i++)
		if (str_same(c->targets[i].name, target))
			return c->targets[i].group;
	return "";
}

static void evaluate(struct pipeline *p, struct outcome *o)
{
	const struct config *c = p->config;
	const struct alert_round round = {.history = &p->history,
		.limits = &c->policies.wear,
		.inventory = &p->inventory,
		.store_trouble = p->stored.trouble[0] ? p->stored.trouble : NULL,
		.rules = &c->rules,
		.silences = &p->silences,
		.maintenance = &c->maintenance,
		.group_wait_ms = c->group_wait_ms,
		.group_of = group_of,
		.group_arg = c};

	drop_silences(p);
	alerts_evaluate(&p->alerts, &round, &o->notices);
	for (size_t i = 0; i < c->n_notifies; i++)
		address_to(p, &c->notifies[i], o);
}

/* ---- store ---- */

/* Big documents are written less often: 2 KB a second of flash is what they may cost. */
static bool document_due(const struct pipeline *p)
{
	return p->document_bytes == 0 || p->history.steady_ms - p->document_at_ms >=
						 (int64_t)(p->document_bytes / 2);
}

static void document_kept(struct pipeline *p, const char *text)
{
	p->document_at_ms = p->history.steady_ms;
	p->document_bytes = strlen(text);
}

static void tell_of_store(
	const struct pipeline *p, struct outcome *o, enum event_type type)
{
	bool full = type == EVENT_STORE_FULL;
	struct event *e = events_add(&o->events, p->history.wall_ms, type,
		full ? SEVERITY_CRITICAL : SEVERITY_INFO);

	snprintf(e->message, sizeof e->message,
		full ? "nothing can be kept: %s" : "what is read is kept again%s",
		full ? p->stored.trouble : "");
}

/*
 * How the writer fares since the last round: a fault and its end are events of their own. True if
 * it began a new file, which knows nothing yet.
 */
static bool look_at_store(struct pipeline *p, struct outcome *o)
{
	struct writer_state before = p->stored;

	if (!p->writer)
		return false;
	writer_get_state(p->writer, &p->stored);
	if (p->stored.trouble[0] && !before.trouble[0])
		tell_of_store(p, o, EVENT_STORE_FULL);
	if (!p->stored.trouble[0] && before.trouble[0])
		tell_of_store(p, o, EVENT_STORE_RECOVERED);
	return p->stored.files_begun != before.files_begun;
}

static bool all_fresh(const struct pipeline *p)
{
	for (size_t i = 0; i < p->inventory.n_targets; i++)
		if (p->inventory.targets[i].old)
			return false;
	return true;
}

/* The bays that were told of anew: the others have no point in this poll. */
static struct store_poll take_poll(const struct pipeline *p)
{
	struct store_poll poll = {.at_wall_ms = p->history.wall_ms, .at_steady_ms = p->history.steady_ms};
	bool all = all_fresh(p);

	for (size_t i = 0; i < p->inventory.n_bays; i++)
		if (all || inventory_fresh(&p->inventory, &p->inventory.bays[i]))
			store_poll_add(&poll, &p->inventory.bays[i]);
	return poll;
}

static uint64_t hand_over(struct pipeline *p, struct store_poll *poll, struct outcome *o, bool begun)
{
	struct store_round r = {.at_wall_ms = p->history.wall_ms,
		.history = &p->history,
		.all_drives = begun,
		.alerts = &p->alerts,
		.silences = begun ? &p->silences : NULL,
		.events = &o->events,
		.notices = o->outbox,
		.n_notices = p->rehearsal ? 0 : o->n_outbox};
	struct buf text;
	uint64_t ticket;

	buf_init(&text, 1);
	if (begun || document_due(p))
		r.document = document_text(p, &text);
	p->document_behind = !r.document;
	if (r.document)
		document_kept(p, r.document);
	ticket = writer_put(p->writer, poll, &r);
	buf_release(&text);
	return ticket;
}

/* Nobody waits for a disk but who asked for it. */
static void keep(struct pipeline *p, struct store_poll *poll, struct outcome *o, bool begun)
{
	uint64_t ticket;

	if (!p->writer)
		return;
	for (size_t i = 0; i < o->events.n; i++)
		o->events.items[i].id = p->next_event++;
	ticket = hand_over(p, poll, o, begun);
	o->stored = !p->stored.trouble[0];
	if (p->patient)
		o->stored = writer_wait(p->writer, ticket, PATIENCE_MS, &o->store_error) == 0;
	else
		str_copy(o->store_error.text, sizeof o->store_error.text, p->stored.trouble);
}

/*
 * Collected is what pipeline_take() was given.  Storing comes after evaluating, so that
 * one transaction holds the round whole: what was seen, what happened, and who is still
 * to be told. Telling and serving are the caller's: `run` sends the outbox, `replay`
 * prints it.
 */
void pipeline_round(struct pipeline *p, struct outcome *o)
{
	int64_t jump_ms = tick(p);
	struct store_poll poll = {0};
	bool begun;

	*o = (struct outcome){0};
	normalise(p);
	begun = look_at_store(p, o);
	reconcile(p, jump_ms, o);
	foresee(&p->foresight, p->writer ? writer_reader(p->writer) : NULL, &p->history, &p->inventory);
	evaluate(p, o);
	if (p->writer)
		poll = take_poll(p);
	inventory_settled(&p->inventory);
	inventory_rest(&p->inventory);
	keep(p, &poll, o, begun);
}
