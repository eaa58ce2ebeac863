/* SPDX-License-Identifier: MIT */
/* recording: see recording.h. */
#include "collectors/nvme/recording.h"
#include "base/buf.h"
#include "base/str.h"
#include "collectors/nvme/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEX_TEXT_MAX = 65536 };

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "0000:" or "00000010:" at the start of a line. */
static size_t offset_len(const char *line, size_t len)
{
	size_t n = 0;

	while (n < len && (line[n] == ' ' || line[n] == '\t'))
		n++;
	while (n < len && hex_value(line[n]) >= 0)
		n++;
	return n < len && line[n] == ':' ? n + 1 : 0;
}

/* nvme-cli's heading of a dump: the column numbers "0  1  2 ... f". */
static bool is_heading(const char *line, size_t len)
{
	int next = 0;

	for (size_t i = 0; i < len; i++) {
		if (line[i] == ' ' || line[i] == '\t' || line[i] == '\r')
			continue;
		if (hex_value(line[i]) != next || (i + 1 < len && line[i + 1] != ' ' && line[i + 1] != '\r'))
			return false;
		next++;
	}
	return next == 16;
}

static bool parse_line(const char *line, size_t len, uint8_t *out, size_t max, size_t *n)
{
	for (size_t i = offset_len(line, len); i < len; i++) {
		int high, low;

		if (isspace((unsigned char)line[i]))
			continue;
		if (line[i] == '"' || line[i] == '|')
			return true;
		if (line[i] == '0' && i + 1 < len && (line[i + 1] | 0x20) == 'x') {
			i++;
			continue;
		}
		high = hex_value(line[i]);
		low = i + 1 < len ? hex_value(line[i + 1]) : -1;
		if (high < 0 || low < 0 || *n >= max)
			return false;
		out[(*n)++] = (uint8_t)(high << 4 | low);
		i++;
	}
	return true;
}

long nv_hex_parse(const char *text, size_t len, uint8_t *out, size_t max)
{
	size_t n = 0;

	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;

		if (!is_heading(text, line) && !parse_line(text, line, out, max, &n))
			return -1;
		line += end != NULL;
		text += line;
		len -= line;
	}
	return (long)n;
}

/* The word of an .error file; what it is not, is a failure without a name. */
static void take_error(const char *word, struct nv_answer *a)
{
	int64_t status;

	if (str_same(word, "hang")) {
		nv_answer_errno(a, ETIMEDOUT);
	} else if (nv_errno_of(word)) {
		nv_answer_errno(a, nv_errno_of(word));
	} else if (str_to_int(word, 1, 0x7fff, &status)) {
		nv_answer_status(a, (int)status);
	} else {
		nv_answer_errno(a, EIO);
	}
}

static bool read_hex(const struct nv_sysfs *s, const char *dir, const char *name, struct nv_answer *a)
{
	char *text = malloc(HEX_TEXT_MAX);
	int len = text ? nv_sysfs_bytes(s, dir, name, text, HEX_TEXT_MAX) : -1;
	long n = len < 0 ? -1 : nv_hex_parse(text, (size_t)len, a->data, sizeof a->data);

	free(text);
	if (len < 0)
		return false;
	if (n < 0) {
		nv_answer_errno(a, EIO);
		return true;
	}
	a->end = NV_READ;
	a->len = (size_t)n;
	return true;
}

static bool read_binary(const struct nv_sysfs *s, const char *dir, const char *name, struct nv_answer *a)
{
	char bytes[NV_PAGE_MAX + 1];
	int len = nv_sysfs_bytes(s, dir, name, bytes, sizeof bytes);

	if (len < 0)
		return false;
	memcpy(a->data, bytes, (size_t)len);
	a->end = NV_READ;
	a->len = (size_t)len;
	return true;
}

static void read_page(const struct nv_sysfs *s, struct nv_ask *q)
{
	char dir[NV_PATH_MAX], name[64], word[32];

	q->answer.end = NV_NOT_OFFERED;
	if (strspn(q->controller, "nvme0123456789") != strlen(q->controller) ||
		!nv_path_join(dir, sizeof dir, "nvme", q->controller) ||
		!nv_sysfs_resolve(s, dir, dir, sizeof dir))
		return;
	snprintf(name, sizeof name, "%s.error", nv_page_word(q->page));
	if (nv_sysfs_text(s, dir, name, word, sizeof word)) {
		take_error(word, &q->answer);
		return;
	}
	snprintf(name, sizeof name, "%s.hex", nv_page_word(q->page));
	if (read_hex(s, dir, name, &q->answer))
		return;
	snprintf(name, sizeof name, "%s.bin", nv_page_word(q->page));
	read_binary(s, dir, name, &q->answer);
}

static void ask_recording(void *arg, struct nv_ask *asks, size_t n, unsigned timeout_ms)
{
	(void)timeout_ms; /* a hang in a recording is known beforehand */
	for (size_t i = 0; i < n; i++)
		read_page(arg, &asks[i]);
}

const struct nv_ops nv_recording_ops = {.ask = ask_recording};

/* ---- writing ---- */

char *nv_hex_text(const uint8_t *bytes, size_t len)
{
	struct buf out;
	char pair[8];

	buf_init(&out, 4 * len + 16);
	for (size_t i = 0; i < len; i++) {
		snprintf(pair, sizeof pair, "%02x%c", bytes[i], i % 16 == 15 || i + 1 == len ? '\n' : ' ');
		buf_add_text(&out, pair);
	}
	return buf_take(&out);
}

void nv_recording_note(json_t *record, const struct nv_ask *q)
{
	const struct nv_answer *a = &q->answer;
	bool read = a->end == NV_READ;
	char name[96], word[40], *text;

	if (a->end == NV_END_UNKNOWN || (a->end == NV_NOT_OFFERED && !a->status))
		return;
	snprintf(name, sizeof name, "nvme/%s/%s.%s", q->controller, nv_page_word(q->page), read ? "hex" : "error");
	if (read) {
		text = nv_hex_text(a->data, a->len);
		json_object_set_new(record, name, json_string(text));
		free(text);
		return;
	}
	nv_answer_code(a, word, sizeof word);
	json_object_set_new(record, name, json_string(word));
}
