/* SPDX-License-Identifier: MIT */
/*
 * log: lines on standard error, area first: "redfish: r7725xd-01: ...".
 *
 * One line a call, no trailing full stop, no secrets.  With JOURNAL_STREAM set, lines get
 * the priority prefix that journald reads ("<4>").  Control characters are replaced here,
 * because text of BMCs and drives may be in a line.  Any thread.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level { LOG_LEVEL_UNKNOWN = 0, LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* The least important level that is still printed; LOG_LEVEL_WARN at first. */
void log_set_level(enum log_level level);

void log_error(const char *area, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_warn(const char *area, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_info(const char *area, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void log_debug(const char *area, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
