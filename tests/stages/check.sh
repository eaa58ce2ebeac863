# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# make check: units, system tests and cases, gcc with hardening
make -C "$builddir" -j "$waiting" check || echo "make check failed"
make -s -C "$builddir" list-results >>"$results/$stage.list"
