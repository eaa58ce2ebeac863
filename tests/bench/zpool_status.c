/* SPDX-License-Identifier: MIT */
/*
 * What reading `zpool status` of 100 drives costs (ten raidz2 of ten), in text and in JSON, and
 * joining them to their bays.  Prints one line each; nothing here can fail for being slow.
 */
#include "base/buf.h"
#include "collectors/zfs/zpool.h"
#include "model/inventory.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { VDEVS = 10, MEMBERS = 10, ROUNDS = 200 };

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void write_text(struct buf *b)
{
	buf_add_text(b, "  pool: bench\n state: ONLINE\n  scan: scrub repaired 0B in 04:42:00 with 0 errors on Sun Mar  1 05:12:00 2026\n"
			"config:\n\n\tNAME            STATE     READ WRITE CKSUM\n\tbench           ONLINE       0     0     0\n");
	for (int v = 0; v < VDEVS; v++) {
		char name[16];

		snprintf(name, sizeof name, "raidz2-%d", v);
		buf_printf(b, "\t  %-12s  ONLINE       0     0     0\n", name);
		for (int m = 0; m < MEMBERS; m++)
			buf_printf(b, "\t    nvme%02dn1   ONLINE       0     0     0\n", v * MEMBERS + m);
	}
	buf_add_text(b, "\nerrors: No known data errors\n");
}

static void write_json(struct buf *b)
{
	buf_add_text(b, "{\"output_version\":{\"vers_major\":0},\"pools\":{\"bench\":{\"name\":\"bench\",\"state\":\"ONLINE\",\"vdevs\":"
			"{\"bench\":{\"name\":\"bench\",\"vdev_type\":\"root\",\"state\":\"ONLINE\",\"vdevs\":{");
	for (int v = 0; v < VDEVS; v++) {
		buf_printf(b, "%s\"raidz2-%d\":{\"name\":\"raidz2-%d\",\"vdev_type\":\"raidz\",\"state\":\"ONLINE\",\"vdevs\":{", v ? "," : "", v, v);
		for (int m = 0; m < MEMBERS; m++)
			buf_printf(b,
				"%s\"nvme%dn1\":{\"name\":\"nvme%dn1\",\"vdev_type\":\"disk\",\"guid\":%d,\"path\":\"/dev/nvme%dn1p1\","
				"\"class\":\"normal\",\"state\":\"ONLINE\",\"rep_dev_size\":\"3.49T\",\"phys_space\":\"3.49T\","
				"\"read_errors\":\"0\",\"write_errors\":\"0\",\"checksum_errors\":\"0\",\"slow_ios\":\"0\"}",
				m ? "," : "", v * MEMBERS + m, v * MEMBERS + m, m, v * MEMBERS + m);
		buf_add_text(b, "}}");
	}
	buf_add_text(b, "}}}}}}\n");
}

static void read_many(const char *what, const struct buf *b)
{
	double start = cpu_ms();
	size_t rows = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct zpool_pools ps;

		if (zpool_read_status(buf_text(b), b->len, &ps, NULL))
			exit(EXIT_FAILURE);
		rows = ps.pools[0].n_nodes;
		zpool_pools_release(&ps);
	}
	printf("zpool status of %d drives as %s (%zu bytes, %zu rows): %.2f ms of CPU\n", VDEVS * MEMBERS, what, b->len, rows,
		(cpu_ms() - start) / ROUNDS);
}

static void join_many(const struct buf *b)
{
	struct zpool_pools ps;
	struct bay *bays = calloc(VDEVS * MEMBERS, sizeof *bays);
	double start;

	if (!bays || zpool_read_status(buf_text(b), b->len, &ps, NULL))
		exit(EXIT_FAILURE);
	for (int i = 0; i < VDEVS * MEMBERS; i++) {
		char name[16];

		snprintf(name, sizeof name, "%d", i);
		bays[i] = bay_unknown("os", "srv", name);
		bays[i].has_drive = bays[i].pcie = true;
		bays[i].link.now = bays[i].link.max = (struct pcie_rate){32000, 4};
		bays[i].drive.n_namespaces = 1;
		snprintf(bays[i].drive.namespaces[0], sizeof bays[i].drive.namespaces[0], "nvme%02dn1", i);
	}
	start = cpu_ms();
	for (int i = 0; i < ROUNDS; i++)
		pool_finish(&ps.pools[0], bays, VDEVS * MEMBERS);
	printf("joining them to 100 bays, with ceilings: %.2f ms of CPU\n", (cpu_ms() - start) / ROUNDS);
	zpool_pools_release(&ps);
	free(bays);
}

int main(void)
{
	struct buf text, json;

	buf_init(&text, 1 << 20);
	buf_init(&json, 1 << 20);
	write_text(&text);
	write_json(&json);
	read_many("text", &text);
	read_many("JSON", &json);
	join_many(&text);
	buf_release(&text);
	buf_release(&json);
	return EXIT_SUCCESS;
}
