/* SPDX-License-Identifier: MIT */
/*
 * Bodies into answers: ETag and 304, gzip where it is accepted, the headers of Redfish.
 */
#ifndef SIMBMC_REPLY_H
#define SIMBMC_REPLY_H

#include "tests/simbmc/request.h"

/* A header to add; name NULL ends a list. */
struct reply_header {
	const char *name, *value;
};

/* Answers with doc (taken over; NULL: an empty body). headers may be NULL. */
enum MHD_Result reply_json(struct request *r, int status, json_t *doc,
			   const struct reply_header *headers);

/* Answers with these bytes (taken over). */
enum MHD_Result reply_bytes(struct request *r, int status, char *bytes, size_t len,
			    const struct reply_header *headers);

/* Answers with a Redfish error body that fits the status. */
enum MHD_Result reply_error(struct request *r, int status);

/* The whole of in as gzip; NULL without memory. */
unsigned char *gzip_whole(const void *in, size_t len, size_t *out_len);

#endif
