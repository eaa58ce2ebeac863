/* SPDX-License-Identifier: MIT */
/*
 * poll: see poll.h and store.h.  A drive is its key, host and bay, each with its NUL, the length
 * of its values, and the values as hot.h has them.
 */
#include "storage/poll.h"

#include "model/history.h"
#include "storage/hot.h"
#include "storage/varint.h"

#include <string.h>

enum { POLL_BYTES_MAX = 1 << 30 };

static int add_text(struct buf *b, const char *text)
{
	return buf_add(b, text, strlen(text) + 1);
}

void store_poll_add(struct store_poll *p, const struct bay *b)
{
	size_t before = p->drives.len;
	struct buf values;

	if (!bay_holds_drive(b) || b->stale)
		return;
	if (!p->drives.max)
		buf_init(&p->drives, POLL_BYTES_MAX);
	buf_init(&values, POLL_BYTES_MAX);
	if (hot_put_values(b, &values) || add_text(&p->drives, b->drive.id) || add_text(&p->drives, b->host) ||
		add_text(&p->drives, b->bay) || put_varint(&p->drives, values.len) ||
		buf_add(&p->drives, values.data, values.len))
		p->drives.len = before;
	else
		p->n_drives++;
	buf_release(&values);
}

void store_poll_release(struct store_poll *p)
{
	buf_release(&p->drives);
	*p = (struct store_poll){0};
}

static const char *take_text(const struct store_poll *p, struct poll_reader *r)
{
	const char *text = p->drives.data + r->at;

	r->at += strlen(text) + 1;
	return text;
}

bool poll_next(const struct store_poll *p, struct poll_reader *r, struct poll_drive *out)
{
	struct reader len;
	uint64_t n;

	if (r->at >= p->drives.len)
		return false;
	out->key = take_text(p, r);
	out->host = take_text(p, r);
	out->bay = take_text(p, r);
	len = (struct reader){(const uint8_t *)p->drives.data + r->at, (const uint8_t *)p->drives.data + p->drives.len, false};
	n = get_varint(&len);
	out->values = len.p;
	out->values_end = len.p + n;
	r->at = (size_t)(out->values_end - (const uint8_t *)p->drives.data);
	return true;
}
