/* SPDX-License-Identifier: MIT */
/*
 * output_table: the table on a terminal or in a file, and what there is to say under it.
 * The one file that knows libsmartcols.
 *
 * On a terminal, columns are left out until the rest fits; in a file nothing is left out
 * and nothing is coloured.  A verdict is always a word, whatever sign and colour it has.
 */
#include "agent/cli/output.h"

#include "agent/cli/output_text.h"
#include "base/mem.h"
#include "base/str.h"

#include <libsmartcols.h>
#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

enum { CELL_MAX = 192, COLUMNS_MAX = 16, WIDTH_MIN = 20 };

struct look {
	FILE *f;
	int width; /* of the terminal; 0: not one, no limit */
	bool utf8, color;
};

struct column {
	const char *head;
	/* writes the cell and gives its tone */
	enum tone (*cell)(const struct bay *b, const struct look *look, char *out, size_t size);
	/* left out first where it is largest; 0 never, from WIDE on only shown where there is room to spare */
	int drop;
	bool right;
};

enum { WIDE = 10 };

/* ---- cells ---- */

static enum tone cell_bay(const struct bay *b, const struct look *look, char *out, size_t size)
{
	(void)look;
	str_clean(out, size, *b->bay ? b->bay : "-");
	return TONE_PLAIN;
}

static const char *verdict_sign(enum verdict v, bool utf8)
{
	switch (v) {
	case VERDICT_OK:
		return utf8 ? "✓" : "+";
	case VERDICT_DEGRADED_SPEED:
	case VERDICT_DEGRADED_WIDTH:
	case VERDICT_DEGRADED_BOTH:
		return utf8 ? "✗" : "!";
	case VERDICT_BELOW_POLICY:
		return utf8 ? "▲" : "^";
	case VERDICT_DRIVE_LIMITED:
		return utf8 ? "◇" : "=";
	case VERDICT_POWER_SAVING:
		return utf8 ? "◑" : "z";
	case VERDICT_NONE:
	case VERDICT_UNKNOWN:
		return "?";
	case VERDICT_ABSENT:
		return utf8 ? "▢" : "o";
	case VERDICT_UNREACHABLE:
		return utf8 ? "⊘" : "x";
	case VERDICT_NOT_APPLICABLE:
		return "-";
	}
	return "?";
}

static enum tone cell_verdict(const struct bay *b, const struct look *look, char *out, size_t size)
{
	const char *word = verdict_word(b->judged.verdict);

	snprintf(out, size, "%s %s%s", verdict_sign(b->judged.verdict, look->utf8), word ? word : "unknown",
		b->stale ? " (stale)" : "");
	return text_verdict_tone(b);
}

/* "Gen5 x4"; "?" for the part that is not known, "-" where nothing is. */
static void rate_text(struct pcie_rate r, char *out, size_t size)
{
	char speed[16] = "?", width[16] = "x?";

	if (!r.speed_mtps && !r.width_lanes) {
		str_copy(out, size, "-");
		return;
	}
	if (pcie_generation(r.speed_mtps))
		snprintf(speed, sizeof speed, "Gen%d", pcie_generation(r.speed_mtps));
	if (r.width_lanes)
		snprintf(width, sizeof width, "x%d", r.width_lanes);
	snprintf(out, size, "%s %s", speed, width);
}

/* What runs, or why that is not known. */
static enum tone cell_link(const struct bay *b, const struct look *look, char *out, size_t size)
{
	const char *why = reason_word(b->judged.reason);

	(void)look;
	rate_text(b->link.now, out, size);
	if (str_same(out, "-") && b->pcie && b->judged.verdict == VERDICT_UNKNOWN)
		snprintf(out, size, "? %s", why ? why : "not-reported");
	return text_verdict_tone(b) == TONE_GOOD ? TONE_PLAIN : text_verdict_tone(b);
}

