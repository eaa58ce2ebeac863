/* SPDX-License-Identifier: MIT */
/* ops_none: in place of ops.c in a build without libnvme (--without-nvme): no pages; sysfs stays. */
#include "collectors/nvme/ops.h"

#include <errno.h>

bool nv_kernel_available(void)
{
	return false;
}

void nv_kernel_read(int *fd, const struct nv_question *q, struct nv_answer *out)
{
	(void)fd;
	(void)q;
	*out = (struct nv_answer){0};
	nv_answer_errno(out, ENOSYS);
}
