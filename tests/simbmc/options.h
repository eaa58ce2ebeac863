/* SPDX-License-Identifier: MIT */
/*
 * The command line as data.
 */
#ifndef SIMBMC_OPTIONS_H
#define SIMBMC_OPTIONS_H

#include "tests/simbmc/auth.h"
#include "tests/simbmc/faults.h"
#include "tests/simbmc/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTANCES_MAX 1000

struct options {
	const struct chassis_desc *chassis;	/* or NULL with a mockup */
	char *mockup;
	unsigned bays;
	struct fault *faults;
	size_t n_faults;
	bool licensed;

	const char *bind;
	uint16_t port;
	unsigned instances;

	enum auth_mode auth;
	bool auth_given;
	char *user, *password;
	unsigned max_sessions, session_timeout_s;

	bool tls;
	const char *cert_out, *pin_out, *cert_names, *tls_priority;
	int cert_days;

	bool no_expand, expand_ignored, expand_truncated;
	unsigned page_size, latency_ms;
	const char *log, *rules;
	bool strict, sse, from_stdin, telemetry;
	unsigned telemetry_s;
};

/*
 * Reads the command line; ends the program with one line on stderr where it is wrong, and
 * after --help and --version. Texts are borrowed from argv or owned by o.
 */
void options_read(struct options *o, int argc, char **argv);
void options_release(struct options *o);

#endif
