/* SPDX-License-Identifier: MIT */
/*
 * url: addresses of targets in every usual spelling, reduced to one.
 *
 * "192.0.2.10", "bmc1.example.net:8443", "[2001:db8::7]", "https://host[:port][/redfish/v1[/]]"
 * and the like become "https://host[:port]"; what is no address is refused with the reason
 * (user info, another scheme, a path that is not Redfish's, blanks, bad ports, ...).
 */
#ifndef BASE_URL_H
#define BASE_URL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct url {
	bool tls;
	char host[128]; /* lower case; an IPv6 address without brackets */
	int port;	/* always set: 443 or 80 where not given */
};

/* Reads an address of a target; -1 with one sentence that says what is wrong. */
int url_parse(const char *text, struct url *out, struct err *e);

/* "https://host", with ":port" where it is not the scheme's own; returns out. */
const char *url_text(const struct url *u, char *out, size_t size);

/* True for 127.0.0.0/8, ::1 and localhost. */
bool url_is_loopback(const struct url *u);

#endif
