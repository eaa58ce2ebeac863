/* SPDX-License-Identifier: MIT */
/* str: see str.h. */
#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool str_copy(char *out, size_t size, const char *s)
{
	size_t n = strlen(s), k = n < size ? n : size - 1;

	while (k < n && k > 0 && (s[k] & 0xc0) == 0x80)
		k--; /* half a character would not be UTF-8 any more */
	memcpy(out, s, k);
	out[k] = '\0';
	return n < size;
}

/* Length of the well-formed UTF-8 character at p (RFC 3629), 0 if there is none; *c gets it. */
static size_t utf8_char(const unsigned char *p, size_t left, uint32_t *c)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : p[0] >> 3 == 30 ? 4 : 0;

	if (n == 0 || n > left)
		return 0;
	*c = n == 1 ? p[0] : p[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		*c = *c << 6 | (p[i] & 0x3f);
	}
	if (n > 1 && (*c < least[n] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff)))
		return 0;
	return n;
}

static bool unwanted(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static bool blank(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0';
}

void str_clean_bytes(char *out, size_t size, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	size_t o = 0;

	while (len && blank(p[0]))
		p++, len--;
	while (len && blank(p[len - 1]))
		len--;
	while (len) {
		uint32_t c = 0;
		size_t n = utf8_char(p, len, &c);
		bool ok = n && !unwanted(c);
		size_t room = ok ? n : 1;

		if (o + room >= size)
			break;
		if (ok)
			memcpy(out + o, p, n);
		else
			out[o] = '?';
		o += room;
		p += n ? n : 1;
		len -= n ? n : 1;
	}
	while (o && out[o - 1] == ' ')
		o--; /* where it was cut */
	out[o] = '\0';
}

void str_clean(char *out, size_t size, const char *s)
{
	str_clean_bytes(out, size, s ? s : "", s ? strlen(s) : 0);
}

bool str_to_int(const char *s, int64_t min, int64_t max, int64_t *out)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	char *end;
	long long v;

	if (!isdigit((unsigned char)s[s[0] == '-']) || (hex && !isxdigit((unsigned char)s[2])))
		return false;
	errno = 0;
	v = strtoll(s, &end, hex ? 16 : 10);
	if (errno || *end || v < min || v > max)
		return false;
	*out = v;
	return true;
}

bool str_to_double(const char *s, double *out)
{
	char *end;
	double v;

	if (!isdigit((unsigned char)s[s[0] == '-' || s[0] == '+']) || strpbrk(s, "xX"))
		return false; /* strtod() knows blanks, "inf", "nan" and hexadecimal as well */
	v = strtod(s, &end);
	if (*end || !isfinite(v))
		return false;
	*out = v;
	return true;
}

bool str_same(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

bool str_same_nocase(const char *a, const char *b)
{
	return strcasecmp(a ? a : "", b ? b : "") == 0;
}

bool str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), k = strlen(suffix);

	return n >= k && memcmp(s + n - k, suffix, k) == 0;
}

bool str_has_nocase(const char *s, const char *part)
{
	return strcasestr(s, part) != NULL;
}

bool str_match(const char *pattern, const char *s)
{
	const char *star = NULL, *resume = NULL;

	while (*s) {
		if (*pattern == '*') {
			star = ++pattern;
			resume = s;
		} else if (*pattern == '?' || *pattern == *s) {
			pattern++, s++;
		} else if (star) {
			pattern = star;
			s = ++resume;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

/* Compares two runs of digits by value; moves both on. */
static int compare_numbers(const char **a, const char **b)
{
	size_t na, nb;
	int d;

	while (**a == '0' && isdigit((unsigned char)(*a)[1]))
		(*a)++;
	while (**b == '0' && isdigit((unsigned char)(*b)[1]))
		(*b)++;
	na = strspn(*a, "0123456789");
	nb = strspn(*b, "0123456789");
	d = na != nb ? (na < nb ? -1 : 1) : memcmp(*a, *b, na);
	*a += na;
	*b += nb;
	return d;
}

int str_natural(const char *a, const char *b)
{
	const char *a0 = a, *b0 = b;

	while (*a && *b) {
		int d;

		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			d = compare_numbers(&a, &b);
		} else {
			d = (unsigned char)*a - (unsigned char)*b;
			a++, b++;
		}
		if (d)
			return d;
	}
	return *a || *b ? (unsigned char)*a - (unsigned char)*b : strcmp(a0, b0);
}

/* Edits that turn a into b (Levenshtein), for words up to 63 bytes; more is no word of ours. */
static size_t distance(const char *a, const char *b)
{
	size_t row[64], n = strlen(b), diagonal, up;

	if (n >= 64 || strlen(a) >= 64)
		return SIZE_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t best = diagonal + (tolower((unsigned char)a[i - 1]) !=
							 tolower((unsigned char)b[j - 1]));

			up = row[j];
			if (up + 1 < best)
				best = up + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = up;
			row[j] = best;
		}
	}
	return row[n];
}

const char *str_nearest(const char *s, const char *const *words)
{
	size_t best = strlen(s) / 3 + 2;
	const char *found = NULL;

	for (; *words; words++) {
		size_t d = distance(s, *words);

		if (d < best) {
			best = d;
			found = *words;
		}
	}
	return found;
}
