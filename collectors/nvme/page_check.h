/* SPDX-License-Identifier: MIT */
/*
 * page_check: whether bytes from a file are the page that they are said to be.  Stricter than what
 * is asked of a drive: a file may have the wrong name, a drive answers what it was asked.
 */
#ifndef COLLECTORS_NVME_PAGE_CHECK_H
#define COLLECTORS_NVME_PAGE_CHECK_H

#include "base/err.h"
#include "collectors/nvme/page.h"

/* 0, or -1 with what is wrong and what was expected. */
int nv_page_check(enum nv_page kind, const uint8_t *page, size_t len, struct err *e);

#endif
