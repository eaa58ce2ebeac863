/* SPDX-License-Identifier: MIT */
/*
 * What a browser asks for: path, Accept header and query as libmicrohttpd hands them over.
 * First line the path, second Accept, then a line for each key=value.  Every one is answered
 * by a page, and one that is refused says why in JSON.
 */
#include "tests/fuzz/fuzz.h"
#include "web/api.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Two bays of one host: one with a link, one of which nothing is known. */
static struct api *published(struct inventory *inv)
{
	struct api *a = api_new();
	struct snapshot s;
	struct bay *b;

	snapshot_init(&s, "t", TARGET_REPLAY, "t");
	b = snapshot_add_bay(&s, "0");
	b->present = TRI_YES;
	b->link.now = (struct pcie_rate){.speed_mtps = 32000, .width_lanes = 4};
	snapshot_add_bay(&s, "1");
	inventory_init(inv);
	inventory_apply(inv, &s);
	inventory_finish(inv, NULL, 0);
	snapshot_release(&s);
	api_publish(a, &(struct api_state){.inventory = inv});
	return a;
}

/* A series is only asked for here: the store is read by another target. */
static struct page *fuzz_series(struct api *a, const struct api_query *q, const char *path, int *status)
{
	struct page *p = NULL;
	struct series *s;

	if (strcmp(path, "/api/v1/series") != 0)
		return NULL;
	s = api_series(a, q, &p, status);
	if (!s)
		return p;
	p = api_series_end(a, s, status);
	series_free(s);
	return p;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char none[] = "", *text = malloc(size + 1), *lines[20] = {none, none}, *at = text;
	struct api_query q = {0};
	struct inventory inv;
	struct page *p;
	struct api *a;
	int status = 0;
	size_t n = 0;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	while (n < 18 && *at) {
		char *end = at + strcspn(at, "\n");
		bool more = *end;

		*end = '\0';
		lines[n++] = at;
		at = end + more;
	}
	q.accept = lines[1][0] ? lines[1] : NULL;
	for (size_t i = 2; i < n && q.n < 16; i++) {
		char *eq = lines[i] + strcspn(lines[i], "=");

		q.pairs[q.n].value = *eq ? eq + 1 : none;
		*eq = '\0';
		q.pairs[q.n++].key = lines[i];
	}
	a = published(&inv);
	p = fuzz_series(a, &q, lines[0], &status);
	if (!p)
		p = api_get(a, lines[0], &q, &status);
	assert(p && p->type && status >= 200 && status < 600);
	if (status >= 400 && strcmp(lines[0], "/readyz") != 0) {
		json_t *j = json_loadb(p->body, p->len, 0, NULL);

		assert(json_integer_value(json_object_get(j, "status")) == status);
		json_decref(j);
	}
	page_unref(p);
	api_free(a);
	inventory_release(&inv);
	free(text);
	return 0;
}
