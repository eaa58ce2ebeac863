/* SPDX-License-Identifier: MIT */
/*
 * when: times as a query or a person gives them: RFC 3339, or so long from now.
 */
#ifndef WEB_WHEN_H
#define WEB_WHEN_H

#include <stdint.h>

/*
 * "2026-11-30T12:00:00Z", "-24h" and "-30d" (before now), "+4h" (after now), with s, m, h or d;
 * CLOCK_NEVER if it is none of them.
 */
int64_t when_parse(const char *text);

#endif
