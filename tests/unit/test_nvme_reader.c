/* SPDX-License-Identifier: MIT */
/*
 * The reader process (LW-S6): what it answers, what it may do, and that a drive which does not answer
 * holds up nobody.  The drives are a function of this file, called in the reader's threads; it counts
 * in memory that both processes share.
 */
#include "base/log.h"
#include "collectors/nvme/reader.h"
#include "collectors/nvme/reader_wire.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FAST = 0, REFUSED = 1, DENIED = 2, HANGS = 7, SLOW = 8, N_SEEN = 16 };

/* Shared with the reader. */
struct seen {
	unsigned pages[NV_PAGES + 1]; /* questions that reached the drives; the last: none of the list */
	unsigned controllers_beyond;
	volatile int let_go; /* the one that hangs may answer */
};

static struct seen *seen;

static void wait_ms(int ms)
{
	poll(NULL, 0, ms);
}

static void drives(int *fd, const struct nv_question *q, struct nv_answer *out)
{
	*out = (struct nv_answer){0};
	*fd = -1;
	__atomic_add_fetch(&seen->pages[q->page > 0 && q->page < NV_PAGES ? q->page : NV_PAGES], 1,
		__ATOMIC_RELAXED);
	if (q->controller >= NV_CONTROLLERS_MAX)
		__atomic_add_fetch(&seen->controllers_beyond, 1, __ATOMIC_RELAXED);
	switch (q->controller) {
	case REFUSED:
		nv_answer_status(out, 0x2002);
		return;
	case DENIED:
		nv_answer_errno(out, EACCES);
		return;
	case HANGS:
		while (!seen->let_go)
			wait_ms(5);
		break;
	case SLOW:
		wait_ms(100);
		break;
	}
	out->end = NV_READ;
	out->len = nv_page_size(q->page);
	memset(out->data, q->controller, out->len);
}

static struct nv_reader *r;

