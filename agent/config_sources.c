/* SPDX-License-Identifier: MIT */
/*
 * config_sources: targets, and the checks of how they are reached, which are the same for a
 * file and for the command line; and what the command line adds to a configuration.
 */
#include "agent/config_build.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/url.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

struct target_config *config_add_target(struct config *c, const char *name)
{
	struct target_config *t;

	c->targets = mem_grow(c->targets, c->n_targets, sizeof *c->targets);
	t = &c->targets[c->n_targets++];
	*t = (struct target_config){.kind = TARGET_KIND_UNKNOWN};
	str_copy(t->name, sizeof t->name, name);
	return t;
}

/* ---- how a target is reached ---- */

/* A key as it is spelt in a file, and its option; with the value that switches it on. */
static const struct spelling {
	const char *key, *in_file, *option;
} spellings[] = {
	{"url", "url", "--url"},
	{"username", "username", "--username"},
	{"password_file", "password_file", "--password-file"},
	{"ca_file", "ca_file", "--ca-file"},
	{"tls_pin", "tls_pin", "--pin"},
	{"tls_verify", "tls_verify = false", "--insecure"},
	{"allow_plaintext", "allow_plaintext = true", "--allow-plaintext"},
};

static const char *spell(const struct config_where *w, const char *key)
{
	for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++)
		if (strcmp(spellings[i].key, key) == 0)
			return w->section ? spellings[i].in_file : spellings[i].option;
	return key;
}

/* An error about a key, as "target \"x\": url: ..." with its line, or as "--url: ...". */
__attribute__((format(printf, 3, 4))) static void complain(
	const struct config_where *w, const char *key, const char *fmt, ...)
{
	const struct config_value *v = w->section ? config_value_get(w->section, key) :
						    NULL;
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (w->section)
		config_error_add(w->c, w->file, v ? v->line : w->section->line,
			"%s \"%s\": %s: %s", config_place_name(w->section->place),
			w->section->title, key, text);
	else
		config_error_add(w->c, "", 0, "%s: %s", spell(w, key), text);
}

