/* SPDX-License-Identifier: MIT */
/*
 * ops: asks the kernel through libnvme's ioctl level; the one file that knows libnvme.  Runs in the
 * reader process.  Two opcodes are sent, both only read: Get Log Page (02h) and Identify (06h).
 * libnvme's handy nvme_get_log_smart() passes no time-out to the kernel, so the arguments are ours.
 */
#include "collectors/nvme/ops.h"

#include <errno.h>
#include <fcntl.h>
#include <libnvme.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NSID_ALL = -1 };

bool nv_kernel_available(void)
{
	return true;
}

static int get_log(int fd, const struct nv_question *q, struct nv_answer *out)
{
	struct nvme_get_log_args args = {
		.args_size = sizeof args,
		.fd = fd,
		.timeout = q->timeout_ms,
		.lid = nv_page_log_id(q->page),
		.len = (__u32)nv_page_size(q->page),
		.nsid = (__u32)NSID_ALL,
		.csi = NVME_CSI_NVM,
		.lsi = q->page == NV_PAGE_ENDURANCE_GROUP ? q->endurance_group : NVME_LOG_LSI_NONE,
		.lsp = NVME_LOG_LSP_NONE,
		.uuidx = NVME_UUID_NONE,
		.rae = true, /* another program may wait for the event that reading would clear */
		.log = out->data,
	};

	return nvme_get_log(&args);
}

static int identify(int fd, const struct nv_question *q, struct nv_answer *out)
{
	struct nvme_identify_args args = {
		.args_size = sizeof args,
		.fd = fd,
		.timeout = q->timeout_ms,
		.cns = NVME_IDENTIFY_CNS_CTRL,
		.csi = NVME_CSI_NVM,
		.nsid = NVME_NSID_NONE,
		.cntid = NVME_CNTLID_NONE,
		.cns_specific_id = NVME_CNSSPECID_NONE,
		.uuidx = NVME_UUID_NONE,
		.data = out->data,
	};

	return nvme_identify(&args);
}

static int open_controller(int controller)
{
	char path[32];

	snprintf(path, sizeof path, "/dev/nvme%d", controller);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static int send_one(int fd, const struct nv_question *q, struct nv_answer *out)
{
	switch (q->page) {
	case NV_PAGE_SMART:
	case NV_PAGE_ERROR:
	case NV_PAGE_FIRMWARE:
	case NV_PAGE_SELF_TEST:
	case NV_PAGE_ENDURANCE_GROUP:
	case NV_PAGE_OCP_SMART:
		return get_log(fd, q, out);
	case NV_PAGE_IDENTIFY:
		return identify(fd, q, out);
	case NV_PAGE_UNKNOWN:
	case NV_PAGES:
		break;
	}
	errno = EINVAL;
	return -1;
}

/* Sends the command; true if the node was that of a drive that is gone and may be opened anew. */
static bool try_read(int *fd, const struct nv_question *q, struct nv_answer *out)
{
	bool kept = *fd >= 0;
	int rc;

	if (!kept)
		*fd = open_controller(q->controller);
	if (*fd < 0) {
		nv_answer_errno(out, errno);
		return false;
	}
	rc = send_one(*fd, q, out);
	if (rc == 0) {
		out->end = NV_READ;
		out->len = nv_page_size(q->page);
		return false;
	}
	if (rc > 0) {
		nv_answer_status(out, rc);
		return false;
	}
	nv_answer_errno(out, errno);
	close(*fd);
	*fd = -1;
	return kept && (out->error == ENODEV || out->error == ENXIO || out->error == EIO);
}

void nv_kernel_read(int *fd, const struct nv_question *q, struct nv_answer *out)
{
	*out = (struct nv_answer){0};
	if (try_read(fd, q, out))
		try_read(fd, q, out);
}
