/* SPDX-License-Identifier: MIT */
/* log: see log.h. */
#include "base/log.h"
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic int level_shown = LOG_LEVEL_WARN;

void log_set_level(enum log_level level)
{
	level_shown = level;
}

/* syslog's numbers, which journald reads from a "<n>" prefix */
static const char *prefix(enum log_level level)
{
	if (!getenv("JOURNAL_STREAM"))
		return "";
	switch (level) {
	case LOG_LEVEL_UNKNOWN:
	case LOG_LEVEL_ERROR:
		return "<3>";
	case LOG_LEVEL_WARN:
		return "<4>";
	case LOG_LEVEL_INFO:
		return "<6>";
	case LOG_LEVEL_DEBUG:
		return "<7>";
	}
	return "";
}

__attribute__((format(printf, 3, 0))) static void
line(enum log_level level, const char *area, const char *fmt, va_list ap)
{
	char raw[1024], clean[1024];

	if ((int)level > level_shown)
		return;
	vsnprintf(raw, sizeof raw, fmt, ap);
	str_clean(clean, sizeof clean, raw);
	fprintf(stderr, "%slanewatch: %s: %s\n", prefix(level), area, clean);
}

#define LOG_FUNCTION(name, level)                                                        \
	void name(const char *area, const char *fmt, ...)                                \
	{                                                                                \
		va_list ap;                                                              \
                                                                                         \
		va_start(ap, fmt);                                                       \
		line(level, area, fmt, ap);                                              \
		va_end(ap);                                                              \
	}

LOG_FUNCTION(log_error, LOG_LEVEL_ERROR)
LOG_FUNCTION(log_warn, LOG_LEVEL_WARN)
LOG_FUNCTION(log_info, LOG_LEVEL_INFO)
LOG_FUNCTION(log_debug, LOG_LEVEL_DEBUG)
