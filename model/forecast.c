/* SPDX-License-Identifier: MIT */
/*
 * forecast: see forecast.h.
 *
 * Three steps.  history_read() goes over the samples once and keeps bytes a day and the points
 * at which percent used changed.  Then two figures: percent for each byte (cost) and bytes for
 * each day (pace), each with a relative doubt.  The date is what is left over their product.
 * Without bytes the steps are set against time instead.
 */
#include "model/forecast.h"

#include "base/clock.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum {
	WEEK = 7,
	WEEKS_MAX = 26,
	DAYS_MAX = WEEKS_MAX * WEEK, /* older writing says little about the pace of today */
	POINTS_MAX = 256,
};

static const double day_ms = 86400e3;

/* Percent used at a moment: it is at least `percent`, and less than `percent` plus one step. */
struct point {
	double day;   /* since the first sample */
	double bytes; /* since the first sample, resets taken out */
	double percent;
};

struct history {
	int64_t first_ms, last_ms, exhausted_ms;
	bool has_bytes;
	double born_bytes;   /* counter at the first sample */
	struct point now;    /* the latest sample */
	double step;	     /* how finely percent used is told */
	size_t n_points, n_steps;
	struct point points[POINTS_MAX];
	double day_bytes[DAYS_MAX]; /* day 0 is the last one */
	double day_covered[DAYS_MAX]; /* share of the day that the readings cover */
};

/* A figure and how far it may be off, as a share of it. */
struct estimate {
	double value; /* NAN not known */
	double doubt;
};

/* ---- reading the history ---- */

/* The samples, and whether those without bytes are left out. */
struct series {
	const struct forecast_sample *s;
	size_t n;
	bool with_bytes;
};

static bool has_percent(const struct forecast_sample *s)
{
	return s->percent_used >= 0 && s->percent_used <= 255;
}

static bool usable(const struct series *series, size_t i)
{
	const struct forecast_sample *s = &series->s[i];

	return has_percent(s) && (!series->with_bytes || s->bytes_written >= 0);
}

static size_t next_usable(const struct series *series, size_t i, int64_t after_ms)
{
	while (i < series->n && !(usable(series, i) && series->s[i].at_ms > after_ms))
		i++;
	return i;
}

/* One value that jumps and comes back, up or down; comparisons with NAN are false. */
static bool spike(double before, double value, double behind, double tolerance)
{
	if (!(behind >= before))
		return false;
	return value > behind + tolerance || value < before - tolerance;
}

/* A jump at the very end may be a spike whose end is not seen yet. */
static bool unconfirmed(const struct forecast_sample *before, const struct forecast_sample *last)
{
	return fabs(last->percent_used - before->percent_used) > 10 ||
	       last->bytes_written < before->bytes_written;
}

/* Index of the next sample to believe, n at the end. */
static size_t next_good(const struct series *series, size_t i, const struct forecast_sample *before)
{
	const struct forecast_sample *s = series->s;

	for (;; i++) {
		size_t behind;

		i = next_usable(series, i, before ? before->at_ms : INT64_MIN);
		if (i == series->n || !before)
			return i;
		behind = next_usable(series, i + 1, s[i].at_ms);
		if (behind == series->n) {
			if (!unconfirmed(before, &s[i]))
				return i;
			continue;
		}
		if (!spike(before->percent_used, s[i].percent_used, s[behind].percent_used, 1) &&
			!spike(before->bytes_written, s[i].bytes_written, s[behind].bytes_written, 0))
			return i;
	}
}

/* Percent used does not fall by itself (one point may be rounding): what came before is over. */
static bool starts_anew(const struct forecast_sample *before, const struct forecast_sample *s)
{
	return s->percent_used < before->percent_used - 1;
}

static void history_start(struct history *h, const struct forecast_sample *s)
{
	memset(h, 0, sizeof *h);
	h->first_ms = h->last_ms = s->at_ms;
	h->exhausted_ms = CLOCK_NEVER;
	h->born_bytes = s->bytes_written;
	h->now = (struct point){.percent = s->percent_used};
	h->step = s->percent_used == floor(s->percent_used) ? 1 : 0.1;
}

