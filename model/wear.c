/* SPDX-License-Identifier: MIT */
/* wear: see wear.h.  The table is that of docs/VERDICTS.md, "Wear and health". */
#include "model/wear.h"

#include "base/clock.h"
#include "base/str.h"

#include <math.h>

struct wear wear_unknown(void)
{
	return (struct wear){
		.percent_used = NAN,
		.life_left_percent = NAN,
		.available_spare_percent = NAN,
		.spare_threshold_percent = NAN,
		.applicable = true,
		.forecast = forecast_unknown(),
		.rated_tbw = NAN,
		.rated_dwpd = NAN,
		.used_dwpd = NAN,
	};
}

struct forecast forecast_unknown(void)
{
	return (struct forecast){
		.percent_per_year = NAN,
		.days_to_100 = NAN,
		.exhausted_on_wall_ms = CLOCK_NEVER,
		.earliest_wall_ms = CLOCK_NEVER,
		.latest_wall_ms = CLOCK_NEVER,
		.basis_days = NAN,
	};
}

struct health health_unknown(void)
{
	return (struct health){.critical_warning = -1};
}

static bool within(double value, double min, double max)
{
	return value >= min && value <= max; /* false for NAN */
}

void wear_set_used(struct wear *w, double percent)
{
	w->percent_used = NAN;
	w->life_left_percent = NAN;
	if (within(percent, 0, 255)) {
		w->percent_used = percent;
		w->life_left_percent = fmax(0, 100 - percent);
	} else if (!isnan(percent)) {
		w->quality = WEAR_QUALITY_SUSPECT;
	}
}

void wear_set_life_left(struct wear *w, double percent)
{
	wear_set_used(w, NAN);
	if (within(percent, 0, 100))
		wear_set_used(w, 100 - percent);
	else if (!isnan(percent))
		w->quality = WEAR_QUALITY_SUSPECT;
}

/* Makes a value that cannot be one unknown, and the whole page suspect with it. */
static void void_impossible(struct wear *w, double *value, double max)
{
	if (isnan(*value) || within(*value, 0, max))
		return;
	*value = NAN;
	w->quality = WEAR_QUALITY_SUSPECT;
}

/* Values that are none become unknown; used and left follow from one another. */
static void settle_values(struct wear *w)
{
	void_impossible(w, &w->percent_used, 255);
	void_impossible(w, &w->life_left_percent, 100);
	void_impossible(w, &w->available_spare_percent, 100);
	void_impossible(w, &w->spare_threshold_percent, 100);
	/* spare 0 with threshold 0 is how a drive says that it reports neither */
	if (w->available_spare_percent == 0 && w->spare_threshold_percent == 0)
		w->available_spare_percent = w->spare_threshold_percent = NAN;
	if (!isnan(w->percent_used))
		wear_set_used(w, w->percent_used);
	else if (!isnan(w->life_left_percent))
		wear_set_life_left(w, w->life_left_percent);
}

static bool spare_known(const struct wear *w)
{
	return !isnan(w->available_spare_percent) && w->spare_threshold_percent >= 1;
}

/*
 * Spare below its threshold.  The two numbers decide where the drive gives them; without them
 * its own warning bit does.
 */
static bool spare_short(const struct wear *w, unsigned warning)
{
	if (spare_known(w))
		return w->available_spare_percent < w->spare_threshold_percent;
	return warning & CRITICAL_SPARE;
}

static enum alert_level worse(enum alert_level a, enum alert_level b)
{
	return a > b ? a : b;
}

