# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# make distcheck: the tarball builds, passes its units and installs, out of tree
try "make distcheck" make -C "$builddir" -j "$jobs" distcheck-units
