/* SPDX-License-Identifier: MIT */
/* fault_vfs: see fault_vfs.h. One thread, and connections of one process. */
#include "tests/unit/fault_vfs.h"

#include "base/mem.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECTOR = 512, FILES = 8 };

/* A change that no xSync has made sure of. */
struct change {
	sqlite3_int64 offset; /* of a truncation: the new length */
	int len;              /* -1: a truncation */
	unsigned char *bytes;
};

/* What a file surely holds, and what came since; a name keeps its slot for ever. */
struct disk_file {
	char name[256];
	size_t len;
	unsigned char *bytes;
	size_t n_changes;
	struct change *changes;
};

struct shim_file {
	sqlite3_file base;
	struct disk_file *disk; /* NULL: nothing that outlives its connection */
	sqlite3_file *real;
};

static struct {
	sqlite3_vfs vfs, *real;
	struct disk_file files[FILES];
	enum fault fault;
	int countdown, more;
	bool hit;
	void (*watch)(void *arg);
	void *watch_arg;
	_Atomic unsigned us_a_read;
	_Atomic int reads;
} shim;

/* ---- failing ---- */

/* True if this call is to fail; `kinds` are the faults that can hit it. */
static bool fails(unsigned kinds)
{
	if (shim.fault == FAULT_NONE || !(kinds & 1u << shim.fault))
		return false;
	if (--shim.countdown > 0)
		return false;
	shim.hit = true;
	if (shim.more-- <= 0)
		shim.fault = FAULT_NONE;
	return true;
}

void fault_vfs_fail(enum fault f, int n, int more)
{
	shim.fault = f;
	shim.countdown = n;
	shim.more = more;
	shim.hit = false;
}

bool fault_vfs_hit(void)
{
	return shim.hit;
}

void fault_vfs_watch(void (*fn)(void *arg), void *arg)
{
	shim.watch = fn;
	shim.watch_arg = arg;
}

void fault_vfs_slow(unsigned us_a_read)
{
	shim.reads = 0;
	shim.us_a_read = us_a_read;
}

int fault_vfs_reads(void)
{
	return shim.reads;
}

static void tell(void)
{
	if (shim.watch)
		shim.watch(shim.watch_arg);
}

/* ---- the disk ---- */

static struct disk_file *disk_of(const char *name)
{
	for (size_t i = 0; i < FILES; i++)
		if (strcmp(shim.files[i].name, name) == 0)
			return &shim.files[i];
	for (size_t i = 0; i < FILES; i++)
		if (!shim.files[i].name[0]) {
			snprintf(shim.files[i].name, sizeof shim.files[i].name, "%s", name);
			return &shim.files[i];
		}
	abort();
}

static void add_change(
	struct disk_file *d, sqlite3_int64 offset, int len, const void *bytes)
{
	struct change *c;

	if (!d)
		return;
	d->changes = mem_grow(d->changes, d->n_changes, sizeof *d->changes);
	c = &d->changes[d->n_changes++];
	*c = (struct change){offset, len, NULL};
	if (len > 0) {
		c->bytes = mem_new((size_t)len, 1);
		memcpy(c->bytes, bytes, (size_t)len);
	}
}

static void apply(unsigned char **bytes, size_t *len, const struct change *c, size_t from, size_t n)
{
	size_t end = (size_t)c->offset + from + n;

	if (c->len < 0) {
		if ((size_t)c->offset < *len)
			*len = (size_t)c->offset;
		return;
	}
	if (end > *len) {
		*bytes = realloc(*bytes, end);
		if (!*bytes)
			abort();
		memset(*bytes + *len, 0, end - *len);
		*len = end;
	}
	memcpy(*bytes + c->offset + from, c->bytes + from, n);
}

static void forget_changes(struct disk_file *d)
{
	for (size_t i = 0; i < d->n_changes; i++)
		free(d->changes[i].bytes);
	free(d->changes);
	d->changes = NULL;
	d->n_changes = 0;
}

static void settle(struct disk_file *d)
{
	for (size_t i = 0; d && i < d->n_changes; i++)
		apply(&d->bytes, &d->len, &d->changes[i], 0,
			d->changes[i].len > 0 ? (size_t)d->changes[i].len : 0);
	if (d)
		forget_changes(d);
}

