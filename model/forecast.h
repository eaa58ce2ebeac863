/* SPDX-License-Identifier: MIT */
/*
 * forecast: when a drive's rated endurance will be used up, from its history, with how sure
 * that is.  Pure; no I/O; about 10 KiB of stack.
 *
 * Percent used comes in steps of 1, so sixty days of a drive that lasts ten years show one or
 * two of them.  Bytes written are finer: how many percent a byte costs follows from the steps
 * or, where that is consistent with them, from the drive's whole life; how many bytes a day
 * from whole weeks, so that weekends do not tilt it.
 */
#ifndef MODEL_FORECAST_H
#define MODEL_FORECAST_H

#include "model/wear.h"

#include <stddef.h>
#include <stdint.h>

struct forecast_sample {
	int64_t at_ms;	      /* any clock that does not jump, the same for all samples and `now` */
	double percent_used;  /* NAN not read */
	double bytes_written; /* NAN not read */
};

/* History that is needed before anything is said. */
enum { FORECAST_DAYS_MIN = 14 };

/*
 * The forecast from samples in the order taken; the dates are on the samples' clock.  Single
 * wild readings are passed over, a byte counter that starts again is carried on, and what lies
 * before a falling percentage (another drive, or new firmware's arithmetic) is forgotten.
 *
 * `known` is false where the history is too short or shows too few steps, then only basis_days
 * is set.  The true date lies between earliest and latest in nine of ten cases if the drive is
 * used as it was; latest is CLOCK_NEVER where it has no bound.  A drive at 100 % or more has
 * days_to_100 0 and the day it got there as exhausted_on where the history shows it.  More than
 * a hundred years off has a rate but no dates.
 */
struct forecast forecast_wear(const struct forecast_sample *samples, size_t n, int64_t now_ms);

/*
 * Bytes written a day over the same history, NAN where it is too short; divided by the
 * capacity it is drive writes a day.
 */
double forecast_bytes_per_day(const struct forecast_sample *samples, size_t n);

#endif
