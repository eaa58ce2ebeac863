/* SPDX-License-Identifier: MIT */
/* fio: see fio.h.  Units and traps of fio's versions: docs/POOLS.md. */
#include "agent/fio.h"
#include "base/jtext.h"
#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS_MAX = 4096, SHORT_MS = 10000, TOO_SHORT_MS = 100 };

/* ---- finding the document ---- */

struct part {
	const char *s;
	size_t len;
};

static size_t line_len(const char *s, size_t len)
{
	const char *end = memchr(s, '\n', len);

	return end ? (size_t)(end - s) + 1 : len;
}

/* True if the line is one bracket and nothing else. */
static bool only(const char *line, size_t len, char c)
{
	while (len && strchr("\r\n \t", line[len - 1]) && line[len - 1])
		len--;
	return len == 1 && line[0] == c;
}

/*
 * Documents begin at a line that begins with a brace and end at the next line that is one closing
 * brace, or with the line itself where all is on one.  Gives the last whole one, counts all.
 */
static bool last_document(const char *text, size_t len, struct part *out, int *n, bool *open)
{
	const char *start = NULL;

	*n = 0;
	*open = false;
	while (len) {
		size_t line = line_len(text, len);

		if (!start && text[0] == '{' && !only(text, line, '{')) {
			*out = (struct part){text, line};
			++*n;
		} else if (text[0] == '{' && only(text, line, '{')) {
			start = text; /* a second start: the first was cut */
		} else if (start && only(text, line, '}')) {
			*out = (struct part){start, (size_t)(text + line - start)};
			++*n;
			start = NULL;
		}
		text += line;
		len -= line;
	}
	*open = start != NULL;
	return *n > 0;
}

static int refuse(const char *text, size_t len, bool open, struct err *e)
{
	char head[256];

	if (open)
		return err_set(e, "fio's JSON ends in the middle: its closing brace is missing");
	str_clean_bytes(head, sizeof head, text, len < sizeof head ? len : sizeof head - 1);
	if (strstr(head, ";fio-"))
		return err_set(e, "this is fio's terse output; run it with --output-format=json");
	for (size_t i = 0; i + 3 < len; i++)
		if (memcmp(text + i, "bw=", 3) == 0 || memcmp(text + i, "BW=", 3) == 0)
			return err_set(e, "this is fio's text for people; run it with --output-format=json");
	return err_set(e, "not fio's: there is no JSON in it");
}

/* ---- options of a job ---- */

struct options_of {
	const json_t *own, *global;
};

static const char *option(const struct options_of *o, const char *name)
{
	const char *s = jtext_string(json_object_get(o->own, name));

	return s ? s : jtext_string(json_object_get(o->global, name));
}

/* "100G", "512k", "4096", "1.5m": powers of 1024; NAN for "50%" and all else. */
static double size_of(const char *s)
{
	static const char units[] = "kmgtp";
	char text[32], *end;
	double v, step = 1;
	size_t n;

	if (!s || !str_copy(text, sizeof text, s))
		return NAN;
	n = strlen(text);
	end = text + n;
	if (n > 1 && (end[-1] == 'b' || end[-1] == 'B'))
		*--end = '\0';
	if (end - text > 1 && end[-1] == 'i')
		*--end = '\0';
	for (const char *u = units; end > text && *u; u++) {
		step *= 1024;
		if ((end[-1] | 0x20) == *u) {
			end[-1] = '\0';
			return str_to_double(text, &v) && v > 0 ? v * step : NAN;
		}
	}
	return str_to_double(text, &v) && v > 0 ? v : NAN;
}

static bool is_on(const char *s)
{
	return s && !str_same(s, "0");
}

/* A list with colons; one that belongs to a name is written "\:". */
static void take_files(struct fio_job *j, const char *s)
{
	size_t k = 0;

	for (; s && *s && j->n_files < FIO_FILES_MAX; s++) {
		char *file = j->files[j->n_files];

		if (*s == ':') {
			j->n_files += k > 0;
			k = 0;
			continue;
		}
		if (s[0] == '\\' && s[1] == ':')
			s++;
		if (k + 1 < sizeof j->files[0]) {
			file[k++] = *s;
			file[k] = '\0';
		}
	}
	if (j->n_files < FIO_FILES_MAX)
		j->n_files += k > 0;
	for (size_t i = 0; i < j->n_files; i++) {
		char clean[sizeof j->files[0]];

		str_clean(clean, sizeof clean, j->files[i]);
		str_copy(j->files[i], sizeof j->files[i], clean);
	}
}

static void take_options(struct fio_job *j, const struct options_of *o)
{
	const char *numjobs = option(o, "numjobs"), *direct = option(o, "direct"), *size = option(o, "filesize");

	j->numjobs = 1;
	if (numjobs && !str_to_int(numjobs, 1, 1000000, &j->numjobs))
		j->numjobs = 1;
	j->direct = direct ? (is_on(direct) ? TRI_YES : TRI_NO) : TRI_UNKNOWN;
	j->size_bytes = size_of(size ? size : option(o, "size"));
	j->zeros = is_on(option(o, "zero_buffers")) || is_on(option(o, "buffer_compress_percentage")) ||
		   is_on(option(o, "dedupe_percentage"));
	take_files(j, option(o, "filename"));
}

/* ---- figures ---- */

