/* SPDX-License-Identifier: MIT */
/* output_text: see output_text.h.  Words are the contract's; messages are the verdict's own. */
#include "agent/cli/output_text.h"

#include "base/str.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAMED_MAX = 4, SENTENCE_NAMES_MAX = 8, ERRORS_SHOWN_MAX = 5 };

bool text_several_hosts(const struct inventory *inv)
{
	for (size_t i = 1; i < inv->n_bays; i++)
		if (!str_same_nocase(inv->bays[i].host, inv->bays[0].host))
			return true;
	return false;
}

int text_status(enum view view, const struct inventory *inv)
{
	if (view == VIEW_VERIFY)
		return inventory_verify_status(inv);
	if (view == VIEW_WEAR)
		return inventory_wear_status(inv);
	for (size_t i = 0; i < inv->n_targets; i++)
		if (inv->targets[i].verdict != TARGET_OK)
			return 3;
	return 0;
}

enum tone text_verdict_tone(const struct bay *b)
{
	switch (b->judged.verdict) {
	case VERDICT_OK:
	case VERDICT_DRIVE_LIMITED:
	case VERDICT_POWER_SAVING:
		return TONE_GOOD;
	case VERDICT_NOT_APPLICABLE:
		return TONE_PLAIN;
	case VERDICT_ABSENT:
		return b->require_present ? TONE_BAD : TONE_PLAIN;
	case VERDICT_DEGRADED_SPEED:
	case VERDICT_DEGRADED_WIDTH:
	case VERDICT_DEGRADED_BOTH:
		return TONE_BAD;
	case VERDICT_BELOW_POLICY:
	case VERDICT_UNKNOWN:
	case VERDICT_UNREACHABLE:
	case VERDICT_NONE:
		return TONE_WARN;
	}
	return TONE_WARN;
}

enum tone text_alert_tone(enum alert_level a)
{
	switch (a) {
	case ALERT_NONE:
		return TONE_GOOD;
	case ALERT_UNKNOWN:
	case ALERT_WARNING:
		return TONE_WARN;
	case ALERT_CRITICAL:
		return TONE_BAD;
	}
	return TONE_WARN;
}

const char *text_reasons(unsigned wear_reasons, char *out, size_t size)
{
	size_t n = 0;

	*out = '\0';
	for (unsigned bit = 1; bit < WEAR_REASONS_END; bit <<= 1)
		if (wear_reasons & bit && n < size)
			n += (size_t)snprintf(out + n, size - n, "%s%s", n ? ", " : "",
				wear_reason_word((enum wear_reason)bit));
	return out;
}

/* ---- one line for all ---- */

/* How bays are counted: a word each, in falling order of weight. */
struct tally {
	const char *word;
	size_t n;
	const struct bay *named[NAMED_MAX];
};

static void count_in(struct tally *tallies, size_t n_tallies, const char *word, const struct bay *b)
{
	for (size_t i = 0; i < n_tallies; i++) {
		if (!str_same(tallies[i].word, word))
			continue;
		if (tallies[i].n < NAMED_MAX)
			tallies[i].named[tallies[i].n] = b;
		tallies[i].n++;
	}
}

static void add_tally(struct buf *out, const struct tally *t, bool hosts)
{
	size_t named = t->n < NAMED_MAX ? t->n : NAMED_MAX;

	if (!t->n)
		return;
	buf_printf(out, "; %zu %s (bay%s", t->n, t->word, t->n == 1 ? "" : "s");
	for (size_t i = 0; i < named; i++)
		buf_printf(out, "%s%s%s%s", i ? ", " : " ", hosts ? t->named[i]->host : "", hosts ? "/" : "",
			t->named[i]->bay);
	if (t->n > named)
		buf_printf(out, " and %zu more", t->n - named);
	buf_add_text(out, ")");
}

