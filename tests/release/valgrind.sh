# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# memcheck over system tests and cases: the program itself runs under valgrind in each of them
work=$builddir/release/valgrind
mkdir -p "$work/reports"
cd "$work" || exit
rm -f reports/*
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
sh "$srcdir/tests/cases/cases.tap" | tee cases.out
find reports -empty -delete
failed=$(grep -c '^not ok' cases.out)
count=$(find reports -type f | wc -l)
cat reports/* 2>/dev/null
mv lanewatch.real lanewatch
echo "$(grep -c '^ok' cases.out) cases passed, $failed failed, $count reports"
[ "$failed" -eq 0 ] && [ "$count" -eq 0 ] && grep -q '^ok' cases.out
