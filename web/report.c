/* SPDX-License-Identifier: MIT */
/* report: see report.h. */
#include "web/report.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char report_style[] =
	"@page{size:A4;margin:14mm}"
	":root{color-scheme:light;--ink:#16181d;--ink2:#4a5160;--line:#c9ced8;--ok:#1c6b50;--bad:#a8201a;--bad-bg:#fbe9e7;"
	"--warn:#8a5a00;--warn-bg:#fdf3dc;--unknown:#5b4b8a}"
	"*{box-sizing:border-box;print-color-adjust:exact;-webkit-print-color-adjust:exact}"
	"body{margin:0 auto;padding:20px;max-width:1000px;background:#fff;color:var(--ink);"
	"font:13px/1.45 system-ui,'DejaVu Sans',sans-serif}"
	"header p{margin:0;color:var(--ink2)}h1{margin:.1em 0;font-size:26px}"
	"h2{font-size:15px;margin:1.6em 0 .5em;padding-bottom:.3em;border-bottom:1px solid var(--ink)}"
	".outcome{margin:1.2em 0;padding:.8em 1em;border:2px solid var(--ok);font-size:14px}"
	".outcome.bad{border-color:var(--bad)}.outcome.warn{border-color:var(--warn)}"
	"dl{display:grid;grid-template-columns:8em 1fr;gap:.3em 1em;margin:0}dl+dl{margin-top:.3em}dt{color:var(--ink2)}dd{margin:0;overflow-wrap:anywhere}"
	".fault{display:grid;grid-template-columns:minmax(6em,auto) 1fr;gap:0 1em;margin:.7em 0;break-inside:avoid}"
	".fault p{margin:0}.fault .who{color:var(--ink2)}"
	"svg{display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:4px}"
	"table{border-collapse:collapse;width:100%;font-size:12px}thead{display:table-header-group}"
	"th{text-align:left;font-weight:400;color:var(--ink2)}th,td{padding:.35em .6em .35em 0;border-bottom:1px solid var(--line);vertical-align:top}"
	"tr{break-inside:avoid}td.n{text-align:right;white-space:nowrap}td.mono{font-family:ui-monospace,'DejaVu Sans Mono',monospace}"
	".scroll{overflow-x:auto}"
	"tr.bad td{background:var(--bad-bg)}tr.warn td{background:var(--warn-bg)}"
	"td.ok,strong.ok{color:var(--ok)}td.bad,strong.bad{color:var(--bad)}td.warn,strong.warn{color:var(--warn)}"
	"td.unknown,strong.unknown{color:var(--unknown)}td.bad,td.warn,td.unknown{font-weight:600}"
	".sign{display:grid;grid-template-columns:repeat(3,1fr);gap:2em}.sign p{margin:0;padding-bottom:2.6em;border-bottom:1px solid var(--ink);color:var(--ink2)}"
	"table.from{table-layout:fixed}table.from td{overflow-wrap:anywhere}table.from th:first-child{width:11%}table.from th+th{width:36%}"
	"@media print{body{padding:0;max-width:none;font-size:10px}h1{font-size:20px}h2{font-size:12px;margin-top:1.2em}"
	"table{font-size:8px}th,td{padding:.25em .5em .25em 0}table.from{font-size:6.5px}table.from td{padding:.15em .5em .15em 0}"
	".outcome{font-size:11px}.scroll{overflow:visible}.sign p{padding-bottom:1.6em}footer{margin-top:.8em;font-size:8px}}"
	"footer{margin-top:1.6em;color:var(--ink2);font-size:11px}";

/* ---- words ------------------------------------------------------------------------------- */

static void text(struct buf *out, const char *s)
{
	for (; *s; s++)
		switch (*s) {
		case '&':
			buf_add_text(out, "&amp;");
			break;
		case '<':
			buf_add_text(out, "&lt;");
			break;
		case '>':
			buf_add_text(out, "&gt;");
			break;
		case '"':
			buf_add_text(out, "&quot;");
			break;
		case '\'':
			buf_add_text(out, "&#39;");
			break;
		default:
			buf_add(out, s, 1);
		}
}

