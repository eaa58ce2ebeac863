/* SPDX-License-Identifier: MIT */
/* pcie_link: see pcie_link.h. */
#include "model/pcie_link.h"

#include "base/str.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* What a generation is: PCI Express Base Specification 6.0, section 1.2 and chapter 4. */
struct generation {
	int speed_mtps;
	const char *text;
	double coding; /* share of the raw bits that is payload after line coding */
};

static const struct generation generations[] = {
	{2500, "2.5", 0.8},
	{5000, "5", 0.8},
	{8000, "8", 128.0 / 130},
	{16000, "16", 128.0 / 130},
	{32000, "32", 128.0 / 130},
	{64000, "64", 242.0 / 256},
};

enum { N_GENERATIONS = sizeof generations / sizeof generations[0] };

static const struct generation *generation_of(int speed_mtps)
{
	int n = pcie_generation(speed_mtps);

	return n ? &generations[n - 1] : NULL;
}

struct pcie_link pcie_link_unknown(void)
{
	return (struct pcie_link){.changes = -1};
}

void pcie_link_add_raw(struct pcie_link *l, const char *property, const char *value)
{
	struct pcie_raw *r;

	if (l->n_raw >= PCIE_RAW_MAX)
		return;
	r = &l->raw[l->n_raw++];
	str_clean(r->property, sizeof r->property, property);
	str_clean(r->value, sizeof r->value, value);
}

static bool rate_known(struct pcie_rate r)
{
	return r.speed_mtps || r.width_lanes;
}

struct pcie_ends pcie_link_ends(const struct pcie_link *l)
{
	return (struct pcie_ends){l->now, l->max, l->slot, l->doubt};
}

struct pcie_link pcie_link_of_ends(const struct pcie_ends *e)
{
	struct pcie_link l = pcie_link_unknown();

	l.now = e->now;
	l.max = e->max;
	l.slot = e->slot;
	l.doubt = e->doubt;
	return l;
}

bool pcie_link_known(const struct pcie_link *l)
{
	return rate_known(l->now) || rate_known(l->max) || rate_known(l->slot);
}

/* True if a value is no figure that a link can have: a placeholder that slipped through. */
static bool rate_impossible(struct pcie_rate r)
{
	return (r.speed_mtps && !pcie_generation(r.speed_mtps)) ||
	       (r.width_lanes && !pcie_width_from_int(r.width_lanes));
}

static bool rate_above(struct pcie_rate a, struct pcie_rate limit)
{
	return (limit.speed_mtps && a.speed_mtps > limit.speed_mtps) ||
	       (limit.width_lanes && a.width_lanes > limit.width_lanes);
}

void pcie_link_check(struct pcie_link *l)
{
	const struct pcie_rate unknown = {0};

	if (rate_impossible(l->max))
		l->max = unknown;
	if (rate_impossible(l->slot))
		l->slot = unknown;
	if (rate_impossible(l->now)) {
		l->now = unknown;
		l->doubt = REASON_PLACEHOLDER;
	}
	if (rate_above(l->now, l->max) || rate_above(l->now, l->slot)) {
		l->now = unknown;
		l->doubt = REASON_CONTRADICTORY;
	}
}

/* The text after a word of any case and the blanks behind it; NULL if it does not start so. */
static const char *after(const char *s, const char *word)
{
	size_t n = strlen(word);

	if (strncasecmp(s, word, n) != 0)
		return NULL;
	return s + n + strspn(s + n, " ");
}

int pcie_speed_parse(const char *s)
{
	char text[64], number[16];
	const char *rest;
	size_t digits;
	double gts;
	int64_t n;

	if (strlen(s) >= sizeof text)
		return 0;
	str_clean(text, sizeof text, s);
	rest = after(text, "PCIe");
	rest = rest ? rest : text;
	if (after(rest, "Gen")) {
		rest = after(rest, "Gen");
		if (rest[strspn(rest, "0123456789")] || !str_to_int(rest, 1, N_GENERATIONS, &n))
			return 0;
		return generations[n - 1].speed_mtps;
	}
	digits = strspn(rest, "0123456789.");
	if (digits >= sizeof number)
		return 0;
	memcpy(number, rest, digits);
	number[digits] = '\0';
	rest += digits + strspn(rest + digits, " ");
	rest = after(rest, "GT/s");
	if (!rest || (*rest && !str_same_nocase(rest, "PCIe")) || !str_to_double(number, &gts))
		return 0;
	return pcie_speed_from_gts(gts);
}

static bool within_one_percent(double value, double of)
{
	return fabs(value - of) <= of / 100;
}

int pcie_speed_from_gts(double gts)
{
	for (int i = 0; i < N_GENERATIONS; i++)
		if (within_one_percent(gts * 1000, generations[i].speed_mtps))
			return generations[i].speed_mtps;
	return 0;
}

int pcie_speed_from_coded_gbps(double gbps)
{
	for (int i = 0; i < N_GENERATIONS; i++)
		if (within_one_percent(gbps * 1000, generations[i].speed_mtps * generations[i].coding))
			return generations[i].speed_mtps;
	return 0;
}

int pcie_width_parse(const char *s)
{
	char text[64];
	const char *p = text;
	int64_t lanes;

	if (strlen(s) >= sizeof text)
		return 0;
	str_clean(text, sizeof text, s);
	if (*p == 'x' || *p == 'X')
		p++;
	/* "0x4" is a number to str_to_int(), but no width that anybody writes */
	if (p[strspn(p, "0123456789")] || !str_to_int(p, 0, INT32_MAX, &lanes))
		return 0;
	return pcie_width_from_int(lanes);
}

int pcie_width_from_int(int64_t lanes)
{
	static const int legal[] = {1, 2, 4, 8, 12, 16, 32};

	for (size_t i = 0; i < sizeof legal / sizeof legal[0]; i++)
		if (lanes == legal[i])
			return legal[i];
	return 0;
}

const char *pcie_speed_text(int speed_mtps)
{
	const struct generation *g = generation_of(speed_mtps);

	return g ? g->text : "?";
}

int pcie_generation(int speed_mtps)
{
	for (int i = 0; i < N_GENERATIONS; i++)
		if (speed_mtps == generations[i].speed_mtps)
			return i + 1;
	return 0;
}

double pcie_bandwidth(struct pcie_rate r)
{
	const struct generation *g = generation_of(r.speed_mtps);

	if (!g || r.width_lanes <= 0)
		return 0;
	return r.speed_mtps * 1e6 * r.width_lanes * g->coding / 8;
}

const char *pcie_error_word(enum pcie_error k)
{
	static const char *const words[PCIE_ERROR_KINDS] = {
		[PCIE_RX_ERR] = "RxErr", [PCIE_BAD_TLP] = "BadTLP", [PCIE_BAD_DLLP] = "BadDLLP",
		[PCIE_ROLLOVER] = "Rollover", [PCIE_TIMEOUT] = "Timeout", [PCIE_NON_FATAL_ERR] = "NonFatalErr",
		[PCIE_CORR_INT_ERR] = "CorrIntErr", [PCIE_HEADER_OF] = "HeaderOF",
	};

	return k < PCIE_ERROR_KINDS ? words[k] : NULL;
}

bool pcie_errors_known(const struct pcie_errors *e)
{
	return e->correctable.known || e->nonfatal.known || e->fatal.known;
}
