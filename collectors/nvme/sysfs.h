/* SPDX-License-Identifier: MIT */
/*
 * sysfs: reads small text files below one root: /sys itself, or the `sys` folder of a
 * recording.  Links are followed inside the root only, so that a recording from elsewhere
 * cannot make us read /etc.  Paths are relative to the root: "class/nvme/nvme0/serial".
 *
 * Reading may block while a link dies (STYLE: threads), so this runs in a round's own
 * thread.  `nuse` is never read: the kernel would ask the drive.
 */
#ifndef COLLECTORS_NVME_SYSFS_H
#define COLLECTORS_NVME_SYSFS_H

#include "base/err.h"
#include "collectors/nvme/kept.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NV_PATH_MAX = 512, NV_TEXT_MAX = 4096 };

struct nv_sysfs {
	int root; /* directory descriptor */
	struct nv_kept *kept; /* NULL: nothing is kept */
	json_t *record;	      /* NULL: nothing is noted */
};

/* Names in a folder, in natural order. */
struct nv_names {
	size_t n;
	char (*names)[64];
};

int nv_sysfs_open(struct nv_sysfs *s, const char *root, struct err *e);
void nv_sysfs_close(struct nv_sysfs *s);

/* Keeps attributes open and watches what can change (kept.h), for /sys. */
void nv_sysfs_keep(struct nv_sysfs *s);

/*
 * Notes in an object (borrowed; NULL ends it) all that is found from now on, for capture: "sys/PATH" with
 * the text of an attribute, {"link": TARGET} or {"folder": true}.
 */
void nv_sysfs_record(struct nv_sysfs *s, json_t *record);

/*
 * The path without links and dots, below the root; false if the way ends or loops.
 * With no link left in it, a path is read without being resolved again.
 */
bool nv_sysfs_resolve(const struct nv_sysfs *s, const char *path, char *out, size_t size);

/* Raw bytes of a file below a resolved folder, NUL-terminated, at most size-1; -1 with errno. */
int nv_sysfs_bytes(const struct nv_sysfs *s, const char *dir, const char *name, char *out, size_t size);

/* An attribute as clean text (str_clean); "" and false if it cannot be read or is empty. */
bool nv_sysfs_text(const struct nv_sysfs *s, const char *dir, const char *name, char *out, size_t size);

/* A whole number, decimal or 0x hexadecimal; false if there is none. */
bool nv_sysfs_int(const struct nv_sysfs *s, const char *dir, const char *name, int64_t *out);

/* Lists a folder (a link to one is followed inside the root); n is 0 if there is none. */
void nv_sysfs_list(const struct nv_sysfs *s, const char *path, struct nv_names *out);
void nv_names_release(struct nv_names *n);

/* "dir/name"; false if it does not fit. */
bool nv_path_join(char *out, size_t size, const char *dir, const char *name);

/* Cuts the last part off; false if only one is left. */
bool nv_path_up(char *path);

/* The last part, borrowed. */
const char *nv_path_last(const char *path);

#endif
