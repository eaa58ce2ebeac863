/* SPDX-License-Identifier: MIT */
/*
 * member: the members of an object of JSON as a table, and which of them are wanted: so that some can be
 * made of a struct without the others.
 */
#ifndef DOCUMENT_MEMBER_H
#define DOCUMENT_MEMBER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct member {
	const char *key; /* ASCII; NULL ends a table */
	size_t at;	 /* where in the struct */
	json_t *(*value)(const void *at); /* of what lies there, a new one; NULL: an object of the members below */
	const struct member *below;	  /* of what lies there */
	bool (*known)(const void *of);	  /* whether the struct has that object, which is null if not; NULL: always */
};

/* Names of members as a tree, whose root has no name. */
struct wanted;

/*
 * From "bay,link.slot.max_width,link.width": what is of one object stands together in the order of first names.  With the
 * table of the objects that are made by it, or NULL.  Names of what there is none of are no error.
 */
struct wanted *wanted_read(const char *names, const struct member *table);
void wanted_free(struct wanted *w);

/* The object of a struct, by its table; all members, or those wanted. A new one. */
json_t *member_object(const struct member *table, const void *of, const struct wanted *w);

/*
 * The members wanted of an object that is there, a new one.  What is null on the way says so, for what is below it is as little
 * known; what there is none of is left out.
 */
json_t *wanted_of(const struct wanted *w, const json_t *object);

#endif
