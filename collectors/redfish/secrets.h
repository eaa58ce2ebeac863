/* SPDX-License-Identifier: MIT */
/*
 * secrets: what a BMC must not tell back to the world: our password and session token.  A broken or
 * hostile service may echo them, in an error's text or in any other value; they are taken out of an
 * answer as it comes in, so that no log, table, recording or database can hold them (SECURITY.md,
 * S2).  Found plain and in the encodings in which an echo is likely: percent, hexadecimal, base64
 * (alone, within more, and as Basic sends it), JSON escapes, reversed.  On the loop's thread.
 *
 * A secret of less than RF_SECRET_LONG bytes is taken out of error texts only: in a serial number or
 * a model's name it stands by chance, and must stay.
 */
#ifndef REDFISH_SECRETS_H
#define REDFISH_SECRETS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { RF_SECRET_LONG = 8, RF_SECRET_FORMS = 40 };

struct rf_secret_form {
	char *text;
	bool fold;   /* capitals and small letters are the same (hexadecimal, percent) */
	bool base64;  /* what stands around it up to a group of four belongs to it */
	bool is_long; /* of a secret of RF_SECRET_LONG bytes or more */
};

struct rf_secrets {
	size_t n;
	struct rf_secret_form forms[RF_SECRET_FORMS];
};

/* Adds a secret with all its forms; with a user's name also as Basic sends it. */
void rf_secrets_add(struct rf_secrets *s, const char *secret, const char *username);

/* Wipes and forgets all. */
void rf_secrets_release(struct rf_secrets *s);

/* True if a text holds a secret, short ones too. */
bool rf_secrets_in(const struct rf_secrets *s, const char *text);

/*
 * Takes the secrets out of a document that was parsed from `body`: "***" in their place, a member whose
 * name holds one is gone.  A body without any costs one search; without a body (NULL) all is looked at.
 */
void rf_secrets_hide(const struct rf_secrets *s, const char *body, json_t *doc);

#endif
