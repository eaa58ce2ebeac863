/* SPDX-License-Identifier: MIT */
/*
 * fuzz: what every fuzz target is: one function over bytes from outside.
 *
 * With --enable-fuzz (clang) libFuzzer calls it; in every other build replay.c does, once for
 * each file of the corpus, so that all compilers, sanitizers and valgrind see the corpora too.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0.  Must not keep anything between calls, and ends the process only for a bug. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