static const char *or_dash(const char *s)
{
	return s && s[0] ? s : "–";
}

enum tone { TONE_OK = 0, TONE_PLAIN, TONE_UNKNOWN, TONE_WARN, TONE_BAD };

static enum tone tone_of(const struct bay *b)
{
	switch (b->judged.verdict) {
	case VERDICT_OK:
		return TONE_OK;
	case VERDICT_DEGRADED_SPEED:
	case VERDICT_DEGRADED_WIDTH:
	case VERDICT_DEGRADED_BOTH:
		return TONE_BAD;
	case VERDICT_ABSENT:
		return b->require_present ? TONE_BAD : TONE_PLAIN;
	case VERDICT_BELOW_POLICY:
		return TONE_WARN;
	case VERDICT_NONE:
	case VERDICT_UNKNOWN:
	case VERDICT_UNREACHABLE:
		return TONE_UNKNOWN;
	case VERDICT_DRIVE_LIMITED:
	case VERDICT_POWER_SAVING:
	case VERDICT_NOT_APPLICABLE:
		return TONE_PLAIN;
	}
	return TONE_UNKNOWN;
}

static const char *class_of(enum tone t)
{
	static const char *const words[] = {
		[TONE_OK] = "ok", [TONE_PLAIN] = "plain", [TONE_UNKNOWN] = "unknown", [TONE_WARN] = "warn", [TONE_BAD] = "bad"};

	return words[t];
}

/* A shape beside the word: a mark that needs no colour. */
static const char *mark_of(enum tone t)
{
	static const char *const marks[] = {
		[TONE_OK] = "●", [TONE_PLAIN] = "○", [TONE_UNKNOWN] = "?", [TONE_WARN] = "▲", [TONE_BAD] = "◆"};

	return marks[t];
}

/* "Gen5 x4", "Gen5 x?" where only one is known, a dash where nothing is. */
static const char *rate_text(struct pcie_rate r, char *out, size_t size)
{
	char gen[16] = "Gen?", width[16] = "x?";

	if (!r.speed_mtps && !r.width_lanes)
		return "–";
	if (r.speed_mtps)
		snprintf(gen, sizeof gen, "Gen%d", pcie_generation(r.speed_mtps));
	if (r.width_lanes)
		snprintf(width, sizeof width, "x%d", r.width_lanes);
	snprintf(out, size, "%s %s", gen, width);
	return out;
}

static bool shown(const struct bay *b, const char *host)
{
	return !host || strcmp(b->host, host) == 0;
}

/* ---- the head ------------------------------------------------------------------------------- */

/* Counted as the summary of verify does: an empty bay of which nothing is expected is none of them, and a
 * drive that can do no more or saves power is as expected. */
struct tally {
	size_t bays, odd, empty;
	enum tone worst;
};

static struct tally count(const struct inventory *inv, const char *host)
{
	struct tally t = {0};

	for (size_t i = 0; i < inv->n_bays; i++) {
		const struct bay *b = &inv->bays[i];
		enum tone tone = tone_of(b);

		if (!shown(b, host) || b->judged.verdict == VERDICT_NOT_APPLICABLE)
			continue;
		if (b->judged.verdict == VERDICT_ABSENT && tone == TONE_PLAIN) {
			t.empty++;
			continue;
		}
		t.bays++;
		t.odd += tone > TONE_PLAIN;
		if (tone > t.worst)
			t.worst = tone;
	}
	return t;
}

static const char *outcome_text(enum tone worst)
{
	static const char *const texts[] = {[TONE_OK] = "● As expected.", [TONE_PLAIN] = "● As expected.",
		[TONE_UNKNOWN] = "▲ Not all could be shown.", [TONE_WARN] = "▲ Not as expected.", [TONE_BAD] = "◆ Not as expected."};

	return texts[worst];
}

