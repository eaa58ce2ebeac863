/* SPDX-License-Identifier: MIT */
/*
 * verdict: what is said of a bay's link, with whose limit it is and a sentence for people.
 *
 * The rules and their order are those of `docs/VERDICTS.md`: unreachable > absent >
 * power-saving > degraded > unknown > drive-limited / below-policy > ok.  Pure; no I/O.
 */
#ifndef MODEL_VERDICT_H
#define MODEL_VERDICT_H

#include "model/pcie_link.h"
#include "model/reason.h"

#include <stdbool.h>

enum verdict {
	VERDICT_NONE = 0, /* not judged yet */
	VERDICT_OK,
	VERDICT_DEGRADED_SPEED,
	VERDICT_DEGRADED_WIDTH,
	VERDICT_DEGRADED_BOTH,
	VERDICT_BELOW_POLICY,
	VERDICT_DRIVE_LIMITED,
	VERDICT_POWER_SAVING,
	VERDICT_UNKNOWN,
	VERDICT_ABSENT,
	VERDICT_UNREACHABLE,
	VERDICT_NOT_APPLICABLE,
};

enum limited_by { LIMITED_BY_NONE = 0, LIMITED_BY_LINK, LIMITED_BY_SLOT, LIMITED_BY_DRIVE, LIMITED_BY_POWER };

enum tri { TRI_UNKNOWN = 0, TRI_NO, TRI_YES };

/* All that a verdict is reached from. */
struct verdict_input {
	bool reachable;	     /* the source answered */
	bool present;	     /* a drive is there */
	bool presence_unknown; /* with !present: the source cannot tell whether one is */
	bool host_off;	     /* the host is powered off or its BMC restarts: a missing drive is no absence */
	bool was_present;    /* a drive was known here before */
	bool pcie;	     /* the drive has a PCIe link of its own */
	enum reason reason;  /* why the source or link is not known, REASON_NONE if not told */
	struct pcie_link link;
	struct pcie_rate policy; /* what is expected; zeros: nothing is */
	enum tri busy;		 /* requests in flight, or I/O since the last poll */
	bool seen_fast_while_busy; /* this drive in this bay ran at achievable speed while busy in the last 24 h */
};

struct judgement {
	enum verdict verdict;
	enum limited_by limited_by;
	enum reason reason;
	char message[256];
};

/*
 * Judges one link.  Values that contradict each other or that no link can have are void
 * (pcie_link_check) and never become a verdict about the link.  The message is one sentence
 * that names the limit and the numbers; `reason` is set only for what is not known.
 */
struct judgement verdict_reach(const struct verdict_input *in);

/* "ok", "degraded-speed", ...; NULL for VERDICT_NONE. */
const char *verdict_word(enum verdict v);
enum verdict verdict_of(const char *word);
const char *limited_by_word(enum limited_by l); /* NULL for none */
enum limited_by limited_by_of(const char *word);

/* True for degraded-speed, -width and -both. */
bool verdict_degraded(enum verdict v);

/* How bad, for sorting and for the worst of several: larger is worse; ok is 0, not judged -1. */
int verdict_badness(enum verdict v);

#endif
