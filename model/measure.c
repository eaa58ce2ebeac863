/* SPDX-License-Identifier: MIT */
/* measure: see measure.h. */
#include "model/measure.h"

#include "base/mem.h"
#include "base/str.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Drives of one model read within a few percent of one another; a fifth less is another state.
 * Two neighbours at least, or nobody can tell which of them is the odd one.
 */
static const double slow_share = 0.8;
enum { NEIGHBOURS_MIN = 2 };

/* Together they reach nearly the sum, where nothing is shared. */
static const double together_share = 0.85;

static const double cpu_full = 0.9, hot_points = 10, worn_percent = 90;

void measurement_release(struct measurement *m)
{
	free(m->drives);
	free(m->findings);
	*m = (struct measurement){0};
}

static bool both(const struct measured_drive *d)
{
	return !isnan(d->alone_bps) && !isnan(d->together_bps);
}

static double sum(const struct measurement *m, bool together)
{
	double total = 0;
	size_t n = 0;

	for (size_t i = 0; i < m->n_drives; i++)
		if (both(&m->drives[i])) {
			total += together ? m->drives[i].together_bps : m->drives[i].alone_bps;
			n++;
		}
	return n ? total : NAN;
}

double measurement_alone(const struct measurement *m)
{
	return sum(m, false);
}

double measurement_together(const struct measurement *m)
{
	return sum(m, true);
}

static void __attribute__((format(printf, 4, 5)))
found(struct measurement *m, enum finding_code code, size_t drive, const char *fmt, ...)
{
	struct finding *f;
	va_list ap;

	m->findings = mem_grow(m->findings, m->n_findings, sizeof *m->findings);
	f = &m->findings[m->n_findings++];
	*f = (struct finding){.code = code, .drive = drive};
	va_start(ap, fmt);
	vsnprintf(f->message, sizeof f->message, fmt, ap);
	va_end(ap);
}

/* "3.52 GB/s", "41.6 MB/s"; returns out. */
static const char *rate_text(double bps, char out[24])
{
	snprintf(out, 24, bps < 1e9 ? "%.1f MB/s" : "%.2f GB/s", bps < 1e9 ? bps / 1e6 : bps / 1e9);
	return out;
}

/* ---- one drive against its neighbours ---- */

