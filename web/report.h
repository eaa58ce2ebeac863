/* SPDX-License-Identifier: MIT */
/*
 * report: the commissioning report: one printable HTML file for each run, to be filed with
 * the machine.  Summary, machine, what is not as expected, a picture of the bays, every bay
 * with expected, negotiated and possible link, drive and wear, and how each value was had.
 *
 * All text from outside is escaped here; the page needs no script and nothing from elsewhere.
 */
#ifndef WEB_REPORT_H
#define WEB_REPORT_H

#include "base/buf.h"
#include "model/inventory.h"

#include <jansson.h>

/*
 * Adds the page of one host, or of all with host NULL.  `measured` is that member of
 * lanewatch/ceiling/v1 (ceiling --measure), NULL: nothing was measured.  `stylesheet` is an address to take the
 * style from, NULL: it stands in the file.
 */
void report_write(struct buf *out, const struct inventory *inv, const char *host, const char *stylesheet, const json_t *measured);

/* The style alone, for a server that may not send it inline. */
extern const char report_style[];

#endif