static enum tone cell_drive(const struct bay *b, const struct look *look, char *out, size_t size)
{
	(void)look;
	rate_text(b->link.max, out, size);
	return TONE_PLAIN;
}

static enum tone cell_slot(const struct bay *b, const struct look *look, char *out, size_t size)
{
	(void)look;
	rate_text(b->link.slot, out, size);
	return TONE_PLAIN;
}

static enum tone cell_expected(const struct bay *b, const struct look *look, char *out, size_t size)
{
	(void)look;
	rate_text(b->policy_rate, out, size);
	return TONE_PLAIN;
}

/* A text of the drive; a bay without one says so once, in its model. */
static void drive_text(const struct bay *b, const char *s, char *out, size_t size)
{
	str_clean(out, size, b->has_drive && *s ? s : "-");
}

static enum tone cell_model(const struct bay *b, const struct look *look, char *out, size_t size)
{
	(void)look;
	drive_text(b, b->drive.model, out, size);
	if (!b->has_drive && b->present == TRI_NO)
		str_copy(out, size, b->require_present ? "(missing)" : "(empty)");
	return b->has_drive ? TONE_PLAIN : text_verdict_tone(b);
}

static enum tone cell_serial(const struct bay *b, const struct look *look, char *out, size_t size)
{
	(void)look;
	drive_text(b, b->drive.serial, out, size);
	return TONE_PLAIN;
}

static enum tone cell_firmware(const struct bay *b, const struct look *look, char *out, size_t size)
{
	(void)look;
	drive_text(b, b->drive.firmware, out, size);
	return TONE_PLAIN;
}

static enum tone cell_protocol(const struct bay *b, const struct look *look, char *out, size_t size)
{
	(void)look;
	drive_text(b, b->drive.protocol, out, size);
	return TONE_PLAIN;
}

static enum tone cell_form(const struct bay *b, const struct look *look, char *out, size_t size)
{
	(void)look;
	drive_text(b, b->drive.form_factor, out, size);
	return TONE_PLAIN;
}

static enum tone cell_controller(const struct bay *b, const struct look *look, char *out, size_t size)
{
	(void)look;
	drive_text(b, b->drive.controller, out, size);
	return TONE_PLAIN;
}

static enum tone cell_address(const struct bay *b, const struct look *look, char *out, size_t size)
{
	(void)look;
	drive_text(b, b->drive.pci_address, out, size);
	return TONE_PLAIN;
}

static enum tone cell_role(const struct bay *b, const struct look *look, char *out, size_t size)
{
	const char *word = bay_role_word(b->role);

	(void)look;
	str_copy(out, size, word ? word : "-");
	return TONE_PLAIN;
}

/* Decimal units as on the label: 3.84 TB, 480 GB. */
static enum tone cell_capacity(const struct bay *b, const struct look *look, char *out, size_t size)
{
	double bytes = count_to_double(b->drive.capacity_bytes);

	(void)look;
	if (!b->has_drive || !(bytes > 0))
		str_copy(out, size, "-");
	else if (bytes < 1e9)
		snprintf(out, size, "%.0f MB", bytes / 1e6);
	else if (bytes < 1e12)
		snprintf(out, size, "%.0f GB", bytes / 1e9);
	else
		snprintf(out, size, "%.2f TB", bytes / 1e12);
	return b->notes & NOTE_CAPACITY_SUSPECT ? TONE_WARN : TONE_PLAIN;
}

static enum tone cell_health(const struct bay *b, const struct look *look, char *out, size_t size)
{
	(void)look;
	if (!b->has_drive) {
		str_copy(out, size, "-");
		return TONE_PLAIN;
	}
	if (b->health.status == ALERT_UNKNOWN && *b->bmc_health) {
		char word[sizeof b->bmc_health];

		str_clean(word, sizeof word, b->bmc_health);
		snprintf(out, size, "%s (BMC)", word); /* its word for it: the drive's own is not known */
		return str_same_nocase(word, "OK") ? TONE_PLAIN : TONE_WARN;
	}
	str_copy(out, size, b->health.status == ALERT_UNKNOWN ? "?" : health_word(b->health.status));
	return b->health.status == ALERT_UNKNOWN ? TONE_PLAIN : text_alert_tone(b->health.status);
}

