/* SPDX-License-Identifier: MIT */
/*
 * recording: log pages from the folder of a recorded target (docs/RECORDINGS.md):
 * nvme/<controller>/<log>.hex, .bin or .error (an errno name, an NVMe status, `hang`).
 */
#ifndef COLLECTORS_NVME_RECORDING_H
#define COLLECTORS_NVME_RECORDING_H

#include "collectors/nvme/ops.h"

#include <jansson.h>

/* arg is a struct nv_sysfs whose root is the target's folder. */
extern const struct nv_ops nv_recording_ops;

/*
 * Notes an answer in an object by the name of its file in a recording: "nvme/nvme0/smart.hex" with the
 * bytes, or "nvme/nvme0/smart.error" with the word; nothing for a page that a drive does not have.
 */
void nv_recording_note(json_t *record, const struct nv_ask *q);

/* Bytes as hexadecimal text, 16 a line; the caller's to free(). */
char *nv_hex_text(const uint8_t *bytes, size_t len);

/*
 * Reads hexadecimal bytes: pairs with or without blanks, "0x" before them, an offset with a colon
 * at the start of a line, a quoted or |barred| text at its end.  The number of bytes, -1 if the
 * text is anything else or has more than max.
 */
long nv_hex_parse(const char *text, size_t len, uint8_t *out, size_t max);

#endif