static void add_point(struct history *h, struct point p)
{
	if (h->n_points == POINTS_MAX) { /* so many steps that every second one (a pair) tells as much */
		for (size_t i = 0; i < POINTS_MAX / 2; i++)
			h->points[i] = h->points[2 * (i & ~(size_t)1) + (i & 1)];
		h->n_points = POINTS_MAX / 2;
	}
	h->points[h->n_points++] = p;
}

/* Spreads bytes over the days between two moments, counted back from the end. */
static void spread(struct history *h, double from, double to, double bytes, double end)
{
	double length = to - from;
	int first = (int)fmin(floor(end - to), DAYS_MAX), last = (int)fmin(ceil(end - from), DAYS_MAX);

	for (int d = first < 0 ? 0 : first; d < last; d++) {
		double share = fmin(to, end - d) - fmax(from, end - d - 1);

		if (share <= 0)
			continue;
		h->day_bytes[d] += bytes * share / length;
		h->day_covered[d] += share;
	}
}

/* Takes in one more sample; `end_ms` is the time of the last one. */
static void history_add(struct history *h, const struct forecast_sample *before,
	const struct forecast_sample *s, int64_t end_ms)
{
	struct point p = {
		.day = (double)(s->at_ms - h->first_ms) / day_ms,
		.bytes = h->now.bytes,
		.percent = s->percent_used,
	};
	double grown = s->bytes_written - before->bytes_written;

	if (s->percent_used != floor(s->percent_used))
		h->step = 0.1;
	if (grown < 0) {
		/* a counter that started again: that stretch is taken to be like those before it */
		p.bytes += h->now.day > 0 ? h->now.bytes / h->now.day * (p.day - h->now.day) : 0;
	} else if (grown >= 0) {
		p.bytes += grown;
		spread(h, h->now.day, p.day, grown, (double)(end_ms - h->first_ms) / day_ms);
	}
	if (p.percent > h->now.percent) {
		add_point(h, h->now);
		add_point(h, p);
		h->n_steps++;
	}
	if (p.percent >= 100 && h->now.percent < 100)
		h->exhausted_ms = s->at_ms;
	h->now = p;
	h->last_ms = s->at_ms;
}

/* False if no sample is to be believed. */
static bool history_read(struct history *h, const struct forecast_sample *s, size_t n)
{
	const struct forecast_sample *before = NULL;
	struct series series = {.s = s, .n = n};
	int64_t end_ms = INT64_MIN;
	size_t n_percent = 0, n_both = 0;

	for (size_t i = 0; i < n; i++) {
		n_percent += has_percent(&s[i]);
		n_both += has_percent(&s[i]) && s[i].bytes_written >= 0;
	}
	/* a reading that failed here and there is left out; a source that has none does without */
	series.with_bytes = n_both >= 2 && 2 * n_both >= n_percent;
	for (size_t i = 0; i < n; i++)
		if (usable(&series, i) && s[i].at_ms > end_ms)
			end_ms = s[i].at_ms;
	for (size_t i = 0; (i = next_good(&series, i, before)) < n; i++) {
		if (!before || starts_anew(before, &s[i]))
			history_start(h, &s[i]);
		else
			history_add(h, before, &s[i], end_ms);
		before = &s[i];
	}
	if (before)
		h->has_bytes = series.with_bytes;
	return before != NULL;
}

static double basis_days(const struct history *h)
{
	return (double)(h->last_ms - h->first_ms) / day_ms;
}

/* ---- bytes a day ---- */

/* One day far beyond all others (a restore, a rebuild) is no habit: it counts as three of the next. */
static void tame_largest_day(double *bytes, size_t n)
{
	size_t largest = 0;
	double second = 0;

	for (size_t i = 1; i < n; i++)
		if (bytes[i] > bytes[largest])
			largest = i;
	for (size_t i = 0; i < n; i++)
		if (i != largest)
			second = fmax(second, bytes[i]);
	if (second > 0)
		bytes[largest] = fmin(bytes[largest], 3 * second);
}

