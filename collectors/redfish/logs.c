/* SPDX-License-Identifier: MIT */
/* logs: see logs.h. */
#include "collectors/redfish/logs.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/jtext.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/redfish/dialect.h"
#include "collectors/redfish/log_entry.h"
#include "collectors/redfish/tree.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	PERIOD_MS = 5 * 60 * 1000,
	NONE_AGAIN_MS = 24 * 60 * 60 * 1000, /* a service without a log is asked again after a day */
	BODY_MAX = 4 * 1024 * 1024,
	KEYS = 8, /* newest records that are remembered: one of them may be deleted */
	LISTS = 2,
	TAIL = 100, /* records read of the end of a log that begins with its oldest */
};

enum stage { STAGE_UNKNOWN = 0, STAGE_LIST, STAGE_SERVICE, STAGE_PAGE };

struct keys {
	size_t n;
	uint64_t items[KEYS]; /* newest first */
};

/* What one record told, until it is reported. */
struct found {
	struct event event;
	char origin[RF_PATH_MAX];
};

struct rf_logs {
	struct rf_session *session;
	enum stage stage;
	struct http_call *call; /* NULL: no reading is under way */
	void (*done)(void *arg);
	void *arg;
	bool hurried;
	int64_t next_mono_ms;

	size_t n_lists, list; /* of LogServices, and which one is asked */
	char lists[LISTS][RF_PATH_MAX];
	int best; /* how good the chosen service is; 0: none */
	char service[RF_PATH_MAX], entries[RF_PATH_MAX], name[16];

	bool begun;	  /* known says where the log was; else this is the first contact */
	bool note_behind; /* the note is older than known */
	struct keys known, newest;
	bool oldest_first, met; /* met: a known record was seen in this reading */
	bool jumped;		/* it was asked for the end of the log */
	unsigned pages;
	size_t n_found;
	struct found *found;
};

/* ---- the note ---- */

