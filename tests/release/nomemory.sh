# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# each of the first 5000 requests for memory fails, and each 50th after them, in a whole life of the service (LW-A4)
cd "$builddir" || exit
export srcdir
: >release/nomemory.tap
for numbers in ${NUMBERS:-1:1250:1 1251:2500:1 2501:3750:1 3751:5000:1 5001::50}; do
	LANEWATCH_NO_MEMORY=$numbers python3 "$srcdir/tests/system/no_memory.tap" >>release/nomemory.tap
done
cat release/nomemory.tap
! grep '^not ok' release/nomemory.tap && grep -q '^ok' release/nomemory.tap || exit 1
awk '/requests failed/ { n += $2; well += $7 } END { print n " lives with a request that failed, " well " survived it" }' release/nomemory.tap
