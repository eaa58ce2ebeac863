/* SPDX-License-Identifier: MIT */
/* stored: see stored.h. */
#include "agent/cli/stored.h"

#include "base/clock.h"
#include "base/str.h"
#include "document/bays.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum { READ_FAILED = 3 };

struct store *stored_open(const struct config *c, int *rc)
{
	enum store_fault fault = STORE_FAULT_NONE;
	struct err e = {""};
	struct store *s = store_open(c->database, STORE_READ, &fault, &e);

	*rc = s ? EX_OK : fault == STORE_FOREIGN ? EX_DATAERR : READ_FAILED;
	if (!s)
		fprintf(stderr, "lanewatch: %s\n", e.text);
	return s;
}

int stored_inventory(const struct config *c, struct inventory *inv)
{
	struct err e = {""};
	struct store *s;
	char *text = NULL;
	int rc;

	inventory_init(inv);
	s = stored_open(c, &rc);
	if (!s)
		return rc;
	text = store_take_document(s, &e);
	rc = text && document_read_text(text, inv, &e) == 0 ? 0 : READ_FAILED;
	if (text && rc)
		err_wrap(&e, "%s: the last round in it", c->database);
	if (rc)
		fprintf(stderr, "lanewatch: %s\n", e.text);
	free(text);
	store_close(s);
	return rc;
}

/* "90s", "15m", "24h", "7d" in milliseconds; -1 if it is none. */
static int64_t duration(const char *text)
{
	static const struct {
		char unit;
		int64_t ms;
	} units[] = {{'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000},
		{'w', 604800000}};
	size_t n = strlen(text);
	char digits[16];
	int64_t count;

	if (n < 2 || n >= sizeof digits)
		return -1;
	str_copy(digits, n, text);
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (text[n - 1] == units[i].unit &&
			str_to_int(digits, 0, 1000000, &count))
			return count * units[i].ms;
	return -1;
}

/* So long ago; CLOCK_NEVER if it is none. */
static int64_t ago(const char *text)
{
	int64_t ms = duration(text);

	return ms < 0 ? CLOCK_NEVER : clock_wall_ms() - ms;
}

int stored_step(const struct options *o, struct store_filter *f)
{
	if (!o->step)
		return 0;
	f->step_ms = duration(o->step);
	if (f->step_ms > 0)
		return 0;
	fprintf(stderr, "lanewatch: --step: '%.40s' is no time; write 10m, 1h, 1d or the like\n",
		o->step);
	return EX_USAGE;
}

static int read_time(const char *option, const char *text, int64_t *out)
{
	char day[40];

	*out = CLOCK_NEVER;
	if (!text)
		return 0;
	*out = ago(text);
	if (*out == CLOCK_NEVER)
		*out = clock_parse(text);
	if (*out == CLOCK_NEVER && strlen(text) == 10) {
		snprintf(day, sizeof day, "%sT00:00:00Z", text);
		*out = clock_parse(day);
	}
	if (*out != CLOCK_NEVER)
		return 0;
	fprintf(stderr,
		"lanewatch: %s: '%.40s' is no time; write 2026-11-30T12:00:00Z, "
		"2026-11-30, or 90m, 24h, 7d for so long ago\n",
		option, text);
	return EX_USAGE;
}

int stored_filter(const struct options *o, struct store_filter *f)
{
	*f = (struct store_filter){.last = 0};
	if (read_time("--since", o->since, &f->since_wall_ms))
		return EX_USAGE;
	return read_time("--until", o->until, &f->until_wall_ms);
}

void stored_print(json_t *j)
{
	json_dumpf(j, stdout, JSON_INDENT(2) | DOCUMENT_DUMP);
	putchar('\n');
	json_decref(j);
}
