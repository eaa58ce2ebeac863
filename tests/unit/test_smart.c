/* SPDX-License-Identifier: MIT */
/*
 * The health page from raw bytes: each field from its place, all 128 bits, and no sample out of
 * bytes that are none.  Against libnvme's own structure on 100 000 random pages; the number in
 * LANEWATCH_SEED repeats a run.
 */
#include "collectors/nvme/page.h"
#include "collectors/nvme/smart.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#ifdef HAVE_LIBNVME
#include <endian.h>
#include <libnvme.h>
#endif

static uint8_t page[NV_SMART_SIZE];
static struct nv_smart m;

static void put16(size_t at, unsigned v)
{
	page[at] = (uint8_t)v;
	page[at + 1] = (uint8_t)(v >> 8);
}

static void good_page(void)
{
	memset(page, 0, sizeof page);
	put16(1, 310);
	page[3] = 100;
	page[4] = 10;
	page[5] = 3;
}

START_TEST(fields_come_from_their_places)
{
	char text[COUNT_TEXT_MAX];

	good_page();
	page[0] = 0x0c;
	page[6] = 1;
	memcpy(page + 48, "\xf8\xa9\x3d\x03", 4); /* 54 372 856 */
	page[48 + 8] = 1;			    /* and 2^64 */
	page[96] = 0x1e;
	page[97] = 0x5e;
	page[112] = 0x95;
	page[128] = 7;
	page[144] = 12;
	page[160] = 3;
	page[176] = 9;
	put16(192, 60);
	put16(196, 5);
	put16(200, 313);
	put16(204, 318);
	page[216] = 2;
	page[220] = 3;
	page[224] = 4;
	page[228] = 5;
	ck_assert_int_eq(nv_smart_decode(page, sizeof page, &m), NV_SAMPLE_GOOD);
	ck_assert_uint_eq(m.critical_warning, 0x0c);
	ck_assert_uint_eq(m.temperature_k, 310);
	ck_assert_uint_eq(m.spare_percent, 100);
	ck_assert_uint_eq(m.spare_threshold_percent, 10);
	ck_assert_uint_eq(m.used_percent, 3);
	ck_assert_uint_eq(m.endurance_group_warning, 1);
	ck_assert_str_eq(count_text(m.data_units_written, text), "18446744073763924472");
	ck_assert_str_eq(count_text(m.controller_busy_minutes, text), "24094");
	ck_assert_str_eq(count_text(m.power_cycles, text), "149");
	ck_assert_str_eq(count_text(m.power_on_hours, text), "7");
	ck_assert_str_eq(count_text(m.unsafe_shutdowns, text), "12");
	ck_assert_str_eq(count_text(m.media_errors, text), "3");
	ck_assert_str_eq(count_text(m.error_log_entries, text), "9");
	ck_assert_uint_eq(m.warning_temperature_minutes, 60);
	ck_assert_uint_eq(m.critical_temperature_minutes, 5);
	ck_assert_uint_eq(m.sensors_k[0], 313);
	ck_assert_uint_eq(m.sensors_k[1], 0);
	ck_assert_uint_eq(m.sensors_k[2], 318);
	ck_assert_uint_eq(m.throttle_count[0], 2);
	ck_assert_uint_eq(m.throttle_count[1], 3);
	ck_assert_uint_eq(m.throttle_seconds[0], 4);
	ck_assert_uint_eq(m.throttle_seconds[1], 5);
}
END_TEST

START_TEST(bytes_that_no_drive_measured_are_no_sample)
{
	memset(page, 0, sizeof page);
	ck_assert_int_eq(nv_smart_decode(page, sizeof page, &m), NV_SAMPLE_BLANK);
	memset(page, 0xff, sizeof page);
	ck_assert_int_eq(nv_smart_decode(page, sizeof page, &m), NV_SAMPLE_BLANK);
	good_page();
	ck_assert_int_eq(nv_smart_decode(page, sizeof page - 1, &m), NV_SAMPLE_BLANK);
	ck_assert_int_eq(nv_smart_decode(page, 0, &m), NV_SAMPLE_BLANK);
	page[4] = 101;
	ck_assert_int_eq(nv_smart_decode(page, sizeof page, &m), NV_SAMPLE_IMPOSSIBLE);
	good_page();
	page[3] = 255;
	ck_assert_int_eq(nv_smart_decode(page, sizeof page, &m), NV_SAMPLE_IMPOSSIBLE);
	good_page();
	page[5] = 255; /* 255 or more: worn, and possible */
	ck_assert_int_eq(nv_smart_decode(page, sizeof page, &m), NV_SAMPLE_GOOD);
}
END_TEST

