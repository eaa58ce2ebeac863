/* SPDX-License-Identifier: MIT */
/*
 * replay: a main for fuzz targets without libFuzzer.  Arguments are files and folders of inputs;
 * prints how many were run.  Fails if there was none, so that a lost corpus is seen.
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static int replay_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	uint8_t *data = NULL;
	int status = -1;

	if (!f || fstat(fileno(f), &st) != 0)
		goto out;
	/* exactly as long as the input: a read past its end is seen */
	data = malloc(st.st_size > 0 ? (size_t)st.st_size : 1);
	if (!data || fread(data, 1, (size_t)st.st_size, f) != (size_t)st.st_size)
		goto out;
	LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
	status = 0;
out:
	if (status)
		perror(path);
	free(data);
	if (f)
		fclose(f);
	return status;
}

/* How many inputs a folder has given, or -1. */
static int replay_folder(const char *path, DIR *folder)
{
	struct dirent *entry;
	char name[4096];
	int n = 0;

	while ((entry = readdir(folder)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
		if (replay_file(name) != 0)
			return -1;
		n++;
	}
	return n;
}

int main(int argc, char **argv)
{
	int total = 0;

	for (int i = 1; i < argc; i++) {
		DIR *folder = opendir(argv[i]);
		int n = folder ? replay_folder(argv[i], folder) : replay_file(argv[i]) == 0 ? 1 : -1;

		if (folder)
			closedir(folder);
		if (n < 0)
			return EXIT_FAILURE;
		total += n;
	}
	printf("%d inputs\n", total);
	return total ? EXIT_SUCCESS : EXIT_FAILURE;
}
