/* SPDX-License-Identifier: MIT */
/* err: see err.h. */
#include "base/err.h"
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	return -1;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	struct err inner;
	va_list ap;
	int n;

	if (!e)
		return -1;
	inner = *e;
	va_start(ap, fmt);
	n = vsnprintf(e->text, sizeof e->text, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n + 2 >= sizeof e->text)
		return -1;
	memcpy(e->text + n, ": ", 2);
	str_copy(e->text + n + 2, sizeof e->text - (size_t)n - 2, inner.text);
	return -1;
}
