#!/bin/sh
# SPDX-License-Identifier: MIT
# embed.sh FILE.sql ...: the migrations as elements of a C array of texts, in the order of their numbers
set -e
for f in "$@"; do
	printf '\t/* %s */\n' "${f##*/}"
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/\t"/' -e 's/$/\\n"/' "$f"
	printf '\t,\n'
done