static void write_outcome(struct buf *out, const struct inventory *inv, const char *host, int status)
{
	struct tally t = count(inv, host);
	bool partly = false;

	for (size_t i = 0; i < inv->n_targets; i++)
		if (!host || strcmp(inv->targets[i].host, host) == 0)
			partly |= inv->targets[i].verdict != TARGET_OK || inv->targets[i].partial;
	partly |= !t.bays && !t.empty;
	if (t.worst < TONE_UNKNOWN && partly)
		t.worst = TONE_UNKNOWN;
	buf_printf(out, "<p class=\"outcome %s\"><strong>%s</strong> %zu of %zu bays are as expected",
		t.worst == TONE_BAD ? "bad" : t.worst > TONE_PLAIN ? "warn" : "ok", outcome_text(t.worst), t.bays - t.odd, t.bays);
	if (t.odd)
		buf_printf(out, "; %zu %s not", t.odd, t.odd == 1 ? "is" : "are");
	if (t.empty)
		buf_printf(out, "; %zu %s empty", t.empty, t.empty == 1 ? "more is" : "more are");
	buf_printf(out, "%s. <code>verify</code> ends with %d.</p>\n",
		partly ? "; not everything could be read" : "", status);
}

static void write_pair(struct buf *out, const char *term, const char *value)
{
	buf_printf(out, "<dt>%s</dt><dd>", term);
	text(out, or_dash(value));
	buf_add_text(out, "</dd>\n");
}

static const char *tls_text(enum target_tls t)
{
	switch (t) {
	case TARGET_TLS_UNKNOWN:
		break;
	case TARGET_TLS_NONE:
		return "; without TLS";
	case TARGET_TLS_UNVERIFIED:
		return "; TLS, certificate not checked";
	case TARGET_TLS_PINNED:
		return "; TLS, pinned key";
	case TARGET_TLS_VERIFIED:
		return "; TLS verified";
	}
	return "";
}

static bool same_policy(const struct bay *a, const struct bay *b)
{
	return a->has_policy && b->has_policy && strcmp(a->policy, b->policy) == 0 &&
	       a->policy_rate.speed_mtps == b->policy_rate.speed_mtps &&
	       a->policy_rate.width_lanes == b->policy_rate.width_lanes && a->require_present == b->require_present;
}

/* What was expected, and of how many bays: a line for each policy. */
static void write_policies(struct buf *out, const struct inventory *inv, const char *host)
{
	for (size_t i = 0; i < inv->n_bays; i++) {
		const struct bay *b = &inv->bays[i];
		char rate[32], line[256];
		size_t n = 0, before = 0;

		for (size_t k = 0; k < inv->n_bays; k++)
			if (shown(&inv->bays[k], host) && same_policy(b, &inv->bays[k])) {
				n++;
				before += k < i;
			}
		if (!shown(b, host) || before || !n)
			continue;
		buf_add_text(out, "<dl>\n");
		snprintf(line, sizeof line, "\"%s\": %s%s; %zu %s", b->policy, rate_text(b->policy_rate, rate, sizeof rate),
			b->require_present ? ", drive required" : "", n, n == 1 ? "bay" : "bays");
		write_pair(out, "Policy", line);
		buf_add_text(out, "</dl>\n");
	}
}

static void write_target(struct buf *out, const struct target *t)
{
	char at[CLOCK_TEXT_MAX], line[512];

	buf_add_text(out, "<dl>\n");
	write_pair(out, "Product", t->product);
	snprintf(line, sizeof line, "%s%s%s%s%s", t->vendor, t->vendor[0] && t->firmware[0] ? " " : "", t->firmware,
		(t->vendor[0] || t->firmware[0]) && t->url[0] ? ", " : "", t->url);
	write_pair(out, "Management", line);
	write_pair(out, "Read", clock_text(t->observed_wall_ms, at));
	snprintf(line, sizeof line, "%s: %s%s%s, %d requests%s%s", t->name, target_verdict_word(t->verdict),
		t->message[0] ? ": " : "", t->message, t->requests,
		t->verdict != TARGET_OK || !t->requests ? "" : t->partial ? ", not all answered" : ", all answered",
		tls_text(t->tls));
	write_pair(out, "Source", line);
	write_pair(out, "Power", t->power == TRI_YES ? "on" : t->power == TRI_NO ? "off" : "not reported");
	buf_add_text(out, "</dl>\n");
}

