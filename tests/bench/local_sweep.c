/* SPDX-License-Identifier: MIT */
/*
 * What a sweep over 24 local drives costs in CPU time, agent and reader together: the first one, which
 * opens everything and asks for all pages, and the mean of those that follow.
 *
 *   local_sweep                 from a tree of files, pages from a reader process that makes them up
 *   local_sweep SYSFS           the same with somebody's tree, a recorded one bound over /sys for one
 *   local_sweep --host          this host's drives, and what `nvme smart-log -o json` and
 *                               `smartctl -j -a` cost for the same ones, where they are installed
 *
 * Prints; nothing here can fail for being slow.
 */
#include "collectors/nvme/drives.h"
#include "collectors/nvme/reader.h"
#include "tests/unit/sysfs_tree.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DRIVES = 24, SWEEPS = 100, ASK_MS = 5000 };

struct host {
	struct nv_sysfs sysfs;
	struct nv_reader *reader;
	struct nv_drives *kept;
	struct snapshot snapshot;
};

static double cpu_ms(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* The reader's time is read off while it lives. */
static double reader_ms(const struct host *h)
{
	clockid_t clock;

	return clock_getcpuclockid(nv_reader_pid(h->reader), &clock) == 0 ? cpu_ms(clock) : 0;
}

static double both_ms(const struct host *h)
{
	return cpu_ms(CLOCK_PROCESS_CPUTIME_ID) + reader_ms(h);
}

static void sweep(struct host *h)
{
	snapshot_release(&h->snapshot);
	snapshot_init(&h->snapshot, "host", TARGET_NVME, "host");
	nv_drives_read(&h->sysfs, &nv_reader_ops, h->reader, ASK_MS, h->kept, &h->snapshot);
}

static size_t read_wear(const struct host *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->snapshot.n_bays; i++)
		n += h->snapshot.bays[i].wear_unread == REASON_NONE;
	return n;
}

/* What one of many sweeps costs, full scans among them. */
static double sweep_ms(struct host *h)
{
	double start = both_ms(h);

	for (int i = 0; i < SWEEPS; i++)
		sweep(h);
	return (both_ms(h) - start) / SWEEPS;
}

/* Sweeps, and gives what one costs once something is kept. */
static double measure(struct host *h, const char *what)
{
	double start = both_ms(h), first, kept, reader;

	sweep(h);
	first = both_ms(h) - start;
	reader = reader_ms(h);
	kept = sweep_ms(h);
	printf("local sweep of %zu drives, %s: %.2f ms of CPU, the reader's %.2f of it (%zu health pages read, one sweep of %d a full scan); the first %.2f ms\n",
		h->snapshot.n_bays, what, kept, (reader_ms(h) - reader) / SWEEPS, read_wear(h), NV_SWEEPS_FULL, first);
	return kept;
}

/* ---- a tree of files ---- */

/* In the reader's process: a page as a drive of that number might have it. */
static void make_page(int *fd, const struct nv_question *q, struct nv_answer *out)
{
	(void)fd;
	*out = (struct nv_answer){.end = NV_READ, .len = nv_page_size(q->page)};
	out->data[0] = q->page == NV_PAGE_FIRMWARE ? 1 : 0;
	out->data[1] = 0x37, out->data[2] = 1, out->data[3] = 100, out->data[4] = 10;
	out->data[5] = (uint8_t)q->controller;
}

static void put(const struct tree *t, const char *dir, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof path, "sys/%s/%s", dir, name);
	tree_file(t, path, text);
}

/* What a kernel has beside the links: error counters, power, blocks. */
static void add_rest(const struct tree *t, const char *dir, bool drive)
{
	static const char cor[] = "RxErr 0\nBadTLP 0\nBadDLLP 0\nRollover 0\nTimeout 0\nNonFatalErr 0\nCorrIntErr 0\nHeaderOF 0\n"
				  "TOTAL_ERR_COR 0\n";
	static const char unc[] = "Undefined 0\nDLP 0\nSDES 0\nTLP 0\nFCP 0\nCmpltTO 0\nCmpltAbrt 0\nUnxCmplt 0\nRxOF 0\nMalfTLP 0\n"
				  "ECRC 0\nUnsupReq 0\nACSViol 0\nUncorrIntErr 0\nBlockedTLP 0\nAtomicOpBlocked 0\nTLPBlockedErr 0\n"
				  "PoisonTLPBlocked 0\nTOTAL_ERR 0\n";

	put(t, dir, "aer_dev_correctable", cor);
	put(t, dir, "aer_dev_nonfatal", unc);
	put(t, dir, "aer_dev_fatal", unc);
	put(t, dir, "power_state", "D0\n");
	put(t, dir, "power/runtime_status", "active\n");
	if (drive)
		return;
	put(t, dir, "aer_rootport_total_err_cor", "0\n");
	put(t, dir, "aer_rootport_total_err_nonfatal", "0\n");
	put(t, dir, "aer_rootport_total_err_fatal", "0\n");
}

static struct tree make_machine(void)
{
	struct tree t = tree_make();