static void add_targets(struct buf *out, const struct inventory *inv)
{
	size_t down = 0, partial = 0;
	const char *which = "", *broken = "";

	for (size_t i = 0; i < inv->n_targets; i++) {
		if (inv->targets[i].verdict != TARGET_OK)
			which = down++ ? "" : inv->targets[i].name;
		else if (inv->targets[i].partial)
			broken = partial++ ? "" : inv->targets[i].name;
	}
	if (down)
		buf_printf(out, "; %zu target%s not read%s%s%s", down, down == 1 ? "" : "s", *which ? " (" : "", which,
			*which ? ")" : "");
	if (partial)
		buf_printf(out, "; %zu target%s read in part%s%s%s", partial, partial == 1 ? "" : "s",
			*broken ? " (" : "", broken, *broken ? ")" : "");
}

static void add_hops(struct buf *out, const struct inventory *inv)
{
	for (size_t i = 0; i < inv->n_hops; i++)
		if (verdict_degraded(inv->hops[i].verdict))
			buf_printf(out, "; uplink %s %s", inv->hops[i].at, verdict_word(inv->hops[i].verdict));
}

/* Nothing is there, and nothing is demanded. */
static bool empty(const struct bay *b)
{
	return b->judged.verdict == VERDICT_ABSENT && !b->require_present;
}

static bool judged(const struct bay *b)
{
	return b->judged.verdict != VERDICT_NOT_APPLICABLE && !empty(b);
}

static void summary_verify(struct buf *out, const struct inventory *inv, bool hosts)
{
	struct tally tallies[] = {{"degraded-both", 0, {0}}, {"degraded-width", 0, {0}}, {"degraded-speed", 0, {0}},
		{"absent", 0, {0}}, {"below-policy", 0, {0}}, {"unreachable", 0, {0}}, {"unknown", 0, {0}},
		{"not-applicable", 0, {0}}, {"empty", 0, {0}}};
	const size_t n_tallies = sizeof tallies / sizeof tallies[0];
	size_t n = 0, good = 0;

	for (size_t i = 0; i < inv->n_bays; i++) {
		const struct bay *b = &inv->bays[i];

		n += judged(b);
		if (text_verdict_tone(b) == TONE_GOOD)
			good++;
		else
			count_in(tallies, n_tallies, empty(b) ? "empty" : verdict_word(b->judged.verdict), b);
	}
	if (!n)
		buf_add_text(out, inv->n_bays ? "no bay with a link to judge" : "no bays");
	else if (good == n)
		buf_printf(out, n == 1 ? "the one bay is as expected" : "all %zu bays as expected", n);
	else
		buf_printf(out, "%zu of %zu bays as expected", good, n);
	for (size_t i = 0; i < n_tallies; i++)
		add_tally(out, &tallies[i], hosts);
	add_hops(out, inv);
}

static void summary_wear(struct buf *out, const struct inventory *inv, bool hosts)
{
	struct tally tallies[] = {{"critical", 0, {0}}, {"warning", 0, {0}}, {"unknown", 0, {0}}};
	const struct bay *worst = NULL;
	size_t n = 0, good = 0;

	for (size_t i = 0; i < inv->n_bays; i++) {
		const struct bay *b = &inv->bays[i];

		if (!b->has_drive)
			continue;
		n++;
		if (b->wear.alert == ALERT_NONE)
			good++;
		else
			count_in(tallies, 3, alert_level_word(b->wear.alert), b);
		if (!isnan(b->wear.percent_used) && (!worst || b->wear.percent_used > worst->wear.percent_used))
			worst = b;
	}
	if (n)
		buf_printf(out, "%zu of %zu drives without a warning", good, n);
	else
		buf_add_text(out, "no drives");
	for (size_t i = 0; i < 3; i++)
		add_tally(out, &tallies[i], hosts);
	if (worst)
		buf_printf(out, "; most used %g %% (bay %s%s%s)", worst->wear.percent_used, hosts ? worst->host : "",
			hosts ? "/" : "", worst->bay);
}