static uint64_t next(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

/* Whole, not at all, or some of its sectors. */
static void apply_some(unsigned char **bytes, size_t *len, const struct change *c, uint64_t *random)
{
	uint64_t how = next(random) % 4;

	if (how == 0)
		return;
	if (c->len <= 0 || how < 3) {
		apply(bytes, len, c, 0, c->len > 0 ? (size_t)c->len : 0);
		return;
	}
	for (size_t at = 0; at < (size_t)c->len; at += SECTOR)
		if (next(random) % 2)
			apply(bytes, len, c, at,
				(size_t)c->len - at < SECTOR ? (size_t)c->len - at : SECTOR);
}

static void cut_file(const char *name, const char *to, uint64_t *random)
{
	const struct disk_file *d = disk_of(name);
	size_t len = d->len;
	unsigned char *bytes = mem_new(len + 1, 1);
	bool backwards = next(random) % 3 == 0, all_lost = next(random) % 4 == 0;
	FILE *f = fopen(to, "wb");

	if (!f)
		abort();
	if (len)
		memcpy(bytes, d->bytes, len);
	for (size_t i = 0; i < d->n_changes && !all_lost; i++)
		apply_some(&bytes, &len,
			&d->changes[backwards ? d->n_changes - 1 - i : i], random);
	if (fwrite(bytes, 1, len, f) != len || fclose(f))
		abort();
	free(bytes);
}

void fault_vfs_cut(const char *path, const char *to, uint64_t *random)
{
	char from_wal[300], to_wal[300];

	cut_file(path, to, random);
	snprintf(from_wal, sizeof from_wal, "%s-wal", path);
	snprintf(to_wal, sizeof to_wal, "%s-wal", to);
	cut_file(from_wal, to_wal, random);
}

/* ---- files ---- */

#define ANY (1u << FAULT_EIO)
#define SPACE (1u << FAULT_FULL)

static struct shim_file *shim_of(sqlite3_file *f)
{
	return (struct shim_file *)f;
}

static sqlite3_file *real_of(sqlite3_file *f)
{
	return shim_of(f)->real;
}

static int f_close(sqlite3_file *f)
{
	int rc = real_of(f)->pMethods->xClose(real_of(f));

	sqlite3_free(real_of(f));
	return rc;
}

static int f_read(sqlite3_file *f, void *to, int len, sqlite3_int64 offset)
{
	if (fails(ANY))
		return SQLITE_IOERR_READ;
	shim.reads++;
	if (shim.us_a_read)
		usleep(shim.us_a_read);
	return real_of(f)->pMethods->xRead(real_of(f), to, len, offset);
}

static int f_write(sqlite3_file *f, const void *bytes, int len, sqlite3_int64 offset)
{
	if (fails(SPACE))
		return SQLITE_FULL;
	if (fails(ANY))
		return SQLITE_IOERR_WRITE;
	tell();
	if (fails(1u << FAULT_SHORT)) {
		add_change(shim_of(f)->disk, offset, len / 2, bytes);
		real_of(f)->pMethods->xWrite(real_of(f), bytes, len / 2, offset);
		return SQLITE_FULL;
	}
	add_change(shim_of(f)->disk, offset, len, bytes);
	return real_of(f)->pMethods->xWrite(real_of(f), bytes, len, offset);
}

static int f_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	if (fails(ANY))
		return SQLITE_IOERR_TRUNCATE;
	tell();
	add_change(shim_of(f)->disk, size, -1, NULL);
	return real_of(f)->pMethods->xTruncate(real_of(f), size);
}

static int f_sync(sqlite3_file *f, int flags)
{
	if (fails(ANY | 1u << FAULT_SYNC))
		return SQLITE_IOERR_FSYNC;
	tell();
	settle(shim_of(f)->disk);
	return real_of(f)->pMethods->xSync(real_of(f), flags);
}

static int f_size(sqlite3_file *f, sqlite3_int64 *size)
{
	return fails(ANY) ? SQLITE_IOERR_FSTAT
			  : real_of(f)->pMethods->xFileSize(real_of(f), size);
}

