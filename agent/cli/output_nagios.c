/* SPDX-License-Identifier: MIT */
/*
 * output_nagios: one line of a monitoring plugin with performance data, then the sentences
 * as long output (Monitoring Plugins Development Guidelines, section 2).  A bar or a line
 * break inside a text would end its part, so both are replaced.
 */
#include "agent/cli/output.h"

#include "agent/cli/output_text.h"
#include "base/str.h"

#include <math.h>

void nagios_begin(FILE *f, int status)
{
	static const char *const words[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};

	fprintf(f, "LANEWATCH %s - ", words[status >= 0 && status < 3 ? status : 3]);
}

void nagios_text(FILE *f, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		fputc(c == '|' ? '/' : c < 0x20 || c == 0x7f ? '?' : c, f);
	}
}

/* A label is quoted; quotes and equals signs end one. */
static void put_label(FILE *f, const char *host, const char *bay, const char *what)
{
	const char *const parts[] = {host, *host ? "/" : "", bay, " ", what};

	fputs(" '", f);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		for (const char *p = parts[i]; *p; p++)
			fputc(*p == '\'' || *p == '=' || *p == '|' || (unsigned char)*p < 0x20 ? '_' : *p, f);
	fputs("'=", f);
}

static void put_counts(FILE *f, const struct inventory *inv)
{
	size_t n[VERDICT_NOT_APPLICABLE + 1] = {0};

	for (size_t i = 0; i < inv->n_bays; i++)
		n[inv->bays[i].judged.verdict]++;
	fprintf(f, "'bays'=%zu", inv->n_bays);
	for (int v = VERDICT_OK; v <= VERDICT_NOT_APPLICABLE; v++)
		fprintf(f, " '%s'=%zu", verdict_word((enum verdict)v), n[v]);
}

static void put_drives(FILE *f, const struct inventory *inv)
{
	bool hosts = text_several_hosts(inv);
	size_t n = 0;

	for (size_t i = 0; i < inv->n_bays; i++)
		n += inv->bays[i].has_drive;
	fprintf(f, "'drives'=%zu", n);
	for (size_t i = 0; i < inv->n_bays; i++) {
		const struct bay *b = &inv->bays[i];

		if (!b->has_drive || isnan(b->wear.percent_used))
			continue; /* unknown is no number: no value is given */
		put_label(f, hosts ? b->host : "", b->bay, "used");
		fprintf(f, "%g%%", b->wear.percent_used);
	}
}

static void put_line(void *arg, enum tone tone, const char *sentence)
{
	FILE *f = arg;

	(void)tone;
	nagios_text(f, sentence);
	fputc('\n', f);
}

void output_nagios(FILE *f, enum view view, const struct inventory *inv)
{
	struct buf line;

	buf_init(&line, OUTPUT_TEXT_MAX);
	text_summary(&line, view, inv);
	nagios_begin(f, text_status(view, inv));
	nagios_text(f, buf_text(&line));
	fputs(" | ", f);
	if (view == VIEW_WEAR)
		put_drives(f, inv);
	else
		put_counts(f, inv);
	fputc('\n', f);
	text_sentences(view, inv, put_line, f);
	buf_release(&line);
}
