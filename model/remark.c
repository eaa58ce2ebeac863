/* SPDX-License-Identifier: MIT */
/* remark: see remark.h.  Pure; runs as the last step of inventory_finish. */
#include "model/remark.h"

#include "base/mem.h"
#include "base/str.h"
#include "model/outlier.h"
#include "model/throughput.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct remark *add(struct remark **list, size_t *n, const char *code)
{
	struct remark *r;

	*list = mem_grow(*list, *n, sizeof **list);
	r = &(*list)[(*n)++];
	*r = (struct remark){0};
	str_copy(r->code, sizeof r->code, code);
	return r;
}

struct remark *inventory_add_note(struct inventory *inv, const char *code, const struct bay *b)
{
	struct remark *r = add(&inv->notes, &inv->n_notes, code);

	str_copy(r->host, sizeof r->host, b->host);
	str_copy(r->target, sizeof r->target, b->target);
	str_copy(r->bay, sizeof r->bay, b->bay);
	str_copy(r->serial, sizeof r->serial, b->has_drive ? b->drive.serial : "");
	return r;
}

struct remark *inventory_add_hint(struct inventory *inv, const char *code, const char *host, const char *target)
{
	struct remark *r = add(&inv->hints, &inv->n_hints, code);

	str_copy(r->host, sizeof r->host, host);
	str_copy(r->target, sizeof r->target, target);
	return r;
}

void remark_add_bay(struct remark *r, const char *bay)
{
	r->bays = mem_grow(r->bays, r->n_bays, sizeof *r->bays);
	str_copy(r->bays[r->n_bays++], sizeof *r->bays, bay);
}

/* Adds text at the end, as far as there is room. */
static void __attribute__((format(printf, 3, 4))) append(char *out, size_t size, const char *fmt, ...)
{
	size_t n = strlen(out);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out + n, size - n, fmt, ap);
	va_end(ap);
}

static void append_rate(char *out, size_t size, struct pcie_rate r)
{
	if (r.speed_mtps)
		append(out, size, "%s GT/s", pcie_speed_text(r.speed_mtps));
	else
		append(out, size, "no speed");
	if (r.width_lanes)
		append(out, size, " x%d", r.width_lanes);
}

const char *remark_views(const struct bay *b, char *out, size_t size)
{
	*out = '\0';
	for (size_t i = 0; i < b->link.n_views; i++) {
		append(out, size, "%s%s says ", i ? ", " : "", b->link.views[i].target);
		append_rate(out, size, b->link.views[i].now);
	}
	return out;
}

static int lesser(int a, int b)
{
	return !a || (b && b < a) ? b : a;
}

const char *remark_hop(const struct hop *h, char *out, size_t size)
{
	const struct pcie_link *l = &h->link;
	const struct pcie_rate can = {lesser(l->max.speed_mtps, l->slot.speed_mtps),
		lesser(l->max.width_lanes, l->slot.width_lanes)};
	double now = pcie_bandwidth(l->now), most = pcie_bandwidth(can);
	bool both = pcie_bandwidth(l->max) > 0 && pcie_bandwidth(l->slot) > 0;

	*out = '\0';
	if (!l->now.speed_mtps && !l->now.width_lanes) {
		append(out, size, "speed and lanes of this link are not known");
		return out;
	}
	append(out, size, "running at ");
	append_rate(out, size, l->now);
	if (!verdict_degraded(h->verdict))
		return out;
	append(out, size, " where %s can do ", both ? "both ends" : "it");
	append_rate(out, size, can);
	if (now > 0 && most > 0)
		append(out, size, " (%.1f of %.1f GB/s)", now / 1e9, most / 1e9);
	return out;
}

/* ---- who sees what ---- */

/* What one host's sources can tell of each other. */
struct sight {
	bool bmc_answered, bmc_whole;	/* whole: nothing of it could not be read */
	bool bmc_sees_nvme;		/* it lists at least one such drive at all */
	bool bmc_nameless;		/* it lists a drive that cannot be told by its serial */
	bool kernel_answered, kernel_nameless;
};

static bool identified(const struct bay *b)
{
	return drive_serial_identifies(b->drive.serial) && !(b->notes & NOTE_DUPLICATE_SERIAL);
}

static bool local_nvme(const struct bay *b)
{
	return b->has_drive && b->present == TRI_YES && !b->stale && b->pcie &&
	       (!*b->drive.protocol || str_same_nocase(b->drive.protocol, "NVMe"));
}

