/* SPDX-License-Identifier: MIT */
/*
 * Configuration files: whatever is in them, what is wrong is said and nothing of the
 * environment comes in.  What the walk before libconfuse finds right, libconfuse takes too.
 */
#include "agent/config_build.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define CANARY "canary-7f3a" /* stands in the environment, as X */

static void check_values(const struct config_text *t)
{
	for (size_t i = 0; i < t->n_sections; i++)
		for (size_t k = 0; k < t->sections[i].n; k++)
			for (size_t n = 0; n < t->sections[i].values[k].n; n++)
				assert(!strstr(t->sections[i].values[k].texts[n], CANARY));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config c = {0};
	struct config_origins seen = {0};
	struct config_text t;
	char *text;

	if (size > 1 << 16 || memmem(data, size, CANARY, strlen(CANARY)))
		return 0;
	text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	setenv("X", CANARY, 1);
	policy_set_init(&c.policies);
	config_text_read(&t, "fuzz.conf", text, size, &c);
	for (size_t i = 0; i < c.n_errors; i++)
		assert(c.errors[i].message[0] && c.errors[i].line > 0);
	assert(c.n_errors != 1 || strcmp(c.errors[0].message, "not understood") != 0);
	check_values(&t);
	config_build_file(&c, &t, &seen);
	config_text_release(&t);
	config_release(&c);
	free(seen.items);
	free(text);
	return 0;
}
