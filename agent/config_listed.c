/* SPDX-License-Identifier: MIT */
/*
 * config_listed: targets of file_sd sections: which files there are, and what a list adds to the
 * section.  The form of a list is file_sd.c's.
 */
#include "agent/config_build.h"
#include "agent/file_sd.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/url.h"

#include <glob.h>
#include <string.h>

enum { LIST_BYTES_MAX = 4 << 20, TARGETS_MAX = 20000 };

struct listing {
	struct config *c;
	const struct listed_config *of;
	const char *path;
	bool full;
};

static const struct target_config *find(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->n_targets; i++)
		if (strcmp(c->targets[i].name, name) == 0)
			return &c->targets[i];
	return NULL;
}

/* One address may stand in several lists; it is read once. */
static bool listed_before(const struct config *c, const char *url)
{
	for (size_t i = 0; i < c->n_targets; i++)
		if (strcmp(c->targets[i].url, url) == 0)
			return true;
	return false;
}

static void add(struct listing *l, const struct file_sd_target *from, const char *url)
{
	const struct config_section section = {.place = PLACE_FILE_SD, .line = l->of->line};
	const struct config_where where = {l->c, l->of->file, &section};
	struct target_config *t = config_add_target(l->c, from->name);
	struct target_config own = target_config_copy(&l->of->like);

	str_copy(own.name, sizeof own.name, from->name);
	str_copy(own.host, sizeof own.host, from->host[0] ? from->host : from->name);
	if (from->group[0])
		str_copy(own.group, sizeof own.group, from->group);
	*t = own;
	config_set_access(&where, t, url);
}

static bool take(void *arg, const struct file_sd_target *from)
{
	struct listing *l = arg;
	struct err e = {""};
	char text[192];
	struct url u;

	if (l->c->shards && !shard_takes(l->c->shard, l->c->shards, from->name))
		return true;
	if (url_parse(from->address, &u, &e)) {
		config_error_add(l->c, l->path, 0, "%s", e.text);
		return true;
	}
	url_text(&u, text, sizeof text);
	if (listed_before(l->c, text))
		return true;
	if (find(l->c, from->name)) {
		config_error_add(l->c, l->path, 0, "there is another target \"%s\" already", from->name);
		return true;
	}
	l->full = l->c->n_targets >= TARGETS_MAX;
	if (l->full)
		config_error_add(l->c, l->path, 0, "more than %d targets", TARGETS_MAX);
	else
		add(l, from, from->address);
	return !l->full;
}

static void read_list(struct config *c, const struct listed_config *of, const char *path)
{
	struct listing l = {.c = c, .of = of, .path = path};
	struct err e = {""};
	struct buf b;

	buf_init(&b, LIST_BYTES_MAX);
	if (config_read(path, &b, &e))
		config_error_add(c, "", 0, "%s", e.text);
	else if (file_sd_read(buf_text(&b), b.len, take, &l, &e))
		config_error_add(c, path, 0, "%s", e.text);
	buf_release(&b);
}

void config_build_listed(struct config *c)
{
	for (size_t i = 0; i < c->n_listed; i++)
		for (size_t k = 0; k < c->listed[i].n_files; k++) {
			glob_t found;
			int rc = glob(c->listed[i].files[k], 0, NULL, &found);

			for (size_t g = 0; rc == 0 && g < found.gl_pathc; g++)
				read_list(c, &c->listed[i], found.gl_pathv[g]);
			if (rc == 0)
				globfree(&found);
			else if (!strpbrk(c->listed[i].files[k], "*?["))
				config_error_add(c, c->listed[i].file, c->listed[i].line, "file_sd: there is no file %s", c->listed[i].files[k]);
		}
}
