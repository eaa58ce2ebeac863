/* SPDX-License-Identifier: MIT */
/* output: see output.h.  Chooses the format; JSON is whole here, for it is the same in every view. */
#include "agent/cli/output.h"

#include "base/buf.h"
#include "base/err.h"
#include "document/bays.h"
#include "web/report.h"

static void output_json(FILE *f, const struct inventory *inv)
{
	json_t *j = document_of_inventory(inv);

	json_dumpf(j, f, JSON_INDENT(2) | DOCUMENT_DUMP);
	fputc('\n', f);
	json_decref(j);
}

static void output_html(FILE *f, const struct inventory *inv, const json_t *measured)
{
	struct buf page;

	buf_init(&page, 256u << 20);
	report_write(&page, inv, NULL, NULL, measured);
	fwrite(buf_text(&page), 1, page.len, f);
	buf_release(&page);
}

void output_inventory(const struct options *o, enum view view, const struct inventory *inv)
{
	switch (o->output) {
	case OUTPUT_DEFAULT:
	case OUTPUT_TABLE:
		output_table(stdout, o, view, inv);
		break;
	case OUTPUT_JSON:
		output_json(stdout, inv);
		break;
	case OUTPUT_CSV:
		output_csv(stdout, view, inv);
		break;
	case OUTPUT_NAGIOS:
		output_nagios(stdout, view, inv);
		break;
	case OUTPUT_HTML:
		output_html(stdout, inv, NULL);
		break;
	case OUTPUT_OPENMETRICS: /* of db export alone */
		break;
	}
}

void output_report(const struct inventory *inv, const json_t *ceiling)
{
	output_html(stdout, inv, json_object_get(ceiling, "measured"));
}
