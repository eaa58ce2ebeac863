/* SPDX-License-Identifier: MIT */
/* reason: see reason.h. */
#include "model/reason.h"

#include "base/str.h"

const char *reason_word(enum reason r)
{
	switch (r) {
	case REASON_NONE:
		return NULL;
	case REASON_HOST_OFF:
		return "host-off";
	case REASON_SESSION_LIMIT:
		return "session-limit";
	case REASON_AUTH_FAILED:
		return "auth-failed";
	case REASON_TLS_FAILED:
		return "tls-failed";
	case REASON_TIMEOUT:
		return "timeout";
	case REASON_REFUSED:
		return "refused";
	case REASON_NOT_REDFISH:
		return "not-redfish";
	case REASON_PLACEHOLDER:
		return "placeholder";
	case REASON_CONTRADICTORY:
		return "contradictory";
	case REASON_NOT_REPORTED:
		return "not-reported";
	case REASON_PERMISSION_DENIED:
		return "permission-denied";
	case REASON_NOT_LICENSED:
		return "not-licensed";
	}
	return NULL;
}

const char *reason_text(enum reason r)
{
	switch (r) {
	case REASON_NONE:
		return NULL;
	case REASON_HOST_OFF:
		return "the host is powered off";
	case REASON_SESSION_LIMIT:
		return "the BMC has no free session";
	case REASON_AUTH_FAILED:
		return "the login was refused";
	case REASON_TLS_FAILED:
		return "the certificate or the encryption was not accepted";
	case REASON_TIMEOUT:
		return "no answer came in time";
	case REASON_REFUSED:
		return "the connection was refused";
	case REASON_NOT_REDFISH:
		return "what answers there is not Redfish";
	case REASON_PLACEHOLDER:
		return "the source gives a placeholder instead of a value";
	case REASON_CONTRADICTORY:
		return "the readings contradict each other";
	case REASON_NOT_REPORTED:
		return "the source does not report it";
	case REASON_PERMISSION_DENIED:
		return "there is no permission to read it";
	case REASON_NOT_LICENSED:
		return "the BMC has no licence for it";
	}
	return NULL;
}

enum reason reason_of(const char *word)
{
	for (int r = REASON_NONE + 1; word && r <= REASON_NOT_LICENSED; r++)
		if (str_same(word, reason_word(r)))
			return r;
	return REASON_NONE;
}
