# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# libFuzzer on one target for 2 CPU-hours: no crash, no input over 1 s or 64 MiB
work=$builddir/release/fuzz
found=$builddir/release/found/$1
mkdir -p "$work" "$found/new"
(cd "$work" && [ -f Makefile ] || "$srcdir/configure" CC=clang --enable-fuzz CFLAGS='-g -O1') || exit
make -C "$work" "tests/fuzz/fuzz_$1" || exit
"$work/tests/fuzz/fuzz_$1" -max_total_time="${SECONDS_EACH:-7200}" -timeout=1 -malloc_limit_mb=64 -rss_limit_mb=1024 \
	-artifact_prefix="$found/" -print_final_stats=1 "$found/new" "$srcdir/tests/fuzz/corpus/$1" 2>&1
status=$?
count() { find "$@" -type f | wc -l; }
echo "$(count "$found" -maxdepth 1) found, $(count "$found/new") new inputs"
exit $status
