/* SPDX-License-Identifier: MIT */
/* store_silence: what people said of alerts; see store.h. */
#include "base/clock.h"
#include "storage/db.h"
#include "storage/store.h"

static const char drop_silences[] = "DELETE FROM silence";
static const char put_silence[] = "INSERT INTO silence (id, key, kinds, targets, hosts, bays, serials, by_whom, comment, "
				  "from_wall_ms, until_wall_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
static const char get_silences[] = "SELECT id, key, kinds, targets, hosts, bays, serials, by_whom, comment, from_wall_ms, "
				   "until_wall_ms FROM silence ORDER BY id";

static int write_silence(struct store *s, const struct silence *x, struct err *e)
{
	sqlite3_stmt *st = db_get(s, put_silence, e);
	int i = 1;

	if (!st)
		return -1;
	db_int(st, i++, x->id);
	db_text(st, i++, x->key);
	db_text(st, i++, x->kinds);
	db_text(st, i++, x->targets);
	db_text(st, i++, x->hosts);
	db_text(st, i++, x->bays);
	db_text(st, i++, x->serials);
	sqlite3_bind_text(st, i++, x->by, -1, SQLITE_STATIC);
	db_text(st, i++, x->comment);
	db_int(st, i++, x->from_wall_ms);
	db_int(st, i++, x->until_wall_ms);
	return db_run(s, st, e);
}

int silences_write(struct store *s, const struct silences *list, struct err *e)
{
	sqlite3_stmt *st = db_get(s, drop_silences, e);

	if (!st || db_run(s, st, e))
		return -1;
	for (size_t i = 0; i < list->n; i++)
		if (list->items[i].id && write_silence(s, &list->items[i], e)) /* the others are the configuration's */
			return -1;
	return 0;
}

int store_get_silences(struct store *s, struct silences *out, struct err *e)
{
	sqlite3_stmt *st = db_get(s, get_silences, e);
	int rc;

	if (!st)
		return -1;
	while ((rc = db_step(s, st, e)) > 0) {
		struct silence *x = silences_add(out);
		int i = 0;

		x->id = db_get_int(st, i++, 0);
		db_get_text(st, i++, x->key, sizeof x->key);
		db_get_text(st, i++, x->kinds, sizeof x->kinds);
		db_get_text(st, i++, x->targets, sizeof x->targets);
		db_get_text(st, i++, x->hosts, sizeof x->hosts);
		db_get_text(st, i++, x->bays, sizeof x->bays);
		db_get_text(st, i++, x->serials, sizeof x->serials);
		db_get_text(st, i++, x->by, sizeof x->by);
		db_get_text(st, i++, x->comment, sizeof x->comment);
		x->from_wall_ms = db_get_int(st, i++, CLOCK_NEVER);
		x->until_wall_ms = db_get_int(st, i++, CLOCK_NEVER);
	}
	return rc < 0 ? -1 : 0;
}
