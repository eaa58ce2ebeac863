/* SPDX-License-Identifier: MIT */
/*
 * ceiling: what the drives of a machine can carry by their links, uplinks and pools, and whether
 * a throughput that somebody claims, or that fio measured, can have come from them.
 */
#include "agent/cli/command.h"
#include "agent/cli/measure.h"
#include "agent/cli/output.h"
#include "agent/cli/output_rows.h"
#include "agent/cli/stored.h"
#include "agent/collect.h"
#include "agent/fio.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "document/ceiling.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum { FIO_BYTES_MAX = 64 << 20, MESSAGE_MAX = 640 };

struct work {
	const struct options *o;
	struct inventory inv;
	struct machine machine;
	struct measurement measured;
	double claim_bps; /* NAN: none */
	struct fio_result fio;
	json_t *answer; /* lanewatch/ceiling/v1, filled while judging */
};

/* ---- which drives ---- */

/* True if the list "nvme0,nvme1" has the name. */
static bool in_list(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = list; n && s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL) {
		s += strspn(s, " ");
		if (strncmp(s, name, n) == 0 && (s[n] == '\0' || s[n] == ',' || s[n] == ' '))
			return true;
	}
	return false;
}

static bool named(const void *list, const struct bay *b)
{
	bool found = in_list(list, b->drive.controller) || in_list(list, b->drive.serial) || in_list(list, b->bay);

	for (size_t i = 0; i < b->drive.n_paths; i++)
		found |= in_list(list, b->drive.paths[i].controller);
	for (size_t i = 0; i < b->drive.n_namespaces; i++)
		found |= in_list(list, b->drive.namespaces[i]);
	return found;
}

/* Every name of --drives must be a drive; the first that is none is said. */
static int check_names(const struct work *w)
{
	char list[1024], *name, *rest = list;

	if (!str_copy(list, sizeof list, w->o->drives)) {
		fprintf(stderr, "lanewatch: --drives: the list is too long\n");
		return EX_USAGE;
	}
	while ((name = strsep(&rest, ", "))) {
		bool found = !*name;

		for (size_t i = 0; i < w->inv.n_bays && !found; i++)
			found = w->inv.bays[i].has_drive && named(name, &w->inv.bays[i]);
		if (!found) {
			char clean[64];

			str_clean(clean, sizeof clean, name);
			fprintf(stderr, "lanewatch: --drives: no drive %s here (a controller, serial number or bay)\n", clean);
			return 3;
		}
	}
	return EX_OK;
}

/* The drives whose block devices a job read: all of its files must be such devices. */
static bool has_file(const void *job, const struct bay *b)
{
	const struct fio_job *j = job;
	char device[32];

	for (size_t i = 0; i < j->n_files; i++)
		for (size_t k = 0; k < b->drive.n_namespaces; k++)
			if (pool_device_of(j->files[i], device, sizeof device) && str_same(device, b->drive.namespaces[k]))
				return true;
	return false;
}

static bool files_are_drives(const struct work *w, const struct fio_job *j)
{
	char device[32];

	for (size_t i = 0; i < j->n_files; i++) {
		size_t n = 0;

		if (!pool_device_of(j->files[i], device, sizeof device))
			return false;
		for (size_t k = 0; k < w->machine.n_drives; k++) {
			const struct drive *d = &w->machine.drives[k].bay->drive;

			for (size_t m = 0; m < d->n_namespaces; m++)
				n += str_same(d->namespaces[m], device);
		}
		if (n != 1) /* not here, or on several hosts */
			return false;
	}
	return j->n_files > 0;
}

/* The links concerned: those of the devices that the job names, else all. */
static struct ceiling_sum links_of(const struct work *w, const struct fio_job *j)
{
	struct ceiling_sum sum = w->machine.sum;
	struct machine m;

	if (w->o->drives || !files_are_drives(w, j))
		return sum;
	machine_read(&m, &w->inv, has_file, j);
	sum = m.sum;
	machine_release(&m);
	return sum;
}

/* ---- judging ---- */

