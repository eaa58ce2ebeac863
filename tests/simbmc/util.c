/* SPDX-License-Identifier: MIT */
/*
 * Messages and formatted strings; any thread, no state.
 */
#include "tests/simbmc/util.h"

#include <stdio.h>
#include <stdlib.h>

__attribute__((format(printf, 1, 0)))
static void say(const char *fmt, va_list ap)
{
	fputs("lanewatch-simbmc: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

void warn_line(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
}

void fail(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap);
	va_end(ap);
	exit(status);
}

char *vformat(const char *fmt, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0)
		fail(SIM_EX_TEMPFAIL, "out of memory");
	return s;
}

char *format(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = vformat(fmt, ap);
	va_end(ap);
	return s;
}

static int hex_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

void percent_decode(char *s)
{
	char *out = s;

	for (; *s; s++) {
		int high = *s == '%' ? hex_of(s[1]) : -1;
		int low = high >= 0 ? hex_of(s[2]) : -1;

		if (low < 0 || high + low == 0) {
			*out++ = *s;
			continue;
		}
		*out++ = (char)(high << 4 | low);
		s += 2;
	}
	*out = '\0';
}
