/* SPDX-License-Identifier: MIT */
/*
 * reader_wire: what goes over the socketpair between agent and reader: packets of one machine and
 * one program, so in the machine's own byte order.
 */
#ifndef COLLECTORS_NVME_READER_WIRE_H
#define COLLECTORS_NVME_READER_WIRE_H

#include "collectors/nvme/page.h"
#include "collectors/nvme/reader.h"

#include <stdint.h>

enum { NV_CONTROLLERS_MAX = 1024, NV_WIRE_MAGIC = 0x6c77, NV_KERNEL_MS_MIN = 100, NV_KERNEL_MS_MAX = 60000 };

/* The id of no request: a reader announces itself, `status` is its process, `error` 1 if one before it died. */
enum { NV_WIRE_BORN = 0 };

struct nv_wire_request {
	uint32_t id; /* given back with the answer; an asker that has given up knows it by that */
	uint16_t magic;
	uint16_t controller;
	uint16_t page;
	uint16_t endurance_group;
	uint32_t timeout_ms;
};

struct nv_wire_reply {
	uint32_t id;
	int32_t end, status, error;
	uint32_t len;
	uint8_t data[NV_PAGE_MAX]; /* len bytes are sent */
};

/* The reader's process: serves until the other end is closed. */
void nv_reader_serve(int socket, void (*read_page)(int *fd, const struct nv_question *q, struct nv_answer *out))
	__attribute__((noreturn));

/* The process that starts the reader, and again where it dies. */
void nv_reader_keep(int socket, bool filter, void (*read_page)(int *fd, const struct nv_question *q, struct nv_answer *out))
	__attribute__((noreturn));

/* Drops privileges, system calls and files that the reader does not need. */
void nv_reader_confine(bool filter);

/* Takes CAP_SYS_ADMIN from the process that has started a reader. */
void nv_reader_drop_privilege(void);

#endif
