/* SPDX-License-Identifier: MIT */
/*
 * alerts_test: `lanewatch alerts test`: sends one notification through each channel, side by
 * side, and says what came back.  Nothing is kept, nothing is sent twice.
 */
#include "agent/cli/alerts.h"
#include "agent/cli/output_rows.h"
#include "agent/cli/stored.h"
#include "agent/notify_way.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "document/events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sysexits.h>

enum { FAILED = 3 };

struct trial {
	const struct notify_config *config;
	char *password;
	enum notify_end end;
	char said[256];
};

static void on_done(void *arg, enum notify_end end, const char *said)
{
	struct trial *t = arg;

	t->end = end;
	str_copy(t->said, sizeof t->said, said);
}

/* As an alert of its own that ends as it begins, so that nothing of it stands anywhere. */
static json_t *test_notice(const struct notify_config *c)
{
	struct notice n = {.kind = ALERT_TEST,
		.severity = SEVERITY_WARNING,
		.state = c->type == NOTIFY_ALERTMANAGER ? ALERT_RESOLVED : ALERT_FIRING,
		.at_wall_ms = clock_wall_ms(),
		.since_wall_ms = clock_wall_ms(),
		.message = "this is a test of lanewatch; nothing is wrong"};

	snprintf(n.id, sizeof n.id, "test-%" PRId64, n.at_wall_ms);
	return document_of_notice(&n, c->name);
}

static void begin(struct trial *t, const struct notify_env *env)
{
	struct err e = {""};
	struct notify_post p = {.config = t->config};
	json_t *notice = test_notice(t->config);

	if (t->config->password_file && !(t->password = file_secret_take(t->config->password_file, &e))) {
		t->end = NOTIFY_LATER;
		str_copy(t->said, sizeof t->said, e.text);
	} else {
		p.password = t->password;
		p.notice = notice;
		notify_way_of(t->config->type)->send(env, &p, on_done, t);
	}
	json_decref(notice);
}

static const char *end_word(enum notify_end end)
{
	switch (end) {
	case NOTIFY_TOOK:
		return "took it";
	case NOTIFY_REFUSED:
		return "refused it";
	case NOTIFY_LATER:
	case NOTIFY_END_UNKNOWN:
		break;
	}
	return "failed";
}

static void print_table(const struct trial *trials, size_t n)
{
	static const char *const heads[] = {"CHANNEL", "TYPE", "RESULT", "WHAT CAME BACK", NULL};
	struct rows *r = rows_new(heads);

	for (size_t i = 0; i < n; i++) {
		const char *const cells[] = {
			trials[i].config->name, notify_type_word(trials[i].config->type), end_word(trials[i].end), trials[i].said};

		rows_add(r, cells);
	}
	rows_print(r, stdout);
}

static void print_json(const struct trial *trials, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list,
			json_pack("{s:s, s:s, s:b, s:s}", "channel", trials[i].config->name, "type",
				notify_type_word(trials[i].config->type), "ok", trials[i].end == NOTIFY_TOOK, "answer", trials[i].said));
	stored_print(json_pack("{s:s, s:o}", "schema", "lanewatch/alerts-test/v1", "channels", list));
}

static int tell(const struct trial *trials, size_t n, enum output output)
{
	int rc = 0;

	if (output == OUTPUT_JSON)
		print_json(trials, n);
	else
		print_table(trials, n);
	for (size_t i = 0; i < n; i++)
		if (trials[i].end != NOTIFY_TOOK)
			rc = FAILED;
	return rc;
}

int alerts_test(const struct options *o, const struct config *c)
{
	struct trial *trials = mem_new(c->n_notifies, sizeof *trials);
	struct err e = {""};
	uv_loop_t loop;
	struct notify_env env = {.loop = &loop};
	int rc = FAILED;

	if (c->n_notifies == 0) {
		fprintf(stderr, "lanewatch: alerts test: there is no channel; add a notify section to the configuration\n");
		free(trials);
		return EX_CONFIG;
	}
	if (uv_loop_init(&loop) == 0 && (env.http = http_new(&loop, &e))) {
		for (size_t i = 0; i < c->n_notifies; i++) {
			trials[i].config = &c->notifies[i];
			begin(&trials[i], &env);
		}
		for (size_t left = c->n_notifies; left > 0;) {
			uv_run(&loop, UV_RUN_ONCE);
			left = 0;
			for (size_t i = 0; i < c->n_notifies; i++)
				left += trials[i].end == NOTIFY_END_UNKNOWN;
		}
		rc = tell(trials, c->n_notifies, o->output);
		http_free(env.http);
		uv_run(&loop, UV_RUN_DEFAULT);
		uv_loop_close(&loop);
	} else {
		fprintf(stderr, "lanewatch: %s\n", e.text);
	}
	for (size_t i = 0; i < c->n_notifies; i++)
		mem_wipe_free(trials[i].password);
	free(trials);
	return rc;
}
