/* SPDX-License-Identifier: MIT */
/* recorded: see recorded.h. */
#include "collectors/replay/recorded.h"
#include "base/file.h"
#include "base/jtext.h"
#include "base/str.h"

#include <stdio.h>

enum { RECORDED_JSON_MAX = 16 * 1024 * 1024 };

json_t *recorded_json(const char *dir, const char *name, struct err *e)
{
	char path[4096];
	struct buf text;
	json_t *j = NULL;

	if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path) {
		err_set(e, "%s: path too long", name);
		return NULL;
	}
	buf_init(&text, RECORDED_JSON_MAX);
	if (file_read(path, &text, e) == 0) {
		j = jtext_parse(buf_text(&text), text.len, NULL, e);
		if (!j)
			err_wrap(e, "%s", path);
	}
	buf_release(&text);
	return j;
}

bool recorded_error(const char *dir, struct target *t)
{
	json_t *j = recorded_json(dir, "target.json", NULL);
	const char *said = jtext_string(json_object_get(j, "error"));

	if (said) {
		t->verdict = TARGET_UNREACHABLE;
		t->reason = reason_of(said);
		str_clean(t->message, sizeof t->message, said);
	}
	json_decref(j);
	return t->verdict == TARGET_UNREACHABLE;
}
