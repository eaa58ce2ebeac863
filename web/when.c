/* SPDX-License-Identifier: MIT */
/* when: see when.h. */
#include "web/when.h"
#include "base/clock.h"
#include "base/str.h"

#include <stddef.h>
#include <string.h>

int64_t when_parse(const char *text)
{
	static const struct {
		char unit;
		int64_t ms;
	} units[] = {{'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000}};
	size_t len = strlen(text);
	char digits[12];
	int64_t n;

	if ((text[0] != '-' && text[0] != '+') || len < 3 || len > sizeof digits)
		return clock_parse(text);
	memcpy(digits, text + 1, len - 2);
	digits[len - 2] = '\0';
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (text[len - 1] == units[i].unit && str_to_int(digits, 0, 100000, &n))
			return clock_wall_ms() + (text[0] == '-' ? -n : n) * units[i].ms;
	return CLOCK_NEVER;
}
