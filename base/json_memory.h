/* SPDX-License-Identifier: MIT */
/*
 * json_memory: where jansson's values live.
 *
 * A drive's worth of JSON is a thousand small values that come together and go together.  They are laid one behind
 * the other in blocks, and a block goes back as a whole when its last value is freed: cheaper than
 * malloc() for each, and no holes stay between what lives longer.  Any thread may free what another took.
 */
#ifndef BASE_JSON_MEMORY_H
#define BASE_JSON_MEMORY_H

/*
 * Makes jansson take its memory so; before its first use.  Where a sanitizer looks on it takes malloc()
 * as ever.  Without memory the program ends as mem.h says: jansson would damage the heap (2.14, json_loadb).
 * What json_dumps() returns cannot be freed by free() then: use jtext_print().
 */
void json_memory_use(void);

#endif
