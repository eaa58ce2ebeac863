/* SPDX-License-Identifier: MIT */
/*
 * Lines of the request log, each in one write().
 */
#include "tests/simbmc/reqlog.h"

#include "base/clock.h"
#include "tests/simbmc/util.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int reqlog_open(struct reqlog *l, const char *path, struct err *e)
{
	l->fd = -1;
	if (!path)
		return 0;
	l->fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (l->fd < 0)
		return err_set(e, "%s: %s", path, strerror(errno));
	return 0;
}

void reqlog_close(struct reqlog *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}

/* Writes and releases doc. */
static void write_line(struct reqlog *l, json_t *doc)
{
	char *text = json_dumps(doc, JSON_COMPACT | JSON_REAL_PRECISION(13));
	char *line;

	json_decref(doc);
	if (!text)
		return;
	line = format("%s\n", text);
	if (write(l->fd, line, strlen(line)) < 0)
		warn_line("the request log cannot be written: %s", strerror(errno));
	free(line);
	free(text);
}

void reqlog_write(struct reqlog *l, const struct reqlog_line *line)
{
	json_t *doc;

	if (l->fd < 0) {
		json_decref(line->headers);
		return;
	}
	doc = json_pack("{s:f, s:i, s:i, s:o, s:o, s:i, s:I, s:i, s:b, s:b, s:o}",
		"t", (double)clock_wall_ms() / 1000.0,
		"instance", (int)line->instance,
		"conn", (int)line->conn,
		"method", utf8_text(line->method),
		"path", utf8_text(line->path),
		"status", line->status,
		"bytes", (json_int_t)line->bytes,
		"sessions", (int)line->sessions,
		"token", line->token,
		"basic", line->basic,
		"headers", line->headers);
	write_line(l, doc);
}

void reqlog_sent(struct reqlog *l, unsigned instance, const char *path, size_t sent)
{
	if (l->fd < 0)
		return;
	write_line(l, json_pack("{s:f, s:i, s:o, s:I}",
		"t", (double)clock_wall_ms() / 1000.0,
		"instance", (int)instance,
		"path", utf8_text(path),
		"sent", (json_int_t)sent));
}