static void write_machines(struct buf *out, const struct inventory *inv, const char *host)
{
	buf_add_text(out, "<h2>Machine</h2>\n");
	for (size_t i = 0; i < inv->n_targets; i++)
		if (!host || strcmp(inv->targets[i].host, host) == 0)
			write_target(out, &inv->targets[i]);
	write_policies(out, inv, host);
}

/* ---- what is not as expected -------------------------------------------------------------------- */

static void write_fault(struct buf *out, const struct bay *b)
{
	enum tone t = tone_of(b);

	buf_add_text(out, "<div class=\"fault\"><strong>Bay ");
	text(out, b->bay);
	buf_printf(out, "</strong><div><p><strong class=\"%s\">%s %s</strong></p><p>", class_of(t), mark_of(t),
		verdict_word(b->judged.verdict));
	text(out, b->judged.message);
	buf_add_text(out, "</p>");
	if (b->has_drive) {
		buf_add_text(out, "<p class=\"who\">");
		text(out, b->drive.model);
		buf_add_text(out, ", S/N ");
		text(out, or_dash(b->drive.serial));
		buf_add_text(out, "</p>");
	}
	buf_add_text(out, "</div></div>\n");
}

static void write_unread(struct buf *out, const char *what, const char *why)
{
	buf_add_text(out, "<div class=\"fault\"><strong>Unread</strong><div><p>");
	text(out, what);
	buf_add_text(out, "</p><p class=\"who\">");
	text(out, why);
	buf_add_text(out, "</p></div></div>\n");
}

/* What a source did not give; the number of things written. */
static size_t write_target_unread(struct buf *out, const struct target *t)
{
	bool whole = t->verdict != TARGET_OK;

	if (whole)
		write_unread(out, t->name, t->message[0] ? t->message : target_verdict_word(t->verdict));
	for (size_t i = 0; i < t->n_errors; i++)
		write_unread(out, t->errors[i].resource, t->errors[i].message);
	return whole + t->n_errors;
}

static void write_faults(struct buf *out, const struct inventory *inv, const char *host)
{
	struct tally t = count(inv, host);
	bool any = false;

	buf_add_text(out, "<h2>What is not as expected</h2>\n");
	for (size_t i = 0; i < inv->n_bays; i++)
		if (shown(&inv->bays[i], host) && tone_of(&inv->bays[i]) > TONE_PLAIN) {
			write_fault(out, &inv->bays[i]);
			any = true;
		}
	for (size_t i = 0; i < inv->n_targets; i++)
		if (!host || strcmp(inv->targets[i].host, host) == 0)
			any |= write_target_unread(out, &inv->targets[i]) > 0;
	if (!t.bays && !t.empty)
		buf_add_text(out, "<p>No bay was seen, so none was judged.</p>\n");
	else if (!any)
		buf_add_text(out, "<p>Nothing.</p>\n");
}

/* ---- the picture ------------------------------------------------------------------------------------ */

enum { CELL_W = 40, CELL_H = 66, CELLS_A_ROW = 24, LANES_DRAWN = 4 };

