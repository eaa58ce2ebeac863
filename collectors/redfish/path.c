/* SPDX-License-Identifier: MIT */
/* path: see path.h. */
#include "collectors/redfish/path.h"
#include "base/str.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What follows "scheme://authority", if both are the origin's own; NULL otherwise. */
static const char *same_authority(const struct url *origin, const char *link)
{
	const char *authority = strstr(link, "://"), *end;
	char text[256];
	struct url u;

	if (!origin || !authority)
		return NULL;
	authority += 3;
	end = authority + strcspn(authority, "/?#");
	if ((size_t)(end - link) >= sizeof text)
		return NULL;
	memcpy(text, link, (size_t)(end - link));
	text[end - link] = '\0';
	if (url_parse(text, &u, NULL) || u.tls != origin->tls || u.port != origin->port ||
		strcmp(u.host, origin->host) != 0)
		return NULL;
	return end;
}

static int hex_value(int c)
{
	return isdigit(c) ? c - '0' : isxdigit(c) ? tolower(c) - 'a' + 10 : -1;
}

/* One character of a path, decoded if it is %xx; -1 for a bad escape. Moves *s on. */
static int decoded(const char **s)
{
	int c = (unsigned char)*(*s)++, high, low;

	if (c != '%')
		return c;
	high = hex_value((unsigned char)(*s)[0]);
	low = high < 0 ? -1 : hex_value((unsigned char)(*s)[1]);
	if (low < 0)
		return -1;
	*s += 2;
	return high * 16 + low;
}

/* True if the path has a "." or ".." segment, a control character or a backslash, plain or encoded. */
static bool climbs(const char *path)
{
	size_t dots = 0, other = 0;

	if (!strpbrk(path, ".%\\")) /* controls were looked for before */
		return false;
	for (const char *s = path; *s && *s != '?' && *s != '#';) {
		int c = decoded(&s);

		if (c < 0x20 || c == 0x7f || c == '\\')
			return true;
		if (c == '/') {
			if (!other && dots && dots <= 2)
				return true;
			dots = other = 0;
		} else if (c == '.') {
			dots++;
		} else {
			other++;
		}
	}
	return !other && dots && dots <= 2;
}

static bool has_control(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			return true;
	return false;
}

/* All of a Redfish service lies below /redfish (DSP0266, Resource URIs). */
static bool is_service_path(const char *path)
{
	static const char top[] = "/redfish";

	return strncasecmp(path, top, sizeof top - 1) == 0 && strchr("/?#", path[sizeof top - 1]);
}

bool rf_path_reduce(const struct url *origin, const char *link, char out[RF_PATH_MAX])
{
	size_t o = 0;

	if (!link || has_control(link))
		return false;
	if (link[0] != '/')
		link = same_authority(origin, link);
	if (!link || !is_service_path(link) || climbs(link))
		return false;
	while (*link && *link != '#') {
		size_t plain = strcspn(link, " #"), n = plain ? plain : strlen("%20");

		if (o + n >= RF_PATH_MAX)
			return false;
		memcpy(out + o, plain ? link : "%20", n);
		o += n;
		link += plain ? plain : 1;
	}
	out[o] = '\0';
	return true;
}

void rf_path_key(const char *path, char out[RF_PATH_MAX])
{
	size_t n = strcspn(path, "#");

	if (n >= RF_PATH_MAX)
		n = RF_PATH_MAX - 1;
	while (n > 1 && path[n - 1] == '/')
		n--;
	memcpy(out, path, n);
	out[n] = '\0';
}

const char *rf_path_last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
