/* SPDX-License-Identifier: MIT */
/*
 * merge: one bay out of what several targets say of one place.  Pure.
 */
#ifndef MODEL_MERGE_H
#define MODEL_MERGE_H

#include "model/bay.h"
#include "model/snapshot.h"

enum { MERGE_VIEWS_MAX = DRIVE_SOURCES_MAX };

struct merge_view {
	const struct bay *bay;
	enum target_kind kind;
};

/*
 * 1 to MERGE_VIEWS_MAX views; the first one names the place.  Stale views count only where
 * all are.  `target` of the result is the one whose link counts, `link.views` lists all that
 * see a link if there are several, the drive's sources all that see the drive.  Sets the notes
 * sources-disagree, wear-sources-disagree (more than 2 points of percent used) and
 * capacity-suspect (more than 3 % apart).
 */
struct bay merge_views(const struct merge_view *views, size_t n);

#endif
