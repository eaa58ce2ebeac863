/* SPDX-License-Identifier: MIT */
/* What reading each drive alone and all together tells. */
#include "model/measure.h"
#include "base/str.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 4 };

static struct bay bays[N];
static struct measurement m;
static struct machine machine;

/* Four Gen3 x4 drives that read 3.4 GB/s alone and together. */
static void setup(void)
{
	m = (struct measurement){.seconds = 5, .cpu_ratio = 0.2, .n_drives = N};
	machine = (struct machine){0};
	m.drives = calloc(N, sizeof *m.drives);
	for (size_t i = 0; i < N; i++) {
		char name[2] = {(char)('1' + i), '\0'};

		bays[i] = bay_unknown("os", "srv", name);
		bays[i].has_drive = true;
		bays[i].link.now = bays[i].link.max = (struct pcie_rate){8000, 4};
		bays[i].judged.verdict = VERDICT_OK;
		str_copy(bays[i].drive.model, sizeof bays[i].drive.model, "Acme");
		m.drives[i] = (struct measured_drive){.bay = &bays[i], .link_bps = pcie_bandwidth(bays[i].link.now), .alone_bps = 3.4e9, .together_bps = 3.4e9};
	}
}

/* "slow-bay 3; slow-together -" */
static const char *judged(char *out, size_t size)
{
	size_t len = 0;

	measurement_judge(&m, &machine);
	out[0] = '\0';
	for (size_t i = 0; i < m.n_findings && len < size; i++)
		len += (size_t)snprintf(out + len, size - len, "%s%s %s", i ? "; " : "", finding_word(m.findings[i].code),
			m.findings[i].drive < N ? m.drives[m.findings[i].drive].bay->bay : "-");
	return out;
}

static void judges(const char *want)
{
	char got[256];

	ck_assert_str_eq(judged(got, sizeof got), want);
}

static void says(const char *part)
{
	ck_assert_uint_ge(m.n_findings, 1);
	ck_assert_msg(strstr(m.findings[0].message, part) != NULL, "%s", m.findings[0].message);
}

START_TEST(drives_that_are_alike_are_nothing_remarkable)
{
	setup();
	judges("");
	m.drives[1].alone_bps = 2.9e9;
	m.drives[1].together_bps = 2.9e9;
	judges("");
	ck_assert_double_eq_tol(measurement_alone(&m), 13.1e9, 1);
	measurement_release(&m);
}
END_TEST

START_TEST(one_that_trained_well_and_reads_slower_is_named_with_the_likely_reason)
{
	setup();
	m.drives[2].alone_bps = m.drives[2].together_bps = 1.1e9;
	judges("slow-bay 3");
	says("bay 3 reads 1.10 GB/s where 3 like it read 3.40 GB/s; its link trained as theirs did, so it is the drive");
	bays[2].wear.percent_used = 97;
	judges("slow-bay 3");
	says("it is worn");
	bays[2].link.aer_correctable = count_of(412);
	judges("slow-bay 3");
	says("412 corrected errors");
	bays[2].busy = TRI_YES;
	judges("slow-bay 3");
	says("busy with other work");
	for (size_t i = 0; i < N; i++)
		bays[i].temperature_c = 41;
	bays[2].temperature_c = 74;
	judges("slow-bay 3");
	says("hotter than they are (74 and 41 °C)");
	bays[2].health.critical_warning = CRITICAL_TEMPERATURE;
	judges("slow-bay 3");
	says("says itself that it is too hot (74 °C)");
	measurement_release(&m);
}
END_TEST

START_TEST(a_degraded_link_explains_a_slow_drive)
{
	setup();
	bays[0].link.now.width_lanes = 1;
	bays[0].judged.verdict = VERDICT_DEGRADED_WIDTH;
	str_copy(bays[0].judged.message, sizeof bays[0].judged.message, "running at 8 GT/s x1");
	m.drives[0].link_bps = pcie_bandwidth(bays[0].link.now);
	m.drives[0].alone_bps = m.drives[0].together_bps = 0.9e9;
	judges("slow-link 1");
	says("running at 8 GT/s x1");
	measurement_release(&m);
}
END_TEST