static enum tone cell_temperature(const struct bay *b, const struct look *look, char *out, size_t size)
{
	if (isnan(b->temperature_c))
		str_copy(out, size, "-");
	else
		snprintf(out, size, look->utf8 ? "%.0f °C" : "%.0f C", b->temperature_c);
	return TONE_PLAIN;
}

static void percent_text(double percent, char *out, size_t size)
{
	if (isnan(percent))
		str_copy(out, size, "-");
	else
		snprintf(out, size, "%g %%", percent);
}

static enum tone cell_used(const struct bay *b, const struct look *look, char *out, size_t size)
{
	(void)look;
	percent_text(b->wear.percent_used, out, size);
	return b->wear.reasons & WEAR_ENDURANCE_USED ? text_alert_tone(b->wear.alert) : TONE_PLAIN;
}

static enum tone cell_left(const struct bay *b, const struct look *look, char *out, size_t size)
{
	(void)look;
	percent_text(b->wear.life_left_percent, out, size);
	return TONE_PLAIN;
}

/* "100 % (10 %)": what is left of the spare, and the threshold below which it is an alarm. */
static enum tone cell_spare(const struct bay *b, const struct look *look, char *out, size_t size)
{
	size_t n;

	(void)look;
	percent_text(b->wear.available_spare_percent, out, size);
	n = strlen(out);
	if (!isnan(b->wear.spare_threshold_percent))
		snprintf(out + n, size - n, " (%g %%)", b->wear.spare_threshold_percent);
	return b->wear.reasons & WEAR_SPARE_BELOW_THRESHOLD ? TONE_BAD : TONE_PLAIN;
}

static enum tone cell_written(const struct bay *b, const struct look *look, char *out, size_t size)
{
	double bytes = count_to_double(b->wear.bytes_written);

	(void)look;
	if (isnan(bytes))
		str_copy(out, size, "-");
	else if (bytes < 1e11)
		snprintf(out, size, "%.1f GB", bytes / 1e9);
	else if (bytes < 1e16)
		snprintf(out, size, "%.1f TB", bytes / 1e12);
	else
		snprintf(out, size, "%.1f PB", bytes / 1e15);
	return TONE_PLAIN;
}

static enum tone cell_media(const struct bay *b, const struct look *look, char *out, size_t size)
{
	char text[COUNT_TEXT_MAX];

	(void)look;
	str_copy(out, size, b->health.media_errors.known ? count_text(b->health.media_errors, text) : "-");
	return b->media_errors_rising ? TONE_WARN : TONE_PLAIN;
}

static enum tone cell_hours(const struct bay *b, const struct look *look, char *out, size_t size)
{
	char text[COUNT_TEXT_MAX];

	(void)look;
	str_copy(out, size, b->health.power_on_hours.known ? count_text(b->health.power_on_hours, text) : "-");
	return TONE_PLAIN;
}

static enum tone cell_alert(const struct bay *b, const struct look *look, char *out, size_t size)
{
	char reasons[128];

	(void)look;
	if (!b->has_drive) {
		str_copy(out, size, "-");
		return TONE_PLAIN;
	}
	text_reasons(b->wear.reasons, reasons, sizeof reasons);
	snprintf(out, size, "%s%s%s", alert_level_word(b->wear.alert), *reasons ? ": " : "", reasons);
	return text_alert_tone(b->wear.alert);
}

/* ---- views ---- */

