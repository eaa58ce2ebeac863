/* SPDX-License-Identifier: MIT */
/*
 * collector: see collector.h.  Apart from the registry, so that who only holds the
 * configuration of targets does not link every collector.
 */
#include "collectors/collector.h"

#include "base/mem.h"
#include "base/str.h"

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

static char *copy(const char *s)
{
	return s ? mem_text(s) : NULL;
}

struct target_config target_config_copy(const struct target_config *c)
{
	struct target_config out = *c;

	out.username = copy(c->username);
	out.password_file = copy(c->password_file);
	out.ca_file = copy(c->ca_file);
	out.pin = copy(c->pin);
	out.recording = copy(c->recording);
	out.path = copy(c->path);
	return out;
}

bool target_config_same(const struct target_config *a, const struct target_config *b)
{
	return a->kind == b->kind && a->tls_insecure == b->tls_insecure &&
	       a->allow_plaintext == b->allow_plaintext && a->no_expand == b->no_expand && a->no_events == b->no_events &&
	       a->requests_at_once == b->requests_at_once &&
	       a->poll_interval_ms == b->poll_interval_ms && a->logs_interval_ms == b->logs_interval_ms &&
	       a->metrics_interval_ms == b->metrics_interval_ms &&
	       a->topology_interval_ms == b->topology_interval_ms && str_same(a->name, b->name) && str_same(a->host, b->host) && str_same(a->group, b->group) && str_same(a->url, b->url) &&
	       str_same(a->username, b->username) && str_same(a->password_file, b->password_file) &&
	       str_same(a->ca_file, b->ca_file) && str_same(a->pin, b->pin) &&
	       str_same(a->recording, b->recording) && str_same(a->path, b->path);
}
