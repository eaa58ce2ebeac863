/* SPDX-License-Identifier: MIT */
/* tree: see tree.h. */
#include "collectors/redfish/tree.h"
#include "base/clock.h"
#include "base/jtext.h"
#include "base/mem.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char deep_query[] = "$expand=.($levels=2)";

void rf_tree_init(struct rf_tree *t, const struct url *origin)
{
	*t = (struct rf_tree){.origin = origin};
}

static void drop_doc(struct rf_tree *t, struct rf_resource *r)
{
	json_decref(r->doc);
	free(r->packed);
	r->doc = NULL;
	r->packed = NULL;
	t->n_elements -= r->n_elements;
	r->n_elements = 0;
}

static void drop(struct rf_tree *t, struct rf_resource *r)
{
	HASH_DEL(t->resources, r);
	drop_doc(t, r);
	free(r->failure);
	free(r->bay);
	if (r->key != r->path)
		free(r->key);
	free(r->path);
	free(r);
}

void rf_tree_release(struct rf_tree *t)
{
	struct rf_resource *r, *next;

	HASH_ITER(hh, t->resources, r, next)
		drop(t, r);
	free(t->troubles);
	rf_tree_init(t, t->origin);
}

/* A service whose paths change from poll to poll must not fill the tree for good. */
static void forget_unused(struct rf_tree *t)
{
	struct rf_resource *r, *next;

	HASH_ITER(hh, t->resources, r, next)
		if (r->wanted < t->round)
			drop(t, r);
}

void rf_tree_begin(struct rf_tree *t)
{
	if (HASH_COUNT(t->resources) > RF_RESOURCES_MAX / 2 || t->n_elements > RF_ELEMENTS_MAX / 2)
		forget_unused(t);
	t->round++;
	t->n_pages = 0;
	free(t->troubles);
	t->troubles = NULL;
	t->n_troubles = 0;
}

void rf_tree_rewalk(struct rf_tree *t)
{
	t->walk_round = t->round;
}

void rf_tree_pack(struct rf_tree *t)
{
	struct rf_resource *r, *next;

	HASH_ITER(hh, t->resources, r, next) {
		if (r->state == RF_READ && !r->wanted) {
			drop(t, r);
			continue;
		}
		if (r->state != RF_READ || !r->doc)
			continue;
		if ((r->flags & RF_LIVE) && !(r->flags & RF_METRICS)) {
			drop_doc(t, r);
			continue;
		}
		if (!r->packed) /* else it is what it was unpacked from */
			r->packed = jtext_print(r->doc, JSON_COMPACT | JSON_REAL_PRECISION(17));
		json_decref(r->doc);
		r->doc = NULL;
	}
}

json_t *rf_tree_document(struct rf_resource *r)
{
	if (!r->doc && r->packed)
		r->doc = json_loads(r->packed, 0, NULL);
	return r->doc;
}

void rf_tree_changed(struct rf_resource *r)
{
	free(r->packed);
	r->packed = NULL;
}

static void trouble(struct rf_tree *t, const char *resource, const char *code, const char *message)
{
	struct rf_trouble *x;

	for (x = t->troubles; x < t->troubles + t->n_troubles; x++)
		if (str_same(x->code, code) && strncmp(x->resource, resource, sizeof x->resource - 1) == 0)
			return;
	if (t->n_troubles == RF_TROUBLES_MAX)
		return;
	t->troubles = mem_grow(t->troubles, t->n_troubles, sizeof *t->troubles);
	x = &t->troubles[t->n_troubles++];
	str_clean(x->resource, sizeof x->resource, resource);
	str_clean(x->code, sizeof x->code, code);
	str_clean(x->message, sizeof x->message, message);
}

static struct rf_resource *find_key(const struct rf_tree *t, const char *key)
{
	struct rf_resource *r;

	HASH_FIND_STR(t->resources, key, r);
	return r;
}

static struct rf_resource *find_or_add(struct rf_tree *t, const char *path)
{
	char key[RF_PATH_MAX];
	struct rf_resource *r;

