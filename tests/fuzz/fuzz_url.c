/* SPDX-License-Identifier: MIT */
/* Addresses of targets as people write them: what is accepted reads back as itself. */
#include "base/url.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[512], once[256], twice[256];
	struct url u;
	struct err e = {0};

	if (size >= sizeof text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (url_parse(text, &u, &e) != 0)
		return 0;
	assert(u.port > 0 && u.port < 65536 && u.host[0]);
	url_text(&u, once, sizeof once);
	assert(url_parse(once, &u, &e) == 0);
	assert(strcmp(url_text(&u, twice, sizeof twice), once) == 0);
	return 0;
}