static const struct column verify_columns[] = {
	{"BAY", cell_bay, 0, false},
	{"VERDICT", cell_verdict, 0, false},
	{"LINK", cell_link, 0, false},
	{"DRIVE CAN", cell_drive, 4, false},
	{"SLOT CAN", cell_slot, 5, false},
	{"EXPECTED", cell_expected, 2, false},
	{"MODEL", cell_model, 3, false},
	{"SERIAL", cell_serial, 1, false},
	{"FIRMWARE", cell_firmware, WIDE + 2, false},
	{"USED", cell_used, WIDE + 1, true},
	{"TEMP", cell_temperature, WIDE, true},
	{"ADDRESS", cell_address, WIDE + 3, false},
	{NULL, NULL, 0, false},
};

static const struct column inventory_columns[] = {
	{"BAY", cell_bay, 0, false},
	{"MODEL", cell_model, 0, false},
	{"SERIAL", cell_serial, 1, false},
	{"CAPACITY", cell_capacity, 2, true},
	{"FIRMWARE", cell_firmware, 4, false},
	{"PROTOCOL", cell_protocol, 6, false},
	{"FORM", cell_form, 7, false},
	{"ROLE", cell_role, 8, false},
	{"HEALTH", cell_health, 3, false},
	{"TEMP", cell_temperature, 5, true},
	{"LINK", cell_link, WIDE, false},
	{"CONTROLLER", cell_controller, WIDE + 1, false},
	{"ADDRESS", cell_address, WIDE + 2, false},
	{NULL, NULL, 0, false},
};

static const struct column wear_columns[] = {
	{"BAY", cell_bay, 0, false},
	{"MODEL", cell_model, 4, false},
	{"SERIAL", cell_serial, 3, false},
	{"USED", cell_used, 0, true},
	{"LEFT", cell_left, 6, true},
	{"SPARE", cell_spare, 5, true},
	{"WRITTEN", cell_written, 1, true},
	{"ALERT", cell_alert, 0, false},
	{"MEDIA ERRORS", cell_media, WIDE, true},
	{"POWER-ON HOURS", cell_hours, WIDE + 1, true},
	{"TEMP", cell_temperature, WIDE + 2, true},
	{NULL, NULL, 0, false},
};

static const struct column *columns_of(enum view view)
{
	switch (view) {
	case VIEW_UNKNOWN:
	case VIEW_INVENTORY:
		return inventory_columns;
	case VIEW_VERIFY:
		return verify_columns;
	case VIEW_WEAR:
		return wear_columns;
	}
	return inventory_columns;
}

/* ---- which columns fit ---- */

/* The columns that are shown, the same for all hosts, and how wide each has to be. */
struct table_fit {
	size_t n;
	const struct column *columns[COLUMNS_MAX];
	size_t width[COLUMNS_MAX];
};

/* Cells that a text takes; an unprintable one counts as a character. */
static size_t text_width(const char *s)
{
	wchar_t wide[CELL_MAX];
	size_t n = mbstowcs(wide, s, CELL_MAX);
	int width = n == (size_t)-1 || n == CELL_MAX ? -1 : wcswidth(wide, n);

	return width < 0 ? strlen(s) : (size_t)width;
}

static void measure(struct table_fit *l, const struct inventory *inv, const struct look *look)
{
	char cell[CELL_MAX];

	for (size_t c = 0; c < l->n; c++) {
		l->width[c] = text_width(l->columns[c]->head);
		for (size_t i = 0; i < inv->n_bays; i++) {
			size_t width;

			l->columns[c]->cell(&inv->bays[i], look, cell, sizeof cell);
			width = text_width(cell);
			if (width > l->width[c])
				l->width[c] = width;
		}
	}
}

static size_t total_width(const struct table_fit *l)
{
	size_t width = l->n ? l->n - 1 : 0;

	for (size_t c = 0; c < l->n; c++)
		width += l->width[c];
	return width;
}

static void leave_out(struct table_fit *l, size_t c)
{
	l->n--;
	for (; c < l->n; c++) {
		l->columns[c] = l->columns[c + 1];
		l->width[c] = l->width[c + 1];
	}
}

