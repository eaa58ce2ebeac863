#!/bin/sh
# SPDX-License-Identifier: MIT
#
# browser.sh BUILD: how soon pages stand in Chromium, with 24 bays and with 4800 drives, as lines of figures.
# The programs come from npm, as for the stage; says so and ends well where they or a browser cannot be had.
set -eu
build=$1
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$build/bench-browser
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)
if [ -z "$browser" ] || ! command -v npm >/dev/null; then
	echo "browser: not measured: no Chromium or no npm here"
	exit 0
fi
mkdir -p "$work"
cp "$here/tests/browser/"* "$work/"
if [ ! -d "$work/node_modules" ] && ! (cd "$work" && npm ci --no-audit --no-fund --ignore-scripts >/dev/null 2>&1); then
	echo "browser: not measured: npm could not fetch what is needed"
	exit 0
fi
(cd "$work" && ONLY='^figures' timeout 300 node browser.mjs "$build" "$browser" "$here") | sed -n 's/^# figure/browser/p'
