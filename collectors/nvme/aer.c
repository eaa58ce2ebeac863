/* SPDX-License-Identifier: MIT */
/*
 * aer: counts of Advanced Error Reporting (Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats),
 * world-readable, "NAME COUNT" a line.
 *
 * A link's errors are those that both of its ends have seen.  A root port also counts the messages
 * that came to it: after a fatal error the drive itself cannot be read any more and its own count
 * stays 0, so the larger of the two holds where the drive is all there is below the port.
 */
#include "base/str.h"
#include "collectors/nvme/link.h"

#include <stdlib.h>
#include <string.h>

/* One file: the TOTAL_ERR_ line, where there is none the sum of all lines; `kinds` may be NULL. */
static struct count read_file(const struct nv_sysfs *s, const char *dir, const char *file, struct pcie_errors *kinds)
{
	char text[NV_TEXT_MAX], *line, *end, *blank;
	struct count total = {0};
	uint64_t sum = 0;
	bool any = false;
	int64_t n;

	if (nv_sysfs_bytes(s, dir, file, text, sizeof text) <= 0)
		return total;
	for (line = text; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		blank = strrchr(line, ' ');
		if (!blank || !str_to_int(blank + 1, 0, INT64_MAX, &n))
			continue;
		*blank = '\0';
		if (str_starts(line, "TOTAL_ERR_")) {
			total = count_of((uint64_t)n);
			continue;
		}
		any = true;
		sum += (uint64_t)n;
		for (int k = 0; kinds && k < PCIE_ERROR_KINDS; k++)
			if (str_same(line, pcie_error_word(k))) {
				kinds->kinds[k] = (uint64_t)n;
				kinds->kinds_known = true;
			}
	}
	return total.known || !any ? total : count_of(sum);
}

static struct pcie_errors read_end(const struct nv_sysfs *s, const char *dir)
{
	struct pcie_errors e = {0};

	if (!dir[0])
		return e;
	e.correctable = read_file(s, dir, "aer_dev_correctable", &e);
	e.nonfatal = read_file(s, dir, "aer_dev_nonfatal", NULL);
	e.fatal = read_file(s, dir, "aer_dev_fatal", NULL);
	return e;
}

/* One number in the file: messages that a root port received. */
static struct count read_number(const struct nv_sysfs *s, const char *dir, const char *file)
{
	int64_t n;

	return nv_sysfs_int(s, dir, file, &n) && n >= 0 ? count_of((uint64_t)n) : (struct count){0};
}

static struct count sum(struct count a, struct count b)
{
	if (!a.known || !b.known)
		return a.known ? a : b;
	a.lo += b.lo;
	a.hi += b.hi + (a.lo < b.lo);
	return a;
}

static struct count larger(struct count a, struct count b)
{
	if (!a.known || !b.known)
		return a.known ? a : b;
	return count_compare(a, b) < 0 ? b : a;
}

/* Both ends together, and what the root port received if that is more; "" for a link that is not all there is below it. */
static struct count both_ends(const struct nv_sysfs *s, struct count device, struct count port, const char *root,
	const char *root_file)
{
	struct count c = sum(device, port);

	return root[0] ? larger(c, read_number(s, root, root_file)) : c;
}

void nv_aer_read(const struct nv_sysfs *s, const char *device, const char *port, bool alone, struct pcie_link *l)
{
	const char *root = alone ? port : "";

	l->aer_device = read_end(s, device);
	l->aer_port = read_end(s, port);
	l->aer_correctable = both_ends(s, l->aer_device.correctable, l->aer_port.correctable, root,
		"aer_rootport_total_err_cor");
	l->aer_nonfatal = both_ends(s, l->aer_device.nonfatal, l->aer_port.nonfatal, root,
		"aer_rootport_total_err_nonfatal");
	l->aer_fatal = both_ends(s, l->aer_device.fatal, l->aer_port.fatal, root, "aer_rootport_total_err_fatal");
}
