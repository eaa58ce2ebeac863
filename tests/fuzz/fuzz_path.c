/* SPDX-License-Identifier: MIT */
/* LW-R2: links out of answers. What is taken is a path on the origin, and is taken as itself again. */
#include "base/str.h"
#include "collectors/redfish/path.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct url origins[] = {
	{.tls = true, .host = "bmc1.example.net", .port = 443},
	{.tls = false, .host = "127.0.0.1", .port = 8000},
	{.tls = true, .host = "2001:db8::7", .port = 8443},
};

static void check(const struct url *origin, const char *path)
{
	char again[RF_PATH_MAX], key[RF_PATH_MAX];

	assert(path[0] == '/' && path[1] != '/' && path[1] != '\\');
	assert(strlen(path) < RF_PATH_MAX);
	for (const char *s = path; *s; s++)
		assert((unsigned char)*s > 0x20 && *s != 0x7f && *s != '#');
	snprintf(key, sizeof key, "%.*s", (int)strcspn(path, "?"), path); /* a query may have what it likes */
	assert(!str_ends(key, "/..") && !strstr(key, "/../") && !str_ends(key, "/.") && !strstr(key, "/./"));
	assert(rf_path_reduce(origin, path, again) && strcmp(path, again) == 0);
	rf_path_key(path, key);
	assert(strlen(key) <= strlen(path) && key[0] == '/');
	assert(strlen(rf_path_last(path)) < strlen(path));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char out[RF_PATH_MAX], *link;

	if (size > 4096)
		return 0;
	link = malloc(size + 1);
	if (!link)
		return 0;
	memcpy(link, data, size);
	link[size] = '\0';
	for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++)
		if (rf_path_reduce(&origins[i], link, out))
			check(&origins[i], out);
	if (rf_path_reduce(NULL, link, out))
		check(NULL, out);
	free(link);
	return 0;
}
