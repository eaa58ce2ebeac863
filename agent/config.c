/* SPDX-License-Identifier: MIT */
/*
 * config: see config.h.  Which files are read and in which order; what they say is
 * config_text.c's, what it means config_build.c's.
 */
#include "agent/config.h"
#include "agent/config_build.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "web/server.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

enum { FILES_MAX = 4096, DEPTH_MAX = 8 };

/* A file that is to be read, and the line that named it. */
struct file_job {
	char *path;
	char *named_in; /* NULL: by --config */
	int named_line;
	int depth;
	dev_t dev;
	ino_t ino;
};

struct loading {
	struct config *c;
	size_t n;
	struct file_job *jobs; /* grows while it is worked through, in order */
	struct config_origins seen;
};

static void add_job(
	struct loading *l, const char *path, const struct file_job *by, int line)
{
	struct stat st;

	if (l->n >= FILES_MAX) {
		config_error_add(
			l->c, by->path, line, "include: more than %d files", FILES_MAX);
		return;
	}
	l->jobs = mem_grow(l->jobs, l->n, sizeof *l->jobs);
	l->jobs[l->n] = (struct file_job){.path = mem_text(path), .named_line = line};
	if (by) {
		l->jobs[l->n].named_in = mem_text(by->path);
		l->jobs[l->n].depth = by->depth + 1;
	}
	if (stat(path, &st) == 0) {
		l->jobs[l->n].dev = st.st_dev;
		l->jobs[l->n].ino = st.st_ino;
	}
	l->n++;
}

/* A file that was read before comes from a circle, or would say everything twice. */
static bool read_before(const struct loading *l, size_t i)
{
	const struct file_job *job = &l->jobs[i];

	for (size_t k = 0; k < i; k++)
		if (job->ino && l->jobs[k].ino == job->ino && l->jobs[k].dev == job->dev)
			return true;
	return false;
}

/* The pattern from the folder of the file, whose own name is no pattern; false if it is too long. */
static bool include_pattern(const char *file, const char *pattern, char *out, size_t size)
{
	const char *slash = pattern[0] == '/' ? NULL : strrchr(file, '/');
	size_t n = 0;

	for (; slash && file <= slash; file++) {
		if (n + 2 >= size)
			return false;
		if (strchr("*?[\\", *file))
			out[n++] = '\\';
		out[n++] = *file;
	}
	return str_copy(out + n, size - n, pattern);
}

/* The files of include("pattern"), by name; that none fits is fine for a pattern. */
static void include(struct loading *l, size_t by, const struct config_include *inc)
{
	const struct file_job job = l->jobs[by]; /* the array moves */
	char pattern[PATH_MAX];
	glob_t found;
	int rc;

	if (job.depth >= DEPTH_MAX) {
		config_error_add(l->c, job.path, inc->line,
			"include: nested deeper than %d files", DEPTH_MAX);
		return;
	}
	if (!include_pattern(job.path, inc->pattern, pattern, sizeof pattern)) {
		config_error_add(
			l->c, job.path, inc->line, "include: the path is too long");
		return;
	}
	rc = glob(pattern, GLOB_ERR, NULL, &found);
	if (rc == GLOB_ABORTED && (errno == ENOENT || errno == ENOTDIR))
		rc = GLOB_NOMATCH;
	if (rc == GLOB_NOMATCH && !strpbrk(inc->pattern, "*?["))
		config_error_add(l->c, job.path, inc->line,
			"include: there is no file %s", pattern);
	else if (rc && rc != GLOB_NOMATCH)
		config_error_add(l->c, job.path, inc->line,
			"include: %s cannot be read: %s", pattern, strerror(errno));
	for (size_t i = 0; rc == 0 && i < found.gl_pathc; i++)
		add_job(l, found.gl_pathv[i], &job, inc->line);
	if (rc == 0)
		globfree(&found);
}

/* What one file did wrong, in the order of its lines (each step adds its own). */
static void sort_errors(struct config *c, size_t from)
{
	for (size_t i = from + 1; i < c->n_errors; i++) {
		struct config_error one = c->errors[i];
		size_t k = i;

		for (; k > from && c->errors[k - 1].line > one.line; k--)
			c->errors[k] = c->errors[k - 1];
		c->errors[k] = one;
	}
}

int config_read(const char *path, struct buf *out, struct err *e)
{
	int rc = file_read(path, out, e);

	if ((rc && errno == ENOMEM) || (rc == 0 && buf_add_text(out, "")))
		mem_exhausted();
	return rc;
}

static void read_file(struct loading *l, size_t i)
{
	const struct file_job job = l->jobs[i];
	size_t n_errors = l->c->n_errors;
	struct config_text t;
	struct err e = {""};
	struct buf b;

	buf_init(&b, CONFIG_FILE_BYTES_MAX);
	if (read_before(l, i)) {
		config_error_add(l->c, job.named_in, job.named_line,
			"include: %s was read already", job.path);
	} else if (config_read(job.path, &b, &e)) {
		config_error_add(l->c, job.named_in ? job.named_in : "", job.named_line,
			"%s", e.text);
	} else {
		l->c->files = mem_grow(l->c->files, l->c->n_files, sizeof *l->c->files);
		l->c->files[l->c->n_files++] = mem_text(job.path);
		config_text_read(&t, job.path, b.data, b.len, l->c);
		config_build_file(l->c, &t, &l->seen);
		for (size_t k = 0; k < t.n_includes; k++)
			include(l, i, &t.includes[k]);
		config_text_release(&t);
		sort_errors(l->c, n_errors);
	}
	buf_release(&b);
}

