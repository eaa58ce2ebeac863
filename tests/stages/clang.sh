# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# clang builds everything with its warnings as errors; fuzz targets replay their corpora, then 10 s each
seconds=${FUZZ_SECONDS:-10}
logs=$work/clang/fuzz

fuzzer_there() {
	echo 'int LLVMFuzzerTestOneInput(const char *p, long n) { return !p + !n - 2; }' |
		clang -x c -fsanitize=fuzzer,address,undefined -o "$work/fuzzer-there" - 2>/dev/null
}

fuzz() { # PROGRAM...: as many at a time as there are processors; a status for each goes to a file
	CORPORA=$srcdir/tests/fuzz/corpus LOGS=$logs SECONDS_EACH=$seconds
	ASAN_OPTIONS=quarantine_size_mb=64 # what is freed shall not count as used
	export CORPORA LOGS SECONDS_EACH ASAN_OPTIONS
	# shellcheck disable=SC2016 # the inner shell expands
	printf '%s\n' "$@" | xargs -n 1 -P "$jobs" sh -c '
		name=${0##*/fuzz_}
		mkdir -p "$LOGS/$name/new"
		set -- -timeout=10 -rss_limit_mb=512 "-artifact_prefix=$LOGS/$name/"
		{
			"$0" "$@" -runs=0 "$CORPORA/$name" &&
				"$0" "$@" "-max_total_time=$SECONDS_EACH" -print_final_stats=1 "$LOGS/$name/new" "$CORPORA/$name"
		} >"$LOGS/$name/log" 2>&1
		echo $? >"$LOGS/$name/status"'
}

if need clang "clang builds it"; then
	if ! fuzzer_there; then
		skip "fuzz targets" "clang has no libFuzzer runtime here"
		build clang CC=clang --enable-werror
	elif build clang CC=clang --enable-werror --enable-fuzz CFLAGS='-g -O1'; then
		programs=$(make -s -C "$work/clang" list-fuzz)
		rm -rf "$logs"
		# shellcheck disable=SC2086 # names without blanks
		fuzz $programs
		for program in $programs; do
			name=${program##*/fuzz_}
			grep -E 'stat::number_of_executed_units|SUMMARY|ERROR' "$logs/$name/log"
			[ "$(cat "$logs/$name/status")" = 0 ] || tail -n 40 "$logs/$name/log"
			try "fuzz_$name: its corpus, then $seconds s of new inputs" test "$(cat "$logs/$name/status")" = 0
		done
	fi
fi
