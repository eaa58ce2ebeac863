/* SPDX-License-Identifier: MIT */
/*
 * outlier: drives that are out of line with their neighbours: those of one machine and one model,
 * of which there must be five, by robust distance from the median; and drives of a machine that
 * will wear out together.  Hints, and bits of a bay for the alert that comes where it lasts.  Pure.
 */
#ifndef MODEL_OUTLIER_H
#define MODEL_OUTLIER_H

#include "model/inventory.h"

enum outlier {
	OUTLIER_TEMPERATURE = 1 << 0,
	OUTLIER_LINK_ERRORS = 1 << 1,
	OUTLIER_MEDIA_ERRORS = 1 << 2,
	OUTLIER_BUSY = 1 << 3,
	OUTLIER_WEAR_RATE = 1 << 4, /* percent of the endurance a year */
};

enum { OUTLIER_ALIKE_MIN = 5 };

/* By what one reading tells: all but the wear rate. The bays first to end are those of one host. */
void outlier_hints(struct inventory *inv, size_t first, size_t end);

/* By the forecasts, when they are known: wear rates, and dates within one month of each other. */
void outlier_wear_hints(struct inventory *inv);

/* "temperature, media errors" */
const char *outlier_words(unsigned bits, char *out, size_t size);

#endif
