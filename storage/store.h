/* SPDX-License-Identifier: MIT */
/*
 * store: what the agent keeps, in one SQLite file (docs/STORAGE.md): the last round as a
 * document, points of each drive and poll, what history remembers, events, alerts, and
 * what channels still have to be told.  The only folder that knows SQLite.
 *
 * One process writes; others read at any time.  A store belongs to the thread that opened
 * it.
 */
#ifndef STORAGE_STORE_H
#define STORAGE_STORE_H

#include "base/err.h"
#include "model/alert.h"
#include "model/forecast.h"
#include "model/metric.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct store;

enum store_mode {
	STORE_MODE_UNKNOWN = 0,
	STORE_READ,
	STORE_WRITE,
	STORE_LOOK, /* as STORE_READ, and older ones too: to check or copy them */
};

/* Why a store could not be opened. */
enum store_fault {
	STORE_FAULT_NONE = 0,
	STORE_MISSING,  /* no such file */
	STORE_FOREIGN,  /* not ours, or of a newer program */
	STORE_LOCKED,   /* another agent writes it */
	STORE_UNUSABLE, /* permissions, disk, damage */
};

/*
 * Opens the file; STORE_WRITE makes it where it is missing, brings an older one up to
 * date, and sets a damaged one aside under a dated name.  NULL with the reason in words;
 * *fault may be NULL.
 */
struct store *store_open(
	const char *path, enum store_mode mode, enum store_fault *fault, struct err *e);
void store_close(struct store *s);

/* How long points are kept, as time that the agent lived through; 0: for ever. */
struct store_limits {
	int64_t raw_ms, hourly_ms, daily_ms;
	int64_t bytes_max; /* of the file, by dropping the oldest points; 0: no limit */
};

/* 60 days, two years, for ever, no limit. */
struct store_limits store_limits_standard(void);

/* Of a store that is written; what is too much goes with the next rounds, bit by bit. */
void store_limit(struct store *s, const struct store_limits *limits);

/* ---- writing ---- */

/* What is told to one channel; `id` is given when it is stored. */
struct store_notice {
	int64_t id;
	int64_t alert_id; /* 0: of a group */
	const char *channel;
	const char *body; /* JSON */
};

/* What one poll saw. */
struct store_poll {
	int64_t at_wall_ms, at_steady_ms;
	size_t n_bays;
	const struct bay *bays;
};

/* One round, all of it in one transaction: kept whole, or not at all. */
struct store_round {
	size_t n_polls;
	const struct store_poll
		*polls; /* those that still wait, and the one of this round */
	const struct history *history;
	const struct alerts *alerts;
	const char *document; /* JSON text of lanewatch/bays/v1; NULL or "": the one before stays */
	const struct events
		*waiting;      /* of rounds that could not be stored; may be NULL */
	struct events *events; /* of this round; gets its ids */
	struct store_notice *notices;
	size_t n_notices;
};

int store_put_round(struct store *s, const struct store_round *r, struct err *e);

/* The last round alone, where it was left out before. */
int store_put_document(struct store *s, const char *document, int64_t at_wall_ms, struct err *e);

/* A channel took a notice (or will never); it is not offered again. */
int store_notice_told(struct store *s, int64_t id, int64_t at_wall_ms, bool refused, struct err *e);

/* Who acknowledged which alert, and all silences (but those of the configuration, which have no id); flushed to the disk. */
int store_put_said(struct store *s, const struct silences *list, const struct alerts *a, struct err *e);

/* ---- reading ---- */

/* Each fills what was initialised by the caller; an empty store gives nothing and is no
 * failure. */
int store_get_history(struct store *s, struct history *h, struct err *e);
int store_get_silences(struct store *s, struct silences *out, struct err *e);
int store_get_alerts(struct store *s, bool resolved_too, struct alerts *a, struct err *e);

/* The last document, the caller's to free(); NULL where there is none yet, or with the
 * reason. */
char *store_take_document(struct store *s, struct err *e);

struct store_filter {
	int64_t since_wall_ms, until_wall_ms; /* CLOCK_NEVER: no limit */
	size_t last;                          /* events: only the last so many; 0 all */
	int64_t step_ms;                      /* points: one for each step; 0 all of them */
};

/* Oldest first. */
int store_get_events(
	struct store *s, const struct store_filter *f, struct events *ev, struct err *e);

/* Notices that still have to be told, oldest first; fn may end it with false. */
int store_each_notice(struct store *s,
	bool (*fn)(void *arg, const struct store_notice *n), void *arg, struct err *e);

/*
 * One poll in which a drive was seen; or all of a step, an hour or a day: `value` is then
 * the last that was known, at the time of the last poll.
 */
struct store_point {
	int64_t at_wall_ms, at_steady_ms;
	const char *bay, *drive_id, *serial;
	struct metric_value value, least, greatest;
	uint64_t count; /* how many values that is: 0 none was known */
};

/*
 * The points of a drive (by serial or drive id) or of a bay ("TARGET/BAY", "HOST/BAY") in
 * the order of the polls.  `metric` NULL: only that it was seen.  With a step, one for
 * each step of the wall clock and place in which there was any; steps of an hour or a day
 * and more are read from what was rolled up.  Where raw points are no longer kept, each
 * hour is one, where hours are not, each day.  Returns how many drives or bays that is (0:
 * nothing of that name), -1 on failure.
 */
int store_each_point(struct store *s, const char *who, const struct metric *metric,
	const struct store_filter *f, void (*fn)(void *arg, const struct store_point *p),
	void *arg, struct err *e);

/* What one drive said in the last poll; numbers of drive and place are those of the file. */
struct store_latest {
	int64_t at_wall_ms, at_steady_ms;
	int64_t drive, place;
	const struct metric_value *values; /* in the order of metric_table() */
};

int store_each_latest(struct store *s,
	void (*fn)(void *arg, const struct store_latest *l), void *arg, struct err *e);

/* Reading ends with an error after so long; 0: it may take its time. */
void store_deadline(struct store *s, int64_t within_ms);

/*
 * What a drive (by id) used and wrote, in the order of the polls, on the steady clock:
 * all of it or, of a long history, points that lie evenly over it; at most `max`. Returns
 * how many, -1 on failure.
 */
ptrdiff_t store_get_wear(struct store *s, const char *drive_id,
	struct forecast_sample *out, size_t max, struct err *e);

/* Names that store_each_point() knows, for a hint; calls fn for each. */
int store_each_name(struct store *s, void (*fn)(void *arg, const char *name), void *arg,
	struct err *e);

/* Every drive that was ever seen: its id, serial and model ("" not known). */
int store_each_drive(struct store *s,
	void (*fn)(void *arg, const char *id, const char *serial, const char *model), void *arg,
	struct err *e);

/* Every bay that ever held one, and a target that told of it ("" none does). */
int store_each_place(struct store *s,
	void (*fn)(void *arg, const char *host, const char *bay, const char *target), void *arg,
	struct err *e);

/* The time from `since` on at which there may be points; CLOCK_NEVER if there are none. */
int store_next_time(struct store *s, int64_t since_wall_ms, int64_t *next, struct err *e);

#endif