/* One lane: full height is what the drive can do; a lane that did not train is dotted. */
static void write_lane(struct buf *out, const struct bay *b, int lane, int x, int y)
{
	const struct pcie_link *l = &b->link;
	double share = l->now.speed_mtps && l->max.speed_mtps ? fmin(1, (double)l->now.speed_mtps / l->max.speed_mtps) : 1;
	int height = (int)(20 * share + 0.5);
	const char *colour = tone_of(b) == TONE_BAD ? "#a8201a" : tone_of(b) == TONE_WARN ? "#8a5a00" : "#1c6b50";

	if (!b->has_drive || lane >= (l->max.width_lanes ? l->max.width_lanes : LANES_DRAWN))
		return;
	if (!l->now.width_lanes || !l->now.speed_mtps)
		buf_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"5\" height=\"20\" fill=\"url(#unknown)\" stroke=\"#5b4b8a\" stroke-width=\".6\"/>", x, y);
	else if (lane >= l->now.width_lanes)
		buf_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"5\" height=\"20\" fill=\"none\" stroke=\"%s\" stroke-dasharray=\"2 2\"/>", x, y, colour);
	else
		buf_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"5\" height=\"20\" fill=\"#e3e6ec\"/><rect x=\"%d\" y=\"%d\" width=\"5\" height=\"%d\" fill=\"%s\"/>",
			x, y, x, y + 20 - height, height, colour);
}

/* What of a bay's name fits under its picture: all of it, or its last word. */
static const char *short_name(const char *bay)
{
	const char *last = bay;

	for (const char *s = bay; strlen(bay) > 6 && *s; s++)
		if (strchr(" .:=/", *s) && s[1])
			last = s + 1;
	return strlen(last) <= 6 ? last : "…";
}

static void write_cell(struct buf *out, const struct bay *b, size_t n)
{
	int x = (int)(n % CELLS_A_ROW) * CELL_W + 6, y = (int)(n / CELLS_A_ROW) * CELL_H + 6;
	enum tone t = tone_of(b);

	buf_add_text(out, "<g><title>Bay ");
	text(out, b->bay);
	buf_printf(out, ": %s</title>", b->judged.verdict ? verdict_word(b->judged.verdict) : "unknown");
	buf_printf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\" fill=\"%s\" stroke=\"%s\"%s/>", x, y,
		CELL_W - 4, CELL_H - 6, t == TONE_BAD ? "#fbe9e7" : t == TONE_WARN ? "#fdf3dc" : "#ffffff",
		t == TONE_BAD ? "#a8201a" : t == TONE_WARN ? "#8a5a00" : "#c9ced8", b->has_drive ? "" : " stroke-dasharray=\"3 3\"");
	for (int lane = 0; lane < LANES_DRAWN; lane++)
		write_lane(out, b, lane, x + 5 + lane * 7, y + 5);
	buf_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"9\" fill=\"%s\">%s</text>", x + 18, y + 39,
		t == TONE_BAD ? "#a8201a" : t == TONE_OK ? "#1c6b50" : "#4a5160", b->present == TRI_NO ? "empty" : mark_of(t));
	buf_printf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"9\" fill=\"#16181d\">", x + 18, y + 53);
	text(out, short_name(b->bay));
	buf_add_text(out, "</text></g>\n");
}

static void write_picture(struct buf *out, const struct inventory *inv, const char *host)
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i < inv->n_bays; i++)
		n += shown(&inv->bays[i], host);
	if (!n)
		return;
	buf_printf(out, "<h2>Picture</h2>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Bays with their lanes\">"
			"<defs><pattern id=\"unknown\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
			"<rect width=\"2\" height=\"4\" fill=\"#cfc8e4\"/></pattern></defs>\n",
		CELLS_A_ROW * CELL_W + 8, (int)((n + CELLS_A_ROW - 1) / CELLS_A_ROW) * CELL_H + 8);
	for (size_t i = 0; i < inv->n_bays; i++)
		if (shown(&inv->bays[i], host))
			write_cell(out, &inv->bays[i], k++);
	buf_add_text(out, "</svg>\n");
}

/* ---- every bay --------------------------------------------------------------------------------------- */

static void write_cell_text(struct buf *out, const char *class, const char *value)
{
	buf_printf(out, "<td%s%s%s>", class ? " class=\"" : "", class ? class : "", class ? "\"" : "");
	text(out, or_dash(value));
	buf_add_text(out, "</td>");
}