/* Reasons that say something is wrong, without endurance; as bits of enum wear_reason. */
static unsigned health_reasons(const struct wear *w, const struct health *h, bool media_errors_rising)
{
	unsigned warning = h->critical_warning > 0 ? (unsigned)h->critical_warning : 0;
	unsigned reasons = 0;

	if (spare_short(w, warning))
		reasons |= WEAR_SPARE_BELOW_THRESHOLD;
	/* with the rated endurance used up, bit 2 says nothing more than that */
	if (warning & CRITICAL_RELIABILITY && !(w->percent_used >= 100))
		reasons |= WEAR_RELIABILITY_DEGRADED;
	if (warning & CRITICAL_READ_ONLY)
		reasons |= WEAR_READ_ONLY;
	if (warning & CRITICAL_TEMPERATURE)
		reasons |= WEAR_TEMPERATURE;
	if (media_errors_rising)
		reasons |= WEAR_MEDIA_ERRORS_RISING;
	if (h->failure_predicted == TRI_YES)
		reasons |= WEAR_FAILURE_PREDICTED;
	return reasons;
}

static enum alert_level reasons_level(unsigned reasons)
{
	const unsigned critical = WEAR_SPARE_BELOW_THRESHOLD | WEAR_RELIABILITY_DEGRADED |
				  WEAR_READ_ONLY | WEAR_FAILURE_PREDICTED;

	return !reasons ? ALERT_NONE : reasons & critical ? ALERT_CRITICAL : ALERT_WARNING;
}

static enum alert_level endurance_level(double used, const struct wear_limits *limits)
{
	if (isnan(used))
		return ALERT_UNKNOWN;
	if (used >= limits->critical_percent)
		return ALERT_CRITICAL;
	return used >= limits->warning_percent ? ALERT_WARNING : ALERT_NONE;
}

static unsigned unread_reason(enum reason unread)
{
	switch (unread) {
	case REASON_PERMISSION_DENIED:
		return WEAR_PERMISSION_DENIED;
	case REASON_TIMEOUT:
		return WEAR_TIMEOUT;
	case REASON_PLACEHOLDER:
	case REASON_CONTRADICTORY:
		return WEAR_SUSPECT;
	case REASON_NONE:
	case REASON_HOST_OFF:
	case REASON_SESSION_LIMIT:
	case REASON_AUTH_FAILED:
	case REASON_TLS_FAILED:
	case REASON_REFUSED:
	case REASON_NOT_REDFISH:
	case REASON_NOT_REPORTED:
	case REASON_NOT_LICENSED:
		return WEAR_NOT_REPORTED;
	}
	return WEAR_NOT_REPORTED;
}

/* Status of the drive itself; endurance is not part of it: a worn drive may be in good health. */
static enum alert_level health_status(const struct wear *w, const struct health *h, unsigned reasons)
{
	unsigned warning = h->critical_warning > 0 ? (unsigned)h->critical_warning : 0;
	enum alert_level level = reasons_level(reasons);

	if (warning & CRITICAL_BACKUP)
		level = worse(level, ALERT_CRITICAL);
	/* bit 0 against numbers that say otherwise: worth a look, no more */
	if (warning & (CRITICAL_PMR | CRITICAL_SPARE))
		level = worse(level, ALERT_WARNING);
	if (level > ALERT_NONE)
		return level;
	if (w->quality == WEAR_QUALITY_SUSPECT)
		return ALERT_UNKNOWN;
	return h->critical_warning >= 0 || h->failure_predicted == TRI_NO ? ALERT_NONE : ALERT_UNKNOWN;
}

static struct wear_limits sane_limits(const struct wear_limits *limits)
{
	struct wear_limits l = limits ? *limits : (struct wear_limits){80, 100};

	if (!(l.warning_percent > 0))
		l.warning_percent = 80;
	if (!(l.critical_percent > 0))
		l.critical_percent = 100;
	return l;
}

void wear_assess(struct wear *w, struct health *h, const struct wear_limits *limits,
	enum reason unread, bool media_errors_rising)
{
	struct wear_limits l = sane_limits(limits);
	enum alert_level endurance;

	if (!w->applicable)
		w->percent_used = w->life_left_percent = NAN;
	settle_values(w);
	if (w->quality == WEAR_QUALITY_SUSPECT) {
		/* a page that is wrong in one place is believed in none */
		h->reasons = h->failure_predicted == TRI_YES ? WEAR_FAILURE_PREDICTED : 0;
		h->status = h->reasons ? ALERT_CRITICAL : ALERT_UNKNOWN;
		w->alert = h->reasons ? ALERT_CRITICAL : ALERT_UNKNOWN;
		w->reasons = h->reasons | WEAR_SUSPECT;
		return;
	}
	h->reasons = health_reasons(w, h, media_errors_rising);
	h->status = health_status(w, h, h->reasons);

