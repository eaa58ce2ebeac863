/* SPDX-License-Identifier: MIT */
/* complain: see complain.h. */
#include "base/complain.h"

#include <stdio.h>

void complain_duration(int64_t ms, char *out, size_t size)
{
	static const struct {
		int64_t ms;
		const char *word;
	} units[] = {{86400000, "d"}, {3600000, "h"}, {60000, "min"}};

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (ms >= 2 * units[i].ms) {
			snprintf(out, size, "%lld %s", (long long)(ms / units[i].ms), units[i].word);
			return;
		}
	snprintf(out, size, "%lld s", (long long)(ms / 1000));
}

static void tell(const struct complaint *c, int64_t now_mono_ms, const char *before, const char *behind, char *tail)
{
	char duration[24];

	complain_duration(now_mono_ms - c->since_mono_ms, duration, sizeof duration);
	snprintf(tail, COMPLAIN_TAIL_MAX, "%s%s%s, %zu time%s", before, duration, behind, c->n, c->n == 1 ? "" : "s");
}

bool complain(struct complaint *c, int64_t now_mono_ms, char tail[COMPLAIN_TAIL_MAX])
{
	tail[0] = '\0';
	if (c->n++ == 0) {
		c->since_mono_ms = c->said_mono_ms = now_mono_ms;
		return true;
	}
	if (now_mono_ms - c->said_mono_ms < COMPLAIN_AGAIN_MS)
		return false;
	c->said_mono_ms = now_mono_ms;
	tell(c, now_mono_ms, "; for ", " now", tail);
	return true;
}

bool complain_over(struct complaint *c, int64_t now_mono_ms, char tail[COMPLAIN_TAIL_MAX])
{
	tail[0] = '\0';
	if (c->n == 0)
		return false;
	tell(c, now_mono_ms, " after ", "", tail);
	*c = (struct complaint){0};
	return true;
}
