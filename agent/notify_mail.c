/* SPDX-License-Identifier: MIT */
/*
 * notify_mail: a notice as a message (RFC 5322): plain text in quoted-printable (RFC 2045,
 * section 6.7), the notification's id as Message-ID, so that receivers can tell repeats, and
 * what follows of one alert in the thread of its first.
 */
#include "agent/notify_way.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
	MESSAGE_MAX = 1 << 20,
	LINE_MAX_CHARS = 73, /* and "=" and a triplet within RFC 2045's 76 */
	WORD_MAX_CHARS = 50, /* of an encoded word, within RFC 2047's 75 */
	SUBJECT_MAX = 150,
	MEMBERS_MAX = 500,
};

/* ---- encodings ---- */

/* One line of text, soft breaks where it is long. */
static void add_quoted(struct buf *out, const char *s)
{
	size_t column = 0;

	for (; *s; s++) {
		unsigned char ch = (unsigned char)*s;
		bool plain = ch >= ' ' && ch <= '~' && ch != '=' && !(ch == ' ' && !s[1]);

		if (column >= LINE_MAX_CHARS) {
			buf_add_text(out, "=\r\n");
			column = 0;
		}
		if (plain)
			buf_add(out, s, 1);
		else
			buf_printf(out, "=%02X", ch);
		column += plain ? 1 : 3;
	}
	buf_add_text(out, "\r\n");
}

static bool is_ascii(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || (unsigned char)*s > '~')
			return false;
	return true;
}

/* RFC 2047, section 4.2; a word never ends within a character. */
static void add_encoded_words(struct buf *out, const char *s)
{
	size_t column = 0;

	buf_add_text(out, "=?utf-8?Q?");
	for (; *s; s++) {
		unsigned char ch = (unsigned char)*s;

		if (column >= WORD_MAX_CHARS && (ch & 0xc0) != 0x80) {
			buf_add_text(out, "?=\r\n =?utf-8?Q?");
			column = 0;
		}
		if (isalnum(ch) && ch < 0x80)
			buf_add(out, s, 1);
		else
			buf_printf(out, "=%02X", ch);
		column += 3;
	}
	buf_add_text(out, "?=");
}

/* ---- the parts ---- */

static void add_date(struct buf *out, int64_t wall_ms)
{
	static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
	static const char *const months[] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	time_t t = (time_t)(wall_ms / 1000);
	struct tm tm;

	if (gmtime_r(&t, &tm))
		buf_printf(out, "Date: %s, %02d %s %d %02d:%02d:%02d +0000\r\n", days[tm.tm_wday], tm.tm_mday, months[tm.tm_mon],
			tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static void add_subject(struct buf *out, const json_t *n)
{
	char text[512], cut[SUBJECT_MAX + 1];
	bool over = str_same(notify_text(n, "state"), "resolved");

	snprintf(text, sizeof text, "[lanewatch] %s %s: %s", over ? "over" : notify_text(n, "severity"), notify_text(n, "host"),
		notify_text(n, "message"));
	str_clean(cut, sizeof cut, text);
	buf_add_text(out, "Subject: ");
	if (is_ascii(cut))
		buf_add_text(out, cut);
	else
		add_encoded_words(out, cut);
	buf_add_text(out, "\r\n");
}

/* "hash-2" is the second news of what "hash-1" told first. */
static void add_ids(struct buf *out, const json_t *n, const char *from)
{
	const char *id = notify_text(n, "id"), *domain = strrchr(from, '@'), *dash = strrchr(id, '-');

	domain = domain ? domain : "@localhost";
	buf_printf(out, "Message-ID: <%s%s>\r\n", id, domain);
	if (dash && !json_object_get(n, "members") && !str_same(dash, "-1"))
		buf_printf(out, "In-Reply-To: <%.*s-1%s>\r\nReferences: <%.*s-1%s>\r\n", (int)(dash - id), id, domain,
			(int)(dash - id), id, domain);
}

static void add_head(struct buf *out, const struct notify_config *c, const json_t *n)
{
	buf_printf(out, "From: lanewatch <%s>\r\nTo: ", c->from);
	for (size_t i = 0; c->to[i]; i++)
		buf_printf(out, "%s%s", i ? ",\r\n " : "", c->to[i]);
	buf_add_text(out, "\r\n");
	add_subject(out, n);
	add_date(out, clock_wall_ms());
	add_ids(out, n, c->from);
	buf_add_text(out, "MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n"
			  "Content-Transfer-Encoding: quoted-printable\r\nAuto-Submitted: auto-generated\r\n\r\n");
}

static void add_field(struct buf *out, const char *name, const char *value)
{
	char line[512];

	if (!value[0])
		return;
	snprintf(line, sizeof line, "%-9s %s", name, value);
	add_quoted(out, line);
}

static void add_members(struct buf *out, const json_t *members)
{
	const json_t *m;
	char line[512];
	size_t i;

	add_quoted(out, "");
	json_array_foreach (members, i, m) {
		snprintf(line, sizeof line, "%s %s: %s", notify_text(m, "severity"), notify_text(m, "host"), notify_text(m, "message"));
		if (i < MEMBERS_MAX)
			add_quoted(out, line);
	}
	if (i > MEMBERS_MAX)
		add_quoted(out, "... and others; lanewatch alerts lists them all");
}

static void add_body(struct buf *out, const json_t *n)
{
	static const char *const fields[] = {"state", "severity", "kind", "host", "target", "bay", "serial", "since", "rule", "id", NULL};

	add_quoted(out, notify_text(n, "message"));
	add_quoted(out, "");
	for (size_t i = 0; fields[i]; i++)
		add_field(out, fields[i], notify_text(n, fields[i]));
	if (json_object_get(n, "members"))
		add_members(out, json_object_get(n, "members"));
}

static void *send_mail(const struct notify_env *env, const struct notify_post *p, notify_done_fn *done, void *arg)
{
	struct buf message;
	void *call;

	buf_init(&message, MESSAGE_MAX);
	add_head(&message, p->config, p->notice);
	add_body(&message, p->notice);
	call = notify_http_mail(env, p, buf_text(&message), done, arg);
	buf_release(&message);
	return call;
}

const struct notify_way notify_mail = {send_mail, notify_http_cancel, false};
