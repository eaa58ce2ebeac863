/* SPDX-License-Identifier: MIT */
/*
 * file: whole files, bounded; and secrets, which must not be readable by others.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

/* Adds all of a file to an initialised buffer; -1 with errno kept if it cannot be read, or is larger than the buffer may be (EFBIG). */
int file_read(const char *path, struct buf *out, struct err *e);

/*
 * The first line of a password or token file.  The file must be a regular one, owned by us or
 * root, and readable by nobody else (SECURITY.md, S1).  Returns a text to be freed with
 * mem_wipe_free(), NULL with the remedy in e.
 */
char *file_secret_take(const char *path, struct err *e);

/* Adds all of a file that holds secrets (a key, hashes) to an initialised buffer; the same is asked of it. Wipe it after use. */
int file_secret_read(const char *path, struct buf *out, struct err *e);

#endif