static int by_value(const void *x, const void *y)
{
	const double *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

static double median(double *v, size_t n)
{
	if (n == 0)
		return NAN;
	qsort(v, n, sizeof *v, by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static bool same_host(const struct measured_drive *a, const struct measured_drive *b)
{
	return str_same_nocase(a->bay->host, b->bay->host);
}

/* What the drive's link should carry at its best: neighbours are those that should be alike. */
static double best_link(const struct measured_drive *d)
{
	double best = pcie_bandwidth(d->bay->link.max);

	return best > 0 ? best : d->link_bps;
}

static bool alike(const struct measured_drive *a, const struct measured_drive *b, bool of_model)
{
	double x = best_link(a), y = best_link(b);

	return same_host(a, b) && fabs(x - y) <= 0.01 * fmax(x, y) && (!of_model || str_same(a->bay->drive.model, b->bay->drive.model));
}

/* The middle of what the neighbours of drive i gave alone: of its model, else of its kind of link. */
static double neighbours(const struct measurement *m, size_t i, size_t *n)
{
	double *v = mem_new(m->n_drives + 1, sizeof *v), middle;

	for (int of_model = 1; of_model >= 0; of_model--) {
		*n = 0;
		for (size_t k = 0; k < m->n_drives; k++)
			if (k != i && !isnan(m->drives[k].alone_bps) && alike(&m->drives[i], &m->drives[k], of_model))
				v[(*n)++] = m->drives[k].alone_bps;
		if (*n >= NEIGHBOURS_MIN)
			break;
	}
	middle = *n >= NEIGHBOURS_MIN ? median(v, *n) : NAN;
	free(v);
	return middle;
}

static double neighbours_temperature(const struct measurement *m, size_t i)
{
	double *v = mem_new(m->n_drives + 1, sizeof *v), middle;
	size_t n = 0;

	for (size_t k = 0; k < m->n_drives; k++)
		if (k != i && !isnan(m->drives[k].bay->temperature_c))
			v[n++] = m->drives[k].bay->temperature_c;
	middle = median(v, n);
	free(v);
	return middle;
}

/* The first thing that is known of the drive and would explain it. */
static void likely_reason(const struct measurement *m, size_t i, char *out, size_t size)
{
	const struct bay *b = m->drives[i].bay;
	double others_c = neighbours_temperature(m, i), corrected = count_to_double(b->link.aer_correctable);

	if (b->health.critical_warning > 0 && b->health.critical_warning & CRITICAL_TEMPERATURE)
		snprintf(out, size, "it says itself that it is too hot (%.0f °C)", b->temperature_c);
	else if (b->temperature_c > others_c + hot_points)
		snprintf(out, size, "it is hotter than they are (%.0f and %.0f °C): it may throttle itself", b->temperature_c, others_c);
	else if (b->busy == TRI_YES)
		snprintf(out, size, "it was busy with other work when this began");
	else if (corrected > 0)
		snprintf(out, size, "its link had to repeat itself (%.0f corrected errors): look at seat, cable and backplane", corrected);
	else if (b->wear.percent_used >= worn_percent || count_to_double(b->health.media_errors) > 0)
		snprintf(out, size, "it is worn, or has errors of its medium");
	else
		snprintf(out, size, "its link trained as theirs did, so it is the drive: firmware, power state, heat, or a limit set on it");
}

static void compare(struct measurement *m, size_t i)
{
	const struct measured_drive *d = &m->drives[i];
	char reason[200], ours[24], others[24];
	size_t n;
	double theirs = neighbours(m, i, &n);

	if (!(d->alone_bps < slow_share * theirs))
		return;
	if (verdict_degraded(d->bay->judged.verdict)) {
		found(m, FINDING_SLOW_LINK, i, "bay %.32s reads %s where %zu like it read %s: %.200s", d->bay->bay,
			rate_text(d->alone_bps, ours), n, rate_text(theirs, others), d->bay->judged.message);
		return;
	}
	likely_reason(m, i, reason, sizeof reason);
	found(m, FINDING_SLOW_BAY, i, "bay %.32s reads %s where %zu like it read %s; %s", d->bay->bay,
		rate_text(d->alone_bps, ours), n, rate_text(theirs, others), reason);
}

static void judge_drive(struct measurement *m, size_t i)
{
	const struct measured_drive *d = &m->drives[i];
	char ours[24], link[24];
	double most = fmax(isnan(d->alone_bps) ? 0 : d->alone_bps, isnan(d->together_bps) ? 0 : d->together_bps);

	if (d->vanished) {
		found(m, FINDING_VANISHED, i, "bay %.32s: the drive (%s) went away while it was read", d->bay->bay, d->device);
		return;
	}
	if (d->error) {
		found(m, FINDING_READ_FAILED, i, "bay %.32s: reading %s failed: %s", d->bay->bay, d->device, strerror((int)d->error));
		return;
	}
	if (most > d->link_bps)
		found(m, FINDING_ABOVE_LINK, i,
			"bay %.32s gave %s where its link carries %s: these bytes did not come over this link (an emulated drive, or a "
			"link that is not as it says)",
			d->bay->bay, rate_text(most, ours), rate_text(d->link_bps, link));
	compare(m, i);
}

/* ---- all of them together ---- */

static bool shares(const struct hop *h, const struct bay *b)
{
	for (size_t i = 0; i < h->n_shared && str_same_nocase(h->host, b->host); i++)
		if (str_same(h->shared_by[i], b->bay))
			return true;
	return false;
}

/* The uplink behind which the drives together wanted more than it carries; NULL if none is. */
static const struct machine_uplink *full_uplink(const struct measurement *m, const struct machine *machine)
{
	for (size_t u = 0; u < machine->n_uplinks; u++) {
		double alone = 0, together = 0;

		for (size_t i = 0; i < m->n_drives; i++)
			if (both(&m->drives[i]) && shares(machine->uplinks[u].hop, m->drives[i].bay)) {
				alone += m->drives[i].alone_bps;
				together += m->drives[i].together_bps;
			}
		if (alone > together_share * machine->uplinks[u].link.read && together < together_share * alone)
			return &machine->uplinks[u];
	}
	return NULL;
}

static void judge_together(struct measurement *m, const struct machine *machine)
{
	double alone = measurement_alone(m), together = measurement_together(m);
	const struct machine_uplink *u;
	char reason[220], one[24], all[24], carries[24];
	size_t n = 0;

	for (size_t i = 0; i < m->n_drives; i++)
		n += both(&m->drives[i]);
	if (n < 2 || !(together < together_share * alone))
		return;
	u = full_uplink(m, machine);
	if (u)
		snprintf(reason, sizeof reason, "the uplink %.32s, which %zu of them share, carries %s", u->hop->at, u->n_drives,
			rate_text(u->link.read, carries));
	else if (m->cpu_ratio >= cpu_full)
		snprintf(reason, sizeof reason, "the processors were busy (%.0f %%): the machine cannot take more, the drives could give it",
			100 * m->cpu_ratio);
	else
		snprintf(reason, sizeof reason,
			"no link that is known explains it: something they share is slower (a switch or expander, lanes of the chipset, NUMA, IOMMU)");
	found(m, FINDING_SLOW_TOGETHER, m->n_drives, "%zu drives read %s one by one and %s together (%.0f %%); %s", n, rate_text(alone, one),
		rate_text(together, all), 100 * together / alone, reason);
}

void measurement_judge(struct measurement *m, const struct machine *machine)
{
	free(m->findings);
	m->findings = NULL;
	m->n_findings = 0;
	for (size_t i = 0; i < m->n_drives; i++)
		judge_drive(m, i);
	judge_together(m, machine);
}

const char *finding_word(enum finding_code c)
{
	switch (c) {
	case FINDING_UNKNOWN:
		return NULL;
	case FINDING_SLOW_BAY:
		return "slow-bay";
	case FINDING_SLOW_LINK:
		return "slow-link";
	case FINDING_SLOW_TOGETHER:
		return "slow-together";
	case FINDING_ABOVE_LINK:
		return "above-link";
	case FINDING_READ_FAILED:
		return "read-failed";
	case FINDING_VANISHED:
		return "vanished";
	}
	return NULL;
}
