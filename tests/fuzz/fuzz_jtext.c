/* SPDX-License-Identifier: MIT */
/* JSON from a BMC: the bounds hold for whatever is parsed, and refusals come with a reason. */
#include "base/jtext.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void read_as_anything(const json_t *j)
{
	char text[64];
	int64_t n;

	assert(isnan(jtext_number(j)) || isfinite(jtext_number(j)));
	jtext_bool(j);
	if (jtext_int(j, -5, 4096, &n))
		assert(n >= -5 && n <= 4096);
	if (jtext_copy(text, sizeof text, j))
		assert(strlen(text) > 0 && strlen(text) < sizeof text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = {0};
	size_t elements = 0;
	json_t *tree = jtext_parse((const char *)data, size, &elements, &e);
	const char *key;
	json_t *value;
	size_t i;

	if (!tree) {
		assert(e.text[0]);
		return 0;
	}
	assert(elements <= JTEXT_ELEMENTS_MAX);
	json_object_foreach (tree, key, value)
		read_as_anything(value);
	json_array_foreach (tree, i, value)
		read_as_anything(value);
	jtext_at(tree, "a", "b", NULL);
	json_decref(tree);
	return 0;
}
