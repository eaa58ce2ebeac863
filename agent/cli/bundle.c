/* SPDX-License-Identifier: MIT */
/* bundle: see bundle.h.  Local drives: bundle_local.c. */
#include "agent/cli/bundle.h"
#include "base/jtext.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int bundle_make(const char *dir, struct err *e)
{
	if (mkdir(dir, 0755) == 0)
		return 0;
	return err_set(e, "%s: %s; give a folder that does not exist yet", dir, strerror(errno));
}

/* The whole path, and the folders above its last part. */
static int begin(char *path, size_t size, const char *dir, const char *rest, struct err *e)
{
	if (snprintf(path, size, "%s/%s", dir, rest) >= (int)size)
		return err_set(e, "%s: the path is too long", dir);
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int rc;

		*slash = '\0';
		rc = mkdir(path, 0755);
		if (rc && errno != EEXIST)
			err_set(e, "%s: %s", path, strerror(errno));
		*slash = '/';
		if (rc && errno != EEXIST)
			return -1;
	}
	return 0;
}

int bundle_write_text(const char *dir, const char *rest, const char *text, struct err *e)
{
	char path[4096];
	FILE *f = NULL;
	int fd;

	if (begin(path, sizeof path, dir, rest, e))
		return -1;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	if (fd >= 0 && !f)
		close(fd);
	if (!f)
		return err_set(e, "%s: %s", path, strerror(errno));
	fputs(text, f);
	if (ferror(f) | fclose(f)) /* closed in either case */
		return err_set(e, "%s: it could not be written", path);
	return 0;
}

int bundle_write_json(const char *dir, const char *rest, const json_t *j, struct err *e)
{
	char *text = jtext_print(j, JSON_INDENT(1) | JSON_REAL_PRECISION(17)), *line = NULL;
	int rc = -1;

	if (!text || asprintf(&line, "%s\n", text) < 0) {
		line = NULL;
		err_set(e, "%s/%s: no memory", dir, rest);
	} else {
		rc = bundle_write_text(dir, rest, line, e);
	}
	free(line);
	free(text);
	return rc;
}

int bundle_write_link(const char *dir, const char *rest, const char *target, struct err *e)
{
	char path[4096];

	if (begin(path, sizeof path, dir, rest, e))
		return -1;
	return symlink(target, path) ? err_set(e, "%s: %s", path, strerror(errno)) : 0;
}

int bundle_write_folder(const char *dir, const char *rest, struct err *e)
{
	char path[4096];

	if (begin(path, sizeof path, dir, rest, e))
		return -1;
	return mkdir(path, 0755) && errno != EEXIST ? err_set(e, "%s: %s", path, strerror(errno)) : 0;
}
