/* SPDX-License-Identifier: MIT */
/*
 * reason: why something is not known, as a code word (CONTRACTS: words of a verdict's
 * `reason`).  It goes with every value or target that could not be read.
 */
#ifndef MODEL_REASON_H
#define MODEL_REASON_H

enum reason {
	REASON_NONE = 0,
	REASON_HOST_OFF,
	REASON_SESSION_LIMIT,
	REASON_AUTH_FAILED,
	REASON_TLS_FAILED,
	REASON_TIMEOUT,
	REASON_REFUSED,
	REASON_NOT_REDFISH,
	REASON_PLACEHOLDER,
	REASON_CONTRADICTORY,
	REASON_NOT_REPORTED,
	REASON_PERMISSION_DENIED,
	REASON_NOT_LICENSED,
};

/* "host-off", ...; NULL for REASON_NONE. */
const char *reason_word(enum reason r);

/* The reason as part of a sentence, "no answer came in time"; NULL for REASON_NONE. */
const char *reason_text(enum reason r);

/* The reason of a word, REASON_NONE for NULL or any other text. */
enum reason reason_of(const char *word);

#endif