/* True if no bay has anything to say in a column. */
static bool silent(const struct column *c, const struct inventory *inv, const struct look *look)
{
	char cell[CELL_MAX];

	for (size_t i = 0; i < inv->n_bays; i++) {
		c->cell(&inv->bays[i], look, cell, sizeof cell);
		if (!str_same(cell, "-"))
			return false;
	}
	return true;
}

/*
 * Leaves out the columns that matter least: wide ones where there is no terminal; on one, those
 * in which nothing is known, then others until all fits.
 */
static struct table_fit choose(enum view view, const struct inventory *inv, const struct look *look, bool all)
{
	struct table_fit l = {0};

	for (const struct column *c = columns_of(view); c->head; c++)
		if (all || (!look->width && c->drop < WIDE) || (look->width && !(c->drop && silent(c, inv, look))))
			l.columns[l.n++] = c;
	measure(&l, inv, look);
	while (!all && look->width && total_width(&l) > (size_t)look->width) {
		size_t least = 0;

		for (size_t c = 1; c < l.n; c++)
			if (l.columns[c]->drop > l.columns[least]->drop)
				least = c;
		if (!l.columns[least]->drop)
			break; /* what is left is cut by the library */
		leave_out(&l, least);
	}
	return l;
}

/* ---- drawing ---- */

static const char *tone_color(enum tone t)
{
	switch (t) {
	case TONE_UNKNOWN:
	case TONE_PLAIN:
		return NULL;
	case TONE_GOOD:
		return "\033[32m";
	case TONE_WARN:
		return "\033[33m";
	case TONE_BAD:
		return "\033[1;31m";
	}
	return NULL;
}

static void add_row(struct libscols_table *table, const struct table_fit *l, const struct bay *b, const struct look *look)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	char cell[CELL_MAX];

	for (size_t c = 0; line && c < l->n; c++) {
		enum tone tone = l->columns[c]->cell(b, look, cell, sizeof cell);

		scols_line_set_data(line, c, cell);
		if (look->color && tone_color(tone))
			scols_cell_set_color(scols_line_get_cell(line, c), tone_color(tone));
	}
}

static void set_up(struct libscols_table *table, const struct look *look)
{
	scols_table_set_stream(table, look->f);
	scols_table_enable_colors(table, look->color);
	scols_table_enable_ascii(table, !look->utf8);
	scols_table_set_termforce(table, look->width ? SCOLS_TERMFORCE_ALWAYS : SCOLS_TERMFORCE_NEVER);
	if (look->width)
		scols_table_set_termwidth(table, (size_t)look->width);
}

/* The bays first to end, which are those of one host. */
static void draw(const struct table_fit *l, const struct inventory *inv, size_t first, size_t end, const struct look *look)
{
	struct libscols_table *table = scols_new_table();

	if (!table)
		return;
	set_up(table, look);
	for (size_t c = 0; c < l->n; c++)
		scols_table_new_column(table, l->columns[c]->head, 0,
			(l->columns[c]->right ? SCOLS_FL_RIGHT : 0) | (look->width ? SCOLS_FL_TRUNC : 0));
	for (size_t i = first; i < end; i++)
		add_row(table, l, &inv->bays[i], look);
	scols_print_table(table);
	scols_unref_table(table);
}

/* "srv1: Acme R100; seen by bmc, host"; a target of the host's own name goes without saying. */
static void draw_heading(const struct inventory *inv, const char *host, const struct look *look)
{
	char line[512], names[256] = "", clean[512];
	const struct target *product = NULL;
	const char *vendor;
	size_t n = 0;

	for (size_t i = 0; i < inv->n_targets; i++) {
		const struct target *t = &inv->targets[i];

		if (!str_same_nocase(t->host, host))
			continue;
		if (*t->product && !product)
			product = t;
		if (n < sizeof names)
			n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", t->name);
	}
	vendor = product && !str_starts(product->product, product->vendor) ? product->vendor : "";
	snprintf(line, sizeof line, "%s%s%s%s%s%s%s", host, product ? ": " : "", vendor, *vendor ? " " : "",
		product ? product->product : "", str_same(names, host) ? "" : "; seen by ",
		str_same(names, host) ? "" : names);
	str_clean(clean, sizeof clean, line);
	fprintf(look->f, "%s%s%s\n", look->color ? "\033[1m" : "", clean, look->color ? "\033[0m" : "");
}

