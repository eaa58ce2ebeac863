/* SPDX-License-Identifier: MIT */
/* pci: see pci.h. */
#include "collectors/nvme/pci.h"
#include "base/str.h"
#include "collectors/nvme/sysfs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t hex_digits(const char *s)
{
	return strspn(s, "0123456789abcdefABCDEF");
}

bool nv_pci_is_address(const char *s)
{
	size_t domain = hex_digits(s);

	if (domain < 4 || domain > 8 || s[domain] != ':')
		return false;
	s += domain + 1;
	if (hex_digits(s) != 2 || s[2] != ':' || hex_digits(s + 3) != 2 || s[5] != '.')
		return false;
	return hex_digits(s + 6) == 1 && s[7] == '\0';
}

bool nv_pci_without_function(const char *address, char *out, size_t size)
{
	if (!nv_pci_is_address(address) || !str_copy(out, size, address))
		return false;
	out[strlen(out) - 2] = '\0';
	return true;
}

bool nv_pci_is_vmd_domain(const char *address)
{
	return nv_pci_is_address(address) && strtoul(address, NULL, 16) >= 0x10000;
}

bool nv_pci_up(char *path)
{
	return nv_path_up(path) && nv_pci_is_address(nv_path_last(path));
}

void nv_pci_way(const char *path, char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	while (strlen(path) >= size) {
		path += strcspn(path, "/");
		path += strspn(path, "/");
	}
	for (; *path; path += strspn(path, "/")) {
		char step[NV_ADDRESS_MAX];
		size_t len = strcspn(path, "/");

		if (len < sizeof step) {
			memcpy(step, path, len);
			step[len] = '\0';
			if (nv_pci_is_address(step))
				n += (size_t)snprintf(out + n, size - n, "%s%s", n ? "/" : "", step);
		}
		path += len;
	}
}
