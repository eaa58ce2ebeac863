# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# clang builds everything with its warnings as errors; fuzz targets replay their corpora, then 10 s each
seconds=${FUZZ_SECONDS:-10}

fuzzer_there() {
	echo 'int LLVMFuzzerTestOneInput(const char *p, long n) { return !p + !n - 2; }' |
		clang -x c -fsanitize=fuzzer,address,undefined -o "$work/fuzzer-there" - 2>/dev/null
}

fuzz_one() { # PROGRAM
	name=$(basename "$1")
	corpus=$srcdir/tests/fuzz/corpus/${name#fuzz_}
	found=$work/clang/found/${name#fuzz_}
	mkdir -p "$found/new"
	[ -d "$corpus" ] || {
		fail "$name has a corpus"
		return
	}
	try "$name: the corpus replays" "$1" -runs=0 -timeout=1 -rss_limit_mb=512 -artifact_prefix="$found/" "$corpus"
	try "$name: $seconds s of new inputs" "$1" -max_total_time="$seconds" -timeout=1 -rss_limit_mb=512 \
		-artifact_prefix="$found/" -print_final_stats=1 "$found/new" "$corpus"
}

if need clang "clang builds it"; then
	if fuzzer_there; then
		if build clang CC=clang --enable-werror --enable-fuzz CFLAGS='-g -O1'; then
			for program in $(make -s -C "$work/clang" list-fuzz); do
				fuzz_one "$program"
			done
		fi
	else
		skip "fuzz targets" "clang has no libFuzzer runtime here"
		build clang CC=clang --enable-werror
	fi
fi
