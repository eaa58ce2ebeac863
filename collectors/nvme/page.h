/* SPDX-License-Identifier: MIT */
/*
 * page: which pages a controller can be asked for, and what came back: raw bytes, or in one word
 * why not.  Little-endian fields are taken out byte by byte, so any machine reads them alike.
 */
#ifndef COLLECTORS_NVME_PAGE_H
#define COLLECTORS_NVME_PAGE_H

#include "model/count.h"
#include "model/reason.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nv_page {
	NV_PAGE_UNKNOWN = 0,
	NV_PAGE_SMART,	  /* log 02h */
	NV_PAGE_ERROR,	  /* log 01h */
	NV_PAGE_FIRMWARE, /* log 03h */
	NV_PAGE_SELF_TEST, /* log 06h */
	NV_PAGE_ENDURANCE_GROUP, /* log 09h */
	NV_PAGE_OCP_SMART, /* log C0h, known by its GUID */
	NV_PAGE_IDENTIFY,  /* Identify Controller, CNS 01h */
	NV_PAGES,
};

/* "smart", "error", ... as in recordings and `decode`; NULL for none. */
const char *nv_page_word(enum nv_page p);
enum nv_page nv_page_of(const char *word);

/* Log identifier, 0 for Identify. */
uint8_t nv_page_log_id(enum nv_page p);

/* Bytes that are asked for. The error log's number of entries varies: these are the newest 16. */
size_t nv_page_size(enum nv_page p);

enum { NV_PAGE_MAX = 4096, NV_ERROR_ENTRIES = 16 };

enum nv_end {
	NV_END_UNKNOWN = 0, /* not asked */
	NV_READ,
	NV_NOT_OFFERED, /* the drive does not have this page */
	NV_REFUSED,	/* an NVMe status */
	NV_DENIED,	/* we may not ask: EACCES, EPERM */
	NV_TIMED_OUT,	/* no answer within the deadline */
	NV_FAILED,	/* another errno: the drive is gone, for one */
};

struct nv_answer {
	enum nv_end end;
	int status; /* NVMe status field, of NV_REFUSED */
	int error;  /* errno */
	size_t len;
	uint8_t data[NV_PAGE_MAX];
};

/* An answer without data, from an errno or from an NVMe status (phase tag cut off). */
void nv_answer_errno(struct nv_answer *a, int error);
void nv_answer_status(struct nv_answer *a, int status);

/* The reason of a page that was not read; REASON_NONE if it was. */
enum reason nv_answer_reason(const struct nv_answer *a);

/* "EACCES", "0x2002", "ETIMEDOUT": what stands in an error of a target. */
void nv_answer_code(const struct nv_answer *a, char *out, size_t size);

/* The errno of a name ("EACCES"), 0 for those without one here. */
int nv_errno_of(const char *name);

/* All bytes zero, or all ones: nothing that a drive measured. */
bool nv_page_blank(const uint8_t *p, size_t len);

static inline uint16_t nv_le16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t nv_le32(const uint8_t *p)
{
	return nv_le16(p) | (uint32_t)nv_le16(p + 2) << 16;
}

static inline uint64_t nv_le64(const uint8_t *p)
{
	return nv_le32(p) | (uint64_t)nv_le32(p + 4) << 32;
}

/* Degrees Celsius of a Kelvin field; NAN for 0, 65535 and what no drive can survive. */
double nv_celsius(uint16_t kelvin);

#endif
