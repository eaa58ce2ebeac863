/* SPDX-License-Identifier: MIT */
/*
 * bay_pack: see bay_pack.h.  A packed bay is the struct from its first byte to its last, with the
 * texts of the table below cut behind their NUL.  A text that is missing in the table is kept whole:
 * it costs its room, nothing else.
 */
#include "model/bay_pack.h"

#include "base/mem.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct text_at {
	size_t at, size;
};

/* clang-format off */
#define TEXT(field) {offsetof(struct bay, field), sizeof((struct bay *)0)->field}
#define USE(i) TEXT(drive.uses[i].name), TEXT(drive.uses[i].detail), TEXT(drive.uses[i].mount)
#define PATH(i) TEXT(drive.paths[i].address), TEXT(drive.paths[i].controller)
#define RAW(i) TEXT(link.raw[i].property), TEXT(link.raw[i].value)

/* In the order of the struct; bay_pack_host() and bay_pack_name() know the first three. */
static const struct text_at texts[] = {
	TEXT(target), TEXT(host), TEXT(bay), TEXT(location), TEXT(slot),
	TEXT(drive.id), TEXT(drive.serial), TEXT(drive.model), TEXT(drive.manufacturer), TEXT(drive.part_number),
	TEXT(drive.firmware), TEXT(drive.firmware_next), TEXT(drive.protocol), TEXT(drive.media_type), TEXT(drive.form_factor),
	TEXT(drive.controller), TEXT(drive.pci_address), TEXT(drive.pci_path),
	USE(0), USE(1), USE(2), USE(3), USE(4), USE(5),
	TEXT(drive.namespaces[0]), TEXT(drive.namespaces[1]), TEXT(drive.namespaces[2]), TEXT(drive.namespaces[3]),
	TEXT(drive.namespaces[4]), TEXT(drive.namespaces[5]), TEXT(drive.namespaces[6]), TEXT(drive.namespaces[7]),
	TEXT(drive.names[0]), TEXT(drive.names[1]), TEXT(drive.names[2]), TEXT(drive.names[3]),
	PATH(0), PATH(1),
	TEXT(drive.sources[0]), TEXT(drive.sources[1]), TEXT(drive.sources[2]), TEXT(drive.sources[3]),
	TEXT(link.now_from), TEXT(link.max_from), TEXT(link.slot_from),
	RAW(0), RAW(1), RAW(2), RAW(3), RAW(4), RAW(5), RAW(6), RAW(7),
	TEXT(link.views[0].target), TEXT(link.views[1].target), TEXT(link.views[2].target), TEXT(link.views[3].target),
	TEXT(judged.message), TEXT(policy), TEXT(bmc_health),
};
/* clang-format on */

enum { TEXTS = sizeof texts / sizeof texts[0], PACKED_MAX = sizeof(struct bay) + TEXTS };

_Static_assert(DRIVE_USES_MAX == 6 && DRIVE_NAMESPACES_MAX == 8 && DRIVE_NAMES_MAX == 4 && DRIVE_PATHS_MAX == 2 &&
		       DRIVE_SOURCES_MAX == 4 && PCIE_RAW_MAX == 8 && PCIE_VIEWS_MAX == 4,
	"the table of texts has them all");

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
	p->room = 2 * p->room + PACKED_MAX;
	p->data = mem_resize(p->data, p->room);
}

void bay_pack_add(struct bay_pack *p, const struct bay *b)
{
	const unsigned char *from = (const unsigned char *)b;
	unsigned char *out;
	size_t at = 0;

	make_room(p);
	out = p->data + p->len;
	for (size_t i = 0; i < TEXTS; i++) {
		size_t gap = texts[i].at - at, len = strnlen((const char *)from + texts[i].at, texts[i].size - 1);

		memcpy(out, from + at, gap);
		memcpy(out + gap, from + texts[i].at, len);
		out += gap + len;
		*out++ = '\0';
		at = texts[i].at + texts[i].size;
	}
	memcpy(out, from + at, sizeof *b - at);
	out += sizeof *b - at;
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
	const unsigned char *from = p->data + p->at[i];
	unsigned char *to = (unsigned char *)out;
	size_t at = 0;

	memset(out, 0, sizeof *out);
	for (size_t k = 0; k < TEXTS; k++) {
		size_t gap = texts[k].at - at, len;

		memcpy(to + at, from, gap);
		from += gap;
		len = strlen((const char *)from) + 1;
		memcpy(to + texts[k].at, from, len);
		from += len;
		at = texts[k].at + texts[k].size;
	}
	memcpy(to + at, from, sizeof *out - at);
}

/* Nothing but texts stands before it. */
static const char *nth_text(const struct bay_pack *p, size_t i, size_t nth)
{
	const char *s = (const char *)p->data + p->at[i];

	while (nth--)
		s += strlen(s) + 1;
	return s;
}

const char *bay_pack_host(const struct bay_pack *p, size_t i)
{
	_Static_assert(offsetof(struct bay, host) == sizeof((struct bay *)0)->target, "second");
	return nth_text(p, i, 1);
}

const char *bay_pack_name(const struct bay_pack *p, size_t i)
{
	_Static_assert(offsetof(struct bay, bay) == offsetof(struct bay, host) + sizeof((struct bay *)0)->host, "third");
	return nth_text(p, i, 2);
}