START_TEST(a_drive_is_compared_with_its_like_alone)
{
	setup();
	/* a slower model among others of the same link, and too few of its own: all of that link are its neighbours */
	str_copy(bays[3].drive.model, sizeof bays[3].drive.model, "Slow");
	m.drives[3].alone_bps = m.drives[3].together_bps = 1.0e9;
	judges("slow-bay 4");
	/* two of either model: nobody has two neighbours of its own model, all have three of the link */
	str_copy(bays[2].drive.model, sizeof bays[2].drive.model, "Slow");
	m.drives[2].alone_bps = m.drives[2].together_bps = 1.0e9;
	judges("slow-bay 3; slow-bay 4");
	/* other links are no neighbours */
	for (size_t i = 2; i < N; i++)
		bays[i].link.max = (struct pcie_rate){8000, 1};
	judges("");
	measurement_release(&m);
}
END_TEST

START_TEST(quick_alone_and_slow_together_is_said_with_what_they_share)
{
	static struct hop hop = {.host = "srv", .at = "0000:40:01.1", .n_shared = N};
	static char shared[N][sizeof *hop.shared_by] = {"1", "2", "3", "4"};
	struct machine_uplink up = {.hop = &hop, .n_drives = N, .link = {7.88e9, 7.88e9}};

	setup();
	for (size_t i = 0; i < N; i++)
		m.drives[i].together_bps = 1.8e9;
	judges("slow-together -");
	says("4 drives read 13.60 GB/s one by one and 7.20 GB/s together (53 %)");
	says("no link that is known explains it");
	m.cpu_ratio = 0.97;
	judges("slow-together -");
	says("the processors were busy (97 %)");
	hop.shared_by = shared;
	machine.uplinks = &up;
	machine.n_uplinks = 1;
	judges("slow-together -");
	says("the uplink 0000:40:01.1, which 4 of them share, carries 7.88 GB/s");
	up.link = (struct ceiling){31.5e9, 31.5e9}; /* wide enough */
	judges("slow-together -");
	says("the processors were busy");
	measurement_release(&m);
}
END_TEST

START_TEST(what_failed_or_vanished_is_said_and_is_no_slow_drive)
{
	setup();
	m.drives[0].alone_bps = m.drives[0].together_bps = NAN;
	m.drives[0].error = EIO;
	m.drives[1].together_bps = NAN;
	m.drives[1].vanished = true;
	judges("read-failed 1; vanished 2");
	ck_assert_double_eq_tol(measurement_together(&m), 6.8e9, 1);
	measurement_release(&m);
}
END_TEST

START_TEST(more_than_the_link_carries_did_not_come_over_it)
{
	setup();
	for (size_t i = 0; i < N; i++)
		m.drives[i].alone_bps = m.drives[i].together_bps = 4.1e9;
	judges("above-link 1; above-link 2; above-link 3; above-link 4");
	says("gave 4.10 GB/s where its link carries 3.94 GB/s");
	measurement_release(&m);
}
END_TEST

START_TEST(what_was_not_measured_is_not_judged)
{
	setup();
	for (size_t i = 0; i < N; i++)
		m.drives[i].together_bps = NAN;
	m.drives[2].alone_bps = m.drives[3].alone_bps = NAN;
	m.drives[1].alone_bps = 0.1e9; /* one neighbour: which of the two is odd? */
	judges("");
	ck_assert(isnan(measurement_together(&m)));
	measurement_release(&m);
}
END_TEST

UNIT_MAIN("measure", drives_that_are_alike_are_nothing_remarkable,
	one_that_trained_well_and_reads_slower_is_named_with_the_likely_reason, a_degraded_link_explains_a_slow_drive,
	a_drive_is_compared_with_its_like_alone, quick_alone_and_slow_together_is_said_with_what_they_share,
	what_failed_or_vanished_is_said_and_is_no_slow_drive, more_than_the_link_carries_did_not_come_over_it,
	what_was_not_measured_is_not_judged)
