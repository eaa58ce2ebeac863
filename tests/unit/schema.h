/* SPDX-License-Identifier: MIT */
/*
 * schema: holds a JSON value against one of our schemas (schemas/api), as far as JSON Schema
 * 2020-12 is used there, and more strictly: a key that the schema does not name is a
 * difference, though readers must bear it.  A keyword that is not known here is one, too.
 */
#ifndef TESTS_SCHEMA_H
#define TESTS_SCHEMA_H

#include <jansson.h>
#include <stddef.h>

/* Reads a schema below the sources ("schemas/api/x.schema.json"); NULL if it is none. */
json_t *schema_read(const char *path);

/* 0, or -1 with where and what is wrong in `why`. */
int schema_check(const json_t *schema, const json_t *value, char *why, size_t size);

#endif
