# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# the dashboard in Chromium: pages, keys, accessibility, live changes
title="the dashboard in a browser"
major=$(node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
browser=
for name in chromium chromium-browser google-chrome; do
	browser=${browser:-$(command -v $name || :)}
done
if [ "$major" -lt 20 ]; then
	skip "$title" "no Node.js 20 or later here"
elif [ -z "$browser" ]; then
	skip "$title" "no Chromium here"
elif ! need npm "$title"; then
	:
else
	mkdir -p "$work/browser"
	cp "$srcdir/tests/browser/package.json" "$srcdir/tests/browser/package-lock.json" \
		"$srcdir/tests/browser/browser.mjs" "$work/browser/"
	if [ ! -d "$work/browser/node_modules/@seriousme" ] &&
		! (cd "$work/browser" && npm ci --no-audit --no-fund --ignore-scripts); then
		skip "$title" "npm could not fetch playwright-core, axe-core and openapi-schema-validator"
	else
		(cd "$work/browser" && timeout 600 node browser.mjs "$builddir" "$browser" "$srcdir") >"$work/browser/tap"
		status=$?
		cat "$work/browser/tap"
		while read -r word rest; do
			case "$word $rest" in
			"ok "*) pass "${rest#* - }" ;;
			"not ok "*) fail "${rest#* - }" ;;
			esac
		done <"$work/browser/tap"
		# one that was cut off has fewer results than it planned
		planned=$(sed -n 's/^1\.\.//p' "$work/browser/tap")
		[ "$(grep -cE '^(not )?ok ' "$work/browser/tap")" = "${planned:-none}" ] ||
			fail "all of its ${planned:-} tests ran within 600 s (status $status)"
	fi
fi