	rf_path_key(path, key);
	r = find_key(t, key);
	if (r)
		return r;
	if (HASH_COUNT(t->resources) >= RF_RESOURCES_MAX) {
		trouble(t, "/redfish/v1", "too-many-resources", "more resources than are read of one target");
		return NULL;
	}
	r = mem_new(1, sizeof *r);
	r->path = mem_text(path);
	r->key = str_same(path, key) ? r->path : mem_text(key);
	HASH_ADD_KEYPTR(hh, t->resources, r->key, strlen(r->key), r);
	return r;
}

struct rf_resource *rf_tree_find(const struct rf_tree *t, const char *link)
{
	char path[RF_PATH_MAX], key[RF_PATH_MAX];

	if (!rf_path_reduce(t->origin, link, path))
		return NULL;
	rf_path_key(path, key);
	return find_key(t, key);
}

/* True if it is not there, or not for us: asking again soon gives the same. */
static bool is_refusal(const struct rf_resource *r)
{
	return (r->status >= 400 && r->status < 500 && r->status != 429) ||
	       rf_tree_not_licensed(r);
}

/* True if what is known of r is of no use any more. */
static bool outdated(const struct rf_tree *t, const struct rf_resource *r)
{
	bool renewed = r->round < t->walk_round;

	if (r->round == t->round)
		return false;
	if (r->flags & RF_REPORT)
		return t->metrics_due && (r->state == RF_READ || (r->state == RF_FAILED && (renewed || !is_refusal(r))));
	if (r->flags & RF_METRICS)
		return t->metrics_due && (r->state == RF_READ || r->state == RF_FAILED);
	if (r->state == RF_READ)
		return renewed || (r->flags & RF_LIVE);
	if (renewed && r->state == RF_FAILED)
		return true;
	return r->state == RF_FAILED && ((r->flags & RF_LIVE) || !(r->flags & RF_OPTIONAL));
}

static json_t *want_path(struct rf_tree *t, const char *path, unsigned flags, bool page)
{
	struct rf_resource *r = find_or_add(t, path);

	if (!r)
		return NULL;
	r->flags |= flags;
	r->named |= !(flags & RF_SHORTCUT);
	if (page && r->wanted != t->round) {
		if (t->n_pages >= RF_PAGES_MAX) {
			trouble(t, path, "too-many-pages", "a collection has more pages than are read");
			return NULL;
		}
		t->n_pages++;
	}
	r->wanted = t->round;
	if (r->state == RF_READ && !outdated(t, r) && rf_tree_document(r))
		return r->doc;
	if ((flags & RF_METRICS) && (t->metrics_refused || !t->metrics_due))
		return NULL;
	if (r->state == RF_FAILED && r->not_before_mono_ms > clock_mono_ms())
		return NULL;
	if (r->state == RF_STATE_UNKNOWN || r->state == RF_READ || outdated(t, r)) {
		r->state = RF_WANTED;
		r->expand = (r->flags & RF_EXPAND) && t->can_expand && !r->plain_only;
	}
	return NULL;
}

json_t *rf_tree_want(struct rf_tree *t, const char *link, unsigned flags)
{
	char path[RF_PATH_MAX];

	if (!rf_path_reduce(t->origin, link, path)) {
		trouble(t, link ? link : "", "link-refused", "a link that leaves this BMC is not followed");
		return NULL;
	}
	return want_path(t, path, flags, false);
}

bool rf_tree_path_of(struct rf_tree *t, const json_t *ref, char out[RF_PATH_MAX])
{
	const char *link = jtext_string(json_is_object(ref) ? json_object_get(ref, "@odata.id") : ref);

	if (!link)
		return false;
	if (rf_path_reduce(t->origin, link, out))
		return true;
	trouble(t, link, "link-refused", "a link that leaves this BMC is not followed");
	return false;
}

json_t *rf_tree_want_ref(struct rf_tree *t, const json_t *ref, unsigned flags)
{
	char path[RF_PATH_MAX];

	return rf_tree_path_of(t, ref, path) ? want_path(t, path, flags, false) : NULL;
}

