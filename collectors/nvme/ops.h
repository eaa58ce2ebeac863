/* SPDX-License-Identifier: MIT */
/*
 * ops: the seam to whatever answers for the drives: the reader process and behind it the kernel
 * (ops.c), a recording, or a test.  Only pages of a fixed list can be asked for, and all of them
 * only read.
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
	 * Asks all of them, those of one controller (they stand together) one after the other and
	 * controllers side by side, and returns when every answer is there or the time is over: what is open then has timed out.
	 * Runs in the round's thread.
	 */
	void (*ask)(void *arg, struct nv_ask *asks, size_t n, unsigned timeout_ms);
};

/* One question to the kernel, for the reader process. */
struct nv_question {
	int controller; /* N of /dev/nvmeN */
	enum nv_page page;
	uint16_t endurance_group;
	unsigned timeout_ms; /* the kernel's, for this command */
};

/* False in a build without libnvme. */
bool nv_kernel_available(void);

/*
 * Reads one page.  *fd is the controller's node, kept open from one call to the next (-1: not yet);
 * it is closed and opened again where the drive behind it was replaced.  May block for ever.
 */
void nv_kernel_read(int *fd, const struct nv_question *q, struct nv_answer *out);

#endif
