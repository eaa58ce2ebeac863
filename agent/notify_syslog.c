/* SPDX-License-Identifier: MIT */
/*
 * notify_syslog: one line for the system's log: a datagram to /dev/log as the C library sends it,
 * or RFC 5424 over UDP (RFC 5426) to an address.  A datagram over the network is not answered:
 * it is told once, and nobody knows whether it came.
 */
#include "agent/notify_way.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 1024, FACILITY_DAEMON = 3 }; /* RFC 5424, 6.1 and 6.2.1 */

struct written {
	uv_timer_t soon;
	enum notify_end end;
	char said[128];
	notify_done_fn *done;
	void *arg;
};

static int priority(const json_t *notice)
{
	int severity = 6; /* informational */

	if (str_same(notify_text(notice, "state"), "resolved"))
		severity = 5;
	else if (str_same(notify_text(notice, "severity"), "critical"))
		severity = 2;
	else if (str_same(notify_text(notice, "severity"), "warning"))
		severity = 4;
	return FACILITY_DAEMON * 8 + severity;
}

/* The host's own name in RFC 5424, no blanks in it. */
static void own_name(char *out, size_t size)
{
	if (gethostname(out, size) || !out[0])
		snprintf(out, size, "-");
	out[size - 1] = '\0';
}

/* One line whatever the texts hold (SECURITY.md, R13). */
static size_t line_of(const json_t *notice, bool network, char out[LINE_MAX_BYTES])
{
	char text[640], clean[640], at[CLOCK_TEXT_MAX], host[65];
	int n;

	snprintf(text, sizeof text, "%s %s %s: %s", notify_text(notice, "state"), notify_text(notice, "severity"),
		notify_text(notice, "host"), notify_text(notice, "message"));
	str_clean(clean, sizeof clean, text);
	own_name(host, sizeof host);
	if (network)
		n = snprintf(out, LINE_MAX_BYTES, "<%d>1 %s %s lanewatch %ld %.31s - %s", priority(notice),
			clock_text(clock_wall_ms(), at), host, (long)getpid(), notify_text(notice, "id"), clean);
	else
		n = snprintf(out, LINE_MAX_BYTES, "<%d>lanewatch[%ld]: %s (%.63s)", priority(notice), (long)getpid(), clean,
			notify_text(notice, "id"));
	return n < 0 ? 0 : (size_t)n >= LINE_MAX_BYTES ? LINE_MAX_BYTES - 1 : (size_t)n;
}

/* "udp://192.0.2.1:514" or "udp://[2001:db8::1]:514": a literal address, so that nothing is to be resolved. */
static int network_address(const char *url, struct sockaddr_storage *to, socklen_t *len)
{
	const char *host = url + 6, *colon = strrchr(url, ':');
	char text[64];
	int64_t port;

	if (!str_starts(url, "udp://") || colon <= host || !str_to_int(colon + 1, 1, 65535, &port))
		return -1;
	snprintf(text, sizeof text, "%.*s", (int)(colon - host) - 2 * (*host == '['), host + (*host == '['));
	*len = sizeof(struct sockaddr_in6);
	if (*host == '[')
		return uv_ip6_addr(text, (int)port, (struct sockaddr_in6 *)to);
	*len = sizeof(struct sockaddr_in);
	return uv_ip4_addr(text, (int)port, (struct sockaddr_in *)to);
}

static int local_address(const char *path, struct sockaddr_storage *to, socklen_t *len)
{
	struct sockaddr_un *un = (struct sockaddr_un *)to;

	un->sun_family = AF_UNIX;
	*len = sizeof *un;
	return str_copy(un->sun_path, sizeof un->sun_path, path) ? 0 : -1;
}

/* 0, or an errno. */
static int write_line(const struct notify_config *c, const char *line, size_t len)
{
	struct sockaddr_storage to = {0};
	socklen_t to_len = 0;
	int fd, rc = 0;

	if (c->url ? network_address(c->url, &to, &to_len) : local_address(c->socket, &to, &to_len))
		return EINVAL;
	fd = socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return errno;
	if (sendto(fd, line, len, MSG_NOSIGNAL, (struct sockaddr *)&to, to_len) < 0)
		rc = errno;
	close(fd);
	return rc;
}

static void on_closed(uv_handle_t *h)
{
	free(h->data);
}

static void on_soon(uv_timer_t *t)
{
	struct written *w = t->data;

	w->done(w->arg, w->end, w->said);
	uv_close((uv_handle_t *)t, on_closed);
}

static void *send_syslog(const struct notify_env *env, const struct notify_post *p, notify_done_fn *done, void *arg)
{
	struct written *w = mem_new(1, sizeof *w);
	char line[LINE_MAX_BYTES];
	size_t len = line_of(p->notice, p->config->url != NULL, line);
	int error = write_line(p->config, line, len);

	*w = (struct written){.end = error ? NOTIFY_LATER : NOTIFY_TOOK, .done = done, .arg = arg};
	snprintf(w->said, sizeof w->said, "%s", error ? strerror(error) : p->config->url ? "sent, nobody answers" : "written");
	uv_timer_init(env->loop, &w->soon);
	w->soon.data = w;
	uv_timer_start(&w->soon, on_soon, 0, 0);
	return w;
}

static void cancel(void *call)
{
	struct written *w = call;

	uv_close((uv_handle_t *)&w->soon, on_closed);
}

const struct notify_way notify_syslog = {send_syslog, cancel, false};