void rf_tree_want_expanded(struct rf_tree *t, struct rf_resource *r)
{
	if (r->expanded || r->plain_only || r->state != RF_READ || !t->can_expand)
		return;
	r->flags |= RF_EXPAND;
	r->expand = true;
	r->state = RF_WANTED;
}

const char *rf_tree_query(const struct rf_tree *t, const struct rf_resource *r)
{
	if (!r->expand)
		return NULL;
	return r->deep ? deep_query : t->expand_query;
}

bool rf_tree_unexpand(struct rf_tree *t, struct rf_resource *r, bool refuses)
{
	if (!r->expand)
		return false;
	if (r->deep) { /* one level may do still */
		t->can_go_deep = r->deep = false;
		r->state = RF_WANTED;
		return true;
	}
	if (refuses)
		t->can_expand = t->can_expand_drives = false;
	r->plain_only = true;
	r->expand = false;
	r->state = RF_WANTED;
	return true;
}

void rf_tree_too_many(struct rf_tree *t, const char *path)
{
	trouble(t, path, "too-many-resources", "a list is longer than is read");
}

void rf_tree_defer(struct rf_resource *r, int64_t not_before_mono_ms)
{
	r->not_before_mono_ms = not_before_mono_ms;
	r->state = RF_WANTED;
}

int64_t rf_tree_deferred(const struct rf_tree *t)
{
	int64_t first = 0;

	for (const struct rf_resource *r = t->resources; r; r = r->hh.next)
		if (r->state == RF_WANTED && r->not_before_mono_ms && (!first || r->not_before_mono_ms < first))
			first = r->not_before_mono_ms;
	return first;
}

static bool metrics_under_way(const struct rf_tree *t)
{
	for (const struct rf_resource *r = t->resources; r; r = r->hh.next)
		if (r->state == RF_ASKED && (r->flags & RF_METRICS))
			return true;
	return false;
}

struct rf_resource *rf_tree_next(struct rf_tree *t)
{
	int64_t now = clock_mono_ms();
	struct rf_resource *r;

	for (r = t->resources; r; r = r->hh.next) {
		if (r->state != RF_WANTED || r->not_before_mono_ms > now)
			continue;
		if ((r->flags & RF_METRICS) && t->metrics_refused) {
			rf_tree_fail(t, r, 0, "not-licensed", "not licensed on this BMC");
			continue;
		}
		if ((r->flags & RF_METRICS) && !t->metrics_tried && metrics_under_way(t))
			continue;
		r->state = RF_ASKED;
		r->deep = r->expand && (r->flags & RF_DEEP) && t->can_go_deep;
		return r;
	}
	return NULL;
}

void rf_error_read(const json_t *doc, char *code, size_t code_size, char *message, size_t message_size)
{
	const json_t *error = json_object_get(doc, "error");
	const json_t *info = json_object_get(error, "@Message.ExtendedInfo");

	code[0] = message[0] = '\0';
	if (json_is_array(info))
		info = json_array_get(info, 0);
	jtext_copy(code, code_size, json_object_get(info, "MessageId"));
	jtext_copy(message, message_size, json_object_get(info, "Message"));
	if (!code[0])
		jtext_copy(code, code_size, json_object_get(error, "code"));
	if (!message[0])
		jtext_copy(message, message_size, json_object_get(error, "message"));
}

bool rf_error_not_licensed(const char *code, const char *message)
{
	return str_has_nocase(code, "LIC501") || str_has_nocase(code, "LicenseRequired") ||
	       str_has_nocase(code, "NotLicensed") || str_has_nocase(message, "license is missing") ||
	       str_has_nocase(message, "not licensed") || str_has_nocase(message, "license required");
}

bool rf_tree_not_licensed(const struct rf_resource *r)
{
	return r->failure && rf_error_not_licensed(r->failure->code, r->failure->message);
}

static struct rf_failure *failure_new(const char *code, const char *message)
{
	char clean_code[64], clean[192];
	struct rf_failure *f;
	size_t at, size;

