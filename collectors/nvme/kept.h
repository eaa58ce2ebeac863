/* SPDX-License-Identifier: MIT */
/*
 * kept: what is kept of /sys from one sweep to the next, so that most sweeps need no full scan.
 *
 * Attributes stay open: a kept descriptor reads anew and fails once its device is gone.  Of the few
 * that can change while nothing comes or goes (a link's negotiated speed and width, a controller's
 * state, whether it sleeps) the text is kept too.  As long as all of these read as they did, and the
 * same controllers, PCI devices and NVMe disks are listed, a full scan would find what the last one
 * found; nv_kept_unchanged() finds that out.  One round's thread at a time.
 */
#ifndef COLLECTORS_NVME_KEPT_H
#define COLLECTORS_NVME_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct nv_kept;

/*
 * Of the tree below a root (borrowed).  Raises the soft limit of descriptors, and keeps no more than
 * half of what it is then, nor more than 4096: what finds no place is opened each time.
 */
struct nv_kept *nv_kept_new(int root);
void nv_kept_free(struct nv_kept *k);

/* A full scan begins: gives back what the last one did not use, and all of it where something came or went. */
void nv_kept_next_scan(struct nv_kept *k);

/* True if all that can change reads as it did in the last full scan. */
bool nv_kept_unchanged(struct nv_kept *k);

/* Reads an attribute from its start, NUL-terminated, at most size-1 bytes; -1 with errno. Without keeping (NULL) it is opened below root. */
ssize_t nv_kept_read(struct nv_kept *k, int root, const char *path, char *out, size_t size);

/* Folders that are known to be no links. */
bool nv_kept_is_folder(struct nv_kept *k, const char *path);
void nv_kept_note_folder(struct nv_kept *k, const char *path);

/* A mark of a folder's entries whose names begin with `prefix`: another one if any came, went or was replaced. 0: no such folder. */
uint64_t nv_kept_mark(int root, const char *folder, const char *prefix);

#endif
