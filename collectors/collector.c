/* SPDX-License-Identifier: MIT */
/*
 * collector: see collector.h.  Apart from the registry, so that who only holds the
 * configuration of targets does not link every collector.
 */
#include "collectors/collector.h"

#include <stdlib.h>

void target_config_release(struct target_config *c)
{
	free(c->username);
	free(c->password_file);
	free(c->ca_file);
	free(c->pin);
	free(c->recording);
	free(c->path);
	*c = (struct target_config){0};
}
