# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# the decoders of NVMe pages on a big-endian machine (s390x, emulated): they read what we read here
cross=s390x-linux-gnu-gcc

dump_with() { # COMPILER OPTION... : $work/bigendian/dump
	compiler=$1
	shift
	(cd "$srcdir" && "$compiler" -std=gnu11 -O1 -I. -D_GNU_SOURCE -static "$@" -o "$work/bigendian/dump" \
		tests/qemu/dump_pages.c collectors/nvme/page.c collectors/nvme/smart.c collectors/nvme/logpages.c \
		model/count.c base/str.c base/err.c -lm)
}

if need "$cross" "decoders on s390x" && need qemu-s390x "decoders on s390x" && need python3 "decoders on s390x"; then
	mkdir -p "$work/bigendian"
	python3 "$srcdir/tests/qemu/random_pages.py" "$work/bigendian/pages" 200
	set -- "$srcdir"/tests/fuzz/corpus/smart/* "$work"/bigendian/pages/*
	dump_with "${CC:-gcc}" && "$work/bigendian/dump" "$@" >"$work/bigendian/here"
	dump_with "$cross" && qemu-s390x "$work/bigendian/dump" "$@" >"$work/bigendian/there"
	try "there is something to compare" test "$(wc -l <"$work/bigendian/here")" -gt 1000
	store="tests/qemu/dump_chunks.c storage/chunk.c storage/hot.c storage/crc32.c model/metric.c model/count.c base/buf.c base/mem.c base/str.c base/err.c"
	# shellcheck disable=SC2086 # names without blanks
	for compiler in "${CC:-gcc}" "$cross"; do
		(cd "$srcdir" && "$compiler" -std=gnu11 -O1 -I. -D_GNU_SOURCE -static -o "$work/bigendian/chunks-${compiler##*/}" $store -lm) ||
			fail "the chunk coder builds with $compiler"
	done
	"$work/bigendian/chunks-${CC:-gcc}" >"$work/bigendian/chunks-here"
	qemu-s390x "$work/bigendian/chunks-$cross" >"$work/bigendian/chunks-there"
	try "there are chunks to compare" test "$(wc -l <"$work/bigendian/chunks-here")" -gt 10000
	try "a big-endian machine packs and reads points as this one does" cmp "$work/bigendian/chunks-here" "$work/bigendian/chunks-there"
	try "a big-endian machine reads $# pages as this one does" cmp "$work/bigendian/here" "$work/bigendian/there"
fi
