/* SPDX-License-Identifier: MIT */
/*
 * A rule's body on its way out, piece by piece: endless, repeated, zipped, dripping, cut.
 */
#ifndef SIMBMC_STREAM_H
#define SIMBMC_STREAM_H

#include "tests/simbmc/request.h"
#include "tests/simbmc/rules.h"

/*
 * A response whose body is made as it is sent: the rule's repeat or endless blanks, else
 * these bytes (taken over). NULL without memory.
 */
struct MHD_Response *stream_response(struct request *r, const struct rule *rule, char *bytes,
				     size_t len);

#endif
