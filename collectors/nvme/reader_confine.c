/* SPDX-License-Identifier: MIT */
/*
 * reader_confine: what the reader gives up before it takes the first request (SECURITY.md, S6): all
 * capabilities but CAP_SYS_ADMIN, new privileges, files outside /dev (Landlock), and all system calls
 * but those of a process that opens a node, sends it a command and answers over a socket it has.
 *
 * Each is done where the kernel has it; what it has not is no reason to end.
 */
#include "collectors/nvme/reader_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef HAVE_LINUX_LANDLOCK_H
#include <linux/landlock.h>
#endif
#ifdef HAVE_LIBSECCOMP
#include <linux/nvme_ioctl.h>
#include <seccomp.h>
#endif

enum { CAPABILITIES_MAX = 63 };

/* Leaves of the capabilities those of `keep0` (0 to 31) and `keep1` (32 to 63). */
static void keep_capabilities(unsigned keep0, unsigned keep1)
{
	struct __user_cap_header_struct h = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct d[2] = {{0}};
	const unsigned keep[2] = {keep0, keep1};

	for (int c = 0; c <= CAPABILITIES_MAX; c++) {
		if (keep[c / 32] >> c % 32 & 1)
			continue;
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_LOWER, c, 0, 0);
		prctl(PR_CAPBSET_DROP, c, 0, 0, 0);
	}
	if (syscall(SYS_capget, &h, d))
		return;
	for (int i = 0; i < 2; i++) {
		d[i].effective &= keep[i];
		d[i].permitted &= keep[i];
		d[i].inheritable &= keep[i];
	}
	syscall(SYS_capset, &h, d);
}

void nv_reader_drop_privilege(void)
{
	keep_capabilities(~(1U << CAP_SYS_ADMIN), ~0U);
}

/* Files may be read below /dev only; seccomp sees no paths. */
static void confine_files(void)
{
#if defined HAVE_LINUX_LANDLOCK_H && defined SYS_landlock_create_ruleset
	const struct landlock_ruleset_attr all = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
				     LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
				     LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
				     LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
				     LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
				     LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
				     LANDLOCK_ACCESS_FS_MAKE_SYM};
	struct landlock_path_beneath_attr dev = {.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE};
	int rules = (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);

	if (rules < 0)
		return;
	dev.parent_fd = open("/dev", O_PATH | O_CLOEXEC);
	if (dev.parent_fd >= 0) {
		if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &dev, 0) == 0)
			syscall(SYS_landlock_restrict_self, rules, 0);
		close(dev.parent_fd);
	}
	close(rules);
#endif
}

#ifdef HAVE_LIBSECCOMP
/* What a thread that opens, asks and answers needs; threads are made as controllers come. */
static const int allowed[] = {
	SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(close), SCMP_SYS(openat), SCMP_SYS(fstat), SCMP_SYS(newfstatat),
	SCMP_SYS(recvfrom), SCMP_SYS(recv), SCMP_SYS(recvmsg), SCMP_SYS(sendto), SCMP_SYS(send), SCMP_SYS(sendmsg),
	SCMP_SYS(futex), SCMP_SYS(futex_time64), SCMP_SYS(clone), SCMP_SYS(clone3), SCMP_SYS(set_robust_list),
	SCMP_SYS(rseq), SCMP_SYS(mmap), SCMP_SYS(mmap2), SCMP_SYS(munmap), SCMP_SYS(mprotect), SCMP_SYS(madvise),
	SCMP_SYS(brk), SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall), SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(getpid),
	SCMP_SYS(gettid), SCMP_SYS(tgkill), SCMP_SYS(clock_gettime), SCMP_SYS(clock_gettime64),
	SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity), SCMP_SYS(getrandom),
};

static void filter_calls(void)
{
	/* libnvme sends admin commands by one of these two */
	const scmp_datum_t admin[] = {NVME_IOCTL_ADMIN_CMD, NVME_IOCTL_ADMIN64_CMD};
	scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(EPERM));

	if (!f)
		return;
	for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
		seccomp_rule_add(f, SCMP_ACT_ALLOW, allowed[i], 0);
	for (size_t i = 0; i < sizeof admin / sizeof admin[0]; i++) {
		const struct scmp_arg_cmp request = {.arg = 1, .op = SCMP_CMP_EQ, .datum_a = admin[i]};

		seccomp_rule_add_array(f, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1, &request);
	}
	seccomp_load(f);
	seccomp_release(f);
}
#else
static void filter_calls(void)
{
}
#endif

void nv_reader_confine(bool filter)
{
	prctl(PR_SET_NAME, "lanewatch-nvme");
	prctl(PR_SET_DUMPABLE, 0);
	/* what we have of it; the node is opened by owner or group */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	keep_capabilities(1U << CAP_SYS_ADMIN, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!filter)
		return;
	confine_files();
	filter_calls();
}
