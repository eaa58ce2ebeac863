/* SPDX-License-Identifier: MIT */
/* page: see page.h. */
#include "web/page.h"
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LONG_BYTES = 64 * 1024 };

/* gzip of a body, NULL if it is not smaller or there is no memory. */
static void *gzip(const char *body, size_t len, size_t *out_len)
{
	z_stream z = {0};
	void *out;

	/* what is long is compressed while others wait: quickly, which makes a tenth more */
	if (len < 256 || deflateInit2(&z, len > LONG_BYTES ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	out = malloc(len);
	z.next_in = (Bytef *)body;
	z.avail_in = (uInt)len;
	z.next_out = out;
	z.avail_out = (uInt)len;
	if (out && deflate(&z, Z_FINISH) != Z_STREAM_END) {
		free(out);
		out = NULL;
	}
	*out_len = z.total_out;
	deflateEnd(&z);
	return out;
}

/* Tells bodies apart, is no secret: as FNV-1a, eight bytes a step, with what the product pushes out folded in again. */
static uint64_t hash(const char *body, size_t len)
{
	uint64_t h = 0xcbf29ce484222325u ^ len, word;

	for (size_t i = 0; i < len; i += sizeof word) {
		size_t n = len - i < sizeof word ? len - i : sizeof word;

		word = 0;
		memcpy(&word, body + i, n);
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 32;
	}
	return h;
}

struct page *page_new(char *body, size_t len, const char *type)
{
	struct page *p = mem_new(1, sizeof *p);

	*p = (struct page){.body = body, .len = len, .type = type, .refs = 1};
	snprintf(p->etag, sizeof p->etag, "W/\"%016llx\"", (unsigned long long)hash(body, len));
	return p;
}

void *page_zipped(struct page *p, size_t *len)
{
	if (!p->tried) {
		p->tried = true;
		p->zipped = gzip(p->body, p->len, &p->zipped_len);
	}
	*len = p->zipped_len;
	return p->zipped;
}

struct page *page_ref(struct page *p)
{
	p->refs++;
	return p;
}

static void free_unused(struct page *p)
{
	if (p->refs || p->lent)
		return;
	free(p->body);
	free(p->zipped);
	free(p);
}

void page_unref(struct page *p)
{
	if (!p || --p->refs)
		return;
	page_lend(p); /* or it would go with the first response, amid the loop */
	for (size_t i = 0; i < PAGE_FORMS; i++)
		if (p->ready[i])
			p->drop(p->ready[i]);
	page_give_back(p);
}

void page_lend(struct page *p)
{
	p->lent++;
}

void page_give_back(struct page *p)
{
	p->lent--;
	free_unused(p);
}
