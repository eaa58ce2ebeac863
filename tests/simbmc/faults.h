/* SPDX-License-Identifier: MIT */
/*
 * What --fault says: "[instance K] bay N KEY VALUE" or "... boot N KEY VALUE", read into
 * data. machine.c applies it.
 */
#ifndef SIMBMC_FAULTS_H
#define SIMBMC_FAULTS_H

#include "base/err.h"

#include <stdbool.h>

enum fault_kind {
	FAULT_UNKNOWN = 0,
	FAULT_WIDTH,
	FAULT_SPEED,
	FAULT_LINK,
	FAULT_DRIVE_WIDTH,
	FAULT_DRIVE_SPEED,
	FAULT_SLOT_WIDTH,
	FAULT_SLOT_SPEED,
	FAULT_ABSENT,
	FAULT_PRESENT,
	FAULT_WEAR,
	FAULT_SPARE,
	FAULT_TEMP,
	FAULT_STATUS,
	FAULT_HEALTH,
	FAULT_MODEL,
	FAULT_SERIAL,
	FAULT_FIRMWARE,
};

struct fault {
	enum fault_kind kind;
	unsigned instance;	/* 0: all */
	bool boot;		/* a boot drive, not a bay */
	unsigned bay;
	int value;		/* in the kind's unit: lanes, generation...; -1: unknown */
	char text[256];
};

/* Reads one fault text; -1 with what is wrong and what would be right. */
int fault_parse(const char *text, struct fault *out, struct err *e);

#endif
