#!/bin/sh
# SPDX-License-Identifier: MIT
#
# summary.sh FILE.trs...: adds up the results of tests, names what failed and what was skipped
# and why, and ends with the line "N passed, N failed, N skipped".
#
# A .trs file holds automake's ":test-result: WORD" lines, one for each test; the .log beside it
# has "WORD: title" for each.  A file that is not there is a test that did not run: a failure.
# Nothing passed is a failure as well (--part FILE...: not where something was skipped, as this is
# one stage of several).  Exit status 0 only where all is well.
set -eu
export LC_ALL=C
part=0
if [ "${1:-}" = --part ]; then
	part=1
	shift
fi

awk -v part="$part" '
function result(word) {
	if (word == "PASS") passed++
	else if (word == "SKIP" || word == "XFAIL") skipped++
	else failed++
}

# the titles of what did not pass: "WORD: title" of the log beside the .trs
function titles(log_file, line, word) {
	while ((getline line < log_file) > 0) {
		word = line
		sub(/:.*/, "", word)
		sub(/^[A-Z]+: /, "", line)
		if (word == "SKIP" || word == "XFAIL") skips[++n_skips] = line
		else if (word == "FAIL" || word == "ERROR" || word == "XPASS") fails[++n_fails] = line
	}
	close(log_file)
}

function read_results(trs, line, n, bad, log_file) {
	while ((getline line < trs) > 0)
		if (line ~ /^:test-result: /) {
			n++
			sub(/^:test-result: /, "", line)
			sub(/ .*/, "", line)
			if (line != "PASS") bad = 1
			result(line)
		}
	close(trs)
	if (!n) {
		fails[++n_fails] = trs ": no result: it did not run"
		failed++
	} else if (bad) {
		log_file = trs
		sub(/\.trs$/, ".log", log_file)
		titles(log_file)
	}
}

function list(heading, lines, n, i) {
	if (!n) return
	print heading
	for (i = 1; i <= n; i++) print "  " lines[i]
}

BEGIN {
	passed = failed = skipped = n_skips = n_fails = 0
	for (i = 1; i < ARGC; i++) read_results(ARGV[i])
	list("Skipped:", skips, n_skips)
	list("Failed:", fails, n_fails)
	if (!passed && !failed && !(part && skipped)) { print "Failed:\n  no test passed"; failed++ }
	print passed " passed, " failed " failed, " skipped " skipped"
	exit failed > 0
}' "$@" </dev/null
