/* SPDX-License-Identifier: MIT */
/*
 * fio: what fio(1) measured, from its JSON (--output-format=json or json+), of versions 2 and 3;
 * with text before it, and several documents in one file (--status-interval): the last counts.
 * Reads values; which of them can be true is said by model/ceiling.
 */
#ifndef AGENT_FIO_H
#define AGENT_FIO_H

#include "base/err.h"
#include "model/count.h"
#include "model/verdict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIO_FILES_MAX = 64 };

/* One entry of `jobs`: a job, or all threads of a group. */
struct fio_job {
	char name[96];
	int64_t group; /* of entries that ran at the same time; -1 not known */
	int64_t error; /* errno; 0 none */
	double read_bps, write_bps, mixed_bps; /* bytes per second; NAN not reported */
	double io_bytes;		       /* moved in all; NAN not known */
	int64_t runtime_ms;		       /* -1 not known */
	int64_t numjobs;		       /* 1 where not said */
	double size_bytes;		       /* of its file; NAN not known */
	bool zeros;			       /* wrote zeros, or data that compress or repeat */
	enum tri direct;
	size_t n_files;
	char files[FIO_FILES_MAX][128]; /* `filename`, taken apart */
};

struct fio_result {
	char version[32];
	int n_documents; /* whole ones that were found */
	size_t n_jobs;
	struct fio_job *jobs;
};

/* -1 with what is wrong in words; *out needs no release then. */
int fio_read(const char *text, size_t len, struct fio_result *out, struct err *e);
void fio_release(struct fio_result *r);

/* Bytes per second of all directions; NAN if nothing was measured. */
double fio_rate(const struct fio_job *j);

/* Why a figure above the links came about, as its options show: "28 jobs read one file"; "" if they tell nothing. */
void fio_causes(const struct fio_job *j, char *out, size_t size);

#endif
