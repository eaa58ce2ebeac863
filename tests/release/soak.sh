# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# 100 000 polls by one agent of 50 targets with 24 drives: memory flat, descriptors and threads constant (LW-A1)
cd "$builddir" || exit
export srcdir LANEWATCH_SOAK_POLLS="${POLLS:-100000}"
python3 "$srcdir/tests/system/soak.tap" >release/soak.tap
status=$?
cat release/soak.tap
! grep '^not ok' release/soak.tap && [ "$status" -eq 0 ] || exit 1
sed -n 's/^# RSS/RSS/p' release/soak.tap
