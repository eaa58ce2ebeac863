/* SPDX-License-Identifier: MIT */
/*
 * bundle_local: what local drives told, into a bundle.  Serial numbers are learned from sysfs and from
 * Identify pages, EUIs and UUIDs from the names below /dev/disk/by-id, addresses from drives over fabrics.
 */
#include "agent/cli/bundle.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/nvme/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of an Identify page (NVM Express Base Specification 2.0, figure 275). */
enum { IDENTIFY_SIZE = 4096, SERIAL_AT = 4, SERIAL_SIZE = 20, FGUID_AT = 112, FGUID_SIZE = 16, NQN_AT = 768,
	NQN_SIZE = 256, VENDOR_AT = 3072 };

static bool is_identify(const char *path)
{
	return str_starts(path, "nvme/") && str_ends(path, "/identify.hex");
}

/* The bytes of a page; false if they are no whole Identify page. */
static bool identify_bytes(const json_t *text, uint8_t *page)
{
	const char *hex = json_string_value(text);

	return hex && nv_hex_parse(hex, strlen(hex), page, IDENTIFY_SIZE) == IDENTIFY_SIZE;
}

/* "nvme-eui.HEX", "nvme-uuid.UUID", "nvme-nvme.VENDOR-SERIAL IN HEX-MODEL IN HEX-NSID". */
static void learn_name(struct disguise *d, const char *name)
{
	char copy[256], *serial;

	if (!str_copy(copy, sizeof copy, name))
		return;
	copy[strcspn(copy, "_")] = '\0';
	if (str_starts(copy, "nvme-eui.")) {
		copy[9 + strspn(copy + 9, "0123456789abcdefABCDEF")] = '\0';
		disguise_learn_text(d, DISGUISE_WWN, copy + 9);
	} else if (str_starts(copy, "nvme-uuid.")) {
		disguise_learn_text(d, DISGUISE_UUID, copy + 10);
	} else if (str_starts(copy, "nvme-nvme.") && (serial = strchr(copy + 10, '-'))) {
		serial[1 + strcspn(serial + 1, "-")] = '\0';
		disguise_learn_text(d, DISGUISE_WWN, serial + 1);
	}
}

void bundle_learn_local(struct disguise *d, const json_t *found)
{
	uint8_t page[IDENTIFY_SIZE];
	const char *path, *name;
	json_t *what, *device;
	char serial[64];

	json_object_foreach((json_t *)found, path, what)
	{
		if (is_identify(path) && identify_bytes(what, page)) {
			str_clean_bytes(serial, sizeof serial, page + SERIAL_AT, SERIAL_SIZE);
			disguise_learn_text(d, DISGUISE_SERIAL, serial);
		} else if (str_ends(path, "/serial") && json_is_string(what)) {
			disguise_learn_text(d, DISGUISE_SERIAL, json_string_value(what));
		} else if (str_ends(path, "/address") && json_is_string(what)) {
			disguise_learn_text(d, DISGUISE_ADDRESSES, json_string_value(what));
		} else if (str_same(path, "by-id.json")) {
			json_object_foreach(what, name, device)
				learn_name(d, name);
		}
	}
}

/*
 * The serial number replaced; what else tells one drive from all others is left out: the FRU's and the
 * subsystem's names, and what the vendor keeps behind the page's own fields.
 */
static char *disguised_identify(const struct disguise *d, uint8_t *page)
{
	char serial[64], *hidden;
	size_t n;

	str_clean_bytes(serial, sizeof serial, page + SERIAL_AT, SERIAL_SIZE);
	hidden = disguise_text(d, serial);
	n = strlen(hidden);
	memset(page + SERIAL_AT, ' ', SERIAL_SIZE);
	memcpy(page + SERIAL_AT, hidden, n < SERIAL_SIZE ? n : SERIAL_SIZE);
	free(hidden);
	memset(page + FGUID_AT, 0, FGUID_SIZE);
	memset(page + NQN_AT, 0, NQN_SIZE);
	memset(page + VENDOR_AT, 0, IDENTIFY_SIZE - VENDOR_AT);
	return nv_hex_text(page, IDENTIFY_SIZE);
}

/* A number is one, whatever serial number looks like it; only the serial's own file is not. */
static bool may_tell(const char *path, const char *text)
{
	return str_ends(path, "/serial") || text[strspn(text, "0123456789abcdefx.\n ")];
}

/* The contents of a file as they go into the bundle; the caller's to free(). */
static char *disguised_file(const struct disguise *d, const char *path, const json_t *text)
{
	uint8_t page[IDENTIFY_SIZE];

	if (is_identify(path) && identify_bytes(text, page))
		return disguised_identify(d, page);
	if (str_starts(path, "nvme/") || !may_tell(path, json_string_value(text)))
		return mem_text(json_string_value(text));
	return disguise_text(d, json_string_value(text));
}

static int write_names(const char *dir, const char *rest, const json_t *names, const struct disguise *d, struct err *e)
{
	json_t *out = json_object(), *device;
	const char *name;
	int rc;

	json_object_foreach((json_t *)names, name, device)
	{
		char *hidden = disguise_text(d, name);

		json_object_set(out, hidden, device);
		free(hidden);
	}
	rc = bundle_write_json(dir, rest, out, e);
	json_decref(out);
	return rc;
}

/* Paths come out of our own walks, but the tree may be somebody's recording: none leads out of the bundle. */
static bool writable(const char *path)
{
	return path[0] != '/' && !strstr(path, "/../") && !str_starts(path, "../") && !str_ends(path, "/..") &&
	       strlen(path) < 900;
}

int bundle_write_local(const char *dir, const char *target, const json_t *found, const struct disguise *d, struct err *e)
{
	char rest[1200], *text;
	const char *path, *link;
	json_t *what;
	int rc;

	snprintf(rest, sizeof rest, "0000/%s/sys/class", target); /* a sysfs without drives is one, too */
	rc = bundle_write_folder(dir, rest, e);
	json_object_foreach((json_t *)found, path, what)
	{
		if (rc || !writable(path))
			continue;
		snprintf(rest, sizeof rest, "0000/%s/%s", target, path);
		link = json_string_value(json_object_get(what, "link"));
		if (str_same(path, "by-id.json")) {
			rc = write_names(dir, rest, what, d, e);
		} else if (link) {
			rc = bundle_write_link(dir, rest, link, e);
		} else if (json_is_object(what)) {
			rc = bundle_write_folder(dir, rest, e);
		} else {
			text = disguised_file(d, path, what);
			rc = bundle_write_text(dir, rest, text, e);
			free(text);
		}
	}
	return rc;
}
