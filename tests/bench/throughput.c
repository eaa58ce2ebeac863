/* SPDX-License-Identifier: MIT */
/*
 * What a poll of the throughput of 24 drives costs: reading and parsing their counters, and the
 * rates from them; from a tree of files, and from a block device of this machine's own kernel where
 * there is one.  Prints a line each; nothing here can fail for being slow.
 */
#include "collectors/nvme/block.h"
#include "model/bay.h"
#include "tests/unit/sysfs_tree.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DRIVES = 24, POLLS = 500 };

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double poll_many(const struct nv_sysfs *s, char (*dirs)[64])
{
	struct io_counters before[DRIVES] = {{0}}, now;
	double start = cpu_ms(), sum = 0;

	for (int p = 0; p < POLLS; p++) {
		for (int d = 0; d < DRIVES; d++) {
			now = nv_block_read(s, dirs[d]).moved;
			if (!now.known)
				exit(EXIT_FAILURE);
			now.at_mono_ms = p * 1000; /* a second each */
			sum += p ? throughput_between(&before[d], &now, 4e9).read_bps : 0;
			before[d] = now;
		}
	}
	if (isnan(sum))
		exit(EXIT_FAILURE);
	return (cpu_ms() - start) / POLLS;
}

static void of_files(void)
{
	char dirs[DRIVES][64], path[128];
	struct tree t = tree_make();
	struct nv_sysfs s;

	for (int d = 0; d < DRIVES; d++) {
		snprintf(dirs[d], sizeof dirs[d], "block/nvme%dn1", d);
		snprintf(path, sizeof path, "sys/%s/stat", dirs[d]);
		tree_file(&t, path, "  184467 0 3221225472 105 92233 0 1610612736 1 0 77012 6001 0 0 0 0 12 3");
		snprintf(path, sizeof path, "sys/%s/diskseq", dirs[d]);
		tree_file(&t, path, "9");
		snprintf(path, sizeof path, "sys/%s/queue/iostats", dirs[d]);
		tree_file(&t, path, "1");
	}
	if (nv_sysfs_open(&s, t.sys, NULL) == 0) {
		nv_sysfs_keep(&s);
		printf("throughput of %d drives, from files: %.2f ms of CPU a poll\n", DRIVES, poll_many(&s, dirs));
		nv_sysfs_close(&s);
	}
	tree_remove(&t);
}

/* The path of one block device that counts, without links. */
static bool find_device(const struct nv_sysfs *s, char *out, size_t size)
{
	struct nv_names names;
	bool found = false;

	nv_sysfs_list(s, "block", &names);
	for (size_t i = 0; i < names.n && !found; i++) {
		struct io_counters io;
		char path[NV_PATH_MAX];

		if (!nv_path_join(path, sizeof path, "block", names.names[i]) || !nv_sysfs_resolve(s, path, out, size))
			continue;
		io = nv_block_read(s, out).moved;
		found = io.known && io.read_bytes;
	}
	nv_names_release(&names);
	return found;
}

static void of_kernel(void)
{
	char dirs[DRIVES][64];
	struct nv_sysfs s;

	if (nv_sysfs_open(&s, "/sys", NULL))
		return;
	nv_sysfs_keep(&s);
	if (find_device(&s, dirs[0], sizeof dirs[0])) {
		for (int d = 1; d < DRIVES; d++)
			snprintf(dirs[d], sizeof dirs[d], "%s", dirs[0]);
		printf("throughput of %d drives, %s read as often: %.2f ms of CPU a poll\n", DRIVES, nv_path_last(dirs[0]), poll_many(&s, dirs));
	}
	nv_sysfs_close(&s);
}

int main(void)
{
	of_files();
	of_kernel();
	return EXIT_SUCCESS;
}
