/* SPDX-License-Identifier: MIT */
/* table: uthash's hash tables. Left to itself, uthash ends without a word where there is no memory. */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/mem.h"

#define uthash_fatal(why) mem_exhausted()
#include <uthash.h>

#endif
