/* SPDX-License-Identifier: MIT */
/*
 * zpool_scan: the sentence behind "scan:" (or "scrub:" of old versions): what was scanned, how far
 * it is, what came of it.  Only words that zpool(8) has always used are looked for.
 */
#include "base/clock.h"
#include "base/str.h"
#include "collectors/zfs/zpool.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pool_scan zpool_scan_unknown(void)
{
	return (struct pool_scan){
		.percent = NAN,
		.duration_s = -1,
		.to_go_s = -1,
		.errors = -1,
		.started_wall_ms = CLOCK_NEVER,
		.ended_wall_ms = CLOCK_NEVER,
		.paused_wall_ms = CLOCK_NEVER,
	};
}

/* A number of at most six digits; false if there is none. */
static bool take_int(const char **s, int64_t *out)
{
	size_t n = strspn(*s, "0123456789");

	if (n == 0 || n > 6)
		return false;
	*out = 0;
	for (; n; n--, ++*s)
		*out = *out * 10 + (**s - '0');
	return true;
}

/* "HH:MM:SS", "3 days 04:05:06", "15h38m"; -1 if it is none. */
static int64_t duration(const char *s)
{
	int64_t days = 0, a, b, c;

	if (!take_int(&s, &a))
		return -1;
	if (str_starts(s, " day")) {
		days = a;
		s += 4;
		s += *s == 's';
		s += *s == ' ';
		if (!take_int(&s, &a))
			return -1;
	}
	if (*s == 'h') {
		s++;
		return take_int(&s, &b) && *s == 'm' ? (days * 24 + a) * 3600 + b * 60 : -1;
	}
	if (*s++ != ':' || !take_int(&s, &b) || *s++ != ':' || !take_int(&s, &c))
		return -1;
	return (days * 24 + a) * 3600 + b * 60 + c;
}

static int64_t time_after(const char *text, const char *words)
{
	const char *s = strstr(text, words);

	return s ? zpool_time(s + strlen(words)) : CLOCK_NEVER;
}

/* The start of the word before `at`. */
static const char *word_before(const char *text, const char *at)
{
	while (at > text && at[-1] != ' ' && at[-1] != '\n')
		at--;
	return at;
}

static void copy_word(char *out, size_t size, const char *s)
{
	char word[24];
	size_t n = strcspn(s, " ,\n");

	if (n >= sizeof word)
		n = sizeof word - 1;
	memcpy(word, s, n);
	word[n] = '\0';
	str_clean(out, size, word);
}

/* "resilver (VDEV) ..." of a sequential rebuild. */
static void take_vdev(const char *text, struct pool_scan *out)
{
	const char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL;

	if (open && close && open - text < 12)
		str_clean_bytes(out->vdev, sizeof out->vdev, open + 1, (size_t)(close - open - 1));
}

/* "scrub repaired 0B in", "resilvered 758G in", "resilvered (VDEV) 401G in"; running: "212G resilvered,". */
static void take_amount(const char *text, struct pool_scan *out)
{
	static const char *const running[] = {" resilvered,", " repaired,"};
	const char *s;

	for (size_t i = 0; i < sizeof running / sizeof running[0]; i++) {
		s = strstr(text, running[i]);
		if (s && s > text && out->state != SCAN_FINISHED) {
			copy_word(out->amount, sizeof out->amount, word_before(text, s));
			return;
		}
	}
	if (out->state != SCAN_FINISHED)
		return;
	s = strstr(text, "repaired ");
	if (!s)
		s = strstr(text, "resilvered ");
	if (!s)
		return;
	s += strcspn(s, " ") + 1;
	if (*s == '(' && strchr(s, ')'))
		s = strchr(s, ')') + 1 + (strchr(s, ')')[1] == ' ');
	copy_word(out->amount, sizeof out->amount, s);
}

static void take_progress(const char *text, struct pool_scan *out)
{
	const char *percent = strstr(text, "% done"), *to_go = strstr(text, " to go"), *s;
	char word[24];

	if (percent) {
		copy_word(word, sizeof word, word_before(text, percent));
		word[strcspn(word, "%")] = '\0';
		if (!str_to_double(word, &out->percent) || out->percent < 0 || out->percent > 100)
			out->percent = NAN;
	}
	if (!to_go)
		return;
	for (s = to_go; s > text && s[-1] != ',' && s[-1] != '\n';)
		s--;
	out->to_go_s = duration(s + strspn(s, " "));
}

static void take_result(const char *text, struct pool_scan *out)
{
	const char *took = strstr(text, " in "), *with = strstr(text, " with ");

	if (!took)
		took = strstr(text, " after ");
	if (took && took < with)
		out->duration_s = duration(took + 1 + strcspn(took + 1, " ") + 1);
	if (with) {
		with += strlen(" with ");
		if (!take_int(&with, &out->errors))
			out->errors = -1;
	}
	out->ended_wall_ms = time_after(text, "errors on ");
}

bool zpool_read_scan(const char *text, struct pool_scan *out)
{
	*out = zpool_scan_unknown();
	text += strspn(text, " ");
	if (str_starts(text, "thorough "))
		text += strlen("thorough ");
	if (str_starts(text, "scrub"))
		out->function = SCAN_SCRUB;
	else if (str_starts(text, "resilver"))
		out->function = SCAN_RESILVER;
	else
		return false; /* "none requested" */
	if (strstr(text, " canceled on "))
		out->state = SCAN_CANCELED;
	else if (strstr(text, " paused since "))
		out->state = SCAN_PAUSED;
	else if (strstr(text, " in progress"))
		out->state = SCAN_RUNNING;
	else if (strstr(text, " errors on "))
		out->state = SCAN_FINISHED;
	take_vdev(text, out);
	take_amount(text, out);
	switch (out->state) {
	case SCAN_RUNNING:
	case SCAN_PAUSED:
		take_progress(text, out);
		out->started_wall_ms = time_after(text, out->state == SCAN_PAUSED ? "started on " : "in progress since ");
		out->paused_wall_ms = time_after(text, "paused since ");
		break;
	case SCAN_FINISHED:
		take_result(text, out);
		break;
	case SCAN_CANCELED:
		out->ended_wall_ms = time_after(text, "canceled on ");
		break;
	case SCAN_STATE_UNKNOWN:
		break;
	}
	return true;
}
