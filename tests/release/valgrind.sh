# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# memcheck over cases and captures, and hostile BMCs: the program itself runs under valgrind in each of them
# VALGRIND_TESTS: which of them ("cases captures hostile capture"), for a try
work=$builddir/release/valgrind
mkdir -p "$work/reports"
cd "$work" || exit
rm -f reports/* ./*.out
[ -f Makefile ] || "$srcdir/configure" --disable-hardening CFLAGS='-g -O1' || exit
rm -f lanewatch
make -j "$jobs" all || exit
mv lanewatch lanewatch.real
# a program in lanewatch's place; a report has a file of its own and a status of its own
cat >lanewatch <<WRAPPER
#!/bin/sh
exec valgrind -q --leak-check=full --errors-for-leak-kinds=definite,indirect --error-exitcode=99 \\
	--log-file=$work/reports/%p "$work/lanewatch.real" "\$@"
WRAPPER
chmod +x lanewatch
LANEWATCH_SLOWER=40
export LANEWATCH_SLOWER
for test in ${VALGRIND_TESTS:-cases captures hostile capture}; do
	file=$srcdir/tests/system/$test.tap
	[ -f "$file" ] || file=$srcdir/tests/$test/$test.tap
	"$file" | tee "$test.out" | grep -v '^ok'
	echo "$test: $(grep -c '^ok' "$test.out") passed, $(grep -c '^not ok' "$test.out") failed"
done
find reports -empty -delete
cat ./*.out >all
failed=$(grep -c '^not ok' all)
count=$(find reports -type f | wc -l)
cat reports/* 2>/dev/null
mv lanewatch.real lanewatch
echo "$(grep -c '^ok' all) tests passed, $failed failed, $count reports"
[ "$failed" -eq 0 ] && [ "$count" -eq 0 ] && grep -q '^ok' all
