/* SPDX-License-Identifier: MIT */
/*
 * memory: which pages a drive is asked for in a round, and what it answered, kept from one round to
 * the next: the health page each time, the others at the first round and once an hour, Identify once.
 * A page that a drive refuses is not asked for again for a day, since each refusal is an entry in its
 * error log; one that it does not answer, for an hour.  One round's thread at a time.
 */
#ifndef COLLECTORS_NVME_MEMORY_H
#define COLLECTORS_NVME_MEMORY_H

#include "collectors/nvme/ops.h"
#include "collectors/nvme/scan.h"

struct nv_memory;

struct nv_memory *nv_memory_new(void);
void nv_memory_free(struct nv_memory *m);

/*
 * A round: asks these controllers (each speaks for a drive) for what is due, and forgets all others.
 * Those that may not be asked keep what is known of them.  Gives the number of requests that were sent.
 */
int nv_memory_ask(struct nv_memory *m, const struct nv_ops *ops, void *ops_arg, unsigned timeout_ms,
	const struct nv_controller *const *controllers, size_t n);

/*
 * The last answer of a controller of this round; NULL if it was never asked for the page, or may not
 * be asked now.  Borrowed until the next round.
 */
const struct nv_answer *nv_memory_answer(const struct nv_memory *m, const struct nv_controller *c, enum nv_page page);

#endif
