/* SPDX-License-Identifier: MIT */
/* throughput: see throughput.h. */
#include "model/throughput.h"

#include "model/inventory.h"

#include <math.h>
#include <stdio.h>

/*
 * Protocol leaves 87 to 92 % of a line rate: from here on a link is as good as full.  A neighbour
 * is not while it has a third of that to spare.
 */
static const double full_ratio = 0.85, easy_ratio = 0.57;

struct throughput throughput_unknown(void)
{
	return (struct throughput){.seconds = NAN, .read_bps = NAN, .write_bps = NAN, .busy_ratio = NAN, .link_ratio = NAN};
}

static double thousandths(double v)
{
	return round(v * 1000) / 1000;
}

/* The kernel counts in ticks: a little more than the time that passed is all of it, far more is no count. */
static double busy_share(const struct io_counters *before, const struct io_counters *now, double ms)
{
	double busy_ms = (uint32_t)(now->busy_ms - before->busy_ms);

	if (!before->busy_known || !now->busy_known || busy_ms > ms * 1.1 + 50)
		return NAN;
	return thousandths(fmin(busy_ms / ms, 1));
}

struct throughput throughput_between(const struct io_counters *before, const struct io_counters *now, double link_bps)
{
	struct throughput t = throughput_unknown();
	double ms = (double)(now->at_mono_ms - before->at_mono_ms);

	if (!before->known || !now->known || ms <= 0 || now->series != before->series ||
		now->read_bytes < before->read_bytes || now->written_bytes < before->written_bytes)
		return t;
	t.known = true;
	t.read_bytes = now->read_bytes - before->read_bytes;
	t.written_bytes = now->written_bytes - before->written_bytes;
	t.seconds = ms / 1000;
	t.read_bps = round((double)t.read_bytes / t.seconds);
	t.write_bps = round((double)t.written_bytes / t.seconds);
	t.busy_ratio = busy_share(before, now, ms);
	if (link_bps > 0)
		t.link_ratio = thousandths(fmax(t.read_bps, t.write_bps) / link_bps);
	return t;
}

static double positive(double v)
{
	return v > 0 ? v : NAN;
}

double throughput_link(const struct bay *b)
{
	double sum = 0;

	if (!b->pcie)
		return NAN;
	if (b->drive.n_paths < 2)
		return positive(pcie_bandwidth(b->link.now));
	for (size_t i = 0; i < b->drive.n_paths; i++)
		sum += positive(pcie_bandwidth(b->drive.paths[i].link.now));
	return sum;
}

static void hint_full(struct inventory *inv, const struct bay *b, double most)
{
	bool reads = b->throughput.read_bps >= b->throughput.write_bps;
	struct remark *r = inventory_add_hint(inv, "link-full", b->host, b->target);

	remark_add_bay(r, b->bay);
	snprintf(r->message, sizeof r->message,
		"the drive in bay %.32s %s %.2f GB/s, %.0f %% of what its link carries, while no other drive here is above %.0f %% of its own: "
		"this link is what limits it",
		b->bay, reads ? "reads" : "writes", (reads ? b->throughput.read_bps : b->throughput.write_bps) / 1e9,
		100 * b->throughput.link_ratio, 100 * most);
}

void throughput_hints(struct inventory *inv, size_t first, size_t end)
{
	size_t n_full = 0, n_easy = 0, n = 0;
	double most = 0;

	for (size_t i = first; i < end; i++) {
		double share = inv->bays[i].throughput.link_ratio;

		n += !isnan(share);
		n_full += share >= full_ratio;
		n_easy += share < easy_ratio;
		if (share < easy_ratio && share > most)
			most = share;
	}
	/* those in between would make the sentence untrue */
	if (n_full >= n_easy || n_full + n_easy < n)
		return;
	for (size_t i = first; i < end && n_full; i++)
		if (inv->bays[i].throughput.link_ratio >= full_ratio)
			hint_full(inv, &inv->bays[i], most);
}