static void setup(void)
{
	seen = mmap(NULL, sizeof *seen, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(seen != MAP_FAILED);
	r = nv_reader_start_with(drives, NULL);
	ck_assert_ptr_nonnull(r);
}

static void teardown(void)
{
	seen->let_go = 1;
	nv_reader_stop(r);
	munmap(seen, sizeof *seen);
}

static struct nv_ask question(int controller, enum nv_page page)
{
	struct nv_ask q = {.page = page};

	snprintf(q.controller, sizeof q.controller, "nvme%d", controller);
	return q;
}

static void ask(struct nv_ask *asks, size_t n, unsigned timeout_ms)
{
	nv_reader_ops.ask(r, asks, n, timeout_ms);
}

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

START_TEST(every_page_comes_back_whole_from_its_own_controller)
{
	struct nv_ask asks[2 * (NV_PAGES - 1)];
	size_t n = 0;

	setup();
	for (int c = 0; c < 2; c++)
		for (int p = 1; p < NV_PAGES; p++)
			asks[n++] = question(20 + c, p);
	ask(asks, n, 5000);
	for (size_t i = 0; i < n; i++) {
		int c = 20 + (i >= n / 2);

		ck_assert_int_eq(asks[i].answer.end, NV_READ);
		ck_assert_uint_eq(asks[i].answer.len, nv_page_size(asks[i].page));
		ck_assert_uint_eq(asks[i].answer.data[0], c);
		ck_assert_uint_eq(asks[i].answer.data[asks[i].answer.len - 1], c);
	}
	teardown();
}
END_TEST

START_TEST(refusals_and_missing_rights_come_back_as_they_are)
{
	struct nv_ask asks[] = {question(REFUSED, NV_PAGE_SELF_TEST), question(DENIED, NV_PAGE_SMART),
		question(DENIED, NV_PAGE_SELF_TEST)};

	setup();
	ask(asks, 3, 5000);
	ck_assert_int_eq(asks[0].answer.end, NV_NOT_OFFERED);
	ck_assert_int_eq(asks[0].answer.status, 0x2002);
	ck_assert_int_eq(asks[1].answer.end, NV_DENIED);
	ck_assert_int_eq(asks[2].answer.end, NV_DENIED);
	ck_assert_uint_eq(seen->pages[NV_PAGE_SMART] + seen->pages[NV_PAGE_SELF_TEST], 2); /* not asked in vain */
	teardown();
}
END_TEST

START_TEST(a_drive_that_hangs_costs_only_itself_and_its_late_answer_is_dropped)
{
	struct nv_ask asks[] = {question(HANGS, NV_PAGE_SMART), question(HANGS, NV_PAGE_IDENTIFY),
		question(SLOW, NV_PAGE_SMART), question(FAST, NV_PAGE_SMART), question(FAST, NV_PAGE_IDENTIFY)};
	struct nv_ask again = question(HANGS, NV_PAGE_SMART);
	int64_t start;

	setup();
	ask(asks, 5, 400);
	ck_assert_int_eq(asks[0].answer.end, NV_TIMED_OUT);
	ck_assert_int_eq(asks[1].answer.end, NV_TIMED_OUT);
	ck_assert_int_eq(asks[2].answer.end, NV_READ);
	ck_assert_int_eq(asks[3].answer.end, NV_READ);
	ck_assert_int_eq(asks[4].answer.end, NV_READ);
	start = now_ms();
	ask(&again, 1, 5000);
	ck_assert_int_eq(again.answer.end, NV_TIMED_OUT); /* said at once: it is still out */
	ck_assert_int_lt(now_ms() - start, 2000);
	ck_assert_uint_eq(seen->pages[NV_PAGE_SMART], 3);
	seen->let_go = 1;
	wait_ms(100);
	again = question(HANGS, NV_PAGE_FIRMWARE);
	ask(&again, 1, 5000);
	ck_assert_int_eq(again.answer.end, NV_READ);
	ck_assert_uint_eq(again.answer.len, nv_page_size(NV_PAGE_FIRMWARE));
	teardown();
}
END_TEST

/* Asks until it is answered; how many rounds that took. */
static int rounds_until_read(void)
{
	for (int i = 1; i < 100; i++) {
		struct nv_ask q = question(FAST, NV_PAGE_SMART);

		int64_t start = now_ms();

		ask(&q, 1, 5000);
		if (q.answer.end == NV_READ)
			return i;
		/* never a value, and never a wait: none was there, or it is still at the question before */
		ck_assert(q.answer.error == EPIPE || q.answer.error == ETIMEDOUT);
		ck_assert_int_lt(now_ms() - start, 5000);
		wait_ms(20);
	}
	return 0;
}

START_TEST(a_reader_that_died_is_started_again_and_the_next_round_is_answered_LW_S6)
{
	pid_t first;

	setup();
	log_set_level(LOG_LEVEL_UNKNOWN);
	first = nv_reader_pid(r);
	ck_assert_int_gt(first, 0);
	ck_assert_int_ne(first, nv_reader_keeper_pid(r));
	ck_assert_int_eq(kill(first, SIGKILL), 0);
	ck_assert_int_gt(rounds_until_read(), 0);
	ck_assert_int_ne(nv_reader_pid(r), first);
	teardown();
}
END_TEST

START_TEST(a_reader_that_dies_in_the_middle_ends_the_asking_for_that_round)
{
	struct nv_ask asks[] = {question(HANGS, NV_PAGE_SMART), question(HANGS, NV_PAGE_IDENTIFY)};
	int64_t start = now_ms();
	pid_t killer;

	setup();
	log_set_level(LOG_LEVEL_UNKNOWN);
	killer = fork();
	if (killer == 0) {
		wait_ms(100);
		kill(nv_reader_pid(r), SIGKILL);
		_exit(0);
	}
	ask(asks, 2, 20000);
	ck_assert_int_eq(asks[0].answer.error, EPIPE);
	ck_assert_int_eq(asks[1].answer.error, EPIPE);
	ck_assert_int_lt(now_ms() - start, 10000);
	ck_assert_int_gt(rounds_until_read(), 0);
	teardown();
}
END_TEST

START_TEST(without_both_processes_nothing_is_asked_and_the_asker_goes_on)
{
	struct nv_ask asks[] = {question(FAST, NV_PAGE_SMART), question(9, NV_PAGE_SMART)};

	setup();
	log_set_level(LOG_LEVEL_UNKNOWN);
	ck_assert_int_eq(kill(nv_reader_keeper_pid(r), SIGKILL), 0);
	while (waitpid(nv_reader_keeper_pid(r), NULL, 0) < 0 && errno == EINTR)
		;
	ask(asks, 1, 5000);
	ck_assert_int_eq(asks[0].answer.end, NV_READ); /* it does without its keeper */
	ck_assert_int_eq(kill(nv_reader_pid(r), SIGKILL), 0);
	for (int i = 0; i < 2; i++) {
		ask(asks, 2, 5000);
		ck_assert_int_eq(asks[0].answer.end, NV_FAILED);
		ck_assert_int_eq(asks[0].answer.error, EPIPE);
		ck_assert_int_eq(asks[1].answer.error, EPIPE);
	}
	teardown();
}
END_TEST

START_TEST(names_that_are_no_controllers_are_not_asked)
{
	static const char *const bad[] = {"nvme", "nvme0n1", "nvme-1", "nvme1024", "../nvme0", "", "nvme99999999999"};

	setup();
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct nv_ask q = {.page = NV_PAGE_SMART};

		snprintf(q.controller, sizeof q.controller, "%s", bad[i]);
		ask(&q, 1, 1000);
		ck_assert_msg(q.answer.end == NV_FAILED, "%s", bad[i]);
	}
	ck_assert_uint_eq(seen->pages[NV_PAGE_SMART], 0);
	teardown();
}
END_TEST

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13; /* xorshift64 */
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Nonsense of any length; half of it with the right form and fields that are right now and then. */
static size_t make_nonsense(uint64_t *x, uint8_t *out)
{
	struct nv_wire_request q;
	size_t len = next_random(x) % 64;

	for (size_t i = 0; i < 64; i++)
		out[i] = (uint8_t)next_random(x);
	if (next_random(x) % 2)
		return len;
	memcpy(&q, out, sizeof q);
	q.magic = NV_WIRE_MAGIC;
	if (next_random(x) % 4) {
		q.controller = next_random(x) % 8 ? 30 + q.controller % N_SEEN : q.controller;
		q.page %= 12;
		q.timeout_ms = next_random(x) % 4 ? 1000 : q.timeout_ms;
	}
	memcpy(out, &q, sizeof q);
	return sizeof q;
}

