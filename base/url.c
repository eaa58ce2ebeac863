/* SPDX-License-Identifier: MIT */
/*
 * url: see url.h.  Strict on purpose: whatever is let through here is what libcurl connects
 * to, and libcurl reads "0x7f.1" or "2130706433" as addresses and "a@b" as a password.
 */
#include "base/url.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#define TEXT_MAX  512
#define LABEL_MAX 63

/* A piece of the text. */
struct span {
	const char *p;
	size_t len;
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* ---- characters that no address has ---- */

static int check_characters(const char *text, struct err *e)
{
	size_t len = strlen(text);

	if (!len)
		return err_set(e, "the address is empty");
	if (len > TEXT_MAX)
		return err_set(e, "the address is longer than %d characters", TEXT_MAX);
	/* First of all, so that no later sentence can quote a password. */
	if (strchr(text, '@'))
		return err_set(e, "a user name or password does not belong into the address; "
				  "use username and password_file");
	for (const char *p = text; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (c == ' ' || c == '\t')
			return err_set(e, "the address has a blank in it");
		if (c < 0x20 || c == 0x7f)
			return err_set(e, "the address has a control character in it");
		if (c >= 0x80)
			return err_set(e, "the address has a character that is not ASCII; "
					  "write an international name in its xn-- form");
		if (c == '\\')
			return err_set(e, "the address has a backslash in it");
	}
	return 0;
}

/* ---- scheme, path ---- */

static bool starts_nocase(const char *s, const char *prefix)
{
	for (; *prefix; s++, prefix++)
		if (lower(*s) != *prefix)
			return false;
	return true;
}

/* Moves *text past the scheme, if there is one. */
static int read_scheme(const char **text, struct url *out, struct err *e)
{
	const char *colon = strstr(*text, "://");

	out->tls = true;
	if (starts_nocase(*text, "https://")) {
		*text += 8;
	} else if (starts_nocase(*text, "http://")) {
		out->tls = false;
		*text += 7;
	} else if (starts_nocase(*text, "https:") || starts_nocase(*text, "http:")) {
		return err_set(e, "after %.*s there must be // and a host",
			(int)strcspn(*text, ":") + 1, *text);
	} else if (colon && colon == *text + strcspn(*text, ":/?#[")) {
		return err_set(e, "%.*s:// is not spoken; https:// is (and http://)",
			(int)(colon - *text > 20 ? 20 : colon - *text), *text);
	}
	return 0;
}

static int check_path(const char *path, struct err *e)
{
	static const char *const fine[] = {
		"", "/", "/redfish", "/redfish/", "/redfish/v1", "/redfish/v1/"};

	if (strchr(path, '?'))
		return err_set(e, "an address has no query (?...)");
	if (strchr(path, '#'))
		return err_set(e, "an address has no fragment (#...)");
	for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++)
		if (strcmp(path, fine[i]) == 0)
			return 0;
	return err_set(e, "the path %.60s is not Redfish's; leave it out, or write /redfish/v1", path);
}

/* ---- host ---- */

/* Addresses that are nobody's own; 0.0.0.0 would reach this machine. */
static int check_unicast(bool nobody, bool many, struct err *e)
{
	if (nobody)
		return err_set(e, "this is the address of no host");
	if (many)
		return err_set(e, "this is the address of many hosts (multicast or broadcast)");
	return 0;
}

static int check_ipv4(const char *host, struct err *e)
{
	struct in_addr a;
	uint32_t v;

	if (inet_pton(AF_INET, host, &a) != 1)
		return err_set(e, "%.60s is no IPv4 address; one is four numbers from 0 to 255 "
				  "without leading zeros", host);
	v = ntohl(a.s_addr);
	return check_unicast(v >> 24 == 0, v >= 0xe0000000, e);
}

static int read_ipv6(struct span s, struct url *out, struct err *e)
{
	struct in6_addr a;

	if (memchr(s.p, '%', s.len))
		return err_set(e, "an address with a zone (%%eth0) cannot be used; "
				  "give a global or unique local one");
	if (s.len >= INET6_ADDRSTRLEN)
		return err_set(e, "this is no IPv6 address");
	memcpy(out->host, s.p, s.len);
	out->host[s.len] = '\0';
	if (inet_pton(AF_INET6, out->host, &a) != 1)
		return err_set(e, "%s is no IPv6 address; one with a port is written [2001:db8::7]:443",
			out->host);
	if (IN6_IS_ADDR_V4MAPPED(&a)) { /* one spelling for each host */
		inet_ntop(AF_INET, &a.s6_addr[12], out->host, sizeof out->host);
		return check_ipv4(out->host, e);
	}
	inet_ntop(AF_INET6, &a, out->host, sizeof out->host);
	return check_unicast(IN6_IS_ADDR_UNSPECIFIED(&a), IN6_IS_ADDR_MULTICAST(&a), e);
}

/* "10" or "0x7f": a name never ends in such a label, an address does. */
static bool is_number(const char *label)
{
	if (label[0] == '0' && label[1] == 'x')
		return label[2 + strspn(label + 2, "0123456789abcdef")] == '\0';
	return label[strspn(label, "0123456789")] == '\0';
}

