/* SPDX-License-Identifier: MIT */
/*
 * bay_pack: bays at rest.  A `struct bay` is mostly room for texts that are short or empty; here
 * each is kept in a fifth of the space, those behind the first of their host in a tenth or less, and is the same bay again, byte for byte, when it is taken
 * out.  For what is kept from round to round and looked at once.  Owned by one thread.
 */
#ifndef MODEL_BAY_PACK_H
#define MODEL_BAY_PACK_H

#include "model/bay.h"

#include <stddef.h>

/* All zeros is an empty one. */
struct bay_pack {
	size_t n;
	size_t *at; /* where each begins */
	unsigned char *data;
	size_t len, room;
};

void bay_pack_release(struct bay_pack *p);
void bay_pack_add(struct bay_pack *p, const struct bay *b);

/* Gives back the room for more. */
void bay_pack_fit(struct bay_pack *p);

/* Bay number i, below n. */
void bay_pack_get(const struct bay_pack *p, size_t i, struct bay *out);

/* Its texts without taking it out; borrowed from the pack. */
const char *bay_pack_host(const struct bay_pack *p, size_t i);
const char *bay_pack_name(const struct bay_pack *p, size_t i);

#endif
