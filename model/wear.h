/* SPDX-License-Identifier: MIT */
/*
 * wear: endurance, spare and health of a drive, and what they mean (wear table of the
 * cases): NVM Express Base Specification 2.0, section 5.16.1.3 (SMART / Health, log 02h).
 *
 * Percentages are doubles and NAN where not known; counters are `struct count`.
 */
#ifndef MODEL_WEAR_H
#define MODEL_WEAR_H

#include "model/count.h"
#include "model/reason.h"
#include "model/verdict.h"

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

enum alert_level { ALERT_UNKNOWN = 0, ALERT_NONE, ALERT_WARNING, ALERT_CRITICAL };

/* Reasons of wear and health, as bits; words in wear_reason_word(). */
enum wear_reason {
	WEAR_ENDURANCE_USED = 1 << 0,
	WEAR_SPARE_BELOW_THRESHOLD = 1 << 1,
	WEAR_RELIABILITY_DEGRADED = 1 << 2,
	WEAR_READ_ONLY = 1 << 3,
	WEAR_MEDIA_ERRORS_RISING = 1 << 4,
	WEAR_TEMPERATURE = 1 << 5,
	WEAR_FAILURE_PREDICTED = 1 << 6,
	WEAR_NOT_REPORTED = 1 << 7,
	WEAR_PERMISSION_DENIED = 1 << 8,
	WEAR_TIMEOUT = 1 << 9,
	WEAR_SUSPECT = 1 << 10,
	WEAR_REASONS_END = 1 << 11,
};

/* Critical Warning of log 02h, byte 0. */
enum critical_warning {
	CRITICAL_SPARE = 1 << 0,
	CRITICAL_TEMPERATURE = 1 << 1,
	CRITICAL_RELIABILITY = 1 << 2,
	CRITICAL_READ_ONLY = 1 << 3,
	CRITICAL_BACKUP = 1 << 4,
	CRITICAL_PMR = 1 << 5,
};

enum wear_quality { WEAR_QUALITY_UNKNOWN = 0, WEAR_GOOD, WEAR_QUALITY_SUSPECT };

struct forecast {
	bool known;
	double percent_per_year;
	double days_to_100;
	int64_t exhausted_on_wall_ms, earliest_wall_ms, latest_wall_ms; /* CLOCK_NEVER where not known */
	double basis_days;
};

struct wear {
	double percent_used;	   /* 0 to 255, as the drive says; NAN not known */
	double life_left_percent;  /* 0 to 100 */
	double available_spare_percent;
	double spare_threshold_percent;
	struct count bytes_written, bytes_read, physical_bytes_written;
	enum alert_level alert;
	unsigned reasons; /* bits of enum wear_reason */
	bool applicable;  /* false for what does not wear: rotating disks */
	enum wear_quality quality;
	struct forecast forecast;
	double rated_tbw, rated_dwpd, used_dwpd; /* TB, drive writes a day; NAN */
};

enum self_test { SELF_TEST_UNKNOWN = 0, SELF_TEST_NONE, SELF_TEST_PASSED, SELF_TEST_FAILED, SELF_TEST_ABORTED, SELF_TEST_RUNNING };

/* The newest entry of the error log (log 01h). */
struct last_error {
	bool known;
	struct count number; /* of all errors so far */
	int status;	     /* NVMe status field */
	uint32_t namespace_id; /* 0: of none */
	struct count lba;      /* where a namespace is told */
};

struct health {
	enum alert_level status; /* of the drive itself, endurance left out */
	unsigned reasons;	 /* bits of enum wear_reason behind the status */
	enum tri failure_predicted;
	int critical_warning; /* bits of enum critical_warning; -1 not known */
	struct count media_errors, error_log_entries, unsafe_shutdowns, power_cycles;
	struct count power_on_hours, controller_busy_minutes;
	enum self_test self_test;
	int self_test_code;
	struct count self_test_hours;
	struct last_error last_error;
};

/* Nothing known, applicable. */
struct wear wear_unknown(void);
struct forecast forecast_unknown(void);
struct health health_unknown(void);

/*
 * The one value from the other: left is 100 - used and stops at 0.  NAN makes both unknown; what
 * cannot be (used beyond 0..255, left beyond 0..100) does so too and makes the quality suspect.
 */
void wear_set_used(struct wear *w, double percent);
void wear_set_life_left(struct wear *w, double percent);

/* Thresholds in percent used; the defaults are 80 and 100. */
struct wear_limits {
	double warning_percent, critical_percent;
};

/*
 * Decides alert, reasons and quality of `w` and status and reasons of `h` from their values:
 * endurance, spare below its threshold (1..100; 0 against 0 is nothing), warning bits, failure
 * predicted.  Impossible values become unknown and the page suspect; a quality that was set to
 * suspect before stays so.  `limits` may be NULL (80 and 100).  `unread` says why the values are
 * missing, where they are (REASON_NONE: not reported); `media_errors_rising` comes from history.
 */
void wear_assess(struct wear *w, struct health *h, const struct wear_limits *limits,
	enum reason unread, bool media_errors_rising);

const char *alert_level_word(enum alert_level a); /* none, warning, critical, unknown */
enum alert_level alert_level_of(const char *word);
const char *wear_reason_word(enum wear_reason bit);
unsigned wear_reason_of(const char *word); /* 0 if it is none */
const char *critical_warning_word(enum critical_warning bit);
const char *self_test_word(enum self_test s); /* NULL for unknown */
enum self_test self_test_of(const char *word);
const char *health_word(enum alert_level a);  /* ok, warning, critical, unknown */

#endif
