/* SPDX-License-Identifier: MIT */
/*
 * store_scene: a store in a folder of its own and rounds of one drive, for the tests of the
 * store.  Everything that fails ends the test.
 */
#ifndef TESTS_STORE_SCENE_H
#define TESTS_STORE_SCENE_H

#include "model/count.h"
#include "storage/store.h"
#include "model/history.h"
#include "model/inventory.h"

#include <stddef.h>
#include <stdint.h>

extern char scene_dir[64], scene_path[128];

void in_new_folder(void);
void remove_folder(void); /* the store and what SQLite puts beside it; nothing else may be left */

/* SQL of a connection of its own. */
void sql(const char *text);
int64_t ask_sql(const char *text);

/* A round of one drive at a wall and a steady time. */
struct scene {
	struct inventory inv;
	struct history h;
	struct alerts alerts;
	struct events events;
	struct bay bay;
};

void scene_init(struct scene *s, int64_t wall_ms);
void scene_release(struct scene *s);
struct store *must_open(enum store_mode mode);
struct store_poll scene_poll(const struct scene *s); /* as it is now; to be released */
void put(struct store *st, struct scene *s, const struct store_notice *notices, size_t n);

/* ---- kills ---- */

enum { KILLS_A_FILE = 100 }; /* what is kept grows, and is looked through after each kill */

int kills_wanted(void); /* LANEWATCH_KILLS, or 20 */

/*
 * Another process runs `child`, which writes to fd how much is acknowledged, from `before` on, and is
 * killed so long after it began or after its first acknowledgement; what it acknowledged last.
 */
uint32_t kill_after(void (*child)(int fd, uint32_t before), unsigned us, bool after_first, uint32_t before);

/* ---- points ---- */

struct points {
	size_t n;
	struct {
		int64_t at_wall_ms, at_steady_ms;
		char bay[16], value[COUNT_TEXT_MAX];
		double number;
	} items[16];
};

int points_of(struct store *st, const char *who, const char *metric, struct points *out);

#endif
