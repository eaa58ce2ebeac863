/* SPDX-License-Identifier: MIT */
/* watch: see watch.h. */
#include "agent/watch.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETTLE_MS = 500 }; /* a writer may need several steps */

struct folder {
	uv_fs_event_t event;
	struct watch *all;
	char pattern[256]; /* of the names in it */
};

struct watch {
	uv_timer_t settle;
	size_t n, n_open;
	struct folder **folders;
	void (*changed)(void *arg);
	void *arg;
};

static void on_settled(uv_timer_t *t)
{
	struct watch *w = t->data;

	w->changed(w->arg);
}

static void on_event(uv_fs_event_t *h, const char *name, int events, int status)
{
	struct folder *f = h->data;

	(void)events;
	if (status == 0 && (!name || str_match(f->pattern, name)))
		uv_timer_start(&f->all->settle, on_settled, SETTLE_MS, 0);
}

static void add_folder(struct watch *w, uv_loop_t *loop, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct folder *f = mem_new(1, sizeof *f);
	char folder[4096];
	int rc;

	if (!slash || (size_t)(slash - path) >= sizeof folder || !str_copy(f->pattern, sizeof f->pattern, slash + 1)) {
		free(f);
		return;
	}
	snprintf(folder, sizeof folder, "%.*s", slash == path ? 1 : (int)(slash - path), path);
	f->all = w;
	f->event.data = f;
	uv_fs_event_init(loop, &f->event);
	w->folders = mem_grow(w->folders, w->n, sizeof *w->folders);
	w->folders[w->n++] = f;
	rc = uv_fs_event_start(&f->event, on_event, folder, 0);
	if (rc)
		log_warn("config", "%s cannot be watched: %s; send SIGHUP when a list there has changed", folder, uv_strerror(rc));
}

struct watch *watch_new(uv_loop_t *loop, const struct config *c, void (*changed)(void *arg), void *arg)
{
	struct watch *w = mem_new(1, sizeof *w);

	*w = (struct watch){.changed = changed, .arg = arg};
	uv_timer_init(loop, &w->settle);
	w->settle.data = w;
	for (size_t i = 0; i < c->n_listed; i++)
		for (size_t k = 0; k < c->listed[i].n_files; k++)
			add_folder(w, loop, c->listed[i].files[k]);
	return w;
}

static void one_closed(struct watch *w)
{
	if (--w->n_open)
		return;
	for (size_t i = 0; i < w->n; i++)
		free(w->folders[i]);
	free(w->folders);
	free(w);
}

static void on_folder_closed(uv_handle_t *h)
{
	struct folder *f = h->data;

	one_closed(f->all);
}

static void on_timer_closed(uv_handle_t *h)
{
	one_closed(h->data);
}

void watch_free(struct watch *w)
{
	if (!w)
		return;
	w->n_open = w->n + 1;
	for (size_t i = 0; i < w->n; i++)
		uv_close((uv_handle_t *)&w->folders[i]->event, on_folder_closed);
	uv_close((uv_handle_t *)&w->settle, on_timer_closed);
}
