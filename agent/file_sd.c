/* SPDX-License-Identifier: MIT */
/* file_sd: see file_sd.h. */
#include "agent/file_sd.h"

#include "base/jtext.h"
#include "base/str.h"

#include <stdio.h>
#include <string.h>

enum { PARTS_MAX = 1000 };

/* A label's text; false, with the reason, if it is longer than there is room for. */
static int take_label(const json_t *labels, const char *key, char *out, size_t size, struct err *e)
{
	const char *text = jtext_string(json_object_get(labels, key));

	out[0] = '\0';
	if (!text)
		return 0;
	str_clean(out, size, text);
	return strcmp(out, text) == 0 ? 0 : err_set(e, "label \"%s\" is longer than %zu bytes, or no plain text", key, size - 1);
}

static int take_address(const json_t *j, struct file_sd_target *t, struct err *e)
{
	const char *text = jtext_string(j);

	if (!text)
		return err_set(e, "a target is not a text");
	str_clean(t->address, sizeof t->address, text);
	return strcmp(t->address, text) == 0 ? 0 : err_set(e, "\"%.40s...\" is too long for an address, or no plain text", t->address);
}

/* The address without what stands before and behind the host and port: it names folders. */
static int name_after_address(struct file_sd_target *t, struct err *e)
{
	const char *start = strstr(t->address, "://");
	size_t n;

	start = start ? start + 3 : t->address;
	n = strcspn(start, "/");
	if (n >= sizeof t->name)
		return err_set(e, "\"%s\" is too long for a name; give it a label \"instance\"", t->address);
	snprintf(t->name, sizeof t->name, "%.*s", (int)n, start);
	return 0;
}

static int check_name(const struct file_sd_target *t, struct err *e)
{
	if (!t->name[0] || strchr(t->name, '/') || strcmp(t->name, ".") == 0 || strcmp(t->name, "..") == 0)
		return err_set(e, "\"%s\" is no name for a target: it is empty, has a / or is nothing but dots", t->name);
	return 0;
}

static int read_group(const json_t *group, bool (*fn)(void *arg, const struct file_sd_target *t), void *arg, struct err *e)
{
	const json_t *targets = json_object_get(group, "targets"), *labels = json_object_get(group, "labels");
	json_t *one;
	size_t i;

	if (!json_is_array(targets))
		return err_set(e, "a group has no list \"targets\"");
	if (labels && !json_is_object(labels))
		return err_set(e, "\"labels\" is no object");
	json_array_foreach(targets, i, one)
	{
		struct file_sd_target t = {.address = ""};

		if (take_address(one, &t, e) || take_label(labels, "host", t.host, sizeof t.host, e) ||
			take_label(labels, "group", t.group, sizeof t.group, e))
			return -1;
		if (json_array_size(targets) == 1 && take_label(labels, "instance", t.name, sizeof t.name, e))
			return -1;
		if (!t.name[0] && name_after_address(&t, e))
			return -1;
		if (check_name(&t, e))
			return -1;
		if (!fn(arg, &t))
			return 1;
	}
	return 0;
}

int file_sd_read(const char *text, size_t len, bool (*fn)(void *arg, const struct file_sd_target *t), void *arg, struct err *e)
{
	json_t *list = jtext_parse(text, len, NULL, e), *group;
	int rc = 0;
	size_t i;

	if (!list)
		return -1;
	if (!json_is_array(list))
		rc = err_set(e, "it is no list of groups: [{\"targets\": [\"ADDRESS\"], \"labels\": {}}]");
	json_array_foreach(list, i, group)
	{
		if (rc == 0)
			rc = read_group(group, fn, arg, e);
	}
	json_decref(list);
	return rc < 0 ? -1 : 0;
}

/* ---- parts ---- */

bool shard_parse(const char *text, unsigned *part, unsigned *parts)
{
	const char *slash = strchr(text, '/');
	char first[8];
	int64_t a, b;

	if (!slash || (size_t)(slash - text) >= sizeof first)
		return false;
	snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
	if (!str_to_int(slash + 1, 1, PARTS_MAX, &b) || !str_to_int(first, 1, b, &a))
		return false;
	*part = (unsigned)a;
	*parts = (unsigned)b;
	return true;
}

/* FNV-1a, and a finish (MurmurHash3's) that spreads what names with a common beginning have apart. */
static uint64_t weight(const char *name, unsigned part)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3u;
	h ^= part * 0x9e3779b97f4a7c15u;
	h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdu;
	h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53u;
	return h ^ (h >> 33);
}

bool shard_takes(unsigned part, unsigned parts, const char *name)
{
	uint64_t mine = weight(name, part);

	for (unsigned i = 1; i <= parts; i++)
		if (i != part && (weight(name, i) > mine || (weight(name, i) == mine && i < part)))
			return false;
	return true;
}