/*
 * bw_bytes since 3.2; before, bw in KiB.  io_bytes is in bytes since 3.0, which is told by
 * io_kbytes being there, and in KiB before.
 */
static double rate_of(const json_t *o)
{
	double bytes = jtext_number(json_object_get(o, "bw_bytes")), kib = jtext_number(json_object_get(o, "bw"));

	if (bytes >= 0)
		return bytes;
	return kib >= 0 ? kib * 1024 : NAN;
}

static double moved_by(const json_t *o)
{
	double n = jtext_number(json_object_get(o, "io_bytes"));
	bool new = json_object_get(o, "io_kbytes") || json_object_get(o, "bw_bytes");

	return n >= 0 ? n * (new ? 1 : 1024) : NAN;
}

static void take_direction(struct fio_job *j, const json_t *job, const char *name, double *rate)
{
	const json_t *o = json_object_get(job, name);
	double moved = moved_by(o);
	int64_t ms;

	*rate = rate_of(o);
	if (!isnan(moved))
		j->io_bytes = (isnan(j->io_bytes) ? 0 : j->io_bytes) + moved;
	if (*rate > 0 && jtext_int(json_object_get(o, "runtime"), 0, INT64_MAX, &ms) && ms > j->runtime_ms)
		j->runtime_ms = ms;
}

static void take_job(struct fio_result *r, const json_t *job, const json_t *global)
{
	const struct options_of options = {json_object_get(job, "job options"), global};
	struct fio_job *j;

	r->jobs = mem_grow(r->jobs, r->n_jobs, sizeof *r->jobs);
	j = &r->jobs[r->n_jobs++];
	*j = (struct fio_job){.group = -1, .io_bytes = NAN, .runtime_ms = -1};
	jtext_copy(j->name, sizeof j->name, json_object_get(job, "jobname"));
	if (!jtext_int(json_object_get(job, "groupid"), 0, INT64_MAX, &j->group))
		j->group = -1;
	if (!jtext_int(json_object_get(job, "error"), 0, INT64_MAX, &j->error))
		j->error = 0;
	take_direction(j, job, "read", &j->read_bps);
	take_direction(j, job, "write", &j->write_bps);
	take_direction(j, job, "mixed", &j->mixed_bps);
	take_options(j, &options);
}

static int take_document(struct fio_result *out, const json_t *doc, struct err *e)
{
	const json_t *jobs = json_object_get(doc, "jobs"), *job;

	if (!json_is_array(jobs))
		jobs = json_object_get(doc, "client_stats");
	if (!json_is_array(jobs) || !json_object_get(doc, "fio version"))
		return err_set(e, "JSON, but not fio's: it has no \"fio version\" with \"jobs\"");
	jtext_copy(out->version, sizeof out->version, json_object_get(doc, "fio version"));
	for (size_t i = 0; i < json_array_size(jobs) && i < JOBS_MAX; i++) {
		job = json_array_get(jobs, i);
		/* the sum that client mode adds */
		if (json_is_object(job) && !str_same(jtext_string(json_object_get(job, "jobname")), "All clients"))
			take_job(out, job, json_object_get(doc, "global options"));
	}
	return 0;
}

int fio_read(const char *text, size_t len, struct fio_result *out, struct err *e)
{
	struct part part = {0};
	json_t *doc;
	bool open;
	int rc;

	*out = (struct fio_result){0};
	if (!last_document(text, len, &part, &out->n_documents, &open))
		return refuse(text, len, open, e);
	doc = jtext_parse(part.s, part.len, NULL, e);
	if (!doc)
		return err_wrap(e, "not fio's");
	rc = take_document(out, doc, e);
	json_decref(doc);
	if (rc)
		fio_release(out);
	return rc;
}

void fio_release(struct fio_result *r)
{
	free(r->jobs);
	*r = (struct fio_result){0};
}

double fio_rate(const struct fio_job *j)
{
	double sum = 0;

	for (size_t i = 0; i < 3; i++) {
		double v = i == 0 ? j->read_bps : i == 1 ? j->write_bps : j->mixed_bps;

		sum += v > 0 ? v : 0;
	}
	return sum > 0 ? sum : NAN;
}

void fio_causes(const struct fio_job *j, char *out, size_t size)
{
	size_t n = 0;

#define SAY(...) n += n < size ? (size_t)snprintf(out + n, size - n, __VA_ARGS__) : 0
	out[0] = '\0';
	if (j->numjobs > 1 && j->n_files == 1)
		SAY("; %lld jobs read one file", (long long)j->numjobs);
	if (j->size_bytes > 0 && j->io_bytes >= 1.5 * j->size_bytes && j->n_files <= 1)
		SAY("; the file's %.3g GiB were moved %.3g times", j->size_bytes / 1073741824, j->io_bytes / j->size_bytes);
	if (j->zeros)
		SAY("; the data are zeros, or compress or repeat");
	if (j->direct == TRI_NO || j->direct == TRI_UNKNOWN)
		SAY("; without direct=1 the page cache answers");
	if (j->runtime_ms >= 0 && j->runtime_ms < TOO_SHORT_MS)
		SAY("; %lld ms is too short to judge", (long long)j->runtime_ms);
	else if (j->runtime_ms >= 0 && j->runtime_ms < SHORT_MS)
		SAY("; it ran for %.1f s only", (double)j->runtime_ms / 1000);
#undef SAY
	if (n)
		memmove(out, out + 2, strlen(out + 2) + 1);
}
