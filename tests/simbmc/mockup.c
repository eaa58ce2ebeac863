/* SPDX-License-Identifier: MIT */
/*
 * Reads mockup files. The path comes without ".." (tree_path), so it stays in the folder.
 */
#include "tests/simbmc/mockup.h"

#include "base/buf.h"
#include "base/file.h"
#include "tests/simbmc/util.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define FILE_MAX ((size_t)64 << 20)

char *mockup_find(const char *dir, struct err *e)
{
	static const char *const inside[] = {"redfish/v1", "v1", "."};

	for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
		char *folder = format("%s/%s", dir, inside[i]);
		char *file = format("%s/index.json", folder);
		bool found = access(file, R_OK) == 0;

		free(file);
		if (found)
			return folder;
		free(folder);
	}
	err_set(e, "%s: no redfish/v1/index.json in it; a DMTF mockup folder is wanted", dir);
	return NULL;
}

int mockup_get(const char *folder, const char *path, char **bytes, size_t *len)
{
	char *file = format("%s/%s/index.json", folder, path);
	struct buf b;
	int rc, saved;

	*bytes = NULL;
	*len = 0;
	buf_init(&b, FILE_MAX);
	rc = file_read(file, &b, NULL);
	saved = errno;
	free(file);
	if (rc < 0) {
		buf_release(&b);
		return saved == EACCES || saved == EFBIG ? 500 : 404;
	}
	*len = b.len;
	*bytes = buf_take(&b);
	return 200;
}