/*
 * Mean over whole weeks, so that weekends count as often as they come; with less than four
 * weeks over what there is.  The doubt is that of the mean of n blocks, and of as many future
 * ones as are left, worked out by the caller: *spread_out is the deviation of one block.
 */
static struct estimate pace_of(struct history *h, double *block_days, double *deviation)
{
	size_t days = (size_t)fmin(basis_days(h), DAYS_MAX);
	size_t length = days >= 4 * WEEK ? WEEK : days / 4;
	size_t blocks = length ? days / length : 0;
	double sum = 0, covered = 0, squares = 0, n = 0, mean;

	if (days < FORECAST_DAYS_MIN)
		return (struct estimate){.value = NAN};
	tame_largest_day(h->day_bytes, days);
	for (size_t d = 0; d < blocks * length; d++) {
		sum += h->day_bytes[d];
		covered += h->day_covered[d];
	}
	if (covered < FORECAST_DAYS_MIN * 0.75)
		return (struct estimate){.value = NAN};
	mean = sum / covered;
	for (size_t b = 0; b < blocks; b++) {
		double bytes = 0, share = 0;

		for (size_t d = b * length; d < (b + 1) * length; d++) {
			bytes += h->day_bytes[d];
			share += h->day_covered[d];
		}
		if (share < (double)length / 2)
			continue;
		squares += (bytes / share - mean) * (bytes / share - mean);
		n++;
	}
	*block_days = (double)length;
	*deviation = n > 1 && mean > 0 ? sqrt(squares / (n - 1)) / mean : 1;
	return (struct estimate){mean, n > 1 ? *deviation / sqrt(n) : 1};
}

double forecast_bytes_per_day(const struct forecast_sample *samples, size_t n)
{
	struct history h;
	double length, deviation;

	if (!history_read(&h, samples, n) || !h.has_bytes)
		return NAN;
	return pace_of(&h, &length, &deviation).value;
}

/* ---- percent a byte ---- */

/* From the whole life of the drive: percent used over all bytes ever written. */
static struct estimate cost_of_life(const struct history *h)
{
	double least = 0, most = INFINITY;

	for (size_t i = 0; i <= h->n_points; i++) {
		const struct point *p = i < h->n_points ? &h->points[i] : &h->now;
		double bytes = h->born_bytes + p->bytes;

		least = fmax(least, p->percent / bytes);
		most = fmin(most, (p->percent + h->step) / bytes);
	}
	/* no single rate fits: the counter began later than the drive, or it ages otherwise now */
	if (!(least > 0 && least <= most * 1.05 && isfinite(most)))
		return (struct estimate){.value = NAN};
	return (struct estimate){(least + most) / 2, fabs(most - least) / (most + least)};
}

/*
 * Slope of the steps over bytes or days: between two points it is known to a step more or less,
 * and all pairs together leave a narrow range.  If they leave none (the slope changes), that of
 * the first and last step.
 */
static struct estimate slope_of_steps(const struct history *h, bool over_days)
{
	double least = 0, most = INFINITY, run;
	const struct point *a, *b;

	if (h->n_steps < 2)
		return (struct estimate){.value = NAN};
	for (size_t i = 0; i < h->n_points; i++) {
		for (size_t j = i + 1; j < h->n_points; j++) {
			a = &h->points[i], b = &h->points[j];
			run = over_days ? b->day - a->day : b->bytes - a->bytes;
			if (run <= 0)
				continue;
			least = fmax(least, (b->percent - a->percent - h->step) / run);
			most = fmin(most, (b->percent - a->percent + h->step) / run);
		}
	}
	if (least > 0 && least <= most && isfinite(most))
		return (struct estimate){(least + most) / 2, (most - least) / (most + least)};
	/* points come in pairs, the last before a step and the first after it */
	a = &h->points[1], b = &h->points[h->n_points - 1];
	run = over_days ? b->day - a->day : b->bytes - a->bytes;
	if (run <= 0 || b->percent <= a->percent)
		return (struct estimate){.value = NAN};
	return (struct estimate){(b->percent - a->percent) / run, h->step / (b->percent - a->percent)};
}

/* ---- the date ---- */

