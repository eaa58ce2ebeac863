/* SPDX-License-Identifier: MIT */
/*
 * Messages and formatted strings; any thread, no state.
 */
#include "tests/simbmc/util.h"

#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

json_t *utf8_text(const char *s)
{
	json_t *text = json_string(s);
	size_t size = strlen(s) + 1;
	char *clean;

	if (text)
		return text;
	clean = mem_new(size, 1);
	str_clean(clean, size, s);
	text = json_string(clean);
	free(clean);
	if (!text)
		fail(SIM_EX_TEMPFAIL, "out of memory");
	return text;
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
