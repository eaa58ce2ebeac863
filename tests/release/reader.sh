# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# ten million random requests to the reader of local drives (LW-S6)
cd "$builddir" && make -s tests/unit/test_nvme_reader || exit
LANEWATCH_REQUESTS=${REQUESTS:-10000000} CK_TIMEOUT_MULTIPLIER=20 ./tests/unit/test_nvme_reader >release/reader.tap
status=$?
cat release/reader.tap
! grep '^not ok' release/reader.tap && [ "$status" -eq 0 ] || exit 1
sed -n 's/^# //p' release/reader.tap