static void summary_inventory(struct buf *out, const struct inventory *inv)
{
	double bytes = 0;
	size_t drives = 0;

	for (size_t i = 0; i < inv->n_bays; i++) {
		const struct bay *b = &inv->bays[i];

		drives += b->has_drive;
		if (b->has_drive && b->drive.capacity_bytes.known)
			bytes += count_to_double(b->drive.capacity_bytes);
	}
	buf_printf(out, "%zu drive%s in %zu bay%s", drives, drives == 1 ? "" : "s", inv->n_bays,
		inv->n_bays == 1 ? "" : "s");
	if (bytes > 0)
		buf_printf(out, ", %.2f TB", bytes / 1e12);
}

void text_summary(struct buf *out, enum view view, const struct inventory *inv)
{
	bool hosts = text_several_hosts(inv);

	switch (view) {
	case VIEW_VERIFY:
		summary_verify(out, inv, hosts);
		break;
	case VIEW_WEAR:
		summary_wear(out, inv, hosts);
		break;
	case VIEW_UNKNOWN:
	case VIEW_INVENTORY:
		summary_inventory(out, inv);
		break;
	}
	add_targets(out, inv);
}

/* ---- one line for each thing that is not as it should be ---- */

struct teller {
	void (*fn)(void *arg, enum tone tone, const char *sentence);
	void *arg;
	const struct inventory *inv;
	bool hosts;
};