START_TEST(kelvin_becomes_celsius_and_placeholders_become_unknown)
{
	static const struct {
		uint16_t kelvin;
		double celsius;
	} rows[] = {{0, NAN}, {65535, NAN}, {1, NAN}, {253, -20}, {273, 0}, {313, 40}, {473, 200}, {474, NAN},
		{32768, NAN}};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		double c = nv_celsius(rows[i].kelvin);

		ck_assert_msg(isnan(rows[i].celsius) ? isnan(c) : c == rows[i].celsius, "%u K", rows[i].kelvin);
	}
}
END_TEST

#ifdef HAVE_LIBNVME
static struct count count_of_16(const uint8_t b[16])
{
	struct count c = {.known = true};

	for (int i = 15; i >= 8; i--)
		c.hi = c.hi << 8 | b[i];
	for (int i = 7; i >= 0; i--)
		c.lo = c.lo << 8 | b[i];
	return c;
}

static void same_count(struct count a, const uint8_t b[16])
{
	ck_assert(count_compare(a, count_of_16(b)) == 0);
}

static void same_as_libnvme(void)
{
	struct nvme_smart_log r;

	memcpy(&r, page, sizeof r);
	nv_smart_decode(page, sizeof page, &m);
	ck_assert_uint_eq(m.critical_warning, r.critical_warning);
	ck_assert_uint_eq(m.temperature_k, r.temperature[0] | r.temperature[1] << 8);
	ck_assert_uint_eq(m.spare_percent, r.avail_spare);
	ck_assert_uint_eq(m.spare_threshold_percent, r.spare_thresh);
	ck_assert_uint_eq(m.used_percent, r.percent_used);
	ck_assert_uint_eq(m.endurance_group_warning, r.endu_grp_crit_warn_sumry);
	same_count(m.data_units_read, r.data_units_read);
	same_count(m.data_units_written, r.data_units_written);
	same_count(m.host_reads, r.host_reads);
	same_count(m.host_writes, r.host_writes);
	same_count(m.controller_busy_minutes, r.ctrl_busy_time);
	same_count(m.power_cycles, r.power_cycles);
	same_count(m.power_on_hours, r.power_on_hours);
	same_count(m.unsafe_shutdowns, r.unsafe_shutdowns);
	same_count(m.media_errors, r.media_errors);
	same_count(m.error_log_entries, r.num_err_log_entries);
	ck_assert_uint_eq(m.warning_temperature_minutes, le32toh(r.warning_temp_time));
	ck_assert_uint_eq(m.critical_temperature_minutes, le32toh(r.critical_comp_time));
	for (int i = 0; i < NV_SMART_SENSORS; i++)
		ck_assert_uint_eq(m.sensors_k[i], le16toh(r.temp_sensor[i]));
	ck_assert_uint_eq(m.throttle_count[0], le32toh(r.thm_temp1_trans_count));
	ck_assert_uint_eq(m.throttle_count[1], le32toh(r.thm_temp2_trans_count));
	ck_assert_uint_eq(m.throttle_seconds[0], le32toh(r.thm_temp1_total_time));
	ck_assert_uint_eq(m.throttle_seconds[1], le32toh(r.thm_temp2_total_time));
}

START_TEST(random_pages_read_as_libnvme_has_them)
{
	const char *given = getenv("LANEWATCH_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL), x = seed | 1;

	printf("# seed %llu\n", (unsigned long long)seed);
	for (size_t n = 0; n < (is_valgrind() ? 2000 : 100000); n++) {
		for (size_t i = 0; i < sizeof page; i += 8) {
			x ^= x << 13; /* xorshift64 */
			x ^= x >> 7;
			x ^= x << 17;
			memcpy(page + i, &x, 8);
		}
		same_as_libnvme();
	}
}
END_TEST

#define AND_LIBNVME , random_pages_read_as_libnvme_has_them
#else
#define AND_LIBNVME /* nothing to compare with */
#endif

UNIT_MAIN("smart", fields_come_from_their_places, bytes_that_no_drive_measured_are_no_sample,
	kelvin_becomes_celsius_and_placeholders_become_unknown AND_LIBNVME)
