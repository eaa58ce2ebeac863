# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# gcc -fanalyzer, clang-tidy (bugprone, cert) and scan-build over everything
work=$builddir/release/analyze
rm -rf "$work"
mkdir -p "$work"
cd "$work" || exit
"$srcdir/configure" --enable-werror CFLAGS='-g -O1 -fanalyzer' && make -k -j "$jobs" all
gcc_status=$?
flags="-std=gnu11 -I$srcdir -include $work/config.h $(pkg-config --cflags libcurl jansson libuv libconfuse smartcols sqlite3 libmicrohttpd gnutls)"
sources=$(find "$srcdir/base" "$srcdir/model" "$srcdir/document" "$srcdir/collectors" "$srcdir/storage" "$srcdir/web" "$srcdir/agent" -name '*.c')
# shellcheck disable=SC2086 # words
clang-tidy --quiet --checks='-*,bugprone-*,cert-*,-bugprone-easily-swappable-parameters,-bugprone-reserved-identifier,-cert-err33-c,-cert-dcl37-c,-cert-dcl51-cpp' \
	--warnings-as-errors='*' $sources -- $flags
tidy_status=$?
mkdir -p scan && cd scan || exit
scan-build --status-bugs "$srcdir/configure" >/dev/null && scan-build --status-bugs make -j "$jobs" all
scan_status=$?
echo "gcc -fanalyzer $gcc_status, clang-tidy $tidy_status, scan-build $scan_status (0: nothing found)"
[ "$gcc_status$tidy_status$scan_status" = 000 ]
