/* SPDX-License-Identifier: MIT */
/* measure: see measure.h.  The program's only thread waits while fio reads. */
#include "agent/cli/measure.h"
#include "agent/cli/output_rows.h"
#include "agent/fio_run.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/nvme/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

enum { SECONDS_DEFAULT = 5 };

struct work {
	struct fio_runner runner;
	struct measurement *m;
	struct fio_task *tasks; /* one for each drive */
	bool terminal;
	size_t step, n_steps;
	char what[128];
	sigset_t before;
};

int measure_check(const struct options *o, const struct config *c)
{
	bool local = false;

	if (o->seconds < 0 || o->seconds > FIO_SECONDS_MAX) {
		fprintf(stderr, "lanewatch: --seconds: from 1 to %d\n", FIO_SECONDS_MAX);
		return EX_USAGE;
	}
	for (size_t i = 0; i < c->n_targets; i++)
		local |= c->targets[i].kind == TARGET_NVME && !c->targets[i].recording;
	if (!local) {
		fprintf(stderr, "lanewatch: --measure reads the drives of this machine: say --local, or have a target of type nvme\n");
		return EX_USAGE;
	}
	if (!fio_program()) {
		fprintf(stderr, "lanewatch: --measure needs fio, which is not installed (apt install fio)\n");
		return 3;
	}
	return EX_OK;
}

/* ---- which devices ---- */

/* True if the block device is on this machine and belongs to that very drive. */
static bool is_here(const struct nv_sysfs *sys, const char *device, const struct drive *d)
{
	char path[NV_PATH_MAX], dir[NV_PATH_MAX], serial[sizeof d->serial];

	return snprintf(path, sizeof path, "class/block/%s/device", device) < (int)sizeof path &&
	       nv_sysfs_resolve(sys, path, dir, sizeof dir) && nv_sysfs_text(sys, dir, "serial", serial, sizeof serial) &&
	       str_same(serial, d->serial);
}

static void add_drive(struct work *w, const struct nv_sysfs *sys, const struct machine_drive *d)
{
	struct measured_drive *to = &w->m->drives[w->m->n_drives];
	struct fio_task *t = &w->tasks[w->m->n_drives];
	const char *device = d->bay->drive.n_namespaces ? d->bay->drive.namespaces[0] : "";

	if (!*device || !is_here(sys, device, &d->bay->drive))
		return;
	*to = (struct measured_drive){.bay = d->bay, .link_bps = d->link_bps, .alone_bps = NAN, .together_bps = NAN};
	str_copy(to->device, sizeof to->device, device);
	str_copy(t->name, sizeof t->name, device);
	snprintf(t->path, sizeof t->path, "/dev/%s", device);
	w->m->n_drives++;
}

static int choose(struct work *w, const struct machine *machine)
{
	struct nv_sysfs sys;
	struct err e;

	w->m->drives = mem_new(machine->n_drives + 1, sizeof *w->m->drives);
	w->tasks = mem_new(machine->n_drives + 1, sizeof *w->tasks);
	if (nv_sysfs_open(&sys, "/sys", &e)) {
		fprintf(stderr, "lanewatch: --measure: %s\n", e.text);
		return 3;
	}
	for (size_t i = 0; i < machine->n_drives && w->m->n_drives < FIO_TASKS_MAX; i++)
		add_drive(w, &sys, &machine->drives[i]);
	nv_sysfs_close(&sys);
	if (w->m->n_drives)
		return EX_OK;
	fprintf(stderr, "lanewatch: --measure: there is no NVMe drive with a namespace here\n");
	return 3;
}

/* Refuses before anything is read where one device may not be opened. */
static int check_rights(struct work *w)
{
	for (size_t i = 0; i < w->m->n_drives; i++) {
		int fd = open(w->tasks[i].path, O_RDONLY | O_DIRECT | O_NONBLOCK | O_CLOEXEC), why = errno;
		struct stat st;

		if (fd >= 0 && (fstat(fd, &st) || !S_ISBLK(st.st_mode)))
			why = ENOTBLK;
		if (fd >= 0)
			close(fd);
		if (fd >= 0 && why != ENOTBLK)
			continue;
		fprintf(stderr, "lanewatch: --measure: %s may not be read: %s%s\n", w->tasks[i].path, strerror(why),
			why == EACCES || why == EPERM ? " (run it as root, or as a member of the group that owns it)" : "");
		return 3;
	}
	return EX_OK;
}