	str_clean(clean_code, sizeof clean_code, code);
	str_clean(clean, sizeof clean, message);
	at = strlen(clean_code) + 1;
	size = strlen(clean) + 1;
	f = mem_take(sizeof *f + at + size);
	memcpy(f->code, clean_code, at);
	f->message = f->code + at;
	memcpy(f->message, clean, size);
	return f;
}

void rf_tree_fail(struct rf_tree *t, struct rf_resource *r, int status, const char *code, const char *message)
{
	struct rf_failure *f = failure_new(code, message);

	drop_doc(t, r);
	t->metrics_tried |= (r->flags & RF_METRICS) != 0;
	r->state = RF_FAILED;
	r->round = t->round;
	r->status = status;
	free(r->failure);
	r->failure = f;
	if ((r->flags & RF_METRICS) && rf_error_not_licensed(code, message))
		t->metrics_refused = true;
}

static void set_doc(struct rf_tree *t, struct rf_resource *r, json_t *doc, size_t n_elements)
{
	drop_doc(t, r);
	t->metrics_tried |= (r->flags & RF_METRICS) != 0;
	r->doc = doc;
	r->n_elements = n_elements;
	t->n_elements += n_elements;
	r->state = RF_READ;
	r->round = t->round;
	r->status = 0;
	free(r->failure);
	r->failure = NULL;
	r->not_before_mono_ms = 0;
}

/* A whole resource, not just a link to one, nor a part of one. */
static bool is_resource(const json_t *j)
{
	const char *id = jtext_string(json_object_get(j, "@odata.id"));

	return id && !strchr(id, '#') && !json_object_get(j, "error") &&
	       (json_object_get(j, "@odata.type") || json_object_get(j, "Id"));
}

/*
 * Makes a resource of an expanded member; true if it was one.  What was read in this round already, or
 * is being read, stays: documents that are in use do not go away under the reader.
 */
static bool take_member(struct rf_tree *t, json_t *j)
{
	char path[RF_PATH_MAX];
	struct rf_resource *r;

	if (!is_resource(j) || !rf_tree_path_of(t, j, path))
		return false;
	r = find_or_add(t, path);
	if (!r || r->state == RF_ASKED || (r->state == RF_READ && r->round == t->round))
		return true;
	set_doc(t, r, json_incref(j), 0);
	r->expanded = false; /* what it lists did not come along */
	return true;
}

static json_t *link_to(const json_t *resource)
{
	return json_pack("{s:O}", "@odata.id", json_object_get(resource, "@odata.id"));
}

/* What an expanded answer brought: members that are whole, and links that stayed links. */
struct expansion {
	size_t whole, links;
};

/* Takes the whole members out of a list, and leaves links in their place. */
static struct expansion take_members(struct rf_tree *t, json_t *list)
{
	struct expansion x = {0, 0};
	json_t *j;
	size_t i;

	json_array_foreach(list, i, j)
	{
		if (take_member(t, j)) {
			x.whole++;
			json_array_set_new(list, i, link_to(j));
		} else if (json_is_object(j)) {
			x.links++;
		}
	}
	return x;
}

/* True if a list is shorter than its count says, and no further page follows. */
static bool falls_short(const json_t *doc, const char *list, const char *count, const char *next)
{
	int64_t n;

	return !json_object_get(doc, next) && jtext_int(json_object_get(doc, count), 0, INT32_MAX, &n) &&
	       (size_t)n > json_array_size(json_object_get(doc, list));
}

static bool lists_fall_short(const json_t *doc)
{
	return falls_short(doc, "Members", "Members@odata.count", "Members@odata.nextLink") ||
	       falls_short(doc, "Drives", "Drives@odata.count", "Drives@odata.nextLink");
}

/* Takes what a collection brought that came along itself; false if it is better asked for by itself. */
static bool take_inner(struct rf_tree *t, json_t *collection)
{
	struct expansion x = take_members(t, json_object_get(collection, "Members"));

	return (x.whole || !x.links) && !lists_fall_short(collection);
}

