# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# LW-D2: a store killed 5 000 times under load, and the agent's writer as often
export LANEWATCH_KILLS="${LANEWATCH_KILLS:-5000}" CK_TIMEOUT_MULTIPLIER=60
make -C "$builddir" -j "$jobs" tests/unit/test_store tests/unit/test_writer || exit 1
failed=0
for program in test_store test_writer; do
	out=$builddir/release/$program.tap
	(cd "$builddir" && "./tests/unit/$program") >"$out"
	cat "$out"
	grep -q '^ok.*LW_D2' "$out" || failed=$((failed + 1))
	! grep '^not ok' "$out" || failed=$((failed + 1))
done
echo "$LANEWATCH_KILLS kills of a store and as many of a writer, $failed failures"
[ "$failed" -eq 0 ]
