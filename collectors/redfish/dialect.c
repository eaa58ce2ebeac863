/* SPDX-License-Identifier: MIT */
/* dialect: the table of dialects.  A new maker is one line here and one file beside it. */
#include "collectors/redfish/dialect.h"

static const struct rf_dialect *const dialects[] = {
	&rf_dialect_dell,
	&rf_dialect_hpe,
	&rf_dialect_supermicro,
	&rf_dialect_lenovo,
	&rf_dialect_cisco,
	&rf_dialect_openbmc,
};

const struct rf_dialect *rf_dialect_find(const struct rf_survey *s)
{
	for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++)
		if (dialects[i]->speaks(s))
			return dialects[i];
	return &rf_dialect_standard;
}
