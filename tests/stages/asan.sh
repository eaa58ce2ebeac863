# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# gcc with AddressSanitizer, LeakSanitizer and UBSan over units, system tests and cases
reports=$work/asan/reports
rm -rf "$reports"
mkdir -p "$reports"
# a status of its own and a file for each report: no test can take one for something else
ASAN_OPTIONS=exitcode=99:detect_stack_use_after_return=1:log_path=$reports/asan
UBSAN_OPTIONS=print_stacktrace=1:exitcode=99:log_path=$reports/ubsan
export ASAN_OPTIONS UBSAN_OPTIONS
if build asan --enable-sanitizers=address,undefined CC=gcc CFLAGS='-g -O1'; then
	check asan
	try "no sanitizer reported anything" test -z "$(ls "$reports")"
	tail -n 60 "$reports"/* 2>/dev/null
fi
