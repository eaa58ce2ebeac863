/* SPDX-License-Identifier: MIT */
/* Lists of targets: what is taken has a name that can be a folder, and is in exactly one part. */
#include "agent/file_sd.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

static bool take(void *arg, const struct file_sd_target *t)
{
	size_t *n = arg;
	unsigned parts = 0;

	assert(t->name[0] && !strchr(t->name, '/') && strcmp(t->name, "..") != 0);
	assert(t->address[0]);
	for (const char *p = t->name; *p; p++)
		assert((unsigned char)*p >= ' ' && *p != 0x7f);
	for (unsigned i = 1; i <= 7; i++)
		parts += shard_takes(i, 7, t->name);
	assert(parts == 1);
	return ++*n < 1000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = {""};
	size_t n = 0;

	if (file_sd_read((const char *)data, size, take, &n, &e))
		assert(e.text[0]);
	return 0;
}
