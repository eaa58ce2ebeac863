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

#include "base/buf.h"
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
	STORE_WRITE_UNSEEN, /* as STORE_WRITE, but one that is up to date is not looked through: store_look() does */
	STORE_READ_INSIDE,  /* as STORE_READ, in the process that writes */
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

/*
 * Reads all pages of what STORE_WRITE_UNSEEN opened, which takes a second for some hundred megabytes;
 * `thorough`: also whether tables and indexes agree.  0 it is sound, 1 damaged, -1 it could not be
 * read, or *stop became true: with the reason.
 */
int store_look(struct store *s, bool thorough, const _Atomic bool *stop, struct err *e);

/* For another thread that made *stop true, as often as it likes until store_look() is back: SQLite
 * before 3.41 asks nobody while it reads pages, but hears this. */
void store_stop_look(struct store *s);

/* Looks once more and, where it is damaged again, sets the file aside under a dated name and begins a
 * new one in the same store.  1 a new one began, 0 it is sound, -1 with the reason. */
int store_mend(struct store *s, bool thorough, struct err *e);

/* True as long as the file that is open is the one of that name. */
bool store_is_at(const struct store *s, const char *path);

/* Whether the last thing failed because the file is damaged. */
bool store_met_damage(const struct store *s);

/* How long points are kept, as time that the agent lived through; 0: for ever; and how surely. */
struct store_limits {
	int64_t raw_ms, hourly_ms, daily_ms;
	int64_t bytes_max; /* of the file, by dropping the oldest points; 0: no limit */
	bool flush_points; /* to the disk with each commit, as all else is; a power cut costs none then */
};

/* 60 days, two years, for ever, no limit; points are not flushed. */
struct store_limits store_limits_standard(void);

/* Of a store that is written; what is too much goes with the next rounds, bit by bit. */
void store_limit(struct store *s, const struct store_limits *limits);

/* ---- writing ---- */

/* What is told to one channel. */
struct store_notice {
	int64_t id;       /* 0: the store gives one */
	int64_t alert_id; /* 0: of a group */
	const char *channel;
	const char *body; /* JSON */
};

/* What one poll saw, packed: some hundred bytes a drive.  All zeros is a poll of nothing. */
struct store_poll {
	int64_t at_wall_ms, at_steady_ms;
	size_t n_drives;
	struct buf drives;
};

/* Adds the drive of a bay; nothing where there is none, or what is known of it is stale. */
void store_poll_add(struct store_poll *p, const struct bay *b);
void store_poll_release(struct store_poll *p);

/* A channel took a notice (or will never); it is not offered again. */
struct store_told {
	int64_t id, at_wall_ms;
	bool refused;
};

/*
 * One round, or several, all of it in one transaction: kept whole, or not at all.  What is NULL
 * or 0 stays as it is.
 */
struct store_round {
	int64_t at_wall_ms;	    /* of its last poll */
	size_t n_polls;
	const struct store_poll *polls; /* oldest first; the last one belongs to `history` */
	const struct history *history; /* its drives: all, or those that something became of since the round before */
	bool all_drives; /* of history; else a writer takes those of its last round alone */
	const struct alerts *alerts;
	const struct silences *silences; /* all; those of the configuration have no id and are passed over */
	const char *document; /* JSON text of lanewatch/bays/v1; "": the one before stays */
	const struct events *events; /* with an id, or the store gives them one */
	const struct store_notice *notices;
	size_t n_notices;
	const struct store_told *told; /* also of notices of this round */
	size_t n_told;
};

int store_put_round(struct store *s, const struct store_round *r, struct err *e);

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

/* The ids that the next event and the next notice may have: no smaller one was ever given. */
int store_get_next_ids(struct store *s, int64_t *event, int64_t *notice, struct err *e);

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
