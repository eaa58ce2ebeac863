# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# ThreadSanitizer over the tests with threads
tests=$(make -s -C "$builddir" list-threaded)
if [ -z "$tests" ]; then
	skip "tests with threads" "there is none yet"
else
	TSAN_OPTIONS=exitcode=99:halt_on_error=1
	export TSAN_OPTIONS
	if only=$tests build tsan --enable-sanitizers=thread CFLAGS='-g -O1'; then
		check tsan TESTS="$tests"
	fi
fi