/* Percent used now, between the last step and the next, from the slope since the last step. */
static double percent_now(const struct history *h, struct estimate slope, bool over_days)
{
	const struct point *last;
	double since;

	if (h->n_points == 0)
		return h->now.percent + h->step / 2;
	last = &h->points[h->n_points - 1];
	since = over_days ? h->now.day - last->day : h->now.bytes - last->bytes;
	return fmin(last->percent + since * slope.value, h->now.percent + h->step);
}

static int64_t later(int64_t ms, double days)
{
	/* clock_text() ends with the year 9999, and nobody plans for it */
	return days > 100 * 365.25 ? CLOCK_NEVER : ms + (int64_t)(days * day_ms);
}

/* Fills in the dates: `rate` in percent a day, `left` percent that remain at the last sample. */
static void set_dates(struct forecast *f, const struct history *h, struct estimate rate, double left, int64_t now_ms)
{
	double gone = (double)(now_ms - h->last_ms) / day_ms;
	double days = fmax(0, left) / rate.value;

	f->known = true;
	f->percent_per_year = rate.value * 365.25;
	if (h->now.percent >= 100) {
		f->days_to_100 = 0;
		f->exhausted_on_wall_ms = h->exhausted_ms;
		return;
	}
	if (!(days <= 100 * 365.25))
		return;
	f->days_to_100 = fmax(0, days - gone);
	f->exhausted_on_wall_ms = later(h->last_ms, days);
	/* a rate may be twice as high as easily as half: the band is even in its logarithm */
	f->earliest_wall_ms = later(h->last_ms, fmax(0, left - h->step / 2) / (rate.value * exp(rate.doubt)));
	if (rate.doubt < 1.5)
		f->latest_wall_ms = later(h->last_ms, (left + h->step / 2) / (rate.value * exp(-rate.doubt)));
}

/*
 * What the blocks do not show: a busier season, another job.  Part of every band.  The factor:
 * Student's t of eight weeks at 95 % is 2.4, but bursts have a longer tail than it assumes.
 */
static const double doubt_always = 0.1, doubt_factor = 2.8;

static struct estimate rate_by_bytes(struct history *h, double *left)
{
	struct estimate cost, pace, rate = {.value = NAN};
	double block_days, deviation, future;
	bool whole_life = true;

	cost = cost_of_life(h);
	if (isnan(cost.value)) {
		whole_life = false;
		cost = slope_of_steps(h, false);
	}
	pace = pace_of(h, &block_days, &deviation);
	if (isnan(cost.value) || isnan(pace.value))
		return rate;
	*left = 100 - (whole_life ? cost.value * (h->born_bytes + h->now.bytes) : percent_now(h, cost, false));
	rate.value = cost.value * pace.value;
	/* the days that are left have their own ups and downs; the more of them, the less it matters */
	future = fmax(1, *left / rate.value / block_days);
	rate.doubt = cost.doubt + doubt_always +
		     doubt_factor * sqrt(pace.doubt * pace.doubt + deviation * deviation / future);
	return rate;
}

static struct estimate rate_by_steps(const struct history *h, double *left)
{
	struct estimate rate = slope_of_steps(h, true);

	if (basis_days(h) < FORECAST_DAYS_MIN || isnan(rate.value))
		return (struct estimate){.value = NAN};
	*left = 100 - percent_now(h, rate, true);
	/* a few steps hide how uneven the use is */
	rate.doubt += doubt_always + 0.5 / (double)h->n_steps;
	return rate;
}

struct forecast forecast_wear(const struct forecast_sample *samples, size_t n, int64_t now_ms)
{
	struct forecast f = forecast_unknown();
	struct estimate rate;
	struct history h;
	double left = NAN;

	if (!history_read(&h, samples, n))
		return f;
	f.basis_days = basis_days(&h);
	rate = h.has_bytes ? rate_by_bytes(&h, &left) : (struct estimate){.value = NAN};
	if (isnan(rate.value))
		rate = rate_by_steps(&h, &left);
	if (isnan(rate.value))
		return f;
	set_dates(&f, &h, rate, left, now_ms);
	return f;
}
