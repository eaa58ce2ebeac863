/* SPDX-License-Identifier: MIT */
/* reader: see reader.h.  In a thread of the crew. */
#include "web/reader.h"
#include "base/mem.h"

#include <stdlib.h>

struct reader {
	const char *path;
	struct store *store;
};

void *reader_make(void *path)
{
	struct reader *r = mem_new(1, sizeof *r);

	r->path = path;
	return r;
}

void reader_drop(void *reader)
{
	struct reader *r = reader;

	store_close(r->store);
	free(r);
}

struct store *reader_store(void *reader, int limit_ms, struct err *e)
{
	struct reader *r = reader;

	if (!r)
		return NULL;
	if (r->store && !store_is_at(r->store, r->path)) {
		store_close(r->store);
		r->store = NULL;
	}
	if (!r->store)
		r->store = store_open(r->path, STORE_READ_INSIDE, NULL, e);
	if (r->store)
		store_deadline(r->store, limit_ms);
	return r->store;
}