static void write_row(struct buf *out, const struct bay *b)
{
	char rate[32], wear[32] = "–";
	enum tone t = tone_of(b);

	if (!isnan(b->wear.percent_used))
		snprintf(wear, sizeof wear, "%.15g %%", b->wear.percent_used);
	buf_printf(out, "<tr class=\"%s\">", class_of(t) );
	write_cell_text(out, NULL, b->bay);
	buf_printf(out, "<td class=\"%s\">%s %s</td>", class_of(t), mark_of(t),
		b->judged.verdict ? verdict_word(b->judged.verdict) : "unknown");
	write_cell_text(out, NULL, rate_text(b->link.now, rate, sizeof rate));
	write_cell_text(out, NULL, rate_text(b->link.max, rate, sizeof rate));
	write_cell_text(out, NULL, rate_text(b->link.slot, rate, sizeof rate));
	write_cell_text(out, NULL, b->has_policy ? rate_text(b->policy_rate, rate, sizeof rate) : "–");
	write_cell_text(out, NULL, b->drive.model);
	write_cell_text(out, "mono", b->drive.serial);
	write_cell_text(out, NULL, b->drive.firmware);
	write_cell_text(out, "n", wear);
	buf_add_text(out, "</tr>\n");
}

static void write_table(struct buf *out, const struct inventory *inv, const char *host)
{
	buf_add_text(out, "<h2>Every bay</h2>\n<div class=\"scroll\" role=\"region\" aria-label=\"Every bay\" tabindex=\"0\"><table><thead><tr><th>Bay</th><th>State</th><th>Negotiated</th>"
			"<th>Drive can</th><th>Slot can</th><th>Expected</th><th>Model</th><th>Serial</th><th>Firmware</th>"
			"<th>Used</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < inv->n_bays; i++)
		if (shown(&inv->bays[i], host))
			write_row(out, &inv->bays[i]);
	buf_add_text(out, "</tbody></table></div>\n");
}

/* ---- how each value was had ---------------------------------------------------------------------------- */

static void write_source(struct buf *out, const struct bay *b)
{
	const struct pcie_link *l = &b->link;

	if (!l->now_from[0] && !l->max_from[0] && !l->n_raw)
		return;
	buf_add_text(out, "<tr><td>");
	text(out, b->bay);
	buf_add_text(out, "</td><td>");
	text(out, l->now_from[0] ? l->now_from : l->max_from);
	buf_add_text(out, "</td><td class=\"mono\">");
	for (size_t i = 0; i < l->n_raw; i++) {
		buf_add_text(out, i ? ", " : "");
		text(out, l->raw[i].property);
		buf_add_text(out, " ");
		text(out, l->raw[i].value);
	}
	buf_add_text(out, "</td></tr>\n");
}

static void write_sources(struct buf *out, const struct inventory *inv, const char *host)
{
	buf_add_text(out, "<h2>How each link was read</h2>\n<div class=\"scroll\" role=\"region\" aria-label=\"How each link was read\" tabindex=\"0\"><table class=\"from\"><thead><tr><th>Bay</th><th>From</th>"
			"<th>As given</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < inv->n_bays; i++)
		if (shown(&inv->bays[i], host))
			write_source(out, &inv->bays[i]);
	buf_add_text(out, "</tbody></table></div>\n");
}

/* ---- what was measured --------------------------------------------------------------------------------- */

static const char *rate_of(const json_t *o, const char *key, char *out, size_t size)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_integer(v))
		return "";
	snprintf(out, size, "%.2f GB/s", (double)json_integer_value(v) / 1e9);
	return out;
}

static const char *word_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void write_measured_row(struct buf *out, const json_t *o)
{
	static const char *const rates[] = {"alone_bytes_per_second", "together_bytes_per_second", "link_bytes_per_second"};
	char rate[32];

	buf_add_text(out, "<tr>");
	write_cell_text(out, NULL, word_of(o, "bay"));
	write_cell_text(out, "mono", word_of(o, "serial"));
	for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
		write_cell_text(out, "n", rate_of(o, rates[i], rate, sizeof rate));
	buf_add_text(out, "</tr>\n");
}

