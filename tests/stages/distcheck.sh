# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# make distcheck: the tarball builds, passes its units and installs, out of tree
try "make distcheck" make -C "$builddir" -j "$jobs" distcheck-units

if git -C "$srcdir" rev-parse >/dev/null 2>&1; then
	tarball=$(find "$builddir" -maxdepth 1 -name 'lanewatch-*.tar.xz')
	tar -tf "$tarball" | sed 's,^[^/]*/,,; /\/$/d; /^$/d' | sort >"$work/in-tarball"
	git -C "$srcdir" ls-files | grep -v '^\.gitignore$\|^tests/release.log$' | sort >"$work/in-repository"
	comm -13 "$work/in-tarball" "$work/in-repository" >"$work/missing"
	sed 's/^/not in the tarball: /' "$work/missing"
	try "the tarball has every file of the repository" test ! -s "$work/missing"
fi
