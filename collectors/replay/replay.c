/* SPDX-License-Identifier: MIT */
/*
 * replay: see replay.h.  observation.json is a list of BAY objects, partial ones allowed
 * (docs/API.md); what one does not say stays unknown.  The file is read in a thread.
 */
#include "collectors/replay/replay.h"
#include "base/clock.h"
#include "base/mem.h"
#include "collectors/replay/recorded.h"
#include "collectors/round.h"
#include "document/bays.h"

#include <stdlib.h>

enum { ROUND_MS = 20000, BAYS_MAX = 4096 };

struct source {
	struct rounds rounds;
};

static void take_bay(struct snapshot *s, const json_t *j)
{
	struct bay b = document_read_bay(j, s->target.name, s->target.host);
	struct bay *mine = snapshot_add_bay(s, b.bay);

	*mine = b;
	if (mine->observed_wall_ms == CLOCK_NEVER)
		mine->observed_wall_ms = s->target.observed_wall_ms;
}

static void read_folder(void *folder, struct snapshot *out)
{
	struct target *t = &out->target;
	struct err e;
	json_t *j;

	if (recorded_error(folder, t))
		return;
	j = recorded_json(folder, "observation.json", &e);
	if (!json_is_array(j) || json_array_size(j) > BAYS_MAX) {
		target_unreachable(t, REASON_NOT_REPORTED, j ? "observation.json is no list of bays" : e.text);
		json_decref(j);
		return;
	}
	t->verdict = TARGET_OK;
	for (size_t i = 0; i < json_array_size(j); i++)
		take_bay(out, json_array_get(j, i));
	json_decref(j);
}

static void *prepare(void *source)
{
	return mem_text(((struct source *)source)->rounds.config->recording);
}

static const struct round_ops ops = {
	.kind = TARGET_REPLAY,
	.deadline_ms = ROUND_MS,
	.late = "the recording could not be read in time",
	.prepare = prepare,
	.read = read_folder,
	.free_job = free,
	.free_source = free,
};

static void *replay_open(const struct target_config *c, const struct collector_env *env, struct err *e)
{
	struct source *s;

	if (!c->recording) {
		err_set(e, "%s: a target of type replay needs a recording", c->name);
		return NULL;
	}
	s = mem_new(1, sizeof *s);
	rounds_init(&s->rounds, &ops, c, env->loop, s);
	return s;
}

static void replay_poll(void *source, void (*done)(void *arg, const struct snapshot *s), void *arg)
{
	rounds_poll(&((struct source *)source)->rounds, done, arg);
}

static void replay_close(void *source, void (*closed)(void *arg), void *arg)
{
	rounds_close(&((struct source *)source)->rounds, closed, arg);
}

const struct collector replay_collector = {
	.kind = TARGET_REPLAY,
	.open = replay_open,
	.poll = replay_poll,
	.close = replay_close,
};
