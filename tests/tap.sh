# SPDX-License-Identifier: MIT
# shellcheck shell=sh
#
# tap.sh: what a test script needs; sourced as: . "${srcdir:-.}/tests/tap.sh"
#
#   ok "a sentence that must hold" COMMAND...     runs it; on failure its output is shown
#   is "a sentence" WANTED GOT                    compares two texts
#   has "a sentence" TEXT PATTERN                 TEXT has a line that fits the grep -E pattern
#   skip "a sentence" "why"                       says why it was not tried
#   skip_all "why"                                instead of a whole script
#   done_testing                                  last line
#
# $tmp is a folder that goes away at the end, $srcdir the root of the sources, $builddir the
# root of the build, $shared the folder of shared material or empty.

set -u
tap_count=0
tap_failed=0
tap_after=:
srcdir=$(cd "${srcdir:-.}" && pwd)
builddir=$(pwd)
[ -f "$builddir/config.h" ] || builddir=$srcdir/build
shared=${LANEWATCH_SHARED-$srcdir/../shared}
[ -d "$shared/cases" ] || shared=
tmp=$(mktemp -d "${TMPDIR:-/tmp}/lanewatch-test.XXXXXX")
trap '$tap_after; rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

tap_result() { # STATUS TITLE
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $2"
	fi
}

tap_show() { sed 's/^/#   /'; }

ok() {
	title=$1
	shift
	if "$@" >"$tmp/.out" 2>&1; then
		tap_result 0 "$title"
	else
		tap_result 1 "$title"
		tap_show <"$tmp/.out"
	fi
}

is() {
	if [ "$2" = "$3" ]; then
		tap_result 0 "$1"
	else
		tap_result 1 "$1"
		printf 'wanted: %s\ngot:    %s\n' "$2" "$3" | tap_show
	fi
}

has() {
	if printf '%s\n' "$2" | grep -Eq -e "$3"; then
		tap_result 0 "$1"
	else
		tap_result 1 "$1"
		printf 'no line fits: %s\n%s\n' "$3" "$2" | tap_show
	fi
}

skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

skip_all() {
	echo "1..0 # SKIP $*"
	exit 0
}

done_testing() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
	exit
}
