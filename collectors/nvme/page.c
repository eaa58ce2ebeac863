/* SPDX-License-Identifier: MIT */
/* page: see page.h. */
#include "collectors/nvme/page.h"
#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct page {
	const char *word;
	uint8_t log_id;
	size_t size;
};

/* Sizes: NVM Express Base Specification 2.0, section 5.16.1 and figure 275; OCP Datacenter NVMe SSD 2.0. */
static const struct page pages[NV_PAGES] = {
	[NV_PAGE_SMART] = {"smart", 0x02, 512},
	[NV_PAGE_ERROR] = {"error", 0x01, NV_ERROR_ENTRIES * 64},
	[NV_PAGE_FIRMWARE] = {"firmware", 0x03, 512},
	[NV_PAGE_SELF_TEST] = {"self-test", 0x06, 564},
	[NV_PAGE_ENDURANCE_GROUP] = {"endurance-group", 0x09, 512},
	[NV_PAGE_OCP_SMART] = {"ocp-smart", 0xc0, 512},
	[NV_PAGE_IDENTIFY] = {"identify", 0, 4096},
};

const char *nv_page_word(enum nv_page p)
{
	return p < NV_PAGES ? pages[p].word : NULL; /* none for NV_PAGE_UNKNOWN */
}

enum nv_page nv_page_of(const char *word)
{
	for (int p = NV_PAGE_UNKNOWN + 1; p < NV_PAGES; p++)
		if (str_same(pages[p].word, word))
			return p;
	return NV_PAGE_UNKNOWN;
}

uint8_t nv_page_log_id(enum nv_page p)
{
	return p < NV_PAGES ? pages[p].log_id : 0;
}

size_t nv_page_size(enum nv_page p)
{
	return p < NV_PAGES ? pages[p].size : 0;
}

/* What ioctls on a controller are seen to end with, and what a recording may name. */
static const struct {
	const char *name;
	int error;
} errnos[] = {
	{"EACCES", EACCES}, {"EPERM", EPERM}, {"ENOENT", ENOENT}, {"EIO", EIO}, {"ENXIO", ENXIO},
	{"EAGAIN", EAGAIN}, {"EBUSY", EBUSY}, {"ENODEV", ENODEV}, {"EINVAL", EINVAL}, {"EINTR", EINTR},
	{"ENOTTY", ENOTTY}, {"ETIME", ETIME}, {"ETIMEDOUT", ETIMEDOUT}, {"ENOMEM", ENOMEM},
	{"EFAULT", EFAULT}, {"EMFILE", EMFILE}, {"ENFILE", ENFILE}, {"EBADF", EBADF}, {"ESRCH", ESRCH},
	{"EOPNOTSUPP", EOPNOTSUPP}, {"ENOSYS", ENOSYS}, {"ENOLINK", ENOLINK}, {"EREMOTEIO", EREMOTEIO},
	{"ECONNRESET", ECONNRESET}, {"EPIPE", EPIPE}, {"ENOMEDIUM", ENOMEDIUM}, {"ESHUTDOWN", ESHUTDOWN},
};

static const char *errno_name(int error)
{
	for (size_t i = 0; i < sizeof errnos / sizeof errnos[0]; i++)
		if (errnos[i].error == error)
			return errnos[i].name;
	return NULL;
}

int nv_errno_of(const char *name)
{
	for (size_t i = 0; i < sizeof errnos / sizeof errnos[0]; i++)
		if (str_same(errnos[i].name, name))
			return errnos[i].error;
	return 0;
}

void nv_answer_errno(struct nv_answer *a, int error)
{
	a->error = error;
	a->len = 0;
	switch (error) {
	case EACCES:
	case EPERM:
		a->end = NV_DENIED;
		break;
	case ETIME:
	case ETIMEDOUT:
	case EINTR: /* the drive vanished while it was asked, or the kernel gave up */
	case EAGAIN: /* it is being reset: asked again at the next poll */
	case EBUSY:
		a->end = NV_TIMED_OUT;
		break;
	default:
		a->end = NV_FAILED;
	}
}

/*
 * Status field of figure 94: code in bits 7:0, code type in 10:8, Do Not Retry in 14.  Invalid
 * Opcode (0/01h), Invalid Field (0/02h) and Invalid Log Page (1/09h) are how a drive says that it
 * has no such page; so does Invalid Namespace for a page that is kept for each namespace.
 */
void nv_answer_status(struct nv_answer *a, int status)
{
	int code = status & 0x7ff;

	a->status = status;
	a->len = 0;
	a->end = code == 0x001 || code == 0x002 || code == 0x109 ? NV_NOT_OFFERED : NV_REFUSED;
}

enum reason nv_answer_reason(const struct nv_answer *a)
{
	switch (a->end) {
	case NV_READ:
		return REASON_NONE;
	case NV_DENIED:
		return REASON_PERMISSION_DENIED;
	case NV_TIMED_OUT:
		return REASON_TIMEOUT;
	case NV_END_UNKNOWN:
	case NV_NOT_OFFERED:
	case NV_REFUSED:
	case NV_FAILED:
		return REASON_NOT_REPORTED;
	}
	return REASON_NOT_REPORTED;
}

void nv_answer_code(const struct nv_answer *a, char *out, size_t size)
{
	const char *name = errno_name(a->error);

	if (a->status)
		snprintf(out, size, "0x%x", (unsigned)a->status);
	else if (name)
		str_copy(out, size, name);
	else
		snprintf(out, size, "errno %d", a->error);
}

bool nv_page_blank(const uint8_t *p, size_t len)
{
	for (size_t i = 1; i < len; i++)
		if (p[i] != p[0])
			return false;
	return len == 0 || p[0] == 0 || p[0] == 0xff;
}

double nv_celsius(uint16_t kelvin)
{
	/* -100 to +200 degrees: outside of it the field holds something else */
	return kelvin >= 173 && kelvin <= 473 ? (double)kelvin - 273 : NAN;
}