/* Takes the resources that a document holds in place of links, and where their members were asked for as well, those. */
static void take_parts(struct rf_tree *t, json_t *doc, bool deep)
{
	void *next;
	const char *key;
	json_t *j;

	json_object_foreach_safe(doc, next, key, j)
	{
		if (!json_is_object(j) || !is_resource(j) || (deep && !take_inner(t, j)))
			continue;
		if (take_member(t, j))
			json_object_set_new(doc, key, link_to(j));
	}
}

/*
 * Takes an expanded answer apart.  A service that declares $expand and ignores it is remembered;
 * an answer with fewer members than it says, or than were listed before, is not trusted: the
 * resource is read once more as it is, and its members one by one.
 */
static bool expansion_trusted(struct rf_tree *t, const struct rf_resource *r, json_t *doc)
{
	json_t *drives = json_object_get(doc, "Drives");
	struct expansion m = take_members(t, json_object_get(doc, "Members")), d = take_members(t, drives);

	take_parts(t, doc, r->flags & RF_DEEP);
	if (m.links && !m.whole)
		t->can_expand = false;
	if (d.links && !d.whole)
		t->can_expand_drives = false;
	if (lists_fall_short(doc) || json_array_size(drives) < json_array_size(json_object_get(r->doc, "Drives"))) {
		t->can_expand = t->can_expand_drives = false;
		return false;
	}
	return true;
}

void rf_tree_put(struct rf_tree *t, struct rf_resource *r, json_t *doc, size_t n_elements)
{
	char code[64], message[192];
	bool asked_expanded = r->expand;

	r->expand = false;
	if (t->n_elements - r->n_elements + n_elements > RF_ELEMENTS_MAX) {
		json_decref(doc);
		trouble(t, "/redfish/v1", "too-much-data", "more data than is read of one target");
		rf_tree_fail(t, r, 0, "too-much-data", "past the ceiling of one target");
		return;
	}
	if (!json_is_object(doc) || json_is_object(json_object_get(doc, "error"))) {
		rf_error_read(doc, code, sizeof code, message, sizeof message);
		json_decref(doc);
		r->expand = asked_expanded;
		if (rf_tree_unexpand(t, r, false))
			return;
		rf_tree_fail(t, r, 200, code[0] ? code : "not-a-resource", message[0] ? message : "an answer that is no resource");
		return;
	}
	if (asked_expanded && !expansion_trusted(t, r, doc)) {
		json_decref(doc);
		r->flags &= ~(unsigned)RF_EXPAND;
		r->state = RF_WANTED;
		return;
	}
	r->expanded = asked_expanded;
	set_doc(t, r, doc, n_elements);
}

/* Turns to the next page; false while it is not there, and where there is none. */
static bool turn_page(struct rf_tree *t, struct rf_members *it, const char *key, unsigned flags)
{
	char next_key[64], path[RF_PATH_MAX];
	const json_t *next;

	snprintf(next_key, sizeof next_key, "%s@odata.nextLink", key);
	next = json_object_get(it->page, next_key);
	if (!next)
		next = json_object_get(it->page, "@odata.nextLink");
	if (!next || !rf_tree_path_of(t, next, path))
		return false;
	if (++it->pages > t->n_pages + 1) { /* more pages than there are: they go in a circle */
		trouble(t, path, "page-loop", "the pages of a collection go in a circle");
		return false;
	}
	it->page = want_path(t, path, flags & ~(unsigned)RF_EXPAND, true);
	it->list = json_object_get(it->page, key);
	it->i = 0;
	return it->page != NULL;
}

const json_t *rf_tree_member(struct rf_tree *t, struct rf_members *it, json_t *collection, const char *key, unsigned flags)
{
	if (!it->page) {
		it->page = collection;
		it->list = json_object_get(collection, key);
	}
	while (it->i >= json_array_size(it->list))
		if (!it->page || !turn_page(t, it, key, flags))
			return NULL;
	return json_array_get(it->list, it->i++);
}
