/* SPDX-License-Identifier: MIT */
/* outlier: see outlier.h. */
#include "model/outlier.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/remark.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Five robust deviations are what one drive in a million has by chance; the floor keeps values that
 * are all but equal from making a deviation of nothing, and the least is what a person would call
 * a difference.
 */
static const double far_away = 5, mad_to_sigma = 1.4826;

/* The months in which drives run out together. */
static const int64_t month_ms = INT64_C(30) * 86400 * 1000;
enum { TOGETHER_MIN = 3, YEARS_AHEAD = 5 };

static double temperature(const struct bay *b)
{
	return b->temperature_c;
}

static double link_errors(const struct bay *b)
{
	return count_to_double(b->link.aer_correctable);
}

static double media_errors(const struct bay *b)
{
	return count_to_double(b->health.media_errors);
}

static double busy(const struct bay *b)
{
	return b->throughput.busy_ratio * 100;
}

static double wear_rate(const struct bay *b)
{
	return b->wear.forecast.known ? b->wear.forecast.percent_per_year : NAN;
}

static const struct look {
	enum outlier bit;
	double (*value)(const struct bay *b);
	const char *name, *unit;
	double least; /* difference */
	double floor, floor_share; /* of the deviation: so much, or this share of the median */
	bool below_too;
} looks[] = {
	{OUTLIER_TEMPERATURE, temperature, "temperature", " °C", 8, 1, 0, false},
	{OUTLIER_LINK_ERRORS, link_errors, "correctable link errors", "", 100, 10, 0.2, false},
	{OUTLIER_MEDIA_ERRORS, media_errors, "media errors", "", 10, 1, 0.2, false},
	{OUTLIER_BUSY, busy, "busy share", " %", 30, 3, 0.1, true},
	{OUTLIER_WEAR_RATE, wear_rate, "wear a year", " %", 2, 0.2, 0.1, false},
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof *v, by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* Those that are alike: here, read in this poll, of one model. */
static bool alike(const struct bay *a, const struct bay *b)
{
	return b->has_drive && b->present == TRI_YES && !b->stale && a->drive.model[0] && str_same(a->drive.model, b->drive.model);
}

static void hint(struct inventory *inv, struct bay *b, const struct look *l, double value, double middle, size_t n)
{
	struct remark *r = inventory_add_hint(inv, "outlier", b->host, b->target);

	remark_add_bay(r, b->bay);
	snprintf(r->message, sizeof r->message, "%s %.3g%s where the median of the %zu drives of this model in the machine is %.3g%s",
		l->name, value, l->unit, n, middle, l->unit);
	b->outlier |= l->bit;
}

/* All of one model, of which bay `at` is the first. */
static void look_at(struct inventory *inv, size_t at, size_t end, const struct look *l, double *values, double *apart)
{
	size_t n = 0;
	double middle, deviation;

	for (size_t i = at; i < end; i++)
		if (alike(&inv->bays[at], &inv->bays[i]) && !isnan(l->value(&inv->bays[i])))
			values[n++] = l->value(&inv->bays[i]);
	if (n < OUTLIER_ALIKE_MIN)
		return;
	middle = median(values, n);
	for (size_t i = 0; i < n; i++)
		apart[i] = fabs(values[i] - middle);
	deviation = fmax(fmax(mad_to_sigma * median(apart, n), l->floor), l->floor_share * fabs(middle));
	for (size_t i = at; i < end; i++) {
		double value = alike(&inv->bays[at], &inv->bays[i]) ? l->value(&inv->bays[i]) : NAN, by = value - middle;

		if (l->below_too)
			by = fabs(by);
		if (by >= l->least && by > far_away * deviation)
			hint(inv, &inv->bays[i], l, value, middle, n);
	}
}

static bool first_of_model(const struct inventory *inv, size_t first, size_t i)
{
	for (size_t k = first; k < i; k++)
		if (alike(&inv->bays[i], &inv->bays[k]))
			return false;
	return true;
}

static void look_for(struct inventory *inv, size_t first, size_t end, unsigned bits)
{
	double *values, *apart;

	if (end - first < OUTLIER_ALIKE_MIN)
		return;
	values = mem_new(end - first, sizeof *values);
	apart = mem_new(end - first, sizeof *apart);
	for (size_t i = first; i < end; i++) {
		if (!alike(&inv->bays[i], &inv->bays[i]) || !first_of_model(inv, first, i))
			continue;
		for (size_t k = 0; k < sizeof looks / sizeof looks[0]; k++)
			if (looks[k].bit & bits)
				look_at(inv, i, end, &looks[k], values, apart);
	}
	free(values);
	free(apart);
}

void outlier_hints(struct inventory *inv, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++)
		inv->bays[i].outlier = 0;
	look_for(inv, first, end, ~(unsigned)OUTLIER_WEAR_RATE);
}

/* ---- wearing out together ---- */

static bool has_date(const struct inventory *inv, const struct bay *b)
{
	int64_t at = b->wear.forecast.exhausted_on_wall_ms;

	return b->has_drive && b->present == TRI_YES && !b->stale && b->wear.forecast.known && at != CLOCK_NEVER &&
	       at < inv->collected_wall_ms + YEARS_AHEAD * 12 * month_ms;
}

static int by_date(const void *x, const void *y)
{
	const struct bay *const *a = x, *const *b = y;
	int64_t i = (*a)->wear.forecast.exhausted_on_wall_ms, k = (*b)->wear.forecast.exhausted_on_wall_ms;

	return (i > k) - (i < k);
}

/* The longest run of dates within a month of each other. */
static void look_together(struct inventory *inv, size_t first, size_t end)
{
	const struct bay **list = mem_new(end - first, sizeof(struct bay *));
	size_t n = 0, from = 0, most = 0, at = 0;
	char day[CLOCK_TEXT_MAX];
	struct remark *r;

	for (size_t i = first; i < end; i++)
		if (has_date(inv, &inv->bays[i]))
			list[n++] = &inv->bays[i];
	qsort(list, n, sizeof *list, by_date);
	for (size_t i = 0; i < n; i++) {
		while (list[i]->wear.forecast.exhausted_on_wall_ms - list[from]->wear.forecast.exhausted_on_wall_ms > month_ms)
			from++;
		if (i - from + 1 > most)
			most = i - from + 1, at = from;
	}
	if (most >= TOGETHER_MIN) {
		r = inventory_add_hint(inv, "correlated-wear", list[at]->host, list[at]->target);
		for (size_t i = at; i < at + most; i++)
			remark_add_bay(r, list[i]->bay);
		clock_text(list[at]->wear.forecast.exhausted_on_wall_ms, day);
		snprintf(r->message, sizeof r->message,
			"%zu drives of this machine are likely to be worn out within one month, from %.10s on; replace some of them earlier",
			most, day);
	}
	free(list);
}

void outlier_wear_hints(struct inventory *inv)
{
	for (size_t first = 0, end; first < inv->n_bays; first = end) {
		for (end = first; end < inv->n_bays && str_same(inv->bays[end].host, inv->bays[first].host);)
			end++;
		look_for(inv, first, end, OUTLIER_WEAR_RATE);
		look_together(inv, first, end);
	}
}

const char *outlier_words(unsigned bits, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (size_t k = 0; k < sizeof looks / sizeof looks[0] && n < size; k++)
		if (looks[k].bit & bits)
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "", looks[k].name);
	return out;
}
