#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes configure from configure.ac; needed once after a clone.
set -e
cd "$(dirname "$0")"
mkdir -p m4 build-aux
# automake copies this driver only where a recursive make would look for it
automake_dir=$(automake --print-libdir)
cp "$automake_dir/tap-driver.sh" build-aux/tap-driver.sh
autoreconf --install --force
