/* SPDX-License-Identifier: MIT */
/*
 * What of a request decides who asks and whether something may be changed.  A line each for
 * Authorization, Host, Origin, Sec-Fetch-Site, Content-Type and Accept-Encoding (empty: not
 * there) and for the path; the rest is the body.
 */
#include "base/mem.h"
#include "base/str.h"
#include "tests/fuzz/fuzz.h"
#include "web/change.h"
#include "web/listen.h"
#include "web/login.h"
#include "web/reply.h"
#include "web/site.h"

#include <assert.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LINES = 7 };

/* "rose" of anna, "abc" as a token: in no seed but where it is meant. */
static const char users[] = "anna:$2b$04$abcdefghijklmnopqrstuuvCamiLAW2C.o8KfJ3A7W7WY/Cy51QbG\n"
			    "p:sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n";

static struct login *make_login(void)
{
	char file[] = "/tmp/lanewatch-fuzz.XXXXXX";
	int fd = mkstemp(file);
	struct login *l;
	struct err e;

	assert(fd >= 0 && write(fd, users, sizeof users - 1) == (ssize_t)sizeof users - 1);
	close(fd);
	l = login_new(file, &e);
	unlink(file);
	assert(l);
	return l;
}

/* Nobody is let in but by the token; what is to be looked at has a name, a password and a hash, and they end. */
static void fuzz_login(const char *authorization)
{
	const struct sockaddr_in from = {.sin_family = AF_INET};
	struct login *l = make_login();
	struct login_try t;
	enum login_answer answer = login_look(l, authorization, (const struct sockaddr *)&from, &t);

	assert(answer == LOGIN_NONE || answer == LOGIN_TRY || answer == LOGIN_TOKEN);
	if (answer == LOGIN_TOKEN)
		assert(strncasecmp(authorization, "Bearer ", 7) == 0 && str_ends(authorization, " abc") && strcmp(t.user, "p") == 0);
	if (answer == LOGIN_TRY) {
		assert(memchr(t.user, '\0', sizeof t.user) && memchr(t.password, '\0', sizeof t.password) && memchr(t.hash, '\0', sizeof t.hash));
		assert(t.user[0] && t.password[0] && t.hash[0] && t.known == (strcmp(t.user, "anna") == 0));
	}
	login_try_wipe(&t);
	login_free(l);
}

/* A host that is taken for ours is; a page that may change something is of it. */
static void fuzz_site(char *const *line)
{
	static const char *const ours[] = {"localhost", "127.0.0.1", "[::1]"};
	const struct site_header h = {.host = line[1], .origin = line[2], .fetch_site = line[3], .content_type = line[4]};
	struct sockaddr_storage listening;
	const char *why = NULL;
	bool fits = false;
	struct err e;
	socklen_t len;
	int status;

	assert(listen_parse("127.0.0.1:9288", &listening, &len, &e) == 0);
	for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
		size_t n = strlen(ours[i]);

		fits |= h.host && strncasecmp(h.host, ours[i], n) == 0 && (!h.host[n] || h.host[n] == ':') && !strpbrk(h.host, "@/ \t");
	}
	if (!listen_host_fits(&listening, NULL, h.host))
		return;
	assert(fits);
	status = site_refuses(&h, &listening, NULL, &why);
	assert(status == 0 || ((status == 403 || status == 415) && why));
	if (status == 0)
		assert((!h.origin || str_starts(h.origin, "http")) && str_has_nocase(h.content_type, "application/json") && (!h.fetch_site || !str_starts(h.fetch_site, "cross")));
}

static void fuzz_change(const char *path, const char *body, size_t len)
{
	struct change c;
	struct err e = {""};

	if (!change_has_path(path))
		return;
	if (change_read(&c, "POST", path, body, len, NULL, &e))
		assert(e.text[0]);
	else
		assert(c.by[0] && c.alert_id > 0 && strlen(c.by) < sizeof c.by && strlen(c.note) < sizeof c.note);
	assert(change_read(&c, "DELETE", path, body, len, "anna", &e) == 0 && strcmp(c.by, "anna") == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_new(size + 1, 1), *at = text, *line[LINES] = {NULL};

	memcpy(text, data, size);
	for (size_t i = 0; i < LINES; i++) {
		char *end = at + strcspn(at, "\n");
		bool more = *end;

		*end = '\0';
		line[i] = *at ? at : NULL;
		at = end + more;
	}
	if (line[0])
		fuzz_login(line[0]);
	fuzz_site(line);
	if (line[5])
		assert(!reply_names_gzip(line[5]) || str_has_nocase(line[5], "gzip"));
	if (line[6])
		fuzz_change(line[6], at, size - (size_t)(at - text));
	free(text);
	return 0;
}
