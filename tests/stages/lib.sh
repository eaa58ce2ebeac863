# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
#
# lib.sh: what the stages of make check-all share.  A stage is a script STAGE.sh beside this file
# whose second line of comment says what it does; tests/stages/run sources this and then the stage.
#
#   pass|fail "title"     skip "title" "why"     count one result
#   build DIR OPTION...   configures and builds everything, or what $only names, below $work/DIR;
#                         counts as a result, and is false if it fails
#   check DIR [MAKE-ARG]  make check there; its tests are counted one by one
#   need PROGRAM "title"  true if it is there; else the title is skipped with a word
#
# $srcdir, $builddir: roots of sources and of the build that make was called in.
# $work: a folder for the stages' own builds.  Everything a stage prints goes to its log.

result() { # WORD TEXT
	echo ":test-result: $1" >>"$results/$stage.trs"
	echo "$1: $stage: $2" >>"$results/$stage.log"
	echo "$1: $2"
}

pass() { result PASS "$1"; }
fail() { result FAIL "$1"; }
skip() { result SKIP "$1 # $2"; }

try() { # TITLE COMMAND...
	try_title=$1
	shift
	if "$@"; then pass "$try_title"; else fail "$try_title"; fi
}

need() { # PROGRAM TITLE
	command -v "$1" >/dev/null 2>&1 && return 0
	skip "$2" "no $1 here"
	return 1
}

build() { # DIR OPTION...
	dir=$work/$1
	shift
	mkdir -p "$dir"
	[ -z "${CI:-}" ] || set -- --enable-werror "$@"
	if [ "$(cat "$dir/.options" 2>/dev/null)" != "$*" ] || [ ! -f "$dir/Makefile" ]; then
		(cd "$dir" && "$srcdir/configure" "$@") || {
			fail "configure $*"
			return 1
		}
		echo "$*" >"$dir/.options"
	fi
	# shellcheck disable=SC2086 # names without blanks
	if [ -n "${only:-}" ]; then
		make -C "$dir" -j "$jobs" built-sources && make -C "$dir" -j "$jobs" $only
	else
		make -C "$dir" -j "$jobs" all && make -C "$dir" -j "$jobs" check-programs
	fi || {
		fail "it builds with $*"
		return 1
	}
	pass "it builds with $*"
}

check() { # DIR [MAKE-ARG]
	dir=$work/$1
	shift
	rm -f "$dir"/tests/*.trs "$dir"/tests/*/*.trs
	make -C "$dir" -j "$waiting" check "$@" || echo "make check failed"
	make -s -C "$dir" list-results "$@" >>"$results/$stage.list"
}