/* True if a target of that kind, one that answered, is among the sources of the drive. */
static bool seen_by(const struct inventory *inv, const struct bay *b, enum target_kind kind)
{
	for (size_t i = 0; i < b->drive.n_sources; i++) {
		const struct target *t = inventory_target(inv, b->drive.sources[i]);

		if (t && t->kind == kind)
			return true;
	}
	return false;
}

/* The bays first to end are those of one host. */
static struct sight sight_of(const struct inventory *inv, size_t first, size_t end)
{
	struct sight s = {.bmc_whole = true};

	for (size_t i = 0; i < inv->n_targets; i++) {
		const struct target *t = &inv->targets[i];

		if (!str_same_nocase(t->host, inv->bays[first].host))
			continue;
		if (t->kind == TARGET_REDFISH) {
			s.bmc_answered |= t->verdict == TARGET_OK;
			s.bmc_whole &= t->verdict == TARGET_OK && !t->partial && t->power != TRI_NO;
		}
		/* what the kernel sees stands in sysfs, also where log pages are refused */
		s.kernel_answered |= t->kind == TARGET_NVME && t->verdict == TARGET_OK;
	}
	for (size_t i = first; i < end; i++) {
		const struct bay *b = &inv->bays[i];

		if (!local_nvme(b))
			continue;
		if (seen_by(inv, b, TARGET_REDFISH)) {
			s.bmc_sees_nvme = true;
			s.bmc_nameless |= !identified(b);
		} else {
			s.kernel_nameless |= !identified(b);
		}
	}
	return s;
}

/* A drive is missed only by a source that answered and could have told it by its serial. */
static unsigned missed_by(const struct inventory *inv, const struct bay *b, const struct sight *s)
{
	bool bmc, kernel;

	if (!local_nvme(b) || !identified(b) || !s->bmc_answered || !s->kernel_answered)
		return 0;
	bmc = seen_by(inv, b, TARGET_REDFISH);
	kernel = seen_by(inv, b, TARGET_NVME);
	if (bmc && !kernel && !s->kernel_nameless)
		return NOTE_NOT_SEEN_BY_HOST;
	/* many BMCs list no NVMe drive at all: that is worth no note for each of them */
	if (kernel && !bmc && s->bmc_whole && s->bmc_sees_nvme && !s->bmc_nameless)
		return NOTE_NOT_SEEN_BY_BMC;
	return 0;
}

/* The BMC's word for health against the drive's own page. */
static unsigned health_contradicts(const struct bay *b)
{
	if (!b->has_drive || b->health.critical_warning < 0)
		return 0;
	if (str_same_nocase(b->bmc_health, "OK") && b->health.status == ALERT_CRITICAL)
		return NOTE_BMC_HEALTH_CONTRADICTS_SMART;
	if (str_same_nocase(b->bmc_health, "Critical") && b->health.status == ALERT_NONE)
		return NOTE_BMC_HEALTH_CONTRADICTS_SMART;
	return 0;
}

/* ---- sentences ---- */

static const char *twin_bay(const struct inventory *inv, const struct bay *b)
{
	for (size_t i = 0; i < inv->n_bays; i++) {
		const struct bay *o = &inv->bays[i];

		if (o != b && o->has_drive && o->notes & NOTE_DUPLICATE_SERIAL &&
			str_same_nocase(o->host, b->host) && drive_serial_same(&o->drive, &b->drive))
			return o->bay;
	}
	return "";
}

/* What each source said of percent used. */
static void append_wear_views(const struct inventory *inv, const struct bay *b, char *out, size_t size)
{
	bool first = true;

	for (size_t i = 0; i < b->drive.n_sources; i++) {
		const struct seen *s = inventory_seen(inv, b->drive.sources[i]);

		for (size_t k = 0; s && k < s->bays.n; k++) {
			struct bay v;

			bay_pack_get(&s->bays, k, &v);
			if (!v.has_drive || isnan(v.wear.percent_used) || !drive_same(&v.drive, &b->drive))
				continue;
			append(out, size, "%s%s says %g %% used", first ? "" : ", ", v.target, v.wear.percent_used);
			first = false;
		}
	}
}

