/* SPDX-License-Identifier: MIT */
/* drives: see drives.h.  Runs in the thread of a round. */
#include "collectors/nvme/drives.h"
#include "base/mem.h"
#include "collectors/nvme/block.h"
#include "collectors/nvme/health.h"
#include "collectors/nvme/machine.h"
#include "collectors/nvme/memory.h"

#include <stdlib.h>

struct nv_drives {
	struct nv_memory *memory;
	struct nv_machine *machine; /* of the last full scan; NULL: none yet, or it found no sysfs */
	unsigned sweeps;	    /* since then */
};

struct nv_drives *nv_drives_new(void)
{
	struct nv_drives *d = mem_new(1, sizeof *d);

	d->memory = nv_memory_new();
	return d;
}

void nv_drives_free(struct nv_drives *d)
{
	if (!d)
		return;
	nv_machine_free(d->machine);
	nv_memory_free(d->memory);
	free(d);
}

/* True if a full scan would find what the last one did. What is noted for a capture must be read. */
static bool still_holds(const struct nv_drives *d, const struct nv_sysfs *s)
{
	return d->machine && s->kept && !s->record && d->sweeps < NV_SWEEPS_FULL && nv_kept_unchanged(s->kept);
}

/* I/O of the block devices of one drive. */
struct moved {
	struct io_counters heads, paths;
	bool idle_said;
};

static void add_io(const struct nv_sysfs *s, const struct nv_namespace *n, struct bay *b, struct moved *m)
{
	struct block_io io = nv_block_read(s, n->path);

	io.moved.series = n->series;
	if (io.in_flight == TRI_YES)
		b->busy = TRI_YES;
	m->idle_said |= io.in_flight == TRI_NO;
	if (io.done.known)
		b->io_done = count_of((b->io_done.known ? b->io_done.lo : 0) + io.done.lo);
	nv_block_add(n->hidden ? &m->paths : &m->heads, &io.moved);
}

static void read_io(const struct nv_sysfs *s, const struct nv_scan *scan, struct snapshot *out)
{
	struct moved *moved = mem_new(out->n_bays + 1, sizeof *moved);

	for (size_t i = 0; i < scan->n_namespaces; i++)
		if (scan->namespaces[i].bay < out->n_bays)
			add_io(s, &scan->namespaces[i], &out->bays[scan->namespaces[i].bay], &moved[scan->namespaces[i].bay]);
	for (size_t i = 0; i < out->n_bays; i++) {
		struct bay *b = &out->bays[i];
		const struct io_counters *heads = &moved[i].heads;

		if (b->busy != TRI_YES && moved[i].idle_said)
			b->busy = TRI_NO;
		/* before 6.4 the head of several paths counts nothing, its paths do */
		b->io = heads->known && (!moved[i].paths.known || heads->read_bytes || heads->written_bytes) ? *heads
													   : moved[i].paths;
	}
	free(moved);
}

void nv_drives_read(const struct nv_sysfs *s, const struct nv_ops *ops, void *ops_arg, unsigned timeout_ms,
	struct nv_drives *kept, struct snapshot *out)
{
	struct nv_drives *d = kept ? kept : nv_drives_new();
	struct err e;

	if (!still_holds(d, s)) {
		nv_machine_free(d->machine);
		d->machine = nv_machine_read(s, &out->target, &e);
		d->sweeps = 0;
	}
	d->sweeps++;
	if (!d->machine) {
		target_unreachable(&out->target, REASON_NOT_REPORTED, e.text);
		goto out;
	}
	out->target.verdict = TARGET_OK;
	out->target.power = TRI_YES;
	nv_machine_put(d->machine, out);
	read_io(s, &d->machine->scan, out);
	out->target.requests += nv_memory_ask(d->memory, ops, ops_arg, timeout_ms, d->machine->voices, out->n_bays);
	for (size_t i = 0; i < out->n_bays; i++)
		nv_health_fill(s, d->machine->voices[i], d->memory, &out->bays[i], &out->target);
out:
	if (!kept)
		nv_drives_free(d);
}
