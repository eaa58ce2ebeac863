# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# the store killed 500 times, and what a disk can do to it (1000 power cuts, every failing call, 200 damaged files)
LANEWATCH_KILLS=500
export LANEWATCH_KILLS
CK_TIMEOUT_MULTIPLIER=5
export CK_TIMEOUT_MULTIPLIER
if make -C "$builddir" -j "$jobs" tests/unit/test_store tests/unit/test_store_faults; then
	for program in test_store test_store_faults; do
		(cd "$builddir" && ./tests/unit/$program >"$work/$program.tap") || cat "$work/$program.tap"
		grep -q '^ok' "$work/$program.tap" || fail "$program runs"
		while IFS= read -r line; do
			title=${line##*:LW_}
			case $line in
			"ok "*LW_D*) pass "LW_${title%: *}" ;;
			"not ok "*) fail "${line#*:*:}" ;;
			esac
		done <"$work/$program.tap"
	done
else
	fail "the tests of the store build"
fi