static bool note_path(const struct rf_logs *l, char *out, size_t size)
{
	uint64_t h = 0xcbf29ce484222325u;
	const char *dir = l->session->env->state_dir;

	for (const char *s = l->session->base; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return dir && snprintf(out, size, "%s/log-%016" PRIx64, dir, h) < (int)size;
}

static void read_note(struct rf_logs *l)
{
	char path[512];
	const char *p;
	struct buf b;

	if (!note_path(l, path, sizeof path))
		return;
	buf_init(&b, 1024);
	if (file_read(path, &b, NULL) == 0) {
		for (p = buf_text(&b); l->known.n < KEYS && strlen(p) >= 16; p += 17) {
			l->known.items[l->known.n++] = strtoull(p, NULL, 16);
			if (p[16] != '\n')
				break;
		}
		l->begun = l->known.n > 0;
	}
	buf_release(&b);
}

static void write_note(struct rf_logs *l)
{
	char path[512], text[KEYS * 17 + 1] = "";
	size_t len = 0;
	int fd;

	if (!l->note_behind || !note_path(l, path, sizeof path))
		return;
	for (size_t i = 0; i < l->known.n; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%016" PRIx64 "\n", l->known.items[i]);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	if (write(fd, text, len) == (ssize_t)len)
		l->note_behind = false;
	close(fd);
}

/* ---- records ---- */

static void add_key(struct keys *k, uint64_t key)
{
	if (k->n < KEYS)
		k->items[k->n++] = key;
}

/* The newest stand last in a log that begins with its oldest. */
static void push_key(struct keys *k, uint64_t key)
{
	memmove(&k->items[1], &k->items[0], (KEYS - 1) * sizeof k->items[0]);
	k->items[0] = key;
	k->n += k->n < KEYS;
}

static bool is_known(const struct rf_logs *l, uint64_t key)
{
	for (size_t i = 0; i < l->known.n; i++)
		if (l->known.items[i] == key)
			return true;
	return false;
}

static void forget_found(struct rf_logs *l)
{
	free(l->found);
	l->found = NULL;
	l->n_found = 0;
}

static void note_record(struct rf_logs *l, const json_t *entry)
{
	const char *origin = rf_log_entry_origin(entry);
	struct event e;
	struct found *f;

	if (l->n_found >= RF_LOG_EVENTS_MAX || !rf_log_entry_read(entry, l->name, &e))
		return;
	l->found = mem_grow(l->found, l->n_found, sizeof *l->found);
	f = &l->found[l->n_found++];
	*f = (struct found){.event = e};
	if (origin && !rf_path_reduce(&l->session->origin, origin, f->origin))
		f->origin[0] = '\0';
}

static double order_of(const json_t *entry)
{
	return jtext_number(json_object_get(entry, "Id"));
}

/* By the numbers of the first and the last record, else by their times. */
static bool begins_with_oldest(const json_t *members)
{
	const json_t *a = json_array_get(members, 0), *b = json_array_get(members, json_array_size(members) - 1);
	double x = order_of(a), y = order_of(b);
	int64_t s, t;

	if (x < y || x > y)
		return x < y;
	s = clock_parse(jtext_string(json_object_get(a, "Created")));
	t = clock_parse(jtext_string(json_object_get(b, "Created")));
	return s != CLOCK_NEVER && t != CLOCK_NEVER && s < t;
}

/* From the newest on; true if a known one is met: the rest is known. */
static bool take_newest_first(struct rf_logs *l, const json_t *members)
{
	json_t *entry;
	size_t i;

	json_array_foreach(members, i, entry)
	{
		uint64_t key = rf_log_entry_key(entry);

		add_key(&l->newest, key);
		if (l->met || is_known(l, key))
			l->met = true; /* a few more keys are taken along */
		else if (l->begun)
			note_record(l, entry);
		if (l->met && l->newest.n == KEYS)
			break;
	}
	return l->met;
}

/* What was found before a known one is known as well. */
static void take_oldest_first(struct rf_logs *l, const json_t *members)
{
	json_t *entry;
	size_t i;

	json_array_foreach(members, i, entry)
	{
		uint64_t key = rf_log_entry_key(entry);

		push_key(&l->newest, key);
		if (is_known(l, key)) {
			l->met = true;
			forget_found(l);
		} else if (l->begun) {
			note_record(l, entry);
		}
	}
}

/* ---- asking ---- */

static void answered(void *arg, const struct http_reply *reply);

static void ask(struct rf_logs *l, enum stage stage, const char *path)
{
	l->stage = stage;
	l->call = rf_session_get(l->session, path, true, BODY_MAX, answered, l);
}

static void end(struct rf_logs *l)
{
	l->call = NULL;
	l->done(l->arg);
}

/* A page could not be read: all of it comes again next time. */
static void fail(struct rf_logs *l)
{
	forget_found(l);
	l->newest.n = 0;
	end(l);
}

static void succeed(struct rf_logs *l)
{
	if (l->newest.n && (l->known.n != l->newest.n || memcmp(l->known.items, l->newest.items, l->newest.n * sizeof l->newest.items[0]) != 0)) {
		l->known = l->newest;
		l->note_behind = true;
	}
	if (!l->begun)
		write_note(l); /* nothing was found that could be lost */
	l->begun = true;
	end(l);
}

static void ask_first_page(struct rf_logs *l)
{
	l->newest.n = 0;
	l->met = l->jumped = false;
	l->pages = 0;
	forget_found(l);
	ask(l, STAGE_PAGE, l->entries);
}

/* A long log that begins with its oldest: its end is asked for, where the service knows $skip. */
static bool ask_for_end(struct rf_logs *l, const json_t *page)
{
	char path[RF_PATH_MAX];
	int64_t count;

	if (l->jumped || !jtext_int(json_object_get(page, "Members@odata.count"), TAIL + 1, INT32_MAX, &count) ||
		(size_t)count <= json_array_size(json_object_get(page, "Members")) ||
		snprintf(path, sizeof path, "%s?$skip=%d", l->entries, (int)(count - TAIL)) >= (int)sizeof path)
		return false;
	l->jumped = true;
	l->newest.n = 0;
	forget_found(l);
	ask(l, STAGE_PAGE, path);
	return true;
}

static bool ask_next_page(struct rf_logs *l, const json_t *page)
{
	const char *next = jtext_string(json_object_get(page, "Members@odata.nextLink"));
	char path[RF_PATH_MAX];

	if (!next || ++l->pages >= RF_LOG_PAGES_MAX || !rf_path_reduce(&l->session->origin, next, path))
		return false;
	ask(l, STAGE_PAGE, path);
	return true;
}

static void take_page(struct rf_logs *l, const json_t *page)
{
	const json_t *members = json_object_get(page, "Members");

	if (l->pages == 0 && !l->jumped)
		l->oldest_first = json_array_size(members) > 1 && begins_with_oldest(members);
	if (!l->oldest_first) {
		if (!take_newest_first(l, members) && l->begun && ask_next_page(l, page))
			return;
	} else {
		if (ask_for_end(l, page))
			return;
		take_oldest_first(l, members);
		if (ask_next_page(l, page))
			return;
	}
	succeed(l);
}

/* ---- which log ---- */

/* How much a log tells of drives, by the last part of its path; 0: nothing. */
static int worth(const char *path)
{
	static const char *const best_last[] = {"SEL", "Log1", "StandardLog", "ActiveLog", "EventLog", "PlatformLog",
		"IML", "Lclog", NULL};
	const char *name = rf_path_last(path);

	for (int i = 0; best_last[i]; i++)
		if (str_same_nocase(name, best_last[i]))
			return i + 2;
	if (str_has_nocase(name, "Audit") || str_has_nocase(name, "Dump") || str_has_nocase(name, "Journal") ||
		str_has_nocase(name, "Post") || str_has_nocase(name, "Fault") || str_has_nocase(name, "Secur"))
		return 0;
	return str_has_nocase(name, "Log") || str_has_nocase(name, "Event");
}

static void choose(struct rf_logs *l, const json_t *list)
{
	json_t *member;
	size_t i;

	json_array_foreach(json_object_get(list, "Members"), i, member)
	{
		const char *link = jtext_string(json_is_object(member) ? json_object_get(member, "@odata.id") : member);
		char path[RF_PATH_MAX];

		if (!link || !rf_path_reduce(&l->session->origin, link, path) || worth(path) <= l->best)
			continue;
		l->best = worth(path);
		str_copy(l->service, sizeof l->service, path);
		str_clean(l->name, sizeof l->name, rf_path_last(path));
	}
}

static void next_list(struct rf_logs *l)
{
	if (l->list < l->n_lists) {
		ask(l, STAGE_LIST, l->lists[l->list++]);
	} else if (l->best) {
		ask(l, STAGE_SERVICE, l->service);
	} else {
		l->next_mono_ms = clock_mono_ms() + NONE_AGAIN_MS;
		end(l);
	}
}

static void take_service(struct rf_logs *l, const json_t *service)
{
	const char *link = jtext_string(jtext_at(service, "Entries", "@odata.id", NULL));

	if (!link || !rf_path_reduce(&l->session->origin, link, l->entries)) {
		l->entries[0] = '\0';
		l->next_mono_ms = clock_mono_ms() + NONE_AGAIN_MS;
		end(l);
		return;
	}
	ask_first_page(l);
}

static void answered(void *arg, const struct http_reply *reply)
{
	struct rf_logs *l = arg;
	json_t *doc = reply->end == HTTP_ANSWERED && reply->status == 200 ? jtext_parse(reply->body, reply->body_len, NULL, NULL) : NULL;

	l->call = NULL;
	rf_secrets_hide(&l->session->secrets, reply->body, doc);
	switch (l->stage) {
	case STAGE_LIST:
		choose(l, doc);
		next_list(l);
		break;
	case STAGE_SERVICE:
		take_service(l, doc);
		break;
	case STAGE_PAGE:
		if (json_is_array(json_object_get(doc, "Members"))) {
			take_page(l, doc);
			break;
		}
		if (reply->end == HTTP_ANSWERED && reply->status == 404)
			l->entries[0] = '\0'; /* it may have moved */
		fail(l);
		break;
	case STAGE_UNKNOWN:
		end(l);
		break;
	}
	json_decref(doc);
}

static void add_list(struct rf_logs *l, const json_t *holder)
{
	const char *link = jtext_string(jtext_at(holder, "LogServices", "@odata.id", NULL));

	if (link && l->n_lists < LISTS && rf_path_reduce(&l->session->origin, link, l->lists[l->n_lists]))
		l->n_lists++;
}

/* ---- from outside ---- */

struct rf_logs *rf_logs_new(struct rf_session *session)
{
	struct rf_logs *l = mem_new(1, sizeof *l);

	l->session = session;
	return l;
}

void rf_logs_free(struct rf_logs *l)
{
	if (!l)
		return;
	rf_logs_cancel(l);
	forget_found(l);
	free(l);
}

void rf_logs_hurry(struct rf_logs *l)
{
	if (l->entries[0])
		l->hurried = true;
}

bool rf_logs_read(struct rf_logs *l, const struct rf_survey *s, void (*done)(void *arg), void *arg)
{
	int64_t now = clock_mono_ms();

	if (!s->system || !rf_session_ready(l->session) || (!l->hurried && now < l->next_mono_ms))
		return false;
	if (!l->begun)
		read_note(l);
	write_note(l); /* what was found before this reading is stored by now */
	l->done = done;
	l->arg = arg;
	l->hurried = false;
	l->next_mono_ms = now + (l->session->config->logs_interval_ms ? l->session->config->logs_interval_ms : PERIOD_MS);
	if (l->entries[0]) {
		ask_first_page(l);
		return true;
	}
	l->n_lists = l->list = 0;
	l->best = 0;
	add_list(l, s->manager);
	add_list(l, s->system);
	if (l->n_lists == 0) {
		l->next_mono_ms = now + NONE_AGAIN_MS;
		return false;
	}
	next_list(l);
	return true;
}

void rf_logs_cancel(struct rf_logs *l)
{
	if (!l->call)
		return;
	http_cancel(l->call);
	l->call = NULL;
	forget_found(l);
}

/* ---- bays ---- */

static const struct bay *bay_of_serial(const struct snapshot *s, const json_t *serial)
{
	char text[64];

	if (!jtext_copy(text, sizeof text, serial))
		return NULL;
	for (size_t i = 0; i < s->n_bays; i++)
		if (s->bays[i].has_drive && str_same(s->bays[i].drive.serial, text))
			return &s->bays[i];
	return NULL;
}

static const struct bay *bay_named(const struct snapshot *s, const char *name)
{
	for (size_t i = 0; i < s->n_bays; i++)
		if (str_same(s->bays[i].bay, name))
			return &s->bays[i];
	return NULL;
}

/* By the drive that the record links to, by that drive's path, or by the number in its text. */
static void name_bay(const struct rf_survey *s, const struct snapshot *out, const struct found *f, struct event *e)
{
	const struct bay *b = NULL;
	char key[RF_PATH_MAX], name[64];

	if (f->origin[0]) {
		rf_path_key(f->origin, key);
		for (size_t i = 0; i < s->n_drives && !b; i++)
			if (strcmp(s->drives[i].path, key) == 0)
				b = bay_of_serial(out, json_object_get(s->drives[i].doc, "SerialNumber"));
		if (!b && s->dialect && s->dialect->bay_of_path && s->dialect->bay_of_path(key, name, sizeof name))
			str_copy(e->bay, sizeof e->bay, name);
	}
	if (!b)
		b = bay_named(out, e->bay);
	if (!b)
		return;
	str_copy(e->bay, sizeof e->bay, b->bay);
	if (b->has_drive)
		str_copy(e->serial, sizeof e->serial, b->drive.serial);
}

void rf_logs_report(struct rf_logs *l, const struct rf_survey *s, struct snapshot *out)
{
	/* oldest first, as they happened */
	for (size_t i = 0; i < l->n_found; i++) {
		const struct found *f = &l->found[l->oldest_first ? i : l->n_found - 1 - i];
		struct event *e = events_add(&out->log, clock_wall_ms(), EVENT_BMC_LOG, f->event.severity);

		*e = f->event;
		e->at_wall_ms = clock_wall_ms();
		str_copy(e->target, sizeof e->target, out->target.name);
		str_copy(e->host, sizeof e->host, out->target.host);
		name_bay(s, out, f, e);
	}
	forget_found(l);
}