	endurance = w->applicable ? endurance_level(w->percent_used, &l) : ALERT_NONE;
	w->quality = endurance == ALERT_UNKNOWN || !w->applicable ? WEAR_QUALITY_UNKNOWN : WEAR_GOOD;
	w->reasons = h->reasons;
	if (endurance > ALERT_NONE)
		w->reasons |= WEAR_ENDURANCE_USED;
	w->alert = worse(endurance, h->reasons ? reasons_level(h->reasons) : ALERT_UNKNOWN);
	if (w->alert == ALERT_UNKNOWN)
		w->reasons |= unread_reason(unread);
}

const char *alert_level_word(enum alert_level a)
{
	switch (a) {
	case ALERT_UNKNOWN:
		return "unknown";
	case ALERT_NONE:
		return "none";
	case ALERT_WARNING:
		return "warning";
	case ALERT_CRITICAL:
		return "critical";
	}
	return "unknown";
}

enum alert_level alert_level_of(const char *word)
{
	for (int a = ALERT_NONE; word && a <= ALERT_CRITICAL; a++)
		if (str_same(word, alert_level_word(a)) || str_same(word, health_word(a)))
			return a;
	return ALERT_UNKNOWN;
}

const char *health_word(enum alert_level a)
{
	return a == ALERT_NONE ? "ok" : alert_level_word(a);
}

const char *wear_reason_word(enum wear_reason bit)
{
	switch (bit) {
	case WEAR_ENDURANCE_USED:
		return "endurance-used";
	case WEAR_SPARE_BELOW_THRESHOLD:
		return "spare-below-threshold";
	case WEAR_RELIABILITY_DEGRADED:
		return "reliability-degraded";
	case WEAR_READ_ONLY:
		return "read-only";
	case WEAR_MEDIA_ERRORS_RISING:
		return "media-errors-rising";
	case WEAR_TEMPERATURE:
		return "temperature";
	case WEAR_FAILURE_PREDICTED:
		return "failure-predicted";
	case WEAR_NOT_REPORTED:
		return "not-reported";
	case WEAR_PERMISSION_DENIED:
		return "permission-denied";
	case WEAR_TIMEOUT:
		return "timeout";
	case WEAR_SUSPECT:
		return "suspect";
	case WEAR_REASONS_END:
		return NULL;
	}
	return NULL;
}

unsigned wear_reason_of(const char *word)
{
	for (unsigned bit = 1; word && bit < WEAR_REASONS_END; bit <<= 1)
		if (str_same(word, wear_reason_word(bit)))
			return bit;
	return 0;
}

const char *critical_warning_word(enum critical_warning bit)
{
	switch (bit) {
	case CRITICAL_SPARE:
		return "spare";
	case CRITICAL_TEMPERATURE:
		return "temperature";
	case CRITICAL_RELIABILITY:
		return "reliability";
	case CRITICAL_READ_ONLY:
		return "read-only";
	case CRITICAL_BACKUP:
		return "backup";
	case CRITICAL_PMR:
		return "pmr";
	}
	return NULL;
}

const char *self_test_word(enum self_test s)
{
	switch (s) {
	case SELF_TEST_UNKNOWN:
		return NULL;
	case SELF_TEST_NONE:
		return "none";
	case SELF_TEST_PASSED:
		return "passed";
	case SELF_TEST_FAILED:
		return "failed";
	case SELF_TEST_ABORTED:
		return "aborted";
	case SELF_TEST_RUNNING:
		return "running";
	}
	return NULL;
}

enum self_test self_test_of(const char *word)
{
	for (int s = SELF_TEST_UNKNOWN + 1; word && s <= SELF_TEST_RUNNING; s++)
		if (str_same(word, self_test_word(s)))
			return s;
	return SELF_TEST_UNKNOWN;
}
