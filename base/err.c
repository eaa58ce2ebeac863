/* SPDX-License-Identifier: MIT */
/* err: see err.h. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

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
	if (n >= 0 && (size_t)n < sizeof e->text)
		snprintf(e->text + n, sizeof e->text - (size_t)n, ": %s", inner.text);
	return -1;
}