/* "sha256//" and the 44 characters of base64 that a SHA-256 takes. */
static bool pin_right(const char *pin)
{
	static const char base64[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	return str_starts(pin, "sha256//") && strspn(pin + 8, base64) == 43 &&
	       str_same(pin + 51, "=");
}

static void check_plain(
	const struct config_where *w, const struct target_config *t, const struct url *u)
{
	const char *useless = t->ca_file      ? "ca_file" :
			      t->pin          ? "tls_pin" :
			      t->tls_insecure ? "tls_verify" :
						NULL;

	if (useless)
		complain(w, useless,
			"means nothing with an http address, which has no certificate");
	if (t->username && !t->allow_plaintext && !url_is_loopback(u))
		complain(w, "username",
			"password and session would cross the network unencrypted; "
			"use https, or %s if that is meant",
			spell(w, "allow_plaintext"));
}

void config_set_access(
	const struct config_where *w, struct target_config *t, const char *url)
{
	struct err e = {""};
	struct url u;

	if (t->password_file && !t->username)
		complain(w, "password_file",
			"whose password is it? %s is missing", spell(w, "username"));
	if (t->pin && !pin_right(t->pin))
		complain(w, "tls_pin",
			"is written sha256//BASE64: the SHA-256 of the public key, 44 characters of base64");
	if (t->tls_insecure && t->ca_file)
		complain(w, "ca_file",
			"not used with %s; leave one of them out",
			spell(w, "tls_verify"));
	if (url_parse(url, &u, &e)) {
		complain(w, "url", "%s", e.text);
		return;
	}
	url_text(&u, t->url, sizeof t->url);
	if (!u.tls)
		check_plain(w, t, &u);
}

/* ---- targets of the command line ---- */

static const struct target_config *named(const struct config *c, const char *name)
{
	for (size_t i = 0; i < c->n_targets; i++)
		if (strcmp(c->targets[i].name, name) == 0)
			return &c->targets[i];
	return NULL;
}

/*
 * Named after its host, with the port where two would have one name.  So is its machine: two
 * BMCs behind the ports of one address are not one machine.
 */
static void add_url(struct config *c, const struct options *o, const char *text)
{
	const struct config_where w = {c, "", NULL};
	char name[160] = "", url[192] = "";
	struct target_config *t;
	struct url u;

	if (url_parse(text, &u, NULL) == 0) { /* what is wrong is said below */
		url_text(&u, url, sizeof url);
		snprintf(name, sizeof name, "%s", u.host);
	}
	for (size_t i = 0; url[0] && i < c->n_targets; i++)
		if (strcmp(c->targets[i].url, url) == 0) {
			complain(&w, "url", "%s is given twice", url);
			return;
		}
	if (name[0] && named(c, name))
		snprintf(name, sizeof name, "%s:%d", u.host, u.port);
	t = config_add_target(c, name);
	t->kind = TARGET_REDFISH;
	str_copy(t->host, sizeof t->host, name);
	t->username = o->username ? mem_text(o->username) : NULL;
	t->password_file = o->password_file ? mem_text(o->password_file) : NULL;
	t->ca_file = o->ca_file ? mem_text(o->ca_file) : NULL;
	t->pin = o->pin ? mem_text(o->pin) : NULL;
	t->tls_insecure = o->insecure;
	t->allow_plaintext = o->allow_plaintext;
	t->no_expand = o->no_expand;
	config_set_access(&w, t, text);
}

static void add_local(struct config *c)
{
	struct target_config *t = config_add_target(c, "local");

	t->kind = TARGET_NVME;
	if (gethostname(t->host, sizeof t->host))
		str_copy(t->host, sizeof t->host, "localhost");
	t->host[sizeof t->host - 1] = '\0';
}

/* The pools of this machine, if its kernel has ZFS. */
static void add_local_pools(struct config *c)
{
	char host[sizeof c->targets->host];
	struct target_config *t;

	if (access("/sys/module/zfs", F_OK))
		return;
	str_copy(host, sizeof host, c->targets[c->n_targets - 1].host);
	t = config_add_target(c, "local-pools");
	t->kind = TARGET_ZFS;
	str_copy(t->host, sizeof t->host, host);
}

static void forget_targets(struct config *c)
{
	for (size_t i = 0; i < c->n_targets; i++)
		target_config_release(&c->targets[i]);
	c->n_targets = 0;
	free(c->targets);
	c->targets = NULL;
}

void config_build_sources(struct config *c, const struct options *o)
{
	size_t n_errors = c->n_errors;
	int status = EX_USAGE;
	struct err e = {""};

	forget_targets(c);
	for (size_t i = 0; i < o->n_urls; i++)
		add_url(c, o, o->urls[i]);
	if (o->local) {
		add_local(c);
		add_local_pools(c);
	}
	if (o->recording && config_recording_targets(c, o->recording, &e)) {
		config_error_add(c, "", 0, "%s", e.text);
		status = EX_DATAERR;
	}
	if (c->n_errors > n_errors && !c->status)
		c->status = status;
}

/* ---- policy of the command line ---- */

/* True if the patterns leave nothing out. */
static bool all(const struct patterns *p)
{
	for (size_t i = 0; i < p->n; i++)
		if (strcmp(p->items[i], "*") == 0)
			return true;
	return p->n == 0;
}

static void apply(struct policy *p, const struct options *o, struct pcie_rate expect)
{
	if (o->expect) {
		p->expect = expect;
		p->has_expect = true;
	}
	p->require_present |= o->require_present;
}

/*
 * Without --bays it is meant for all bays: each policy of the files keeps its place and takes
 * what was said over, so that --expect does not undo a require_present.  With --bays a policy
 * of its own is the most specific and the last, and so wins.
 */
void config_build_policy(struct config *c, const struct options *o)
{
	struct pcie_rate expect = {0, 0};
	bool any = false;
	struct policy *p;

	if (o->expect && !policy_expect_parse(o->expect, &expect)) {
		config_error_add(c, "", 0,
			"--expect: '%s' is no link; write \"gen5 x4\", \"32 GT/s x4\", \"gen5\" or \"x4\"",
			o->expect);
		c->status = c->status ? c->status : EX_USAGE;
		return;
	}
	if (!o->expect && !o->require_present)
		return;
	for (size_t i = 0; i < c->policies.n_policies && !o->bays; i++) {
		apply(&c->policies.policies[i], o, expect);
		any |= all(&c->policies.policies[i].targets) &&
		       all(&c->policies.policies[i].bays);
	}
	if (any)
		return;
	p = policy_set_add(&c->policies, "command line");
	if (o->bays) {
		patterns_add(&p->targets,
			"?*"); /* every name, and yet a restriction: "*" would be none */
		patterns_add_list(&p->bays, o->bays);
	}
	apply(p, o, expect);
}
