/* SPDX-License-Identifier: MIT */
/* page_check: see page_check.h. */
#include "collectors/nvme/page_check.h"
#include "collectors/nvme/logpages.h"
#include "collectors/nvme/smart.h"

#include <math.h>

enum { ERROR_SIZE = 64, ERROR_FILE_MAX = 256 * ERROR_SIZE };

static int check_size(enum nv_page kind, size_t len, struct err *e)
{
	size_t want = nv_page_size(kind);

	if (kind == NV_PAGE_ERROR) {
		if (len && len % ERROR_SIZE == 0 && len <= ERROR_FILE_MAX)
			return 0;
		return err_set(e, "%zu bytes; an error page is 1 to 256 entries of %d bytes", len, ERROR_SIZE);
	}
	if (len == want)
		return 0;
	return err_set(e, "%zu bytes, too %s: the page %s has %zu", len, len < want ? "short" : "long",
		nv_page_word(kind), want);
}

static bool all_zero(const uint8_t *p, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (p[i])
			return false;
	return true;
}

/* ASCII as the specification wants it; drives pad with NUL as well. */
static bool is_text(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (p[i] && (p[i] < 0x20 || p[i] > 0x7e))
			return false;
	return true;
}

static bool looks_like_smart(const uint8_t *p)
{
	struct nv_smart m;

	/* bytes 7 to 31 are reserved, and the composite temperature is not optional */
	return all_zero(p, 7, 32) && nv_smart_decode(p, NV_SMART_SIZE, &m) == NV_SAMPLE_GOOD;
}

static bool looks_like_errors(const uint8_t *p, size_t len)
{
	/* newest first: counts go down, and behind the first unused entry there is none */
	uint64_t before = UINT64_MAX;

	for (size_t i = 0; i < len; i += ERROR_SIZE) {
		uint64_t count = nv_le64(p + i);

		if (count >= before && before)
			return false;
		if (!before && count)
			return false;
		before = count;
	}
	return true;
}

static bool looks_like_firmware(const uint8_t *p)
{
	struct nv_firmware f;

	return nv_firmware_decode(p, 512, &f) && !(p[0] & 0x88) && all_zero(p, 1, 8) && is_text(p + 8, 56) &&
	       all_zero(p, 64, 512);
}

static bool looks_like_self_tests(const uint8_t *p)
{
	return !(p[0] & 0xf0) && !(p[1] & 0x80) && all_zero(p, 2, 4);
}

static bool looks_like_endurance_group(const uint8_t *p)
{
	return all_zero(p, 1, 3) && p[3] <= 100 && p[4] <= 100 && all_zero(p, 8, 32) && all_zero(p, 192, 512);
}

static bool looks_like_identify(const uint8_t *p)
{
	return is_text(p + 4, 68) && !all_zero(p, 4, 72);
}

static bool looks_like(enum nv_page kind, const uint8_t *p, size_t len)
{
	struct nv_ocp_smart o;

	switch (kind) {
	case NV_PAGE_SMART:
		return looks_like_smart(p);
	case NV_PAGE_ERROR:
		return looks_like_errors(p, len);
	case NV_PAGE_FIRMWARE:
		return looks_like_firmware(p);
	case NV_PAGE_SELF_TEST:
		return looks_like_self_tests(p);
	case NV_PAGE_ENDURANCE_GROUP:
		return looks_like_endurance_group(p);
	case NV_PAGE_OCP_SMART:
		return nv_ocp_smart_decode(p, len, &o);
	case NV_PAGE_IDENTIFY:
		return looks_like_identify(p);
	case NV_PAGE_UNKNOWN:
	case NV_PAGES:
		return false;
	}
	return false;
}

/* What else the bytes could be, by size and looks; NULL if nothing. */
static const char *better_kind(enum nv_page kind, const uint8_t *p, size_t len)
{
	static const enum nv_page telling[] = {NV_PAGE_OCP_SMART, NV_PAGE_IDENTIFY, NV_PAGE_FIRMWARE,
		NV_PAGE_SMART};

	for (size_t i = 0; i < sizeof telling / sizeof telling[0]; i++) {
		if (telling[i] == kind || nv_page_size(telling[i]) != len || !looks_like(telling[i], p, len))
			continue;
		/* little else in a health page is fixed: only one with a temperature is surely one */
		if (telling[i] != NV_PAGE_SMART || !isnan(nv_celsius(nv_le16(p + 1))))
			return nv_page_word(telling[i]);
	}
	return NULL;
}

int nv_page_check(enum nv_page kind, const uint8_t *page, size_t len, struct err *e)
{
	const char *other;

	if (!nv_page_word(kind) || len == 0)
		return err_set(e, "%zu bytes of no known page", len);
	if (check_size(kind, len, e)) {
		other = better_kind(kind, page, len);
		return other ? err_set(e, "%zu bytes, and looks like the page %s", len, other) : -1;
	}
	/* an error log may have no entry at all */
	if (nv_page_blank(page, len) && !(kind == NV_PAGE_ERROR && page[0] == 0))
		return err_set(e, "all bytes are 0x%02x: no page at all", page[0]);
	if (looks_like(kind, page, len))
		return 0;
	other = better_kind(kind, page, len);
	if (other)
		return err_set(e, "is no page %s, but looks like %s", nv_page_word(kind), other);
	if (kind == NV_PAGE_OCP_SMART)
		return err_set(e, "is no page ocp-smart: its GUID AFD514C97C6F4F9CA4F2BFEA2810AFC5 is not there");
	return err_set(e, "is no page %s: reserved or fixed fields have other values", nv_page_word(kind));
}