/* ---- signals and progress ---- */

/* From here on they are read, and no longer end the program. */
static int listen_for_signals(struct work *w)
{
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, SIGINT);
	sigaddset(&s, SIGTERM);
	sigprocmask(SIG_BLOCK, &s, &w->before);
	return signalfd(-1, &s, SFD_CLOEXEC | SFD_NONBLOCK);
}

static bool stopped(const struct work *w)
{
	struct pollfd p = {.fd = w->runner.stop_fd, .events = POLLIN};

	return w->runner.stopped || poll(&p, 1, 0) > 0;
}

static void progress(void *arg, double elapsed_s)
{
	const struct work *w = arg;

	if (w->terminal)
		fprintf(stderr, "\r[%zu/%zu] %s: %.0f of %u s\033[K", w->step, w->n_steps, w->what, fmin(elapsed_s, w->m->seconds),
			w->m->seconds);
}

/* ---- reading ---- */

static bool is_gone(const struct measured_drive *d)
{
	char path[64];

	snprintf(path, sizeof path, "/sys/class/block/%s", d->device);
	return access(path, F_OK) != 0;
}

static void take(struct work *w, const struct fio_result *r, bool together)
{
	for (size_t k = 0; k < r->n_jobs; k++)
		for (size_t i = 0; i < w->m->n_drives; i++) {
			struct measured_drive *d = &w->m->drives[i];

			if (!str_same(w->tasks[i].name, r->jobs[k].name))
				continue;
			if (r->jobs[k].error)
				d->error = r->jobs[k].error;
			else if (r->jobs[k].read_bps > 0 && !w->runner.stopped)
				*(together ? &d->together_bps : &d->alone_bps) = r->jobs[k].read_bps;
		}
}

/* fio itself failing is said once, and is no drive's fault unless that drive is gone. */
static bool read_tasks(struct work *w, const struct fio_task *tasks, size_t n, bool together)
{
	struct fio_result r;
	struct err e = {""};
	bool failed;

	w->step++;
	failed = fio_run(&w->runner, tasks, n, w->m->seconds, &r, &e) != 0;
	if (w->terminal)
		fprintf(stderr, "\r\033[K");
	if (!failed)
		take(w, &r, together);
	else if (!w->runner.stopped)
		fprintf(stderr, "lanewatch: %s: %s\n", w->what, e.text);
	fio_release(&r);
	for (size_t i = 0; i < w->m->n_drives; i++)
		w->m->drives[i].vanished |= is_gone(&w->m->drives[i]);
	return !failed || w->runner.stuck == 0;
}

/* Busy and all time of all processors since the start, in ticks. */
static bool processors(double *busy, double *all)
{
	uint64_t t[8] = {0};
	struct buf text;
	bool ok;

	buf_init(&text, 1 << 20);
	/* user nice system idle iowait irq softirq steal (proc(5)) */
	ok = file_read("/proc/stat", &text, NULL) == 0 &&
	     sscanf(buf_text(&text), "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &t[0],
		     &t[1], &t[2], &t[3], &t[4], &t[5], &t[6], &t[7]) >= 5;
	*all = 0;
	for (size_t i = 0; i < 8; i++)
		*all += (double)t[i];
	*busy = *all - (double)t[3] - (double)t[4];
	buf_release(&text);
	return ok;
}

