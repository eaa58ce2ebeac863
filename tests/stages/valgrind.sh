# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# valgrind over the units: no error, nothing definitely or indirectly lost
# (without hardening: -ftrivial-auto-var-init would hide the use of what nobody set)

memcheck() { # PROGRAM: one process, so that Check's fork hides no leak
	CK_FORK=no CK_DEFAULT_TIMEOUT=600 CK_TIMEOUT_MULTIPLIER=20 valgrind -q --leak-check=full --show-leak-kinds=definite,indirect \
		--errors-for-leak-kinds=definite,indirect --error-exitcode=99 --num-callers=25 "$1"
}

if need valgrind "valgrind over the units"; then
	if build valgrind --disable-hardening CFLAGS='-g -O1'; then
		for program in $(make -s -C "$work/valgrind" list-units); do
			(cd "$work/valgrind" && srcdir=$srcdir memcheck "$program")
			case $? in
			0) pass "$program" ;;
			*) fail "$program" ;;
			esac
		done
	fi
fi
