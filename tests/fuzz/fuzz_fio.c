/* SPDX-License-Identifier: MIT */
/* What fio wrote: figures that are none are not known, and refusals come with a reason. */
#include "agent/fio.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fio_result r;
	struct err e = {""};

	if (fio_read((const char *)data, size, &r, &e)) {
		assert(e.text[0]);
		return 0;
	}
	for (size_t i = 0; i < r.n_jobs; i++) {
		const struct fio_job *j = &r.jobs[i];
		double rate = fio_rate(j);
		char text[64];

		assert(isnan(rate) || rate > 0);
		assert(j->n_files <= FIO_FILES_MAX && j->numjobs >= 1);
		assert(isnan(j->size_bytes) || j->size_bytes > 0);
		fio_causes(j, text, sizeof text);
		assert(strlen(text) < sizeof text);
	}
	fio_release(&r);
	return 0;
}
