/* SPDX-License-Identifier: MIT */
/*
 * bay_pack: see bay_pack.h.  A packed bay is the names of its host and of itself as texts, then the
 * struct from its first byte to its last, each byte XORed with that of the first bay of the pack, for
 * those of one host are much alike: a number of bytes (0 to 255), these bytes, a number of zeros (0 to
 * 255), and so on to the end.
 */
#include "model/bay_pack.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	RUN_MAX = 255,
	GAP_MIN = 3, /* fewer zeros cost more as a run of their own */
	PACKED_MAX = sizeof(struct bay) + 2 * (sizeof(struct bay) / RUN_MAX + 2) + sizeof((struct bay *)0)->host +
		     sizeof((struct bay *)0)->bay,
};

void bay_pack_release(struct bay_pack *p)
{
	free(p->data);
	free(p->at);
	*p = (struct bay_pack){0};
}

/* Room for one more, however long. */
static void make_room(struct bay_pack *p)
{
	if (p->room - p->len >= PACKED_MAX)
		return;
	p->room += p->room / 4 + PACKED_MAX;
	p->data = mem_resize(p->data, p->room);
}

/* How many zeros stand at the beginning. */
static size_t zeros(const unsigned char *from, const unsigned char *end)
{
	static const unsigned char none[RUN_MAX];
	const unsigned char *p = from;

	while (end - p >= 8 && memcmp(p, none, 8) == 0)
		p += 8;
	while (p < end && !*p)
		p++;
	return (size_t)(p - from);
}

/* How many bytes stand there before the next gap. */
static size_t bytes(const unsigned char *from, const unsigned char *end)
{
	const unsigned char *p = from;

	while (p < end) {
		const unsigned char *gap = memchr(p, 0, (size_t)(end - p));

		if (!gap)
			return (size_t)(end - from);
		p = gap;
		while (p < end && !*p && p - gap < GAP_MIN)
			p++;
		if (p - gap == GAP_MIN || p == end)
			return (size_t)(gap - from);
	}
	return (size_t)(end - from);
}

static size_t run(size_t n)
{
	return n < RUN_MAX ? n : RUN_MAX;
}

/* XORs bay number i with what is there. */
static void mix(const struct bay_pack *p, size_t i, unsigned char *to)
{
	const char *name = bay_pack_name(p, i);
	const unsigned char *from = (const unsigned char *)name + strlen(name) + 1, *end = to + sizeof(struct bay);

	while (to < end) {
		size_t n = *from++;

		for (size_t k = 0; k < n; k++)
			to[k] ^= from[k];
		to += n;
		from += n;
		to += *from++;
	}
}

static unsigned char *put(unsigned char *out, const unsigned char *from)
{
	const unsigned char *end = from + sizeof(struct bay);

	while (from < end) {
		size_t n = run(bytes(from, end)), gap;

		*out++ = (unsigned char)n;
		memcpy(out, from, n);
		out += n;
		from += n;
		gap = run(zeros(from, end));
		*out++ = (unsigned char)gap;
		from += gap;
	}
	return out;
}

static unsigned char *put_text(unsigned char *out, const char *text, size_t size)
{
	size_t len = strnlen(text, size - 1);

	memcpy(out, text, len);
	out[len] = '\0';
	return out + len + 1;
}

void bay_pack_add(struct bay_pack *p, const struct bay *b)
{
	unsigned char alike[sizeof *b], *out;

	memcpy(alike, b, sizeof alike);
	if (p->n)
		mix(p, 0, alike);
	make_room(p);
	out = p->data + p->len;
	out = put_text(out, b->host, sizeof b->host);
	out = put_text(out, b->bay, sizeof b->bay);
	out = put(out, alike);
	p->at = mem_grow(p->at, p->n, sizeof *p->at);
	p->at[p->n++] = p->len;
	p->len = (size_t)(out - p->data);
}

void bay_pack_fit(struct bay_pack *p)
{
	if (!p->len)
		return;
	p->room = p->len;
	p->data = mem_resize(p->data, p->room);
}

void bay_pack_get(const struct bay_pack *p, size_t i, struct bay *out)
{
	memset(out, 0, sizeof *out);
	mix(p, 0, (unsigned char *)out);
	if (i)
		mix(p, i, (unsigned char *)out);
}

const char *bay_pack_host(const struct bay_pack *p, size_t i)
{
	return (const char *)p->data + p->at[i];
}

const char *bay_pack_name(const struct bay_pack *p, size_t i)
{
	const char *host = bay_pack_host(p, i);

	return host + strlen(host) + 1;
}
