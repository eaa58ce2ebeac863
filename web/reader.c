/* SPDX-License-Identifier: MIT */
/* reader: see reader.h.  In a thread of the crew. */
#include "web/reader.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

struct reader {
	const char *path;
	struct store *store;
	dev_t device; /* of the file that is open */
	ino_t inode;
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

static int open_store(struct reader *r, struct err *e)
{
	struct stat st;

	if (stat(r->path, &st))
		return err_set(e, "nothing is stored yet");
	if (r->store && st.st_dev == r->device && st.st_ino == r->inode)
		return 0;
	store_close(r->store);
	r->store = store_open(r->path, STORE_READ, NULL, e);
	r->device = st.st_dev;
	r->inode = st.st_ino;
	return r->store ? 0 : -1;
}

struct store *reader_store(void *reader, int limit_ms, struct err *e)
{
	struct reader *r = reader;

	if (!r || open_store(r, e))
		return NULL;
	store_deadline(r->store, limit_ms);
	return r->store;
}
