/* SPDX-License-Identifier: MIT */
/*
 * clock: see clock.h.  The two hand-turned values are the one exception to "no state in
 * files": they stand for the machine's clocks, of which there is one each.
 */
#include "base/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

static _Atomic int64_t hand_wall_ms = CLOCK_NEVER;
static _Atomic int64_t hand_mono_ms;

static int64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int64_t clock_wall_ms(void)
{
	return hand_wall_ms != CLOCK_NEVER ? hand_wall_ms : read_clock(CLOCK_REALTIME);
}

int64_t clock_mono_ms(void)
{
	return hand_wall_ms != CLOCK_NEVER ? hand_mono_ms : read_clock(CLOCK_MONOTONIC);
}

void clock_set(int64_t wall_ms, int64_t mono_ms)
{
	hand_mono_ms = mono_ms;
	hand_wall_ms = wall_ms;
}

/* Days since 1970-01-01 in the proleptic Gregorian calendar; years start in March here. */
static int64_t days_from_civil(int64_t y, int m, int d)
{
	y -= m <= 2;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t yoe = y - era * 400;
	int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;

	return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

static void civil_from_days(int64_t z, int64_t *y, int *m, int *d)
{
	z += 719468;
	int64_t era = (z >= 0 ? z : z - 146096) / 146097;
	int64_t doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153;

	*d = (int)(doy - (153 * mp + 2) / 5 + 1);
	*m = (int)(mp < 10 ? mp + 3 : mp - 9);
	*y = yoe + era * 400 + (*m <= 2);
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* A time taken apart; false if it is none, or outside the years 1 to 9999. */
struct civil {
	int64_t day; /* since 1970-01-01, a Thursday */
	int year, month, mday, second; /* second: of the day */
};

static bool take_apart(int64_t wall_ms, struct civil *c)
{
	int64_t s, y;

	if (wall_ms == CLOCK_NEVER)
		return false;
	s = floor_div(wall_ms, 1000);
	c->day = floor_div(s, 86400);
	c->second = (int)(s - c->day * 86400);
	civil_from_days(c->day, &y, &c->month, &c->mday);
	c->year = (int)y;
	return y >= 1 && y <= 9999;
}

const char *clock_text(int64_t wall_ms, char out[CLOCK_TEXT_MAX])
{
	struct civil c;

	out[0] = '\0';
	if (take_apart(wall_ms, &c))
		snprintf(out, CLOCK_TEXT_MAX, "%04d-%02d-%02dT%02d:%02d:%02dZ", c.year, c.month, c.mday,
			c.second / 3600, c.second / 60 % 60, c.second % 60);
	return out;
}

const char *clock_text_http(int64_t wall_ms, char out[CLOCK_TEXT_MAX])
{
	static const char days[] = "ThuFriSatSunMonTueWed", months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct civil c;

	out[0] = '\0';
	if (take_apart(wall_ms, &c))
		snprintf(out, CLOCK_TEXT_MAX, "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT", days + 3 * ((c.day % 7 + 7) % 7), c.mday,
			months + 3 * (c.month - 1), c.year, c.second / 3600, c.second / 60 % 60, c.second % 60);
	return out;
}

/* Exactly `n` digits as a number, or -1; moves *s on. */
static int digits(const char **s, int n)
{
	int v = 0;

	for (; n > 0; n--, (*s)++) {
		if (**s < '0' || **s > '9')
			return -1;
		v = v * 10 + (**s - '0');
	}
	return v;
}

static bool skip(const char **s, char c)
{
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

/* "Z" or "+hh:mm": minutes east of UTC; INT16_MAX if it is neither. */
static int offset_minutes(const char **s)
{
	int sign, h, m;

	if (skip(s, 'Z') || skip(s, 'z'))
		return 0;
	sign = **s == '-' ? -1 : 1;
	if (!skip(s, '+') && !skip(s, '-'))
		return INT16_MAX;
	h = digits(s, 2);
	skip(s, ':');
	m = digits(s, 2);
	return h < 0 || h > 23 || m < 0 || m > 59 ? INT16_MAX : sign * (h * 60 + m);
}

static int days_in(int y, int m)
{
	static const char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = y % 4 == 0 && (y % 100 != 0 || y % 400 == 0);

	return days[m - 1] + (m == 2 && leap);
}

int64_t clock_parse(const char *s)
{
	int y, mo, d, h, mi, se, off, ms = 0;

	if (!s || (y = digits(&s, 4)) < 1 || !skip(&s, '-') || (mo = digits(&s, 2)) < 1 || mo > 12 ||
		!skip(&s, '-') || (d = digits(&s, 2)) < 1 || d > days_in(y, mo))
		return CLOCK_NEVER;
	if (!skip(&s, 'T') && !skip(&s, 't') && !skip(&s, ' '))
		return CLOCK_NEVER;
	if ((h = digits(&s, 2)) < 0 || h > 23 || !skip(&s, ':') || (mi = digits(&s, 2)) < 0 ||
		mi > 59 || !skip(&s, ':') || (se = digits(&s, 2)) < 0 || se > 60)
		return CLOCK_NEVER;
	if (skip(&s, '.')) {
		if (*s < '0' || *s > '9')
			return CLOCK_NEVER;
		for (int scale = 100; *s >= '0' && *s <= '9'; s++, scale /= 10)
			ms += (*s - '0') * scale;
	}
	off = offset_minutes(&s);
	if (off == INT16_MAX || *s)
		return CLOCK_NEVER;
	return ((days_from_civil(y, mo, d) * 24 + h) * 60 + mi - off) * 60000 + se * 1000 + ms;
}

/*
 * Not curl_getdate(): where a distribution's time_t has 32 bits and ours 64, it answers with half of one.
 * Names of days and months are the C locale's, as LC_TIME is never set.
 */
int64_t clock_parse_http(const char *s)
{
	static const char *const forms[] = {
		"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %d %H:%M:%S %Y"};

	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		struct tm tm = {0};
		const char *rest = strptime(s, forms[i], &tm);

		if (rest && !*rest)
			return (int64_t)timegm(&tm) * 1000;
	}
	return CLOCK_NEVER;
}
