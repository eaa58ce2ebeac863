/* SPDX-License-Identifier: MIT */
/*
 * lanewatch-simbmc: a simulated BMC for tests, demonstrations and the curious.
 */
#include "tests/simbmc/options.h"
#include "tests/simbmc/rules.h"
#include "tests/simbmc/server.h"
#include "tests/simbmc/util.h"

#include <stdio.h>
#include <stdlib.h>

static void say_ready(const struct server *s)
{
	fputs("ready", stdout);
	for (unsigned i = 0; i < s->n; i++) {
		char *url = instance_url(&s->instances[i]);

		printf(" %s", url);
		free(url);
	}
	putchar('\n');
	fflush(stdout);
}

int main(int argc, char **argv)
{
	struct options o;
	struct server s;
	struct rule_book *book = NULL;
	struct err e;
	int status = 0;

	options_read(&o, argc, argv);
	if (o.rules) {
		book = rule_book_read(o.rules, &e);
		if (!book)
			fail(SIM_EX_USAGE, "--rules: %s", e.text);
	}
	if (server_init(&s, &o, book, &e) < 0) {
		warn_line("%s", e.text);
		status = SIM_EX_OSERR;
		goto out;
	}
	say_ready(&s);
	server_run(&s);
	if (o.strict && s.forbidden) {
		warn_line("%u forbidden requests; a reader only reads", s.forbidden);
		status = SIM_EX_STRICT;
	}
out:
	server_release(&s);
	rule_book_free(book);
	options_release(&o);
	return status;
}