static void write_measured(struct buf *out, const json_t *measured)
{
	char alone[32], together[32];
	const json_t *o;
	size_t i;

	buf_printf(out, "<h2>Measured</h2>\n<p>Each drive was read for %d s, first alone, then all together; nothing was written.",
		(int)json_integer_value(json_object_get(measured, "seconds")));
	if (json_is_true(json_object_get(measured, "stopped")))
		buf_add_text(out, " It was stopped before its end: what is missing was not measured.");
	if (json_is_integer(json_object_get(measured, "together_bytes_per_second")))
		buf_printf(out, " In all %s one by one, %s together.", rate_of(measured, "alone_bytes_per_second", alone, sizeof alone),
			rate_of(measured, "together_bytes_per_second", together, sizeof together));
	buf_add_text(out, "</p>\n");
	json_array_foreach(json_object_get(measured, "findings"), i, o)
	{
		buf_add_text(out, "<p class=\"warn\"><strong class=\"warn\">");
		text(out, word_of(o, "code"));
		buf_add_text(out, "</strong> ");
		text(out, word_of(o, "message"));
		buf_add_text(out, "</p>\n");
	}
	buf_add_text(out, "<div class=\"scroll\" role=\"region\" aria-label=\"Measured\" tabindex=\"0\"><table><thead><tr><th>Bay</th><th>Serial</th>"
			"<th>Alone</th><th>Together</th><th>Link carries</th></tr></thead><tbody>\n");
	json_array_foreach(json_object_get(measured, "drives"), i, o)
		write_measured_row(out, o);
	buf_add_text(out, "</tbody></table></div>\n");
}

/* ---- the page -------------------------------------------------------------------------------------------- */

static const char *title_of(const struct inventory *inv, const char *host)
{
	if (host)
		return host;
	return inv->n_targets == 1 ? inv->targets[0].host : "all machines";
}

/* The inventory with the bays of the host alone, whose are the caller's to free: they are looked through more than once. */
static struct inventory part_of(const struct inventory *inv, const char *host)
{
	struct inventory part = *inv;
	struct bay room;

	part.bays = NULL;
	part.n_bays = 0;
	for (size_t i = 0; i < inv->n_bays; i++) {
		const struct bay *b = inventory_bay(inv, i, &room);

		if (!shown(b, host))
			continue;
		part.bays = mem_grow(part.bays, part.n_bays, sizeof *part.bays);
		part.bays[part.n_bays++] = *b;
	}
	return part;
}

void report_write(struct buf *out, const struct inventory *all, const char *host, const char *stylesheet, const json_t *measured)
{
	struct inventory part = part_of(all, host);
	const struct inventory *inv = &part;
	char at[CLOCK_TEXT_MAX];

	buf_add_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
	text(out, title_of(inv, host));
	buf_add_text(out, " · commissioning report</title>\n<link rel=\"icon\" href=\"data:,\">\n");
	if (stylesheet) {
		buf_add_text(out, "<link rel=\"stylesheet\" href=\"");
		text(out, stylesheet);
		buf_add_text(out, "\">\n");
	} else {
		buf_printf(out, "<style>%s</style>\n", report_style);
	}
	buf_add_text(out, "</head>\n<body>\n<header><p>lanewatch · commissioning report</p><h1>");
	text(out, title_of(inv, host));
	buf_add_text(out, "</h1></header>\n<main>\n");
	write_outcome(out, inv, host, inventory_verify_status(all));
	write_machines(out, inv, host);
	write_faults(out, inv, host);
	write_picture(out, inv, host);
	write_table(out, inv, host);
	if (json_is_object(measured))
		write_measured(out, measured);
	write_sources(out, inv, host);
	buf_add_text(out, "<h2>Signed off</h2>\n<div class=\"sign\"><p>Racked by</p><p>Checked by</p><p>Date</p></div>\n</main>\n");
	buf_printf(out, "<footer>Made by lanewatch %s, %s. A link is judged against the lower of drive and slot. "
			"A dash is a value that is not known.</footer>\n</body>\n</html>\n",
		PACKAGE_VERSION, clock_text(inv->collected_wall_ms, at));
	free(part.bays);
}