static void write_note(const struct inventory *inv, const struct bay *b, enum note bit, char *out, size_t size)
{
	*out = '\0';
	switch (bit) {
	case NOTE_DUPLICATE_SERIAL:
		append(out, size, "serial number %s is also that of the drive in bay %s: both are told apart by their place",
			b->drive.serial, twin_bay(inv, b));
		return;
	case NOTE_NOT_SEEN_BY_HOST:
		append(out, size, "the BMC lists this drive, the operating system does not see it");
		return;
	case NOTE_NOT_SEEN_BY_BMC:
		append(out, size, "the operating system sees this drive, the BMC does not list it");
		return;
	case NOTE_SOURCES_DISAGREE:
		remark_views(b, out, size);
		append(out, size, ": the worse one counts");
		return;
	case NOTE_WEAR_SOURCES_DISAGREE:
		append_wear_views(inv, b, out, size);
		append(out, size, ": the drive's own log page counts");
		return;
	case NOTE_BMC_HEALTH_CONTRADICTS_SMART:
		append(out, size, "the BMC calls the drive %s, the drive's own page says %s", b->bmc_health,
			health_word(b->health.status));
		return;
	case NOTE_LIFE_LEFT_NOT_CREDIBLE:
		append(out, size, "the life left that was reported is made up by this kind of drive or controller and is not used");
		return;
	case NOTE_CAPACITY_SUSPECT:
		append(out, size, "the reported capacity cannot be right, or two sources differ by more than 3 %%");
		return;
	case NOTE_WEAR_RATE:
		append(out, size, "wears faster than its rating allows, or than its neighbours");
		return;
	case NOTE_VMD_DOMAIN:
		append(out, size, "behind Intel VMD: its PCI address is one inside the VMD domain");
		return;
	case NOTES_END:
		return;
	}
}

static void note_bay(struct inventory *inv, struct bay *b, const struct sight *sight)
{
	b->notes |= missed_by(inv, b, sight) | health_contradicts(b);
	for (unsigned bit = 1; bit < NOTES_END; bit <<= 1) {
		struct remark *r;

		if (!(b->notes & bit))
			continue;
		r = inventory_add_note(inv, note_word((enum note)bit), b);
		write_note(inv, b, (enum note)bit, r->message, sizeof r->message);
	}
}

/* One past the last bay of the host of bay `first`; bays are sorted by host. */
static size_t host_end(const struct inventory *inv, size_t first)
{
	size_t end = first;

	while (end < inv->n_bays && str_same(inv->bays[end].host, inv->bays[first].host))
		end++;
	return end;
}

void remark_notes(struct inventory *inv)
{
	for (size_t first = 0, end; first < inv->n_bays; first = end) {
		struct sight sight;

		end = host_end(inv, first);
		sight = sight_of(inv, first, end);
		for (size_t i = first; i < end; i++)
			note_bay(inv, &inv->bays[i], &sight);
	}
}

/* ---- hints ---- */

static const struct bay *find_bay(const struct bay *bays, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_same(bays[i].bay, name))
			return &bays[i];
	return NULL;
}

/* Half or less of a card's drives visible, the rest surely not there. */
static void hint_card(struct inventory *inv, const struct policy_card *card, const struct bay *bays, size_t n)
{
	size_t seen = 0, missing = 0;
	const struct bay *first = NULL;
	struct remark *r;

	for (size_t i = 0; i < card->bays.n; i++) {
		const struct bay *b = find_bay(bays, n, card->bays.items[i]);

		if (b && b->has_drive && b->present == TRI_YES)
			first = first ? first : b, seen++;
		else if (!b || b->judged.verdict == VERDICT_ABSENT)
			missing++;
	}
	if (!seen || seen + missing != card->bays.n || seen > missing)
		return;
	r = inventory_add_hint(inv, "bifurcation", first->host, first->target);
	for (size_t i = 0; i < card->bays.n; i++)
		remark_add_bay(r, card->bays.items[i]);
	snprintf(r->message, sizeof r->message,
		"%zu of %zu drives of the card in slot %.32s are visible: is the slot split (bifurcation) in the firmware setup?",
		seen, card->bays.n, card->slot);
}

void remark_hints(struct inventory *inv, const struct policy_set *policies)
{
	for (size_t first = 0, end; first < inv->n_bays; first = end) {
		end = host_end(inv, first);
		for (size_t c = 0; c < policies->n_cards; c++)
			hint_card(inv, &policies->cards[c], inv->bays + first, end - first);
		throughput_hints(inv, first, end);
		outlier_hints(inv, first, end);
	}
}