static int check_label(const char *p, size_t len, struct err *e)
{
	if (len == 0)
		return err_set(e, "the host name has an empty part between dots");
	if (len > LABEL_MAX)
		return err_set(e, "a part of the host name is longer than %d characters", LABEL_MAX);
	if (p[0] == '-' || p[len - 1] == '-')
		return err_set(e, "a part of the host name begins or ends with -");
	return 0;
}

static int check_name(const char *host, struct err *e)
{
	const char *label = host, *dot;

	while ((dot = strchr(label, '.'))) {
		if (check_label(label, (size_t)(dot - label), e))
			return -1;
		label = dot + 1;
	}
	if (check_label(label, strlen(label), e))
		return -1;
	/* "10.0.0.1-9" is meant for addresses as well */
	if (is_number(label) || (label != host && !host[strspn(host, "0123456789.-x")]))
		return check_ipv4(host, e);
	return 0;
}

static int read_name(struct span s, struct url *out, struct err *e)
{
	if (s.len && s.p[s.len - 1] == '.')
		s.len--; /* "bmc1.example.net." is the same host */
	if (!s.len)
		return err_set(e, "the address has no host");
	if (s.len >= sizeof out->host)
		return err_set(e, "the host name is longer than %zu characters", sizeof out->host - 1);
	for (size_t i = 0; i < s.len; i++) {
		char c = lower(s.p[i]);

		if (c == ',' || c == ';')
			return err_set(e, "one address for each target: there is a %c in it", c);
		if (!is_digit(c) && !(c >= 'a' && c <= 'z') && !strchr(".-_", c))
			return err_set(e, "a host name has no %c", c);
		out->host[i] = c;
	}
	out->host[s.len] = '\0';
	return check_name(out->host, e);
}

/* ---- port ---- */

static int read_port(struct span s, struct url *out, struct err *e)
{
	int v = 0;

	if (!s.len)
		return err_set(e, "after : there must be a port");
	for (size_t i = 0; i < s.len; i++) {
		if (!is_digit(s.p[i]))
			return err_set(e, "%.*s is no port; it is a number from 1 to 65535",
				(int)(s.len > 20 ? 20 : s.len), s.p);
		v = v > 65535 ? v : v * 10 + (s.p[i] - '0');
	}
	if (v < 1 || v > 65535)
		return err_set(e, "a port is a number from 1 to 65535");
	out->port = v;
	return 0;
}

/* "[2001:db8::7]", "[2001:db8::7]:8443" */
static int read_bracketed(struct span s, struct url *out, struct err *e)
{
	const char *close = memchr(s.p, ']', s.len), *end = s.p + s.len;

	if (!close)
		return err_set(e, "the address has a [ without its ]");
	if (read_ipv6((struct span){s.p + 1, (size_t)(close - s.p) - 1}, out, e))
		return -1;
	if (close + 1 == end)
		return 0;
	if (close[1] != ':')
		return err_set(e, "after ] there must be the end, or : and a port");
	return read_port((struct span){close + 2, (size_t)(end - close) - 2}, out, e);
}

static int read_authority(struct span s, struct url *out, struct err *e)
{
	const char *colon = memchr(s.p, ':', s.len), *end = s.p + s.len;

	if (s.len && s.p[0] == '[')
		return read_bracketed(s, out, e);
	if (!colon)
		return read_name(s, out, e);
	if (memchr(colon + 1, ':', (size_t)(end - colon) - 1))
		return read_ipv6(s, out, e); /* two colons: all of it is the address */
	if (read_name((struct span){s.p, (size_t)(colon - s.p)}, out, e))
		return -1;
	return read_port((struct span){colon + 1, (size_t)(end - colon) - 1}, out, e);
}

/* ---- the whole ---- */

int url_parse(const char *text, struct url *out, struct err *e)
{
	const char *path;

	*out = (struct url){0};
	if (check_characters(text, e) || read_scheme(&text, out, e))
		return -1;
	out->port = out->tls ? 443 : 80;
	path = text + strcspn(text, "/?#");
	if (path == text)
		return err_set(e, "the address has no host");
	if (read_authority((struct span){text, (size_t)(path - text)}, out, e))
		return -1;
	return check_path(path, e);
}

const char *url_text(const struct url *u, char *out, size_t size)
{
	bool v6 = strchr(u->host, ':') != NULL;
	char port[16] = "";

	if (u->port != (u->tls ? 443 : 80))
		snprintf(port, sizeof port, ":%d", u->port);
	snprintf(out, size, "%s://%s%s%s%s", u->tls ? "https" : "http", v6 ? "[" : "", u->host,
		v6 ? "]" : "", port);
	return out;
}

bool url_is_loopback(const struct url *u)
{
	struct in6_addr a6;
	struct in_addr a4;

	if (inet_pton(AF_INET, u->host, &a4) == 1)
		return ntohl(a4.s_addr) >> 24 == 127;
	if (inet_pton(AF_INET6, u->host, &a6) == 1)
		return IN6_IS_ADDR_LOOPBACK(&a6);
	return strcmp(u->host, "localhost") == 0;
}
