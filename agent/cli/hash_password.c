/* SPDX-License-Identifier: MIT */
/*
 * hash-password: a line for users_file, from a password that is asked for, or with a new token
 * for a program.  Keeps neither.
 */
#include "agent/cli/command.h"
#include "agent/env.h"
#include "base/mem.h"
#include "base/str.h"
#include "web/login.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/* One line of standard input that is no terminal. */
static char *read_password(void)
{
	char line[LOGIN_PASSWORD_MAX + 2] = "";
	char *password = NULL;

	if (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\r\n")] = '\0';
		password = line[0] ? mem_text(line) : NULL;
	}
	explicit_bzero(line, sizeof line);
	return password;
}

/* Asked twice at a terminal, for what is mistyped is not seen. */
static char *ask_password(const char *name)
{
	char *once, *again;
	bool same;

	if (!isatty(STDIN_FILENO))
		return read_password();
	once = env_ask_password(name);
	again = once ? env_ask_password("the same again") : NULL;
	same = once && again && strcmp(once, again) == 0;
	mem_wipe_free(again);
	if (same)
		return once;
	if (once)
		fprintf(stderr, "lanewatch: these are two different passwords\n");
	mem_wipe_free(once);
	return NULL;
}

static int print_password(const char *name)
{
	char hash[LOGIN_HASH_MAX];
	char *password = ask_password(name);
	int rc = EX_OK;

	if (!password) {
		fprintf(stderr, "lanewatch: no password was given\n");
		return EX_DATAERR;
	}
	if (strlen(password) >= LOGIN_PASSWORD_MAX) {
		fprintf(stderr, "lanewatch: the password is longer than %d bytes\n", LOGIN_PASSWORD_MAX - 1);
		rc = EX_DATAERR;
	} else if (!login_hash_password(password, hash)) {
		fprintf(stderr, "lanewatch: crypt(3) cannot hash it here\n");
		rc = EX_OSERR;
	} else {
		printf("%s:%s\n", name, hash);
	}
	mem_wipe_free(password);
	return rc;
}

static int print_token(const char *name)
{
	char token[LOGIN_TOKEN_MAX], hash[LOGIN_HASH_MAX];

	if (!login_make_token(token, hash)) {
		fprintf(stderr, "lanewatch: no random numbers to be had\n");
		return EX_OSERR;
	}
	fprintf(stderr, "%s\n", token);
	printf("%s:%s\n", name, hash);
	explicit_bzero(token, sizeof token);
	return EX_OK;
}

int command_hash_password(const struct options *o, const struct config *c)
{
	const char *name = o->n_args ? o->args[0] : NULL;
	char clean[LOGIN_USER_MAX];

	(void)c;
	if (!name) {
		fprintf(stderr, "lanewatch: hash-password: whose? give a NAME\n");
		return EX_USAGE;
	}
	str_clean(clean, sizeof clean, name);
	if (strcmp(clean, name) != 0 || strchr(name, ':') || name[0] == '#') {
		fprintf(stderr, "lanewatch: hash-password: a name has up to %d bytes that can be printed, and no colon\n", LOGIN_USER_MAX - 1);
		return EX_USAGE;
	}
	return o->token ? print_token(name) : print_password(name);
}
