/* SPDX-License-Identifier: MIT */
/* listen: see listen.h. */
#include "web/listen.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

int listen_parse(const char *text, struct sockaddr_storage *out, socklen_t *len, struct err *e)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)out;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
	const char *colon = strrchr(text, ':');
	char host[64];
	size_t n;
	int64_t port;

	memset(out, 0, sizeof *out);
	if (!colon || !str_to_int(colon + 1, 0, 65535, &port))
		return err_set(e, "listen = \"%s\": not ADDRESS:PORT, as in 127.0.0.1:9288 or [::1]:9288", text);
	n = (size_t)(colon - text);
	if (n >= 2 && text[0] == '[' && text[n - 1] == ']')
		text++, n -= 2;
	if (n >= sizeof host)
		return err_set(e, "listen: the address is too long");
	memcpy(host, text, n);
	host[n] = '\0';
	if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)port);
		*len = sizeof *v4;
	} else if (inet_pton(AF_INET6, host, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((uint16_t)port);
		*len = sizeof *v6;
	} else {
		return err_set(e, "listen: \"%s\" is no address (names are not looked up here)", host);
	}
	return 0;
}

bool listen_is_loopback(const struct sockaddr_storage *a)
{
	if (a->ss_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)a)->sin_addr.s_addr) >> 24 == 127;
	return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)a)->sin6_addr);
}

/* The name of a Host header without port and brackets; false if it is none. */
static bool host_name(const char *host, char *out, size_t size)
{
	const char *end;
	size_t n;

	if (host[0] == '[') {
		host++;
		end = strchr(host, ']');
		if (!end || !memchr(host, ':', (size_t)(end - host))) /* in brackets stand addresses of IPv6 alone */
			return false;
	} else {
		end = host + strcspn(host, ":");
	}
	n = (size_t)(end - host);
	end += *end == ']';
	if (*end && (*end != ':' || end[1 + strspn(end + 1, "0123456789")]))
		return false;
	if (!n || n >= size)
		return false;
	memcpy(out, host, n);
	out[n] = '\0';
	return true;
}

static bool is_literal(const struct sockaddr_storage *a, const char *name)
{
	unsigned char raw[16];

	if (a->ss_family == AF_INET && inet_pton(AF_INET, name, raw) == 1)
		return memcmp(raw, &((const struct sockaddr_in *)a)->sin_addr, 4) == 0 ||
		       ((const struct sockaddr_in *)a)->sin_addr.s_addr == INADDR_ANY;
	if (a->ss_family == AF_INET6 && inet_pton(AF_INET6, name, raw) == 1)
		return memcmp(raw, &((const struct sockaddr_in6 *)a)->sin6_addr, 16) == 0 ||
		       IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)a)->sin6_addr);
	return false;
}

bool listen_host_fits(const struct sockaddr_storage *a, const char *const *hosts, const char *host)
{
	char name[256];

	if (!host || !host_name(host, name, sizeof name))
		return false;
	if (str_same_nocase(name, "localhost") || str_same(name, "127.0.0.1") || str_same(name, "::1"))
		return true;
	if (is_literal(a, name))
		return true;
	for (; hosts && *hosts; hosts++)
		if (str_same_nocase(*hosts, name))
			return true;
	return false;
}
