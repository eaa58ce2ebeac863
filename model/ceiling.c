/* SPDX-License-Identifier: MIT */
/* ceiling: see ceiling.h. */
#include "model/ceiling.h"

#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * The most that a link carries of user data: with payloads of 256 to 512 bytes, headers, framing
 * and flow control take 8 % or more (PCI Express Base Specification 6.0, chapter 2).
 */
static const double protocol_leaves = 0.92;

struct ceiling ceiling_unknown(void)
{
	return (struct ceiling){NAN, NAN};
}

/* The smaller, or the one that is known. */
static double capped(double a, double limit)
{
	return limit < a ? limit : a; /* a comparison with NAN is false */
}

struct ceiling ceiling_of_link(struct pcie_rate now, struct ceiling rated)
{
	double line = pcie_bandwidth(now);

	if (line == 0)
		return ceiling_unknown();
	return (struct ceiling){capped(line, rated.read), capped(line, rated.write)};
}

struct ceiling ceiling_capped(struct ceiling c, struct ceiling rated)
{
	return (struct ceiling){capped(c.read, rated.read), capped(c.write, rated.write)};
}

static double smaller(double a, double b)
{
	return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

struct ceiling ceiling_behind(struct ceiling members, struct ceiling uplink)
{
	return (struct ceiling){smaller(members.read, uplink.read), smaller(members.write, uplink.write)};
}

void ceiling_add(struct ceiling_sum *s, struct ceiling member)
{
	s->n++;
	if (isnan(member.read) || isnan(member.write)) {
		s->n_unknown++;
		return;
	}
	s->known.read += member.read;
	s->known.write += member.write;
}

struct ceiling ceiling_total(const struct ceiling_sum *s)
{
	return s->n == 0 || s->n_unknown ? ceiling_unknown() : s->known;
}

/* ---- layouts ---- */

/* Reads a small number and moves on behind it and `end`; false where there is none. */
static bool take_number(const char **s, const char *end, int *out)
{
	char digits[8];
	size_t n = strspn(*s, "0123456789");
	int64_t v;

	if (n == 0 || n >= sizeof digits || !str_starts(*s + n, end))
		return false;
	memcpy(digits, *s, n);
	digits[n] = '\0';
	if (!str_to_int(digits, 0, 255, &v))
		return false;
	*out = (int)v;
	*s += n + strlen(end);
	return true;
}

/* The parity behind a kind's name, 1 where none is given; moves on. */
static bool take_parity(const char **s, int *parity)
{
	*parity = 1;
	if (**s >= '1' && **s <= '3')
		*parity = *(*s)++ - '0';
	return **s == '\0' || **s == '-' || **s == ':';
}

/* "" or "-" with the number of the vdev. */
static bool only_id(const char *s)
{
	return *s == '\0' || (*s == '-' && s[1] && s[1 + strspn(s + 1, "0123456789")] == '\0');
}

bool layout_parse(const char *name, struct layout *out)
{
	struct layout l = {0};
	const char *s;

	if (str_same(name, "disk")) {
		l.kind = LAYOUT_DISK;
		s = "";
	} else if (str_starts(name, "mirror")) {
		l.kind = LAYOUT_MIRROR;
		s = name + strlen("mirror");
	} else if (str_starts(name, "raidz")) {
		l.kind = LAYOUT_RAIDZ;
		s = name + strlen("raidz");
		if (!take_parity(&s, &l.parity))
			return false;
	} else if (str_starts(name, "draid")) {
		l.kind = LAYOUT_DRAID;
		s = name + strlen("draid");
		if (!take_parity(&s, &l.parity) || *s++ != ':' || !take_number(&s, "d:", &l.data) ||
			!take_number(&s, "c:", &l.children) || !take_number(&s, "s", &l.spares) ||
			l.data < 1 || l.children < l.data + l.parity + l.spares)
			return false;
	} else {
		return false;
	}
	if (!only_id(s))
		return false;
	*out = l;
	return true;
}

/* What the live members come to. */
struct live {
	struct ceiling slowest, sum;
	size_t n, missing;
};

static struct live live_of(const struct ceiling_member *members, size_t n)
{
	struct live l = {.slowest = {INFINITY, INFINITY}};

	for (size_t i = 0; i < n; i++) {
		struct ceiling can = members[i].can;

		if (members[i].missing) {
			l.missing++;
			continue;
		}
		l.n++;
		l.slowest.read = smaller(l.slowest.read, can.read);
		l.slowest.write = smaller(l.slowest.write, can.write);
		l.sum.read += can.read; /* NAN stays NAN */
		l.sum.write += can.write;
	}
	return l;
}

static struct ceiling times(struct ceiling c, double factor)
{
	return (struct ceiling){c.read * factor, c.write * factor};
}

struct ceiling ceiling_of_vdev(const struct layout *l, const struct ceiling_member *members, size_t n)
{
	const struct ceiling nothing = {0, 0};
	struct live live = live_of(members, n);
	size_t parity = l->parity > 0 ? (size_t)l->parity : 0;

	if (n == 0)
		return ceiling_unknown();
	if (live.n == 0)
		return nothing;
	switch (l->kind) {
	case LAYOUT_UNKNOWN:
		return ceiling_unknown();
	case LAYOUT_DISK:
		return live.missing ? nothing : live.sum;
	case LAYOUT_MIRROR:
		return (struct ceiling){live.sum.read, live.slowest.write};
	case LAYOUT_RAIDZ:
		if (n <= parity)
			return ceiling_unknown();
		/* not known stays not known, also where too many are missing */
		return times(live.slowest, live.missing > parity ? 0 : (double)(n - parity));
	case LAYOUT_DRAID:
		/* missing ones beyond the parity may have been rebuilt onto spare space */
		if (live.missing > parity + (size_t)l->spares)
			return nothing;
		return times(live.slowest,
			(double)(l->children - l->spares) * l->data / (l->data + l->parity));
	}
	return ceiling_unknown();
}

size_t ceiling_slowest(const struct ceiling_member *members, size_t n)
{
	double least = INFINITY, most = 0;
	size_t found = n;

	for (size_t i = 0; i < n; i++) {
		double write = members[i].can.write;

		if (members[i].missing || isnan(write))
			continue;
		most = fmax(most, write);
		if (write < least) {
			least = write;
			found = i;
		}
	}
	return least < most * 0.99 ? found : n;
}

/* ---- claims ---- */

const char *claim_word(enum claim_verdict v)
{
	switch (v) {
	case CLAIM_UNKNOWN:
		return "unknown";
	case CLAIM_POSSIBLE:
		return "possible";
	case CLAIM_UNLIKELY:
		return "unlikely";
	case CLAIM_IMPOSSIBLE:
		return "impossible";
	}
	return "unknown";
}

static enum claim_verdict judge(double claimed, double links, bool all_known)
{
	if (claimed > links)
		return all_known ? CLAIM_IMPOSSIBLE : CLAIM_UNKNOWN;
	if (!all_known)
		return CLAIM_POSSIBLE;
	return claimed > links * protocol_leaves ? CLAIM_UNLIKELY : CLAIM_POSSIBLE;
}

struct claim claim_check(double bytes_per_second, const struct ceiling_sum *links, bool write)
{
	double sum = write ? links->known.write : links->known.read;
	size_t n_known = links->n - links->n_unknown;
	struct claim c = {.percent = NAN};
	const char *plural = n_known == 1 ? "" : "s";

	if (n_known == 0 || !(bytes_per_second > 0)) {
		snprintf(c.message, sizeof c.message, "what the links can carry is not known");
		return c;
	}
	c.verdict = judge(bytes_per_second, sum, links->n_unknown == 0);
	if (links->n_unknown == 0)
		c.percent = 100 * bytes_per_second / sum;
	switch (c.verdict) {
	case CLAIM_UNKNOWN:
		snprintf(c.message, sizeof c.message,
			"%.1f GB/s is more than the %.1f GB/s of the %zu link%s that are known, but %zu are not",
			bytes_per_second / 1e9, sum / 1e9, n_known, plural, links->n_unknown);
		break;
	case CLAIM_IMPOSSIBLE:
		snprintf(c.message, sizeof c.message,
			"impossible: %.1f GB/s where %zu link%s carry at most %.1f GB/s; it did not come from the drives "
			"(cache in memory, zeros or compressible data, many jobs on one file)",
			bytes_per_second / 1e9, n_known, plural, sum / 1e9);
		break;
	case CLAIM_UNLIKELY:
		snprintf(c.message, sizeof c.message,
			"unlikely: %.1f GB/s is %.0f %% of the %.1f GB/s of %zu link%s, and protocol leaves about %.0f %%",
			bytes_per_second / 1e9, c.percent, sum / 1e9, n_known, plural, 100 * protocol_leaves);
		break;
	case CLAIM_POSSIBLE:
		if (links->n_unknown)
			snprintf(c.message, sizeof c.message,
				"possible: %.1f GB/s is below the %.1f GB/s of the %zu link%s that are known",
				bytes_per_second / 1e9, sum / 1e9, n_known, plural);
		else
			snprintf(c.message, sizeof c.message,
				"possible: %.1f GB/s is %.0f %% of the %.1f GB/s that %zu link%s can carry; below it nothing is proved",
				bytes_per_second / 1e9, c.percent, sum / 1e9, n_known, plural);
		break;
	}
	return c;
}

/* Bytes of one unit: a prefix, then B, b or bit; 0 if it is none. */
static double unit_bytes(const char *s, size_t len)
{
	static const char prefixes[] = "kMGTP";
	double unit = 1, step = 1000;
	const char *p;

	if (len && *s == 'K')
		p = prefixes;
	else
		p = len && *s ? strchr(prefixes, *s) : NULL;
	if (p) {
		s++, len--;
		if (len && *s == 'i') {
			step = 1024;
			s++, len--;
		}
		for (const char *q = prefixes; q <= p; q++)
			unit *= step;
	}
	if (len == 1 && *s == 'B')
		return unit;
	if ((len == 1 && *s == 'b') || (len == 3 && memcmp(s, "bit", 3) == 0))
		return unit / 8;
	return 0;
}

int claim_parse(const char *s, double *bytes_per_second, struct err *e)
{
	char text[48], number[24];
	const char *unit;
	size_t digits, len;
	double value, bytes;

	str_clean(text, sizeof text, strlen(s) < sizeof text ? s : "");
	digits = strspn(text, "0123456789.");
	if (digits == 0 || digits >= sizeof number)
		return err_set(e, "a claim is a number with a unit, such as 157GB/s");
	memcpy(number, text, digits);
	number[digits] = '\0';
	if (!str_to_double(number, &value) || value <= 0)
		return err_set(e, "\"%s\" is no throughput; a claim looks like 157GB/s", number);
	unit = text + digits + strspn(text + digits, " ");
	if (!*unit)
		return err_set(e, "\"%s\" has no unit: say GB/s, GiB/s or Gb/s", number);
	len = strlen(unit);
	if (!str_ends(unit, "/s") && !str_ends(unit, "ps"))
		return err_set(e, "\"%s\" is no throughput: it must be per second, as in GB/s", unit);
	bytes = unit_bytes(unit, len - 2);
	if (bytes == 0)
		return err_set(e, "\"%s\" is no unit of throughput: say GB/s, GiB/s or Gb/s", unit);
	*bytes_per_second = value * bytes;
	return 0;
}
