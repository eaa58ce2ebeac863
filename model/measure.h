/* SPDX-License-Identifier: MIT */
/*
 * measure: what reading each drive alone and then all together tells: a bay that is slower than
 * its neighbours though its link trained well, drives that are quick alone and slow together, and
 * the likely reason.  Pure; who reads is agent/fio_run.
 */
#ifndef MODEL_MEASURE_H
#define MODEL_MEASURE_H

#include "model/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct measured_drive {
	const struct bay *bay;
	char device[24];		/* "nvme0n1" */
	double link_bps;		/* what its link carries; NAN not known */
	double alone_bps, together_bps; /* NAN not measured */
	int64_t error;			/* errno of reading it; 0 none */
	bool vanished;			/* its device went while it was read */
};

enum finding_code {
	FINDING_UNKNOWN = 0,
	FINDING_SLOW_BAY,      /* slower than its neighbours, its link trained as well as theirs */
	FINDING_SLOW_LINK,     /* slower than its neighbours, its link is degraded */
	FINDING_SLOW_TOGETHER, /* quick alone, slow together */
	FINDING_ABOVE_LINK,    /* more than the link carries: not read over it */
	FINDING_READ_FAILED,
	FINDING_VANISHED,
};

struct finding {
	enum finding_code code;
	size_t drive; /* index; n_drives: the machine */
	char message[400];
};

struct measurement {
	unsigned seconds; /* of each reading */
	bool stopped;	  /* by somebody: what is missing was not measured */
	double cpu_ratio; /* of all processors while all drives were read, 0 to 1; NAN not known */
	size_t n_drives, n_findings;
	struct measured_drive *drives;
	struct finding *findings;
};

void measurement_release(struct measurement *m);

/* Sum over the drives that were read both ways; NAN if none was. */
double measurement_alone(const struct measurement *m);
double measurement_together(const struct measurement *m);

/* Finds what is remarkable; `machine` has the same inventory's uplinks. */
void measurement_judge(struct measurement *m, const struct machine *machine);

const char *finding_word(enum finding_code c); /* "slow-bay", ...; NULL for unknown */

#endif