static void draw_hosts(const struct table_fit *l, const struct inventory *inv, const struct look *look)
{
	bool hosts = text_several_hosts(inv);

	for (size_t first = 0, end; first < inv->n_bays; first = end) {
		for (end = first + 1; end < inv->n_bays; end++)
			if (!str_same_nocase(inv->bays[end].host, inv->bays[first].host))
				break;
		if (hosts)
			draw_heading(inv, inv->bays[first].host, look);
		draw(l, inv, first, end, look);
		fputc('\n', look->f);
	}
}

/* ---- sentences ---- */

/* One character at p, or '?' where the terminal cannot show it; returns the bytes it takes. */
static size_t put_character(const struct look *look, const char *p)
{
	size_t n = 1;

	while (((unsigned char)p[n] & 0xc0) == 0x80)
		n++;
	if (n == 1 ? (unsigned char)*p >= 0x20 && *p != 0x7f : look->utf8)
		fwrite(p, 1, n, look->f);
	else
		fputc('?', look->f);
	return n;
}

/* Words one after the other, broken at the edge of the terminal and indented there. */
static void put_wrapped(const struct look *look, const char *s)
{
	size_t column = 0, indent = 4;

	while (*s) {
		size_t bytes = strcspn(s, " "), width = 0;

		for (size_t i = 0; i < bytes; i++)
			width += ((unsigned char)s[i] & 0xc0) != 0x80;
		if (look->width && column && column + 1 + width > (size_t)look->width) {
			fprintf(look->f, "\n%*s", (int)indent, "");
			column = indent;
		} else if (column) {
			fputc(' ', look->f);
			column++;
		}
		for (size_t i = 0; i < bytes;)
			i += put_character(look, s + i);
		column += width;
		s += bytes + strspn(s + bytes, " ");
	}
	fputc('\n', look->f);
}

static void put_sentence(void *arg, enum tone tone, const char *sentence)
{
	const struct look *look = arg;
	const char *color = look->color ? tone_color(tone) : NULL;

	if (color)
		fputs(color, look->f);
	put_wrapped(look, sentence);
	if (color)
		fputs("\033[0m", look->f);
}

static struct look look_of(FILE *f, const struct options *o)
{
	struct look look = {.f = f, .utf8 = str_same(nl_langinfo(CODESET), "UTF-8")};
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM"), *columns = getenv("COLUMNS");
	struct winsize size = {0};
	int64_t width = 80;

	if (!isatty(fileno(f)))
		return look;
	if (ioctl(fileno(f), TIOCGWINSZ, &size) == 0 && size.ws_col)
		width = size.ws_col;
	else if (columns)
		str_to_int(columns, 1, 10000, &width);
	look.width = width < WIDTH_MIN ? WIDTH_MIN : (int)width;
	look.color = !o->no_color && !(no_color && *no_color) && !str_same(term, "dumb");
	return look;
}

void output_table(FILE *f, const struct options *o, enum view view, const struct inventory *inv)
{
	struct look look = look_of(f, o);
	struct table_fit l = choose(view, inv, &look, o->all);
	struct buf line;

	if (inv->n_bays)
		draw_hosts(&l, inv, &look);
	text_sentences(view, inv, put_sentence, &look);
	buf_init(&line, OUTPUT_TEXT_MAX);
	text_summary(&line, view, inv);
	put_wrapped(&look, buf_text(&line));
	buf_release(&line);
}
