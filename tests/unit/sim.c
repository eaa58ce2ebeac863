/* SPDX-License-Identifier: MIT */
/* sim: see sim.h. */
#include "tests/unit/sim.h"
#include "base/clock.h"
#include "base/http.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/collector.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *program(void)
{
	const char *p = getenv("LANEWATCH_SIMBMC");

	return p ? p : "./lanewatch-simbmc";
}

struct sim sim_start(const char *const *args)
{
	const char *argv[32] = {program()};
	struct sim s = {0};
	char line[256] = "";
	int out[2];
	size_t n = 1;
	FILE *f;

	while (*args && n < 31)
		argv[n++] = *args++;
	ck_assert_int_eq(pipe(out), 0);
	s.pid = fork();
	ck_assert_int_ge(s.pid, 0);
	if (s.pid == 0) {
		dup2(out[1], STDOUT_FILENO);
		close(out[0]);
		close(out[1]);
		execv(argv[0], (char *const *)argv);
		_exit(127);
	}
	close(out[1]);
	f = fdopen(out[0], "r");
	ck_assert_msg(fgets(line, sizeof line, f) && str_starts(line, "ready "), "%s did not come up", argv[0]);
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	str_copy(s.url, sizeof s.url, line + strlen("ready "));
	return s;
}

int sim_stop(struct sim *s)
{
	int status = 0;

	kill(s->pid, SIGTERM);
	waitpid(s->pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

struct poller {
	const struct collector *collector;
	void *source;
	size_t wanted;
	int64_t step_ms; /* 0: the clock goes by itself */
	struct sim_polls *out;
	struct http *http;
};

/* Copies what the test will look at; the snapshot itself is only borrowed. */
static void keep(struct snapshot *to, const struct snapshot *s)
{
	snapshot_release(to);
	snapshot_init(to, s->target.name, s->target.kind, s->target.host);
	for (size_t i = 0; i < s->n_bays; i++)
		*snapshot_add_bay(to, s->bays[i].bay) = s->bays[i];
	for (size_t i = 0; i < s->target.n_errors; i++)
		target_add_error(&to->target, s->target.errors[i].resource, s->target.errors[i].code,
			s->target.errors[i].message);
	to->target.verdict = s->target.verdict;
	to->target.reason = s->target.reason;
	str_copy(to->target.message, sizeof to->target.message, s->target.message);
}

static void closed(void *arg)
{
	struct poller *p = arg;

	http_free(p->http);
}

static void polled(void *arg, const struct snapshot *s)
{
	struct poller *p = arg;

	p->out->requests[p->out->n++] = s->target.requests;
	keep(&p->out->last, s);
	if (p->step_ms)
		clock_set(clock_wall_ms() + p->step_ms, clock_mono_ms() + p->step_ms);
	if (p->out->n < p->wanted)
		p->collector->poll(p->source, polled, p);
	else
		p->collector->close(p->source, closed, p);
}

static void write_password(char path[64])
{
	int fd;

	snprintf(path, 64, "/tmp/lanewatch-test-XXXXXX");
	fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, "calvin\n", 7), 7);
	close(fd);
}

static struct sim_polls poll_sim(const struct sim *s, size_t n, bool no_expand, bool links_only, int64_t step_ms)
{
	struct sim_polls out = {0};
	struct target_config c = {.kind = TARGET_REDFISH, .name = "sim", .host = "sim", .no_expand = no_expand};
	struct collector_env env = {.links_only = links_only};
	struct poller p = {.wanted = n, .step_ms = step_ms, .out = &out};
	char password[64];
	struct err e = {""};
	uv_loop_t loop;

	write_password(password);
	str_copy(c.url, sizeof c.url, s->url);
	c.username = mem_text("root");
	c.password_file = mem_text(password);
	uv_loop_init(&loop);
	env.loop = &loop;
	env.http = p.http = http_new(&loop, &e);
	p.collector = collector_find(TARGET_REDFISH);
	p.source = p.collector->open(&c, &env, &e);
	ck_assert_msg(p.source != NULL, "%s", e.text);
	p.collector->poll(p.source, polled, &p);
	uv_run(&loop, UV_RUN_DEFAULT);
	ck_assert_int_eq(uv_loop_close(&loop), 0);
	target_config_release(&c);
	unlink(password);
	return out;
}

struct sim_polls sim_poll(const struct sim *s, size_t n, bool no_expand, bool links_only)
{
	return poll_sim(s, n, no_expand, links_only, 0);
}

struct sim_polls sim_poll_every(const struct sim *s, size_t n, int64_t step_ms)
{
	clock_set(clock_wall_ms(), clock_mono_ms());
	return poll_sim(s, n, false, false, step_ms);
}

void sim_polls_release(struct sim_polls *p)
{
	snapshot_release(&p->last);
}