static int weight(enum claim_verdict v)
{
	switch (v) {
	case CLAIM_POSSIBLE:
		return 0;
	case CLAIM_UNLIKELY:
		return 1;
	case CLAIM_UNKNOWN:
		return 2;
	case CLAIM_IMPOSSIBLE:
		return 3;
	}
	return 0;
}

/* Read and write cross a link side by side, so each is held against it alone; `mixed` against both. */
static struct claim judge(double read, double write, double mixed, const struct ceiling_sum *links)
{
	struct ceiling_sum both = *links;
	struct claim worst = {.percent = NAN}, c;

	both.known.read += links->known.write;
	snprintf(worst.message, sizeof worst.message, "nothing was measured");
	for (int i = 0; i < 3; i++) {
		double rate = i == 0 ? read : i == 1 ? write : mixed;

		if (!(rate > 0))
			continue;
		c = claim_check(rate, i == 2 ? &both : links, i == 1);
		if (isnan(worst.percent) || weight(c.verdict) > weight(worst.verdict) ||
			(c.verdict == worst.verdict && c.percent > worst.percent))
			worst = c;
	}
	return worst;
}

static json_t *bytes(double v)
{
	return isfinite(v) && v > 0 ? json_integer((json_int_t)llround(v)) : json_null();
}

static void put_message(json_t *o, const char *message, const char *more)
{
	char text[MESSAGE_MAX];

	snprintf(text, sizeof text, "%s%s%s", message, *more ? "; here: " : "", more);
	json_object_set_new(o, "message", json_string(text));
}

static void judge_job(struct work *w, const struct fio_job *j)
{
	struct ceiling_sum links = links_of(w, j);
	struct claim c = judge(j->read_bps, j->write_bps, j->mixed_bps, &links);
	char causes[256] = "", failed[64];
	json_t *o = json_object();

	json_object_set_new(o, "jobname", json_string(j->name));
	json_object_set_new(o, "bytes_per_second", bytes(fio_rate(j)));
	document_put_claim(o, &c);
	json_object_set_new(o, "error", json_integer(j->error));
	if (c.verdict == CLAIM_IMPOSSIBLE)
		fio_causes(j, causes, sizeof causes);
	snprintf(failed, sizeof failed, "the job failed (error %lld)", (long long)j->error);
	put_message(o, c.message, j->error ? failed : causes);
	json_array_append_new(json_object_get(w->answer, "jobs"), o);
}

/* The entries of one group ran at the same time: what they moved together counts. */
static void judge_group(struct work *w, int64_t group)
{
	double read = 0, write = 0, mixed = 0;
	size_t n = 0;
	struct claim c;
	json_t *o;

	for (size_t i = 0; i < w->fio.n_jobs; i++) {
		const struct fio_job *j = &w->fio.jobs[i];

		if (j->group != group)
			continue;
		n++;
		read += j->read_bps > 0 ? j->read_bps : 0;
		write += j->write_bps > 0 ? j->write_bps : 0;
		mixed += j->mixed_bps > 0 ? j->mixed_bps : 0;
	}
	if (n < 2)
		return;
	c = judge(read, write, mixed, &w->machine.sum);
	o = json_object();
	json_object_set_new(o, "group", json_integer(group));
	json_object_set_new(o, "jobs", json_integer((json_int_t)n));
	json_object_set_new(o, "bytes_per_second", bytes(read + write + mixed));
	document_put_claim(o, &c);
	json_array_append_new(json_object_get(w->answer, "groups"), o);
}

static void judge_fio(struct work *w)
{
	for (size_t i = 0; i < w->fio.n_jobs; i++)
		judge_job(w, &w->fio.jobs[i]);
	for (size_t i = 0; i < w->fio.n_jobs; i++) {
		bool first = w->fio.jobs[i].group >= 0;

		for (size_t k = 0; k < i && first; k++)
			first = w->fio.jobs[k].group != w->fio.jobs[i].group;
		if (first)
			judge_group(w, w->fio.jobs[i].group);
	}
}

static void judge_claim(struct work *w)
{
	document_put_judged(w->answer, w->claim_bps, &w->machine, &w->inv);
}

