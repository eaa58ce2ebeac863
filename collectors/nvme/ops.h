/* SPDX-License-Identifier: MIT */
/*
 * ops: the seam to whatever answers for the drives: the kernel (ops.c), a recording, or a test.
 * Only pages of a fixed list can be asked for, and all of them only read.
 */
#ifndef COLLECTORS_NVME_OPS_H
#define COLLECTORS_NVME_OPS_H

#include "collectors/nvme/page.h"

/* One question and its answer. */
struct nv_ask {
	char controller[24]; /* "nvme0" */
	enum nv_page page;
	uint16_t endurance_group; /* of NV_PAGE_ENDURANCE_GROUP: 1 and up */
	struct nv_answer answer;
};

struct nv_ops {
	/*
	 * Asks all of them, those of one controller one after the other and controllers side by side,
	 * and returns when every answer is there or the time is over: what is open then has timed out.
	 * Runs in the round's thread.
	 */
	void (*ask)(void *arg, struct nv_ask *asks, size_t n, unsigned timeout_ms);
};

/* One page from /dev/<controller> (ops.c; ops_none.c in a build without libnvme). May block. */
void nv_kernel_read(const char *controller, enum nv_page page, uint16_t endurance_group, unsigned timeout_ms,
	struct nv_answer *out);

/* Asks /dev/nvmeN with a thread for each controller; arg is NULL. */
extern const struct nv_ops nv_kernel_ops;

#endif
