/* SPDX-License-Identifier: MIT */
/* foresee: see foresee.h. */
#include "agent/foresee.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/forecast.h"
#include "model/outlier.h"
#include "model/remark.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	HOUR_MS = 60 * 60 * 1000,
	DAY_MS = 24 * HOUR_MS,
	SAMPLES_MAX = 512,
	PER_ROUND_MAX = 64, /* so that a fleet's are spread over many rounds */
};

void foresight_release(struct foresight *f)
{
	free(f->items);
	lookup_release(&f->by_id);
	*f = (struct foresight){0};
}

static struct foreseen *of_drive(struct foresight *f, const char *drive_id)
{
	struct foreseen *x;

	for (size_t i = lookup_first(&f->by_id, drive_id, ""); i != LOOKUP_END;
		i = lookup_next(&f->by_id, i))
		if (str_same(f->items[i].drive_id, drive_id))
			return &f->items[i];
	f->items = mem_grow(f->items, f->n, sizeof *f->items);
	x = &f->items[f->n++];
	*x = (struct foreseen){
		.at_ms = -1, .forecast = forecast_unknown(), .bytes_per_day = NAN};
	str_copy(x->drive_id, sizeof x->drive_id, drive_id);
	lookup_add(&f->by_id, drive_id, "");
	return x;
}

/* From the steady clock of the samples to the calendar. */
static int64_t to_wall(int64_t at_ms, const struct history *h)
{
	return at_ms == CLOCK_NEVER ? CLOCK_NEVER : at_ms - h->steady_ms + h->wall_ms;
}

static void work_out(struct foreseen *x, struct store *store, const struct history *h,
	const struct bay *b)
{
	struct forecast_sample *samples = mem_new(SAMPLES_MAX + 1, sizeof *samples);
	struct err e = {""};
	ptrdiff_t n =
		store ? store_get_wear(store, x->drive_id, samples, SAMPLES_MAX, &e) : 0;

	if (n < 0)
		log_warn("store", "the history of %s cannot be read: %s", b->drive.serial,
			e.text);
	n = n < 0 ? 0 : n;
	samples[n++] = (struct forecast_sample){h->steady_ms, b->wear.percent_used,
		count_to_double(b->wear.bytes_written)};
	x->forecast = forecast_wear(samples, (size_t)n, h->steady_ms);
	x->forecast.exhausted_on_wall_ms = to_wall(x->forecast.exhausted_on_wall_ms, h);
	x->forecast.earliest_wall_ms = to_wall(x->forecast.earliest_wall_ms, h);
	x->forecast.latest_wall_ms = to_wall(x->forecast.latest_wall_ms, h);
	x->bytes_per_day = forecast_bytes_per_day(samples, (size_t)n);
	x->at_ms = h->steady_ms;
	free(samples);
}

/* Faster than its maker's rating allows, or than its neighbours. */
static void note_rate(struct inventory *now, struct bay *b)
{
	bool rating = b->wear.used_dwpd > b->wear.rated_dwpd; /* false where one is NAN */
	struct remark *r;

	if (!rating && !(b->outlier & OUTLIER_WEAR_RATE))
		return;
	b->notes |= NOTE_WEAR_RATE;
	r = inventory_add_note(now, note_word(NOTE_WEAR_RATE), b);
	if (rating)
		snprintf(r->message, sizeof r->message, "%.2g drive writes a day, where its rating allows %.2g", b->wear.used_dwpd,
			b->wear.rated_dwpd);
	else
		snprintf(r->message, sizeof r->message, "wears %.2g %% a year, far more than its neighbours",
			b->wear.forecast.percent_per_year);
}

/* A forecast moves as its history grows: after a hundredth of it, within an hour and a day. */
static bool is_due(const struct foreseen *x, int64_t steady_ms)
{
	double again = x->forecast.basis_days / 100 * DAY_MS;

	if (x->at_ms < 0)
		return true;
	return (double)(steady_ms - x->at_ms) >= fmin(fmax(again, HOUR_MS), DAY_MS);
}

void foresee(struct foresight *f, struct store *store, const struct history *h,
	struct inventory *now)
{
	int worked_out = 0;

	for (size_t i = 0; i < now->n_bays; i++) {
		struct bay *b = &now->bays[i];
		double capacity = count_to_double(b->drive.capacity_bytes);
		struct foreseen *x;

		if (!bay_holds_drive(b) || b->stale || !b->wear.applicable)
			continue;
		x = of_drive(f, b->drive.id);
		if (is_due(x, h->steady_ms) && worked_out++ < PER_ROUND_MAX)
			work_out(x, store, h, b);
		b->wear.forecast = x->forecast;
		if (capacity > 0)
			b->wear.used_dwpd = x->bytes_per_day / capacity;
	}
	outlier_wear_hints(now);
	for (size_t i = 0; i < now->n_bays; i++)
		note_rate(now, &now->bays[i]);
}