static int f_lock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xLock(real_of(f), level);
}

static int f_unlock(sqlite3_file *f, int level)
{
	return real_of(f)->pMethods->xUnlock(real_of(f), level);
}

static int f_reserved(sqlite3_file *f, int *out)
{
	return real_of(f)->pMethods->xCheckReservedLock(real_of(f), out);
}

static int f_control(sqlite3_file *f, int op, void *arg)
{
	if (op == SQLITE_FCNTL_SIZE_HINT || op == SQLITE_FCNTL_CHUNK_SIZE)
		return SQLITE_OK; /* what is not written is not there */
	return real_of(f)->pMethods->xFileControl(real_of(f), op, arg);
}

static int f_sector(sqlite3_file *f)
{
	(void)f;
	return SECTOR;
}

/* A disk that promises nothing. */
static int f_traits(sqlite3_file *f)
{
	(void)f;
	return 0;
}

static int f_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
	if (fails(ANY))
		return SQLITE_IOERR_SHMMAP;
	return real_of(f)->pMethods->xShmMap(real_of(f), page, size, extend, out);
}

static int f_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	return real_of(f)->pMethods->xShmLock(real_of(f), offset, n, flags);
}

static void f_shm_barrier(sqlite3_file *f)
{
	real_of(f)->pMethods->xShmBarrier(real_of(f));
}

static int f_shm_unmap(sqlite3_file *f, int delete_it)
{
	return real_of(f)->pMethods->xShmUnmap(real_of(f), delete_it);
}

static const sqlite3_io_methods methods = {
	.iVersion = 2,
	.xClose = f_close,
	.xRead = f_read,
	.xWrite = f_write,
	.xTruncate = f_truncate,
	.xSync = f_sync,
	.xFileSize = f_size,
	.xLock = f_lock,
	.xUnlock = f_unlock,
	.xCheckReservedLock = f_reserved,
	.xFileControl = f_control,
	.xSectorSize = f_sector,
	.xDeviceCharacteristics = f_traits,
	.xShmMap = f_shm_map,
	.xShmLock = f_shm_lock,
	.xShmBarrier = f_shm_barrier,
	.xShmUnmap = f_shm_unmap,
};

/* ---- the VFS ---- */

static int v_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out_flags)
{
	struct shim_file *s = shim_of(f);
	int rc;

	(void)v;
	s->base.pMethods = NULL;
	if (fails(ANY))
		return SQLITE_CANTOPEN;
	s->real = sqlite3_malloc(shim.real->szOsFile);
	if (!s->real)
		return SQLITE_NOMEM;
	rc = shim.real->xOpen(shim.real, name, s->real, flags, out_flags);
	if (rc != SQLITE_OK) {
		sqlite3_free(s->real);
		return rc;
	}
	s->disk = name && flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)
			  ? disk_of(name)
			  : NULL;
	s->base.pMethods = &methods;
	return SQLITE_OK;
}

static int v_delete(sqlite3_vfs *v, const char *name, int sync_dir)
{
	struct disk_file *d = disk_of(name);

	(void)v;
	if (fails(ANY))
		return SQLITE_IOERR_DELETE;
	forget_changes(d);
	d->len = 0;
	return shim.real->xDelete(shim.real, name, sync_dir);
}

void fault_vfs_begin(void)
{
	shim.real = sqlite3_vfs_find(NULL);
	shim.vfs = *shim.real;
	shim.vfs.zName = "faults";
	shim.vfs.pNext = NULL;
	shim.vfs.szOsFile = sizeof(struct shim_file);
	shim.vfs.xOpen = v_open;
	shim.vfs.xDelete = v_delete;
	sqlite3_vfs_register(&shim.vfs, 1);
}

void fault_vfs_end(void)
{
	sqlite3_vfs_unregister(&shim.vfs);
	sqlite3_vfs_register(shim.real, 1);
	for (size_t i = 0; i < FILES; i++) {
		forget_changes(&shim.files[i]);
		free(shim.files[i].bytes);
		shim.files[i] = (struct disk_file){0};
	}
	shim.fault = FAULT_NONE;
	shim.watch = NULL;
	shim.us_a_read = 0;
}
