/* SPDX-License-Identifier: MIT */
/*
 * recording: log pages from the folder of a recorded target (docs/RECORDINGS.md):
 * nvme/<controller>/<log>.hex, .bin or .error (an errno name, an NVMe status, `hang`).
 */
#ifndef COLLECTORS_NVME_RECORDING_H
#define COLLECTORS_NVME_RECORDING_H

#include "collectors/nvme/ops.h"

/* arg is a struct nv_sysfs whose root is the target's folder. */
extern const struct nv_ops nv_recording_ops;

/*
 * Reads hexadecimal bytes: pairs with or without blanks, "0x" before them, an offset with a colon
 * at the start of a line, a quoted or |barred| text at its end.  The number of bytes, -1 if the
 * text is anything else or has more than max.
 */
long nv_hex_parse(const char *text, size_t len, uint8_t *out, size_t max);

#endif