static void load_files(struct config *c, const char *path)
{
	struct loading l = {.c = c};

	add_job(&l, path, NULL, 0);
	for (size_t i = 0; i < l.n; i++)
		read_file(&l, i);
	config_build_check(c, &l.seen);
	for (size_t i = 0; i < l.n; i++) {
		free(l.jobs[i].path);
		free(l.jobs[i].named_in);
	}
	free(l.jobs);
	free(l.seen.items);
}

/* What systemd hands over (LoadCredential=), one file for each target (SECURITY.md, S1). */
static void find_credentials(struct config *c)
{
	const char *folder = getenv("CREDENTIALS_DIRECTORY");
	char path[PATH_MAX];

	for (size_t i = 0; folder && i < c->n_targets; i++) {
		struct target_config *t = &c->targets[i];

		if (!t->username || t->password_file || strchr(t->name, '/') ||
			snprintf(path, sizeof path, "%s/%s", folder, t->name) >=
				(int)sizeof path)
			continue;
		if (access(path, F_OK) == 0)
			t->password_file = mem_text(path);
	}
}

/* What stands in no file and on no command line. */
static void set_standards(struct config *c)
{
	*c = (struct config){
		.database = mem_text(config_key_find(PLACE_TOP, "database")->standard),
		.listen = mem_text(config_key_find(PLACE_TOP, "listen")->standard),
		.poll_interval_ms = 60 * 1000,
		.requests_at_once = 512,
		.store = store_limits_standard(),
	};
	policy_set_init(&c->policies);
	c->policies.rules = &c->rules;
}

/* What is said for all targets holds where a target says nothing. */
static void spread_intervals(struct config *c)
{
	for (size_t i = 0; i < c->n_targets; i++) {
		struct target_config *t = &c->targets[i];

		if (!t->logs_interval_ms)
			t->logs_interval_ms = c->logs_interval_ms;
		if (!t->metrics_interval_ms)
			t->metrics_interval_ms = c->metrics_interval_ms;
		if (!t->topology_interval_ms)
			t->topology_interval_ms = c->topology_interval_ms;
	}
}

static void need_something(struct config *c, const struct options *o, const char *file)
{
	if (!file && options_command_needs_file(o)) {
		config_error_add(c, "", 0,
			"there is no " CONFIG_DEFAULT_FILE
			"; name another one by --config FILE");
		c->status = EX_CONFIG;
	}
	if (c->n_targets || !options_command_reads(o) || o->database)
		return;
	if (file)
		config_error_add(c, file, 0,
			"no target in it; add one, or give --url URL, --local, --recording DIR or --database FILE");
	else
		config_error_add(c, "", 0,
			"nothing to read: give --url URL, --local, --recording DIR or --database FILE, "
			"or targets in " CONFIG_DEFAULT_FILE);
	c->status = file ? EX_CONFIG : EX_USAGE;
}

int config_load(struct config *c, const struct options *o)
{
	bool sources = o->n_urls || o->local || o->recording ||
		       (o->database && options_command_reads(o));
	const char *file = o->config;

	if (!file && !sources && options_command_takes(o, "config") &&
		access(CONFIG_DEFAULT_FILE, F_OK) == 0)
		file = CONFIG_DEFAULT_FILE;
	set_standards(c);
	if (file)
		load_files(c, file);
	if (file && !sources)
		config_build_listed(c);
	if (c->n_errors)
		c->status = EX_CONFIG;
	if (sources)
		config_build_sources(c, o);
	config_build_policy(c, o);
	if (o->database) {
		free(c->database);
		c->database = mem_text(o->database);
	}
	if (!c->n_errors)
		need_something(c, o, file);
	find_credentials(c);
	spread_intervals(c);
	return c->n_errors ? -1 : 0;
}

void config_server(const struct config *c, struct server_config *out)
{
	*out = (struct server_config){
		.listen = c->listen,
		.hosts = (const char *const *)c->web.hostnames,
		.tls_certificate = c->web.tls_certificate,
		.tls_key = c->web.tls_key,
		.users_file = c->web.users_file,
		.database = c->database,
		.connections_per_address = c->web.connections_per_address,
		.plaintext = c->web.plaintext,
		.anonymous = c->web.anonymous,
	};
}

void config_release(struct config *c)
{
	for (size_t i = 0; i < c->n_targets; i++)
		target_config_release(&c->targets[i]);
	for (size_t i = 0; i < c->n_notifies; i++)
		notify_config_release(&c->notifies[i]);
	for (size_t i = 0; i < c->n_listed; i++) {
		for (size_t k = 0; k < c->listed[i].n_files; k++)
			free(c->listed[i].files[k]);
		free(c->listed[i].files);
		target_config_release(&c->listed[i].like);
	}
	free(c->listed);
	for (size_t i = 0; i < c->n_files; i++)
		free(c->files[i]);
	policy_set_release(&c->policies);
	rules_release(&c->rules);
	silences_release(&c->maintenance);
	free(c->targets);
	free(c->notifies);
	free(c->files);
	free(c->errors);
	free(c->database);
	free(c->listen);
	for (size_t i = 0; c->web.hostnames && c->web.hostnames[i]; i++)
		free(c->web.hostnames[i]);
	free(c->web.hostnames);
	free(c->web.tls_certificate);
	free(c->web.tls_key);
	free(c->web.users_file);
	*c = (struct config){0};
}
