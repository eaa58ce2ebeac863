/* SPDX-License-Identifier: MIT */
/*
 * replay: plays a recording through the whole pipeline on its own clock, and prints what
 * each step brought as one JSON object a line.  Nothing is delivered to anybody.
 */
#include "agent/cli/command.h"
#include "agent/env.h"
#include "agent/pipeline.h"
#include "agent/recording.h"
#include "agent/sources.h"
#include "base/clock.h"
#include "base/http.h"
#include "document/bays.h"
#include "document/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

struct replay {
	uv_loop_t loop;
	struct collector_env env;
	struct pipeline pipeline;
	struct sources *sources;
	int64_t mono_ms; /* of the recording's steady clock, or as far as the wall clock
			    went ahead */
};

/* ---- one step ---- */

static void got(void *arg, const struct snapshot *s)
{
	struct replay *r = arg;

	pipeline_take(&r->pipeline, s);
}

static void closed(void *arg)
{
	struct replay *r = arg;

	r->sources = NULL;
}

static void ended(void *arg)
{
	struct replay *r = arg;

	sources_close(r->sources, closed, r);
}

/* All targets of the step are read as if it were then. */
static int collect(struct replay *r, const struct recording_step *step, struct err *e)
{
	struct config c = {0};
	int rc = recording_targets(step, &c, e);

	if (rc == 0) {
		r->sources = sources_new(&r->env, c.targets, c.n_targets, c.n_targets);
		sources_poll(r->sources, got, ended, r);
		while (r->sources)
			uv_run(&r->loop, UV_RUN_ONCE);
	}
	for (size_t i = 0; i < c.n_targets; i++)
		target_config_release(&c.targets[i]);
	free(c.targets);
	return rc;
}

static void turn_clock(struct replay *r, const struct recording_step *step,
	const struct recording_step *before)
{
	int64_t passed_ms = before ? step->at_wall_ms - before->at_wall_ms : 0;

	if (before && step->mono_ms >= 0 && before->mono_ms >= 0)
		passed_ms = step->mono_ms - before->mono_ms;
	r->mono_ms += passed_ms > 0 ? passed_ms : 0;
	clock_set(step->at_wall_ms, r->mono_ms);
}

/* ---- what is printed ---- */

static json_t *list_events(const struct events *ev)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ev->n; i++)
		json_array_append_new(list, document_of_event(&ev->items[i]));
	return list;
}

static json_t *list_alerts(const struct alerts *a)
{
	json_t *list = json_array();

	for (size_t i = 0; i < a->n; i++)
		json_array_append_new(list, document_of_alert(&a->items[i]));
	return list;
}

/* Each notice for each channel, as it would be sent. */
static json_t *list_notices(const struct outcome *o)
{
	json_t *list = json_array();

	for (size_t i = 0; i < o->n_outbox; i++)
		json_array_append_new(list, json_loads(o->outbox[i].body, 0, NULL));
	return list;
}

static void print_step(const struct replay *r, const struct recording_step *step,
	const struct outcome *o)
{
	json_t *j = document_of_inventory(&r->pipeline.inventory);

	json_object_set_new(j, "at", json_string(step->at));
	json_object_set_new(j, "events", list_events(&o->events));
	json_object_set_new(j, "alerts", list_alerts(&r->pipeline.alerts));
	json_object_set_new(j, "notifications", list_notices(o));
	json_dumpf(j, stdout, JSON_COMPACT | DOCUMENT_DUMP);
	putchar('\n');
	fflush(stdout); /* who follows the play sees each step; main says what could not be written */
	json_decref(j);
}

static int play_step(struct replay *r, const struct recording_step *step,
	const struct recording_step *before, struct err *e)
{
	struct outcome o;
	int rc = 0;

	turn_clock(r, step, before);
	if (collect(r, step, e))
		return EX_DATAERR;
	pipeline_round(&r->pipeline, &o);
	print_step(r, step, &o);
	if (!o.stored) {
		*e = o.store_error;
		rc = 3;
	}
	outcome_release(&o);
	return rc;
}

/* ---- all of it ---- */

static int play(struct replay *r, const struct recording *rec, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < rec->n && rc == 0 && !ferror(stdout); i++) {
		if (rec->steps[i].at_wall_ms == CLOCK_NEVER) {
			err_set(e, "step %zu of the recording has no time", i + 1);
			return EX_DATAERR;
		}
		rc = play_step(r, &rec->steps[i], i ? &rec->steps[i - 1] : NULL, e);
	}
	return rc;
}

static int with_loop(struct replay *r, const struct recording *rec, struct err *e)
{
	int rc = 3;

	if (uv_loop_init(&r->loop)) {
		err_set(e, "the event loop cannot be set up");
		return rc;
	}
	r->env = (struct collector_env){.loop = &r->loop, .http = http_new(&r->loop, e)};
	if (r->env.http)
		rc = play(r, rec, e);
	http_free(r->env.http);
	uv_run(&r->loop, UV_RUN_DEFAULT);
	uv_loop_close(&r->loop);
	return rc;
}

static int with_store(const struct config *c, const struct recording *rec, struct err *e)
{
	struct replay r = {0};
	enum store_fault fault = STORE_FAULT_NONE;
	struct writer *writer = writer_open(c->database, &fault, e);
	int rc = fault == STORE_FOREIGN ? EX_DATAERR : 3;

	if (!writer)
		return rc;
	writer_await_look(writer);
	if (pipeline_init(&r.pipeline, c, writer, e) == 0) {
		r.pipeline.rehearsal = r.pipeline.patient = true;
		rc = with_loop(&r, rec, e);
	}
	pipeline_release(&r.pipeline);
	writer_close(writer);
	return rc;
}

int command_replay(const struct options *o, const struct config *c)
{
	struct recording rec = {0};
	struct err e = {""};
	int rc = EX_DATAERR;

	if (o->n_args != 1) {
		fprintf(stderr, "lanewatch: replay: which recording? lanewatch replay "
				"DIR --database FILE\n");
		return EX_USAGE;
	}
	if (recording_load(o->args[0], &rec, &e) == 0)
		rc = with_store(c, &rec, &e);
	if (rc)
		fprintf(stderr, "lanewatch: %s\n", e.text);
	recording_release(&rec);
	return rc;
}