/* ---- the table ---- */

static const char *gigabytes(double bps, char *out, size_t size)
{
	if (isfinite(bps))
		snprintf(out, size, "%.1f GB/s", bps / 1e9);
	else
		str_copy(out, size, "");
	return out;
}

static void print_drives(const struct work *w)
{
	static const char *const heads[] = {"HOST", "BAY", "DRIVE", "SERIAL", "LINK", ">CEILING", NULL};
	struct rows *r = rows_new(heads);

	for (size_t i = 0; i < w->machine.n_drives; i++) {
		const struct machine_drive *d = &w->machine.drives[i];
		char link[48] = "", can[24];
		const char *const cells[] = {d->bay->host, d->bay->bay, d->bay->drive.controller, d->bay->drive.serial, link,
			gigabytes(d->can.read, can, sizeof can)};

		if (!d->counted)
			str_copy(link, sizeof link, "no PCIe link");
		else if (d->bay->link.now.speed_mtps && d->bay->link.now.width_lanes)
			snprintf(link, sizeof link, "%s GT/s x%d", pcie_speed_text(d->bay->link.now.speed_mtps),
				d->bay->link.now.width_lanes);
		rows_add(r, cells);
	}
	rows_print(r, stdout);
}

static void print_uplinks(const struct work *w)
{
	char members[24], can[24];

	for (size_t i = 0; i < w->machine.n_uplinks; i++) {
		const struct machine_uplink *u = &w->machine.uplinks[i];

		printf("uplink %s: %zu drive%s, %s of links; it carries %s\n", u->hop->at, u->n_drives, u->n_drives == 1 ? "" : "s",
			isfinite(u->members.read) ? gigabytes(u->members.read, members, sizeof members) : "not known",
			isfinite(u->link.read) ? gigabytes(u->link.read, can, sizeof can) : "not known");
	}
}

static void print_pools(const struct work *w)
{
	static const char *const heads[] = {"POOL", "VDEV", "HEALTH", "SLOWEST", ">WRITES AT MOST", ">IF HEALTHY", NULL};
	struct rows *r = rows_new(heads);
	char can[24], healthy[24];

	for (size_t i = 0; i < w->inv.n_pools; i++) {
		const struct pool *p = &w->inv.pools[i];
		const char *const whole[] = {p->name, "", pool_state_word(p->state), "", gigabytes(p->can.write, can, sizeof can), ""};

		rows_add(r, whole);
		for (size_t k = 0; k < p->n_vdevs; k++) {
			const struct pool_vdev *v = &p->vdevs[k];
			const char *const cells[] = {p->name, v->name, pool_state_word(v->health), v->slowest,
				gigabytes(v->ceiling_bps, can, sizeof can), gigabytes(v->if_healthy_bps, healthy, sizeof healthy)};

			rows_add(r, cells);
		}
	}
	printf("\n");
	rows_print(r, stdout);
}

static void print_total(const struct work *w)
{
	const struct ceiling_sum *s = &w->machine.sum;
	size_t known = s->n - s->n_unknown, others = 0;

	for (size_t i = 0; i < w->machine.n_drives; i++)
		others += !w->machine.drives[i].counted;
	if (known)
		printf("\nin all: %.1f GB/s by %zu link%s", s->known.read / 1e9, known, known == 1 ? "" : "s");
	else
		printf("\nin all: not known");
	if (w->machine.rated_limits)
		printf(", limited by what drives are rated for");
	if (w->machine.uplinks_limit)
		printf(", limited by the uplinks above them");
	if (s->n_unknown)
		printf("; the links of %zu drive%s are not known", s->n_unknown, s->n_unknown == 1 ? "" : "s");
	if (others)
		printf("; %zu drive%s without a PCIe link left out", others, others == 1 ? "" : "s");
	printf("\n");
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s ? s : "";
}

