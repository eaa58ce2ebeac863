/* SPDX-License-Identifier: MIT */
/*
 * What zpool prints: whatever comes, a tree that holds together, joined to drives and written as
 * a document that is read back the same.
 */
#include "collectors/zfs/names.h"
#include "collectors/zfs/zpool.h"
#include "document/bays.h"
#include "document/pools.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static void check_tree(const struct pool *p)
{
	for (size_t i = 0; i < p->n_nodes; i++) {
		const struct pool_node *n = &p->nodes[i];

		assert(n->part && n->depth >= 0 && n->kind >= NODE_UNKNOWN);
		assert(pool_node_end(p, i) > i && pool_node_end(p, i) <= p->n_nodes);
		assert(i > 0 || n->depth == 0);
		assert(memchr(n->name, 0, sizeof n->name));
	}
}

static void add_drive(struct snapshot *s, int i)
{
	char name[16];
	struct bay *b;

	snprintf(name, sizeof name, "nvme%d", i);
	b = snapshot_add_bay(s, name);
	b->has_drive = b->pcie = true;
	b->present = TRI_YES;
	b->wear.percent_used = 60 + i;
	snprintf(b->drive.controller, sizeof b->drive.controller, "nvme%d", i);
	snprintf(b->drive.serial, sizeof b->drive.serial, "LWF%d", i);
	snprintf(b->drive.namespaces[0], sizeof b->drive.namespaces[0], "nvme%dn1", i);
	b->drive.n_namespaces = 1;
	b->link.now = b->link.max = (struct pcie_rate){i % 2 ? 8000 : 16000, 4};
}

/* Joins the pools to four drives and writes all of it. */
static void join(struct zpool_pools *pools)
{
	json_t *map = json_pack("{s:s, s:s}", "A0", "nvme0n1", "nvme-LWF_A_F001", "nvme1"), *doc;
	struct inventory inv, again;
	struct snapshot s;
	struct err e;

	snapshot_init(&s, "host", TARGET_NVME, "host");
	s.target.verdict = TARGET_OK;
	for (int i = 0; i < 4; i++)
		add_drive(&s, i);
	for (size_t i = 0; i < pools->n; i++) {
		check_tree(&pools->pools[i]);
		zfs_names_look_up(&pools->pools[i], map, NULL);
		snapshot_take_pool(&s, &pools->pools[i]);
	}
	inventory_init(&inv);
	inventory_apply(&inv, &s);
	inventory_finish(&inv, NULL, 0);
	doc = document_of_inventory(&inv);
	assert(document_read_inventory(doc, &again, &e) == 0);
	assert(again.n_pools <= inv.n_pools); /* a pool without a name is none */
	json_decref(doc);
	json_decref(map);
	inventory_release(&again);
	inventory_release(&inv);
	snapshot_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct zpool_pools pools = {0};
	struct zpool_rows rows = {0};
	struct err e = {""};
	bool read = zpool_read_status(text, size, &pools, &e) == 0;

	assert(read || e.text[0]);
	if (zpool_read_rows(text, size, &rows, &e) == 0 && read) {
		zpool_take_list(&pools, &rows);
		zpool_take_iostat(&pools, &rows);
	}
	for (size_t i = 0; i < rows.n; i++)
		assert(rows.rows[i].n_cells <= ZPOOL_CELLS_MAX && rows.rows[i].depth >= -1);
	if (read && pools.n < 8)
		join(&pools);
	zpool_rows_release(&rows);
	zpool_pools_release(&pools);
	return 0;
}