	for (int i = 0; i < DRIVES; i++) {
		char port[16], address[16], name[8], serial[16], slot[8], namespace[16], dir[160];
		const struct tree_drive d = {.port = port, .address = address, .name = name, .serial = serial, .slot = slot,
			.namespace = namespace, TREE_GOOD};

		snprintf(port, sizeof port, "0000:40:%02x.%d", 1 + i / 8, i % 8);
		snprintf(address, sizeof address, "0000:%02x:00.0", 0x41 + i);
		snprintf(name, sizeof name, "nvme%d", i);
		snprintf(serial, sizeof serial, "SN%04d", i);
		snprintf(slot, sizeof slot, "%d", i);
		snprintf(namespace, sizeof namespace, "nvme%dn1", i);
		tree_add_drive(&t, &d);
		snprintf(dir, sizeof dir, "devices/pci0000:40/%s", port);
		add_rest(&t, dir, false);
		snprintf(dir, sizeof dir, "devices/pci0000:40/%s/%s", port, address);
		add_rest(&t, dir, true);
		snprintf(dir, sizeof dir, "devices/pci0000:40/%s/%s/nvme/%s/%s", port, address, name, namespace);
		put(&t, dir, "stat", "  184467 0 3221225472 105 92233 0 1610612736 1 0 77012 6001 0 0 0 0 12 3\n");
		put(&t, dir, "inflight", "       0        0\n");
	}
	return t;
}

static int of_tree(const char *sysfs, const char *what)
{
	struct host h = {.kept = nv_drives_new()};
	struct err e = {""};

	h.reader = nv_reader_start_with(make_page, &e);
	if (!h.reader || nv_sysfs_open(&h.sysfs, sysfs, &e)) {
		fprintf(stderr, "local_sweep: %s\n", e.text);
		return 1;
	}
	nv_sysfs_keep(&h.sysfs);
	snapshot_init(&h.snapshot, "host", TARGET_NVME, "host");
	measure(&h, what);
	snapshot_release(&h.snapshot);
	nv_sysfs_close(&h.sysfs);
	nv_reader_stop(h.reader);
	nv_drives_free(h.kept);
	return 0;
}

/* ---- this host ---- */

/* CPU time of one run of a program for each drive, as getrusage() has it; below 0 if it cannot be run. */
static double cost_of(const struct host *h, const char *const *words)
{
	double sum = 0;

	for (size_t i = 0; i < h->snapshot.n_bays; i++) {
		char node[32];
		const char *argv[8] = {0};
		struct rusage used;
		int status;
		pid_t pid;

		snprintf(node, sizeof node, "/dev/%s", h->snapshot.bays[i].drive.controller);
		for (int k = 0; words[k]; k++)
			argv[k] = strcmp(words[k], "NODE") == 0 ? node : words[k];
		pid = fork();
		if (pid == 0) {
			int null = open("/dev/null", O_WRONLY);

			dup2(null, 1);
			dup2(null, 2);
			execvp(argv[0], (char *const *)argv);
			_exit(127);
		}
		if (pid < 0 || wait4(pid, &status, 0, &used) != pid || (WIFEXITED(status) && WEXITSTATUS(status) == 127))
			return -1;
		sum += (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e3 +
		       (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e3;
	}
	return sum;
}

/* Each of them between sweeps before and after it, since a busy machine is not equally fast all the time. */
static void compare(struct host *h, double before_ms)
{
	static const char *const others[][6] = {
		{"nvme", "smart-log", "NODE", "-o", "json"}, {"smartctl", "-j", "-a", "NODE"}};

	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		double ms = cost_of(h, others[i]), after_ms = sweep_ms(h);

		if (ms < 0)
			printf("%s: not here\n", others[i][0]);
		else
			printf("%zu runs of %s %s: %.0f ms of CPU, %.0f times a sweep\n", h->snapshot.n_bays, others[i][0],
				others[i][1], ms, ms / ((before_ms + after_ms) / 2));
		before_ms = after_ms;
	}
}

static int of_host(void)
{
	struct host h = {.kept = nv_drives_new()};
	struct err e = {""};

	h.reader = nv_reader_start(&e);
	if (!h.reader || nv_sysfs_open(&h.sysfs, "/sys", &e)) {
		fprintf(stderr, "local_sweep: %s\n", e.text);
		return 1;
	}
	nv_sysfs_keep(&h.sysfs);
	snapshot_init(&h.snapshot, "host", TARGET_NVME, "host");
	compare(&h, measure(&h, "this host's"));
	snapshot_release(&h.snapshot);
	nv_sysfs_close(&h.sysfs);
	nv_reader_stop(h.reader);
	nv_drives_free(h.kept);
	return 0;
}

int main(int argc, char **argv)
{
	struct tree t;
	int rc;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && strcmp(argv[1], "--host") == 0)
		return of_host();
	if (argc > 1)
		return of_tree(argv[1], argv[1]);
	t = make_machine();
	rc = of_tree(t.sys, "from files");
	tree_remove(&t);
	return rc;
}