static void print_table(const struct work *w)
{
	const json_t *claim = json_object_get(w->answer, "claim"), *o;
	size_t i;

	if (w->machine.n_drives)
		print_drives(w);
	print_uplinks(w);
	if (w->inv.n_pools)
		print_pools(w);
	print_total(w);
	if (w->o->measure)
		measure_print(&w->measured);
	if (json_is_object(claim))
		printf("claim: %s\n", text_of(claim, "message"));
	json_array_foreach(json_object_get(w->answer, "jobs"), i, o)
		printf("job %s: %s\n", text_of(o, "jobname"), text_of(o, "message"));
	json_array_foreach(json_object_get(w->answer, "groups"), i, o)
		printf("%lld jobs at the same time: %s\n", (long long)json_integer_value(json_object_get(o, "jobs")),
			text_of(o, "message"));
}

/* ---- all of it ---- */

static int read_fio(const char *path, struct fio_result *out)
{
	struct err e = {""};
	struct buf text;
	int rc = EX_OK;

	buf_init(&text, FIO_BYTES_MAX);
	if (file_read(str_same(path, "-") ? "/dev/stdin" : path, &text, &e)) {
		rc = errno == ENOENT || errno == EACCES ? EX_NOINPUT : EX_DATAERR;
		fprintf(stderr, "lanewatch: %s\n", e.text);
	} else if (fio_read(buf_text(&text), text.len, out, &e)) {
		rc = EX_DATAERR;
		fprintf(stderr, "lanewatch: %s: %s\n", path, e.text);
	}
	buf_release(&text);
	return rc;
}

static int read_inventory(struct work *w, const struct config *c)
{
	struct err e = {""};

	if (w->o->database && c->n_targets == 0)
		return stored_inventory(c, &w->inv);
	if (collect_once(c, w->o, &w->inv, &e)) {
		fprintf(stderr, "lanewatch: %s\n", e.text);
		return EX_USAGE;
	}
	return EX_OK;
}

/* 0, or 3 where a target did not answer or nothing is known of any link. */
static int status_of(const struct work *w)
{
	if (w->o->measure && measure_status(&w->measured))
		return 3;
	for (size_t i = 0; i < w->inv.n_targets; i++)
		if (w->inv.targets[i].verdict != TARGET_OK)
			return 3;
	return w->machine.sum.n > w->machine.sum.n_unknown ? EX_OK : 3;
}

static int answer(struct work *w)
{
	int rc;

	if (w->o->drives && (rc = check_names(w)))
		return rc;
	machine_read(&w->machine, &w->inv, w->o->drives ? named : NULL, w->o->drives);
	w->answer = document_of_ceiling(&w->machine, &w->inv);
	if (!isnan(w->claim_bps))
		judge_claim(w);
	judge_fio(w);
	if (w->o->measure && (rc = measure_drives(w->o, &w->machine, &w->measured)))
		return rc;
	if (w->o->measure)
		document_put_measurement(w->answer, &w->measured);
	if (w->o->output == OUTPUT_JSON) {
		stored_print(json_incref(w->answer));
	} else if (w->o->output == OUTPUT_HTML) {
		output_report(&w->inv, w->answer);
	} else {
		print_table(w);
	}
	return status_of(w);
}

int command_ceiling(const struct options *o, const struct config *c)
{
	struct work w = {.o = o, .claim_bps = NAN};
	struct err e = {""};
	int rc = EX_OK;

	inventory_init(&w.inv);
	if (o->claim && claim_parse(o->claim, &w.claim_bps, &e)) {
		fprintf(stderr, "lanewatch: --claim: %s\n", e.text);
		return EX_USAGE;
	}
	if (o->seconds && !o->measure) {
		fprintf(stderr, "lanewatch: --seconds belongs to --measure\n");
		return EX_USAGE;
	}
	if (o->measure)
		rc = measure_check(o, c);
	if (rc == EX_OK && o->fio)
		rc = read_fio(o->fio, &w.fio);
	if (rc == EX_OK)
		rc = read_inventory(&w, c);
	if (rc == EX_OK)
		rc = answer(&w);
	json_decref(w.answer);
	measurement_release(&w.measured);
	machine_release(&w.machine);
	inventory_release(&w.inv);
	fio_release(&w.fio);
	return rc;
}
