/* SPDX-License-Identifier: MIT */
/*
 * Documents and neutral readings from a file: what is read and written once is the same text
 * ever after, and whatever bays say of themselves, they can be joined and judged.
 */
#include "base/buf.h"
#include "base/jtext.h"
#include "base/mem.h"
#include "document/bays.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 64 << 20, BAYS_MAX = 200 };

static void write_text(struct buf *out, const struct inventory *inv)
{
	buf_init(out, TEXT_MAX);
	assert(document_add_inventory(out, inv, NULL, NULL) == 0);
}

/* Reads it, writes it, and does so again, from text. */
static void there_and_back(const json_t *j)
{
	struct inventory inv, again;
	struct err e = {0};
	struct buf first, second;

	if (document_read_inventory(j, &inv, &e)) {
		assert(e.text[0]);
		inventory_release(&inv);
		return;
	}
	write_text(&first, &inv);
	assert(document_read_text(buf_text(&first), &again, NULL) == 0);
	write_text(&second, &again);
	assert(strcmp(buf_text(&first), buf_text(&second)) == 0);
	buf_release(&first);
	buf_release(&second);
	inventory_release(&inv);
	inventory_release(&again);
}

/* Readings of two targets of one host, the same from both. */
static void join(const json_t *list)
{
	struct inventory inv;
	struct buf text;
	json_t *one;
	size_t i;

	inventory_init(&inv);
	for (int k = 0; k < 2; k++) {
		struct snapshot s;

		snapshot_init(&s, k ? "host" : "bmc", k ? TARGET_NVME : TARGET_REDFISH, "srv1");
		s.target.verdict = TARGET_OK;
		json_array_foreach (list, i, one)
			if (i < BAYS_MAX)
				*snapshot_add_bay(&s, "") = document_read_bay(one, s.target.name, "srv1");
		inventory_apply(&inv, &s);
		snapshot_release(&s);
	}
	inventory_finish(&inv, NULL, 0);
	for (i = 0; i < inv.n_bays; i++)
		assert(inv.bays[i].judged.verdict != VERDICT_NONE);
	assert(inventory_verify_status(&inv) >= 0 && inventory_wear_status(&inv) <= 3);
	write_text(&text, &inv);
	buf_release(&text);
	inventory_release(&inv);
}

/* Whatever the text is. */
static void read_text(const uint8_t *data, size_t size)
{
	char *text = mem_take(size + 1);
	struct inventory inv;
	struct err e;

	memcpy(text, data, size);
	text[size] = '\0';
	document_read_text(text, &inv, &e);
	inventory_release(&inv);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *j = jtext_parse((const char *)data, size, NULL, NULL);

	read_text(data, size);
	if (json_is_object(j))
		there_and_back(j);
	else if (json_is_array(j))
		join(j);
	json_decref(j);
	return 0;
}