static void tell(const struct teller *t, enum tone tone, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

static void tell(const struct teller *t, enum tone tone, const char *fmt, ...)
{
	char raw[1024], clean[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(raw, sizeof raw, fmt, ap);
	va_end(ap);
	str_clean(clean, sizeof clean, raw); /* no escape codes, whatever way a text came */
	t->fn(t->arg, tone, clean);
}

/* "1, 2, 3 and 21 more": the bay and those after it that have the same to say; how many. */
static size_t names_of(const struct teller *t, size_t first, bool (*same)(const struct bay *a, const struct bay *b),
	char *out, size_t size)
{
	const struct bay *b = &t->inv->bays[first];
	size_t n = 0, named = 0, more = 0;

	for (size_t i = first; i < t->inv->n_bays && str_same(t->inv->bays[i].host, b->host); i++) {
		if (!same(&t->inv->bays[i], b))
			continue;
		if (named == SENTENCE_NAMES_MAX || n + sizeof b->bay >= size)
			more++;
		else
			n += (size_t)snprintf(out + n, size - n, "%s%s", named++ ? ", " : "", t->inv->bays[i].bay);
	}
	if (more)
		snprintf(out + n, size - n, " and %zu more", more);
	return named + more;
}

/* True if a bay of the same host before it has told the same already. */
static bool told(const struct teller *t, size_t bay, bool (*same)(const struct bay *a, const struct bay *b))
{
	for (size_t i = bay; i-- && str_same(t->inv->bays[i].host, t->inv->bays[bay].host);)
		if (same(&t->inv->bays[i], &t->inv->bays[bay]))
			return true;
	return false;
}

static bool fine(const struct bay *b)
{
	return b->judged.verdict == VERDICT_OK || !judged(b);
}

static bool same_verdict(const struct bay *a, const struct bay *b)
{
	return !fine(a) && a->judged.verdict == b->judged.verdict && str_same(a->judged.message, b->judged.message);
}

static bool same_alert(const struct bay *a, const struct bay *b)
{
	return a->has_drive && a->wear.alert == b->wear.alert && a->wear.reasons == b->wear.reasons;
}

static void tell_bays(const struct teller *t, size_t i, enum tone tone,
	bool (*same)(const struct bay *a, const struct bay *b), const char *word, const char *why)
{
	const struct bay *b = &t->inv->bays[i];
	char names[512];
	size_t n = names_of(t, i, same, names, sizeof names);

	tell(t, tone, "%s%s%s %s: %s%s%s", t->hosts ? b->host : "", t->hosts ? ", " : "",
		n == 1 ? "bay" : "bays", names, word, *why ? ": " : "", why);
}

static void tell_verdict(const struct teller *t, size_t i)
{
	const struct bay *b = &t->inv->bays[i];
	const char *word = verdict_word(b->judged.verdict);

	if (!fine(b) && !told(t, i, same_verdict))
		tell_bays(t, i, text_verdict_tone(b), same_verdict, word ? word : "unknown", b->judged.message);
}

static void tell_wear(const struct teller *t, size_t i)
{
	const struct bay *b = &t->inv->bays[i];
	char reasons[256];

	if (b->has_drive && b->wear.alert != ALERT_NONE && !told(t, i, same_alert))
		tell_bays(t, i, text_alert_tone(b->wear.alert), same_alert, alert_level_word(b->wear.alert),
			text_reasons(b->wear.reasons, reasons, sizeof reasons));
}

static void tell_target(const struct teller *t, const struct target *of)
{
	const char *why = *of->message ? of->message : reason_word(of->reason);

	if (of->verdict != TARGET_OK)
		tell(t, TONE_WARN, "target %s: %s: %s", of->name, target_verdict_word(of->verdict),
			why ? why : "it did not answer");
	else if (of->partial && why)
		tell(t, TONE_WARN, "target %s: read in part: %s", of->name, why);
	else if (of->partial)
		tell(t, TONE_WARN, "target %s: read in part: %zu resource%s could not be read", of->name, of->n_errors,
			of->n_errors == 1 ? "" : "s");
	for (size_t i = 0; i < of->n_errors && i < ERRORS_SHOWN_MAX; i++)
		tell(t, TONE_WARN, "target %s: %s: %s%s%s", of->name, of->errors[i].resource, of->errors[i].code,
			*of->errors[i].code && *of->errors[i].message ? ": " : "", of->errors[i].message);
	if (of->n_errors > ERRORS_SHOWN_MAX)
		tell(t, TONE_WARN, "target %s: and %zu more (-o json lists all)", of->name, of->n_errors - ERRORS_SHOWN_MAX);
	if (of->power == TRI_NO)
		tell(t, TONE_WARN, "target %s: the host is powered off", of->name);
}

static void tell_hop(const struct teller *t, const struct hop *h)
{
	char bays[256] = "";
	size_t n = 0;

	if (!verdict_degraded(h->verdict))
		return;
	for (size_t i = 0; i < h->n_shared && n < sizeof bays; i++)
		n += (size_t)snprintf(bays + n, sizeof bays - n, "%s%s", n ? ", " : "", h->shared_by[i]);
	tell(t, TONE_BAD, "%s%suplink %s (shared by bay%s %s): %s: %s", t->hosts ? h->host : "", t->hosts ? ", " : "",
		h->at, h->n_shared == 1 ? "" : "s", bays, verdict_word(h->verdict), h->message);
}

static void tell_remarks(const struct teller *t, const char *kind, const struct remark *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *of = *r[i].bay ? r[i].bay : r[i].pool;

		tell(t, TONE_PLAIN, "%s %s%s%s%s%s%s: %s", kind, r[i].code, t->hosts ? ", " : "",
			t->hosts ? r[i].target : "", *of ? ", " : "", *r[i].bay ? "bay " : "", of, r[i].message);
	}
}

void text_sentences(enum view view, const struct inventory *inv,
	void (*fn)(void *arg, enum tone tone, const char *sentence), void *arg)
{
	const struct teller t = {fn, arg, inv, text_several_hosts(inv)};

	for (size_t i = 0; i < inv->n_bays && view == VIEW_VERIFY; i++)
		tell_verdict(&t, i);
	for (size_t i = 0; i < inv->n_bays && view == VIEW_WEAR; i++)
		tell_wear(&t, i);
	for (size_t i = 0; i < inv->n_hops && view == VIEW_VERIFY; i++)
		tell_hop(&t, &inv->hops[i]);
	for (size_t i = 0; i < inv->n_targets; i++)
		tell_target(&t, &inv->targets[i]);
	tell_remarks(&t, "note", inv->notes, inv->n_notes);
	if (view != VIEW_WEAR)
		tell_remarks(&t, "hint", inv->hints, inv->n_hints);
}