START_TEST(random_requests_reach_only_listed_pages_and_the_reader_lives_LW_S6)
{
	const char *given = getenv("LANEWATCH_SEED"), *count = getenv("LANEWATCH_REQUESTS");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL), x = seed | 1;
	long n = count ? strtol(count, NULL, 10) : is_instrumented() ? 100000 : 1000000;
	struct nv_ask q = question(FAST, NV_PAGE_SMART);
	unsigned reached = 0;
	uint8_t bytes[64];
	char reply[8192];

	setup();
	printf("# seed %llu, %ld requests\n", (unsigned long long)seed, n);
	for (long i = 0; i < n; i++) {
		size_t len = make_nonsense(&x, bytes);
		struct pollfd p = {.fd = nv_reader_socket(r), .events = POLLIN | POLLOUT};

		if (len == 0)
			continue; /* an empty packet reads like the end of the socket */
		ck_assert_int_eq(poll(&p, 1, 5000), 1);
		while (recv(p.fd, reply, sizeof reply, MSG_DONTWAIT) > 0)
			;
		ck_assert(send(p.fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)len || errno == EAGAIN);
	}
	ask(&q, 1, 10000);
	ck_assert_int_eq(q.answer.end, NV_READ);
	for (int p = 1; p < NV_PAGES; p++)
		reached += seen->pages[p];
	ck_assert_uint_gt(reached, (unsigned)n / 100); /* the nonsense was near enough to be a test */
	ck_assert_uint_eq(seen->pages[NV_PAGES], 0);
	ck_assert_uint_eq(seen->controllers_beyond, 0);
	teardown();
}
END_TEST

/* A field of /proc/PID/status as a number. */
static unsigned long long status_of(pid_t pid, const char *field)
{
	unsigned long long value = ~0ULL;
	char path[64], line[256];
	size_t n = strlen(field);
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof line, f))
		if (strncmp(line, field, n) == 0 && line[n] == ':')
			value = strtoull(line + n + 1, NULL, strncmp(field, "Cap", 3) == 0 ? 16 : 10);
	fclose(f);
	return value;
}

START_TEST(the_real_reader_keeps_one_capability_and_few_system_calls_LW_S6)
{
	const unsigned long long sys_admin = 1ULL << 21;
	struct nv_ask q = question(NV_CONTROLLERS_MAX - 1, NV_PAGE_SMART);
	struct err e;
	pid_t pid;

	r = nv_reader_start(&e);
	if (!r) {
		ck_assert_ptr_nonnull(strstr(e.text, "libnvme"));
		return;
	}
	ask(&q, 1, 5000); /* it serves by now, and its filter lets a thread start and a node be opened */
	ck_assert_int_eq(q.answer.end, NV_FAILED);
	ck_assert_int_eq(q.answer.error, ENOENT);
	pid = nv_reader_pid(r);
	ck_assert_uint_eq(status_of(pid, "CapEff") & ~sys_admin, 0);
	ck_assert_uint_eq(status_of(pid, "CapPrm") & ~sys_admin, 0);
	ck_assert_uint_eq(status_of(pid, "CapInh") & ~sys_admin, 0);
	ck_assert_uint_eq(status_of(getpid(), "CapEff") & sys_admin, 0); /* the agent has it no more */
	ck_assert_uint_eq(status_of(getpid(), "CapBnd") & sys_admin, 0);
	ck_assert_uint_eq(status_of(pid, "CapAmb"), 0);
	ck_assert_uint_eq(status_of(pid, "NoNewPrivs"), 1);
#ifdef HAVE_LIBSECCOMP
	if (!getenv("LANEWATCH_READER_UNCONFINED")) /* valgrind's own calls would be filtered too */
		ck_assert_uint_eq(status_of(pid, "Seccomp"), 2);
#endif
	nv_reader_stop(r);
	for (int i = 0; i < 1000 && waitpid(pid, NULL, WNOHANG) == 0; i++)
		wait_ms(20); /* longer than it takes anywhere but under valgrind */
	ck_assert_int_eq(kill(pid, 0), -1);
}
END_TEST

UNIT_MAIN("nvme_reader", every_page_comes_back_whole_from_its_own_controller,
	refusals_and_missing_rights_come_back_as_they_are,
	a_drive_that_hangs_costs_only_itself_and_its_late_answer_is_dropped,
	a_reader_that_died_is_started_again_and_the_next_round_is_answered_LW_S6,
	a_reader_that_dies_in_the_middle_ends_the_asking_for_that_round,
	without_both_processes_nothing_is_asked_and_the_asker_goes_on,
	names_that_are_no_controllers_are_not_asked,
	random_requests_reach_only_listed_pages_and_the_reader_lives_LW_S6,
	the_real_reader_keeps_one_capability_and_few_system_calls_LW_S6)
