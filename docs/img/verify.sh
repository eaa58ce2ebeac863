#!/bin/sh
# SPDX-License-Identifier: MIT
# verify.sh BUILD: makes verify.svg beside it from a real run of the demo on a terminal of 112 columns.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build}" && pwd)
cd "$build/.."
# script gives the program a terminal, so that it shows what a person sees
script -qec "stty cols 112 rows 60; sh '$here/../../tests/demo.sh' '${build##*/}'" /dev/null </dev/null |
	LC_ALL=C awk '
		/lanewatch verify --url/ {
			sub(/^ *\$ [^ ]*\//, "$ ")
			sub(/\/tmp\/[^ ]*\/password/, "bmc.pass")
			on = 1
		}
		/^Exit status/ { exit }
		on' |
	LC_ALL=C sed -e :a -e '/^\r*$/{$d;N;ba' -e '}' |
	LC_ALL=C awk -f "$here/ansi2svg.awk" >"$here/verify.svg"
