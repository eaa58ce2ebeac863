# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# covered lines and branches: 85 % and 70 % of the whole, 95 % and 85 % of model/
work=$builddir/release/coverage
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit
command -v gcovr >/dev/null || { echo "no gcovr here"; exit 69; }
"$srcdir/configure" --enable-coverage --disable-hardening && make -j "$jobs" all && make -j "$jobs" check || exit
of() { # FILTER FIELD
	gcovr -r "$srcdir" --object-directory . --filter "$srcdir/$1" --exclude "$srcdir/tests/" --json-summary 2>/dev/null |
		sed -n "s/.*\"$2\": \([0-9.]*\).*/\1/p" | tail -n 1
}
all_lines=$(of '' line_percent) all_branches=$(of '' branch_percent)
model_lines=$(of 'model/' line_percent) model_branches=$(of 'model/' branch_percent)
gcovr -r "$srcdir" --object-directory . --exclude "$srcdir/tests/"
echo "whole $all_lines % of lines, $all_branches % of branches; model $model_lines %, $model_branches %"
awk -v a="$all_lines" -v b="$all_branches" -v c="$model_lines" -v d="$model_branches" \
	'BEGIN { exit !(a >= 85 && b >= 70 && c >= 95 && d >= 85) }'
