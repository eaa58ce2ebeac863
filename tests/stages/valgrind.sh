# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# valgrind over the units: no error, nothing definitely or indirectly lost
# (without hardening: -ftrivial-auto-var-init would hide the use of what nobody set)
logs=$work/valgrind/memcheck

# one process for a program, so that Check's fork hides no leak; its status goes to a file
memcheck() { # PROGRAM...
	CK_FORK=no CK_TIMEOUT_MULTIPLIER=20 LOGS=$logs
	# the filter of the NVMe reader would hit valgrind's own system calls
	LANEWATCH_READER_UNCONFINED=1
	export LANEWATCH_READER_UNCONFINED
	export CK_FORK CK_TIMEOUT_MULTIPLIER srcdir LOGS
	# shellcheck disable=SC2016 # the inner shell expands
	(cd "$work/valgrind" && printf '%s\n' "$@" | xargs -n 1 -P "$jobs" sh -c '
		valgrind -q --leak-check=full --show-leak-kinds=definite,indirect \
			--errors-for-leak-kinds=definite,indirect --error-exitcode=99 --num-callers=25 \
			"$0" >"$LOGS/${0##*/}.log" 2>&1
		echo $? >"$LOGS/${0##*/}.status"')
}

units=$(make -s -C "$builddir" list-units)
if need valgrind "valgrind over the units" && only="$units lanewatch-simbmc" build valgrind --disable-hardening CFLAGS='-g -O1'; then
	rm -rf "$logs"
	mkdir -p "$logs"
	# shellcheck disable=SC2086 # names without blanks
	memcheck $units
	for program in $units; do
		name=${program##*/}
		[ "$(cat "$logs/$name.status")" = 0 ] || cat "$logs/$name.log"
		try "valgrind finds nothing in $name" test "$(cat "$logs/$name.status")" = 0
	done
fi