static void read_together(struct work *w)
{
	struct fio_task *still = mem_new(w->m->n_drives + 1, sizeof *still);
	double busy, all, busy_after, all_after;
	size_t n = 0;
	bool known;

	for (size_t i = 0; i < w->m->n_drives; i++)
		if (!w->m->drives[i].vanished && !w->m->drives[i].error)
			still[n++] = w->tasks[i];
	snprintf(w->what, sizeof w->what, "reading %zu drives together", n);
	known = processors(&busy, &all);
	if (n > 1)
		read_tasks(w, still, n, true);
	if (n > 1 && known && processors(&busy_after, &all_after) && all_after > all)
		w->m->cpu_ratio = (busy_after - busy) / (all_after - all);
	free(still);
}

static void read_all(struct work *w)
{
	bool go_on = true;

	w->n_steps = w->m->n_drives + (w->m->n_drives > 1);
	for (size_t i = 0; i < w->m->n_drives && go_on && !stopped(w); i++) {
		snprintf(w->what, sizeof w->what, "reading bay %.40s (%.24s) alone", w->m->drives[i].bay->bay, w->m->drives[i].device);
		if (!w->m->drives[i].vanished)
			go_on = read_tasks(w, &w->tasks[i], 1, false);
	}
	if (go_on && !stopped(w))
		read_together(w);
	w->m->stopped = stopped(w);
}

int measure_drives(const struct options *o, const struct machine *machine, struct measurement *m)
{
	struct work w = {.m = m, .terminal = isatty(STDERR_FILENO)};
	int rc;

	*m = (struct measurement){.seconds = o->seconds ? (unsigned)o->seconds : SECONDS_DEFAULT, .cpu_ratio = NAN};
	rc = choose(&w, machine);
	if (rc == EX_OK)
		rc = check_rights(&w);
	if (rc == EX_OK) {
		w.runner = (struct fio_runner){.program = fio_program(), .stop_fd = listen_for_signals(&w), .tick = progress, .tick_arg = &w};
		read_all(&w);
		if (w.runner.stop_fd >= 0)
			close(w.runner.stop_fd);
		measurement_judge(m, machine);
	}
	free(w.tasks);
	return rc;
}

int measure_status(const struct measurement *m)
{
	for (size_t i = 0; i < m->n_drives; i++)
		if (isnan(m->drives[i].alone_bps) || (m->n_drives > 1 && isnan(m->drives[i].together_bps)))
			return 3;
	return m->n_drives ? EX_OK : 3;
}

/* ---- the table ---- */

static const char *rate(double bps, char *out, size_t size)
{
	if (isnan(bps))
		str_copy(out, size, "");
	else if (bps < 1e9)
		snprintf(out, size, "%.1f MB/s", bps / 1e6);
	else
		snprintf(out, size, "%.2f GB/s", bps / 1e9);
	return out;
}

void measure_print(const struct measurement *m)
{
	static const char *const heads[] = {"BAY", "DEVICE", ">ALONE", ">TOGETHER", ">LINK", ">OF LINK", NULL};
	struct rows *r = rows_new(heads);
	char alone[24], together[24], link[24], share[16];

	for (size_t i = 0; i < m->n_drives; i++) {
		const struct measured_drive *d = &m->drives[i];
		const char *const cells[] = {d->bay->bay, d->device, rate(d->alone_bps, alone, sizeof alone),
			rate(d->together_bps, together, sizeof together), rate(d->link_bps, link, sizeof link), share};

		share[0] = '\0';
		if (d->alone_bps > 0 && d->link_bps > 0)
			snprintf(share, sizeof share, "%.0f %%", 100 * d->alone_bps / d->link_bps);
		rows_add(r, cells);
	}
	printf("\n");
	rows_print(r, stdout);
	if (m->n_drives > 1 && !isnan(measurement_together(m)))
		printf("\nread: %s one by one, %s together\n", rate(measurement_alone(m), alone, sizeof alone),
			rate(measurement_together(m), together, sizeof together));
	for (size_t i = 0; i < m->n_findings; i++)
		printf("%s: %s\n", finding_word(m->findings[i].code), m->findings[i].message);
	if (m->stopped)
		printf("stopped: what is missing was not measured\n");
	else if (m->n_findings == 0)
		printf("nothing remarkable: all read as their neighbours do, together as alone\n");
}
