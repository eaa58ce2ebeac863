/* SPDX-License-Identifier: MIT */
/* buf: see buf.h. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){.max = max};
}

void buf_release(struct buf *b)
{
	free(b->data);
	buf_init(b, b->max);
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

static int make_room(struct buf *b, size_t len)
{
	size_t want, room;
	char *p;

	if (len > b->max || b->len > b->max - len)
		return -1;
	want = b->len + len + 1;
	if (want <= b->room)
		return 0;
	room = b->room ? b->room : 256;
	while (room < want && room <= b->max)
		room *= 2;
	if (room > b->max)
		room = b->max + 1; /* the ceiling holds for the memory too */
	p = realloc(b->data, room);
	if (!p)
		return -1;
	b->data = p;
	b->room = room;
	return 0;
}

int buf_add(struct buf *b, const void *data, size_t len)
{
	if (make_room(b, len))
		return -1;
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
	return 0;
}

int buf_add_text(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

int buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || make_room(b, (size_t)n))
		return -1;
	va_start(ap, fmt);
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
	return 0;
}

const char *buf_text(const struct buf *b)
{
	return b->data ? b->data : "";
}

char *buf_take(struct buf *b)
{
	char *p = b->data ? b->data : strdup("");

	buf_init(b, b->max);
	return p;
}
