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

/* The TOTAL_ERR_ line; where there is none the sum of all lines. */
static struct count read_total(const struct nv_sysfs *s, const char *dir, const char *file)
{
	char text[NV_TEXT_MAX], *line, *end, *blank;
	uint64_t sum = 0;
	bool any = false;
	int64_t n;

	if (nv_sysfs_bytes(s, dir, file, text, sizeof text) <= 0)
		return (struct count){0};
	for (line = text; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		blank = strrchr(line, ' ');
		if (!blank || !str_to_int(blank + 1, 0, INT64_MAX, &n))
			continue;
		if (str_starts(line, "TOTAL_ERR_"))
			return count_of((uint64_t)n);
		any = true;
		sum += (uint64_t)n;
	}
	return any ? count_of(sum) : (struct count){0};
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

static struct count both_ends(const struct nv_sysfs *s, const char *device, const char *port, const char *file,
	const char *root_file)
{
	struct count c = read_total(s, device, file);

	if (port[0])
		c = sum(c, read_total(s, port, file));
	if (port[0] && root_file)
		c = larger(c, read_number(s, port, root_file));
	return c;
}

void nv_aer_read(const struct nv_sysfs *s, const char *device, const char *port, bool alone, struct pcie_link *l)
{
	l->aer_correctable = both_ends(s, device, port, "aer_dev_correctable",
		alone ? "aer_rootport_total_err_cor" : NULL);
	l->aer_nonfatal = both_ends(s, device, port, "aer_dev_nonfatal",
		alone ? "aer_rootport_total_err_nonfatal" : NULL);
	l->aer_fatal =
		both_ends(s, device, port, "aer_dev_fatal", alone ? "aer_rootport_total_err_fatal" : NULL);
}
