/* SPDX-License-Identifier: MIT */
/* lanewatch/bays/v1: every key there, unknown is null, and what is written can be read back. */
#include "base/clock.h"
#include "base/jtext.h"
#include "base/str.h"
#include "document/bays.h"
#include "tests/unit/schema.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static json_t *parse(const char *text)
{
	struct err e = {""};
	json_t *j = jtext_parse(text, strlen(text), NULL, &e);

	ck_assert_msg(j, "%s: %s", e.text, text);
	return j;
}

static char *dump(json_t *j)
{
	char *text = json_dumps(j, DOCUMENT_DUMP | JSON_COMPACT);

	json_decref(j);
	ck_assert_ptr_nonnull(text);
	return text;
}

/* Check cannot print texts of this length: only where they part. */
static void assert_same_text(const char *got, const char *want)
{
	size_t same = 0;

	while (got[same] && got[same] == want[same])
		same++;
	ck_assert_msg(strcmp(got, want) == 0, "got %.60s, want %.60s", got + same, want + same);
}

static void assert_json(const json_t *j, const char *want)
{
	char *got = json_dumps(j, DOCUMENT_DUMP | JSON_COMPACT | JSON_ENCODE_ANY);

	ck_assert_str_eq(got ? got : "(none)", want);
	free(got);
}

/* A bay in which every field says something. */
static struct bay full_bay(const char *name)
{
	struct bay b = bay_unknown("bmc", "srv1", name);

	str_copy(b.location, sizeof b.location, "Front panel, bay \"7\"");
	b.present = TRI_YES;
	b.expected = true;
	b.role = ROLE_DATA;
	b.has_drive = true;
	b.drive = (struct drive){.id = "0123456789abcdef", .serial = "S1", .model = "Acme", .manufacturer = "Acme Inc",
		.part_number = "P-1", .firmware = "1.0.0", .firmware_next = "1.0.1", .protocol = "NVMe", .media_type = "SSD", .form_factor = "U.2",
		.controller = "nvme0", .pci_address = "0000:41:00.0", .pci_path = "0000:40:01.1/0000:41:00.0", .state = DRIVE_LIVE, .n_namespaces = 2,
		.namespaces = {"nvme0n1", "nvme0n2"}, .n_names = 1, .names = {"nvme-Acme_S1"}, .n_sources = 2, .sources = {"bmc", "host"}, .n_paths = 1};
	b.drive.capacity_bytes = count_of(3840755982336);
	b.drive.uses_known = true;
	drive_add_use(&b.drive, &(struct drive_use){USE_MD, "md0", "raid1 of 2", "/boot"});
	str_copy(b.drive.paths[0].address, sizeof b.drive.paths[0].address, "0000:41:00.0");
	str_copy(b.drive.paths[0].controller, sizeof b.drive.paths[0].controller, "nvme0");
	b.link.now = (struct pcie_rate){2500, 2};
	b.link.max = (struct pcie_rate){32000, 4};
	b.link.slot = (struct pcie_rate){64000, 16};
	b.link.changes = 3;
	b.link.aer_correctable = count_of(412);
	b.link.aer_fatal = count_of(0);
	b.link.aer_device = (struct pcie_errors){.correctable = count_of(400), .fatal = count_of(0), .kinds_known = true,
		.kinds = {[PCIE_BAD_TLP] = 399, [PCIE_HEADER_OF] = 1}};
	b.link.aer_port = (struct pcie_errors){.correctable = count_of(12)};
	str_copy(b.link.now_from, sizeof b.link.now_from, "/redfish/v1/Chassis/1/PCIeDevices/7");
	str_copy(b.link.max_from, sizeof b.link.max_from, "sys/bus/pci/devices/0000:41:00.0/max_link_speed");
	str_copy(b.link.slot_from, sizeof b.link.slot_from, "/redfish/v1/Chassis/1/PCIeSlots");
	pcie_link_add_raw(&b.link, "NegotiatedSpeedGbs", "7.877");
	pcie_link_add_raw(&b.link, "LanesInUse", "");
	b.link.n_views = 2;
	b.link.views[0] = (struct pcie_view){"bmc", {2500, 2}};
	b.link.views[1] = (struct pcie_view){"host", {32000, 0}};
	b.drive.paths[0].link = pcie_link_ends(&b.link);
	b.drive.paths[0].verdict = VERDICT_DEGRADED_BOTH;
	b.judged = (struct judgement){VERDICT_DEGRADED_BOTH, LIMITED_BY_LINK, REASON_CONTRADICTORY, "half of it"};
	b.has_policy = b.require_present = true;
	str_copy(b.policy, sizeof b.policy, "front");
	b.policy_rate = (struct pcie_rate){32000, 4};
	wear_set_used(&b.wear, 104);
	b.wear.available_spare_percent = 9.5;
	b.wear.spare_threshold_percent = 10;
	b.wear.bytes_written = count_parse("9444732965739290429952000");
	b.wear.bytes_read = count_of(1);
	b.wear.physical_bytes_written = count_of(2);
	b.wear.alert = ALERT_CRITICAL;
	b.wear.reasons = WEAR_ENDURANCE_USED | WEAR_SPARE_BELOW_THRESHOLD;
	b.wear.quality = WEAR_GOOD;
	b.wear.forecast = (struct forecast){true, 41.5, 169, clock_parse("2027-05-18T00:00:00Z"),
		clock_parse("2027-03-29T00:00:00Z"), CLOCK_NEVER, 212};
	b.wear.rated_tbw = 7000;
	b.wear.rated_dwpd = 1;
	b.wear.used_dwpd = 1.25;
	b.health = (struct health){.status = ALERT_CRITICAL, .reasons = WEAR_SPARE_BELOW_THRESHOLD,
		.failure_predicted = TRI_NO, .critical_warning = CRITICAL_SPARE | CRITICAL_PMR,
		.self_test = SELF_TEST_FAILED, .self_test_code = 7};
	b.health.media_errors = count_of(0);
	b.health.error_log_entries = count_parse("9007199254740993"); /* 2^53 + 1 */
	b.health.unsafe_shutdowns = count_of(12);
	b.health.power_cycles = count_of(9007199254740992);
	b.health.power_on_hours = count_of(21044);
	b.health.controller_busy_minutes = count_of(24094);
	b.health.self_test_hours = count_of(21000);
	b.health.last_error = (struct last_error){true, count_of(12), 0x281, 1, count_of(4096)};
	str_copy(b.bmc_health, sizeof b.bmc_health, "OK");
	b.temperature_c = 38.5;
	b.sensors_c[0] = 39;
	b.sensors_c[2] = -4;
	b.busy = TRI_NO;
	b.throughput = (struct throughput){true, UINT64_C(9007199254740993), 0, 2.5, 3602879701896397, 0, 0.25, NAN};
	b.stale = true;
	b.observed_wall_ms = clock_parse("2026-11-30T12:00:00Z");
	b.notes = NOTES_END - 1;
	return b;
}

START_TEST(a_full_bay_is_written_as_the_contract_says)
{
	struct bay b = full_bay("7");
	char *got = dump(document_of_bay(&b));
	static const char want[] =
		"{\"target\":\"bmc\",\"host\":\"srv1\",\"bay\":\"7\",\"location\":\"Front panel, bay \\\"7\\\"\",\"present\":true,"
		"\"expected\":true,\"role\":\"data\",\"drive\":{\"id\":\"0123456789abcdef\",\"serial\":\"S1\",\"model\":\"Acme\","
		"\"manufacturer\":\"Acme Inc\",\"part_number\":\"P-1\",\"firmware\":\"1.0.0\",\"firmware_next\":\"1.0.1\",\"capacity_bytes\":3840755982336,"
		"\"protocol\":\"NVMe\",\"media_type\":\"SSD\",\"form_factor\":\"U.2\",\"controller\":\"nvme0\","
		"\"namespaces\":[\"nvme0n1\",\"nvme0n2\"],"
		"\"uses\":[{\"kind\":\"md\",\"name\":\"md0\",\"detail\":\"raid1 of 2\",\"mount\":\"/boot\"}],"
		"\"names\":[\"nvme-Acme_S1\"],\"pci_address\":\"0000:41:00.0\",\"pci_path\":\"0000:40:01.1/0000:41:00.0\",\"state\":\"live\",\"paths\":[{"
		"\"address\":\"0000:41:00.0\",\"controller\":\"nvme0\",\"link\":{"
#define LINK                                                                                                              \
	"\"speed_gts\":2.5,\"width\":2,\"max_speed_gts\":32,\"max_width\":4,\"slot\":{\"max_speed_gts\":64,\"max_width\":16}," \
	"\"bandwidth_bytes_per_second\":500000000,\"max_bandwidth_bytes_per_second\":15753846154,"                            \
	"\"raw\":{\"NegotiatedSpeedGbs\":\"7.877\",\"LanesInUse\":\"\"},"                                                     \
	"\"sources\":{\"speed_gts\":\"/redfish/v1/Chassis/1/PCIeDevices/7\",\"width\":\"/redfish/v1/Chassis/1/PCIeDevices/7\"," \
	"\"max_speed_gts\":\"sys/bus/pci/devices/0000:41:00.0/max_link_speed\","                                              \
	"\"max_width\":\"sys/bus/pci/devices/0000:41:00.0/max_link_speed\",\"slot\":\"/redfish/v1/Chassis/1/PCIeSlots\"},"    \
	"\"by_source\":[{\"target\":\"bmc\",\"speed_gts\":2.5,\"width\":2},{\"target\":\"host\",\"speed_gts\":32,\"width\":null}]," \
	"\"changes\":3,\"aer\":{\"correctable\":412,\"nonfatal\":null,\"fatal\":0,"    \
	"\"device\":{\"correctable\":400,\"nonfatal\":null,\"fatal\":0,\"kinds\":{\"BadTLP\":399,\"HeaderOF\":1}},"    \
	"\"port\":{\"correctable\":12,\"nonfatal\":null,\"fatal\":null,\"kinds\":null}}}"
		"\"speed_gts\":2.5,\"width\":2,\"max_speed_gts\":32,\"max_width\":4,\"slot\":{\"max_speed_gts\":64,\"max_width\":16},"
		"\"bandwidth_bytes_per_second\":500000000,\"max_bandwidth_bytes_per_second\":15753846154,\"raw\":{},"
		"\"sources\":{\"speed_gts\":null,\"width\":null,\"max_speed_gts\":null,\"max_width\":null,\"slot\":null},"
		"\"by_source\":[],\"changes\":null,\"aer\":null},\"verdict\":\"degraded-both\"}],\"sources\":[\"bmc\",\"host\"]},\"link\":{" LINK
		",\"verdict\":\"degraded-both\",\"limited_by\":\"link\",\"reason\":\"contradictory\",\"message\":\"half of it\","
		"\"policy\":{\"name\":\"front\",\"speed_gts\":32,\"width\":4,\"require_present\":true},"
		"\"wear\":{\"percent_used\":104,\"life_left_percent\":0,\"available_spare_percent\":9.5,\"spare_threshold_percent\":10,"
		"\"bytes_written\":\"9444732965739290429952000\",\"bytes_read\":\"1\",\"physical_bytes_written\":\"2\",\"write_amplification\":null,"
		"\"alert\":\"critical\",\"reasons\":[\"endurance-used\",\"spare-below-threshold\"],\"applicable\":true,"
		"\"quality\":\"good\",\"forecast\":{\"percent_per_year\":41.5,\"days_to_100\":169,\"exhausted_on\":\"2027-05-18\","
		"\"earliest\":\"2027-03-29\",\"latest\":null,\"basis_days\":212},\"rated_tbw\":7000,\"rated_dwpd\":1,\"used_dwpd\":1.25},"
		"\"health\":{\"status\":\"critical\",\"reasons\":[\"spare-below-threshold\"],\"failure_predicted\":false,"
		"\"critical_warning\":[\"spare\",\"pmr\"],\"media_errors\":0,\"error_log_entries\":\"9007199254740993\","
		"\"unsafe_shutdowns\":12,\"power_cycles\":9007199254740992,\"power_on_hours\":21044,\"controller_busy_minutes\":24094,"
		"\"self_test\":{\"result\":\"failed\",\"code\":7,\"power_on_hours\":21000},"
		"\"last_error\":{\"number\":12,\"status\":\"0x281\",\"namespace\":1,\"lba\":\"4096\"}},\"bmc_health\":\"OK\","
		"\"temperature_celsius\":38.5,\"sensors_celsius\":[39,null,-4],\"busy\":false,"
		"\"throughput\":{\"read_bytes_per_second\":3602879701896397,\"write_bytes_per_second\":0,\"busy_ratio\":0.25,"
		"\"link_ratio\":null,\"bytes_read\":\"9007199254740993\",\"bytes_written\":\"0\",\"seconds\":2.5},\"stale\":true,"
		"\"observed_at\":\"2026-11-30T12:00:00Z\",\"notes\":[\"duplicate-serial\",\"not-seen-by-host\",\"not-seen-by-bmc\","
		"\"sources-disagree\",\"wear-sources-disagree\",\"bmc-health-contradicts-smart\",\"life-left-not-credible\","
		"\"capacity-suspect\",\"wear-rate\",\"vmd-domain\"]}";

	assert_same_text(got, want);
	free(got);
}
END_TEST

START_TEST(of_an_unknown_drive_every_key_is_there_and_none_is_zero_LW_R6)
{
	struct bay b = bay_unknown("bmc", "srv1", "7");
	json_t *j;
	const char *key;
	json_t *v;

	b.has_drive = true;
	b.present = TRI_YES;
	j = document_of_bay(&b);
	ck_assert_uint_eq(json_object_size(j), 24);
	assert_json(json_object_get(j, "link"), "null");
	assert_json(json_object_get(j, "sensors_celsius"), "[]");
	assert_json(json_object_get(j, "temperature_celsius"), "null");
	assert_json(json_object_get(j, "observed_at"), "null");
	assert_json(json_object_get(j, "wear"),
		"{\"percent_used\":null,\"life_left_percent\":null,\"available_spare_percent\":null,\"spare_threshold_percent\":null,"
		"\"bytes_written\":null,\"bytes_read\":null,\"physical_bytes_written\":null,\"write_amplification\":null,\"alert\":\"unknown\",\"reasons\":[],"
		"\"applicable\":true,\"quality\":null,\"forecast\":null,\"rated_tbw\":null,\"rated_dwpd\":null,\"used_dwpd\":null}");
	assert_json(json_object_get(j, "health"),
		"{\"status\":\"unknown\",\"reasons\":[],\"failure_predicted\":null,\"critical_warning\":null,\"media_errors\":null,"
		"\"error_log_entries\":null,\"unsafe_shutdowns\":null,\"power_cycles\":null,\"power_on_hours\":null,"
		"\"controller_busy_minutes\":null,\"self_test\":null,\"last_error\":null}");
	json_object_foreach(json_object_get(j, "drive"), key, v)
		ck_assert_msg(json_is_null(v) || (json_is_array(v) && !json_array_size(v)), "drive.%s", key);
	json_decref(j);
}
END_TEST

START_TEST(a_link_of_placeholders_keeps_them_as_given)
{
	struct pcie_link l = pcie_link_unknown();
	json_t *j;

	pcie_link_add_raw(&l, "NegotiatedSpeedGbs", "0.0");
	j = document_of_link(&l);
	assert_json(json_object_get(j, "speed_gts"), "null");
	assert_json(json_object_get(j, "bandwidth_bytes_per_second"), "null");
	assert_json(json_object_get(j, "changes"), "null");
	assert_json(json_object_get(j, "raw"), "{\"NegotiatedSpeedGbs\":\"0.0\"}");
	json_decref(j);
}
END_TEST

START_TEST(a_text_cut_inside_a_character_is_still_a_text)
{
	struct bay b = bay_unknown("bmc", "srv1", "7");
	json_t *j;

	b.has_drive = true;
	str_copy(b.drive.model, sizeof b.drive.model, "Dr\xc3");
	j = document_of_bay(&b);
	assert_json(json_object_get(json_object_get(j, "drive"), "model"), "\"Dr?\"");
	json_decref(j);
}
END_TEST

/* ---- there and back ---- */

START_TEST(a_bay_that_is_written_read_and_written_is_the_same_text)
{
	struct bay rows[] = {full_bay("7"), bay_unknown("t", "h", "0"), bay_unknown("t", "h", "0000:41:00.0")};

	rows[1].present = TRI_NO;
	rows[1].judged.verdict = VERDICT_ABSENT;
	rows[2].has_drive = true; /* last known drive of a host that is off */
	rows[2].stale = true;
	rows[2].judged.verdict = VERDICT_NOT_APPLICABLE;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char *first = dump(document_of_bay(&rows[i])), *second;
		json_t *j = parse(first);
		struct bay b = document_read_bay(j, "other", "elsewhere");

		second = dump(document_of_bay(&b));
		assert_same_text(second, first);
		ck_assert_int_eq(b.pcie, i != 2);
		json_decref(j);
		free(first);
		free(second);
	}
}
END_TEST

static void fill(struct inventory *inv)
{
	struct snapshot s;
	struct bay *b;

	snapshot_init(&s, "bmc", TARGET_REDFISH, "srv1");
	s.target.verdict = TARGET_OK;
	s.target.power = TRI_YES;
	s.target.requests = 31;
	s.target.duration_ms = 812;
	s.target.observed_wall_ms = clock_parse("2026-11-30T12:00:00Z");
	str_copy(s.target.url, sizeof s.target.url, "https://192.0.2.10");
	str_copy(s.target.vendor, sizeof s.target.vendor, "Acme");
	str_copy(s.target.product, sizeof s.target.product, "R100");
	target_add_error(&s.target, "/redfish/v1/x", "404", "gone");
	snapshot_add_bay(&s, "7");
	s.bays[0] = full_bay("7");
	snapshot_add_bay(&s, "9");
	s.bays[1] = full_bay("9"); /* the same serial: a note */
	snapshot_add_bay(&s, "10")->present = TRI_NO;
	inventory_apply(inv, &s);
	snapshot_release(&s);
	snapshot_init(&s, "host", TARGET_NVME, "srv1");
	s.target.verdict = TARGET_UNREACHABLE;
	s.target.reason = REASON_TIMEOUT;
	str_copy(s.target.message, sizeof s.target.message, "no answer within 30 s");
	inventory_apply(inv, &s);
	snapshot_release(&s);
	snapshot_init(&s, "other", TARGET_NVME, "srv2");
	s.target.verdict = TARGET_OK;
	b = snapshot_add_bay(&s, "1");
	b->present = TRI_YES;
	b->has_drive = true;
	b->link.now = (struct pcie_rate){16000, 2};
	b->link.max = (struct pcie_rate){16000, 4};
	hop_add_shared(snapshot_add_hop(&s, "0000:40:01.1"), "1");
	s.hops[0].link.now = (struct pcie_rate){16000, 8};
	inventory_apply(inv, &s);
	snapshot_release(&s);
	inventory_finish(inv, NULL, clock_parse("2026-11-30T12:00:01Z"));
	remark_add_bay(inventory_add_hint(inv, "bifurcation", "host", "other"), "1");
}

START_TEST(a_document_that_is_written_read_and_written_is_the_same_text)
{
	struct inventory inv, back;
	struct err e = {""};
	char *first, *second;
	json_t *j;

	inventory_init(&inv);
	fill(&inv);
	first = dump(document_of_inventory(&inv));
	j = parse(first);
	ck_assert_msg(document_read_inventory(j, &back, &e) == 0, "%s", e.text);
	second = dump(document_of_inventory(&back));
	assert_same_text(second, first);
	free(second);
	inventory_release(&back);
	ck_assert_msg(document_read_text(first, &back, &e) == 0, "%s", e.text);
	second = dump(document_of_inventory(&back));
	assert_same_text(second, first);
	ck_assert_uint_eq(back.n_bays, 4);
	ck_assert_uint_gt(back.n_notes, 0);
	json_decref(j);
	free(first);
	free(second);
	inventory_release(&inv);
	inventory_release(&back);
}
END_TEST

START_TEST(the_text_of_a_document_is_the_same_without_its_tree)
{
	struct inventory inv;
	struct buf text;

	inventory_init(&inv);
	for (int round = 0; round < 2; round++) { /* empty, then full */
		char *want = dump(document_of_inventory(&inv));

		buf_init(&text, 1 << 20);
		ck_assert_int_eq(document_add_inventory(&text, &inv, NULL, NULL), 0);
		assert_same_text(buf_text(&text), want);
		buf_release(&text);
		free(want);
		if (round == 0)
			fill(&inv);
	}
	buf_init(&text, 1000);
	ck_assert_int_eq(document_add_inventory(&text, &inv, NULL, NULL), -1);
	buf_release(&text);
	inventory_release(&inv);
}
END_TEST

START_TEST(the_summary_counts_bays_drives_and_verdicts)
{
	struct inventory inv;
	json_t *j;

	inventory_init(&inv);
	fill(&inv);
	j = document_of_inventory(&inv);
	assert_json(json_object_get(j, "summary"),
		"{\"bays\":4,\"present\":3,\"verdicts\":{\"degraded-both\":2,\"absent\":1,\"degraded-width\":1}}");
	assert_json(json_object_get(j, "schema"), "\"lanewatch/bays/v1\"");
	assert_json(json_object_get(j, "collected_at"), "\"2026-11-30T12:00:01Z\"");
	assert_json(json_object_get(json_array_get(json_object_get(j, "path"), 0), "shared_by"), "[\"1\"]");
	json_decref(j);
	inventory_release(&inv);
}
END_TEST

/* A text that ends anywhere is none, and what was read before its end is let go of. */
START_TEST(a_document_cut_anywhere_is_refused)
{
	struct inventory inv;
	struct err e;
	char *text;

	inventory_init(&inv);
	fill(&inv);
	text = dump(document_of_inventory(&inv));
	inventory_release(&inv);
	for (size_t len = strlen(text) - 1; len > 0; len -= len > 3000 ? 13 : 1) {
		text[len] = '\0';
		ck_assert_int_eq(document_read_text(text, &inv, &e), -1);
		inventory_release(&inv);
	}
	free(text);
}
END_TEST

START_TEST(what_is_no_document_is_refused_with_the_reason)
{
	static const char *const rows[] = {"{}", "[]", "{\"schema\": \"lanewatch/bays/v2\", \"bays\": []}",
		"{\"schema\": \"lanewatch/bays/v1\"}", "{\"schema\": \"lanewatch/bays/v1\", \"bays\": {}}", "{\"schema\": 1}"};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct inventory inv;
		struct err e = {""};
		json_t *j = parse(rows[i]);

		ck_assert_msg(document_read_inventory(j, &inv, &e) == -1, "%s", rows[i]);
		ck_assert(*e.text);
		json_decref(j);
		inventory_release(&inv);
		e.text[0] = '\0';
		ck_assert_msg(document_read_text(rows[i], &inv, &e) == -1, "%s", rows[i]);
		ck_assert(*e.text);
		inventory_release(&inv);
	}
}
END_TEST

START_TEST(what_is_written_fits_its_schema_and_the_schema_refuses_what_does_not)
{
	static const struct {
		const char *what, *key;
		json_t *(*value)(void);
	} rows[] = {
		{"a verdict as null", "verdict", json_null},
		{"text where a list is", "notes", json_null},
		{"a key that nobody knows", "bogus", json_true},
		{"a flag as null", "stale", json_null},
		{"a list as health", "health", json_array},
	};
	json_t *schema = schema_read("schemas/api/bays.schema.json"), *j, *b;
	struct inventory inv;
	char why[512];

	ck_assert_msg(schema, "no schema: is srcdir set?");
	inventory_init(&inv);
	fill(&inv);
	j = document_of_inventory(&inv);
	ck_assert_msg(schema_check(schema, j, why, sizeof why) == 0, "%s", why);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		json_t *odd = json_deep_copy(j);

		b = json_array_get(json_object_get(odd, "bays"), 0);
		json_object_set_new(b, rows[i].key, rows[i].value());
		ck_assert_msg(schema_check(schema, odd, why, sizeof why) == -1, "%s", rows[i].what);
		ck_assert_msg(strstr(why, rows[i].key), "%s: %s", rows[i].what, why);
		json_decref(odd);
	}
	json_decref(j);
	json_decref(schema);
	inventory_release(&inv);
}
END_TEST

START_TEST(an_empty_inventory_fits_the_schema_too)
{
	json_t *schema = schema_read("schemas/api/bays.schema.json"), *j;
	struct inventory inv;
	char why[512];

	inventory_init(&inv);
	inventory_finish(&inv, NULL, 0);
	j = document_of_inventory(&inv);
	ck_assert_msg(schema_check(schema, j, why, sizeof why) == 0, "%s", why);
	json_decref(j);
	json_decref(schema);
	inventory_release(&inv);
}
END_TEST

/* ---- partial and odd readings ---- */

START_TEST(a_partial_reading_gives_what_it_says_and_nothing_more)
{
	json_t *j = parse("{\"bay\": \"3\", \"present\": true, \"drive\": {\"serial\": \" S1 \", \"model\": \"Acme\"},"
			  "\"link\": {\"speed_gts\": 16, \"width\": 4, \"max_speed_gts\": 32, \"max_width\": 4,"
			  "\"slot\": {\"max_speed_gts\": 32.0, \"max_width\": 4}}, \"wear\": {\"bytes_written\": \"512000\"}, \"busy\": true}");
	struct bay b = document_read_bay(j, "host", "srv1");

	ck_assert_str_eq(b.target, "host");
	ck_assert_str_eq(b.host, "srv1");
	ck_assert_str_eq(b.drive.serial, "S1");
	ck_assert_int_eq(b.link.now.speed_mtps, 16000);
	ck_assert_int_eq(b.link.slot.width_lanes, 4);
	ck_assert_int_eq(b.link.changes, -1);
	ck_assert_uint_eq(b.wear.bytes_written.lo, 512000);
	ck_assert(isnan(b.wear.percent_used) && !b.wear.bytes_read.known);
	ck_assert_int_eq(b.health.critical_warning, -1);
	ck_assert_int_eq(b.busy, TRI_YES);
	ck_assert(b.pcie && b.wear.applicable && !b.stale);
	json_decref(j);
}
END_TEST

START_TEST(presence_follows_from_a_drive_only_where_nothing_is_said_of_it)
{
	static const struct {
		const char *text;
		enum tri present;
		bool drive;
	} rows[] = {
		{"{\"bay\": \"1\", \"drive\": {\"serial\": \"S\"}}", TRI_YES, true},
		{"{\"bay\": \"1\", \"present\": null, \"drive\": {\"serial\": \"S\"}}", TRI_UNKNOWN, true},
		{"{\"bay\": \"1\", \"present\": false, \"drive\": null}", TRI_NO, false},
		{"{\"bay\": \"1\"}", TRI_UNKNOWN, false},
		{"{\"bay\": 1, \"present\": \"yes\", \"drive\": \"S\"}", TRI_UNKNOWN, false},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		json_t *j = parse(rows[i].text);
		struct bay b = document_read_bay(j, "t", "h");

		ck_assert_msg(b.present == rows[i].present && b.has_drive == rows[i].drive, "%s", rows[i].text);
		ck_assert_str_eq(b.bay, "1");
		json_decref(j);
	}
}
END_TEST

/* Puts `odd` in place of the n-th value below j, depth first; false if there are fewer. */
static bool replace_value(json_t *j, size_t *n, json_t *odd)
{
	const char *key;
	json_t *v;
	size_t i;
	void *next;

	if (json_is_object(j)) {
		json_object_foreach_safe(j, next, key, v) {
			if ((*n)-- == 0)
				return json_object_set(j, key, odd) == 0;
			if (replace_value(v, n, odd))
				return true;
		}
	} else if (json_is_array(j)) {
		json_array_foreach(j, i, v) {
			if ((*n)-- == 0)
				return json_array_set(j, i, odd) == 0;
			if (replace_value(v, n, odd))
				return true;
		}
	}
	return false;
}

START_TEST(any_value_may_be_anything_without_spoiling_its_neighbours_LW_R6)
{
	static const char *const odd[] = {"null", "true", "-1", "0", "9007199254740992", "9223372036854775807", "1e308", "\"\"",
		"\"N/A\"", "[]", "{}", "[[1]]", "{\"a\": {}}", "2.5", "\"18446744073709551616\""};
	struct bay full = full_bay("7");
	char *text = dump(document_of_bay(&full));
	size_t mutations = 0, changed = 0;

	for (size_t o = 0; o < sizeof odd / sizeof odd[0]; o++) {
		json_t *value = json_loads(odd[o], JSON_DECODE_ANY, NULL);

		ck_assert_ptr_nonnull(value);
		for (size_t nth = 0;; nth++) {
			json_t *j = parse(text);
			size_t n = nth;
			struct bay b;
			char *again;
			const char *hit;

			if (!replace_value(j, &n, value)) {
				json_decref(j);
				break;
			}
			b = document_read_bay(j, "t", "h");
			again = dump(document_of_bay(&b));
			changed += strcmp(again, text) != 0;
			mutations++;
			/* no value is made up: what it cannot be does not come out */
			ck_assert_ptr_null(strstr(again, "1e+308"));
			hit = strstr(again, ":-1,"); /* which only a temperature can be */
			ck_assert(!hit || (hit - again > 21 && strncmp(hit - 21, "\"temperature_celsius\"", 21) == 0));
			ck_assert_ptr_null(strstr(again, "inf"));
			free(again);
			json_decref(j);
		}
		json_decref(value);
	}
	ck_assert_uint_gt(mutations, 1500);
	ck_assert_uint_gt(changed, mutations / 2);
	free(text);
}
END_TEST

/* Each member below o by its name, with a name of what there is none of. */
static void add_names(struct buf *out, const json_t *o, const char *before)
{
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)o, key, v)
	{
		char name[256];

		snprintf(name, sizeof name, "%s%s%s", before, *before ? "." : "", key);
		buf_printf(out, "%s\n%s,%s.none\n", name, name, name);
		add_names(out, v, name);
	}
}

START_TEST(members_made_alone_are_those_of_the_whole)
{
	struct bay bays[] = {full_bay("7"), bay_unknown("t", "h", "8")};
	struct buf lines;
	size_t n = 0;

	for (size_t i = 0; i < sizeof bays / sizeof bays[0]; i++) {
		json_t *whole = document_of_bay(&bays[i]);

		buf_init(&lines, 1 << 20);
		add_names(&lines, whole, "");
		buf_add_text(&lines, "\n,,none\nlink.\n.\nlink.slot.max_width,verdict,link,link.raw\nwear.percent_used,drive.id,wear.alert\n");
		for (char *line = lines.data, *end; *line; line = end + 1) {
			struct wanted *w;
			json_t *alone, *part;
			char *got, *want;

			end = strchr(line, '\n');
			*end = '\0';
			w = wanted_read(line, document_bay_members);
			alone = member_object(document_bay_members, &bays[i], w);
			part = wanted_of(w, whole);
			got = json_dumps(alone, JSON_COMPACT);
			want = json_dumps(part, JSON_COMPACT);
			ck_assert_msg(strcmp(got, want) == 0, "%s: %s, of the whole %s", line, got, want);
			n += json_object_size(alone);
			free(got);
			free(want);
			json_decref(alone);
			json_decref(part);
			wanted_free(w);
		}
		buf_release(&lines);
		json_decref(whole);
	}
	ck_assert_uint_gt(n, 300);
}
END_TEST

START_TEST(values_out_of_their_range_are_unknown_LW_R6)
{
	json_t *j = parse("{\"bay\": \"1\", \"drive\": {\"capacity_bytes\": -5}, \"temperature_celsius\": 1e9,"
			  "\"link\": {\"speed_gts\": 31, \"width\": 3, \"max_speed_gts\": -8, \"max_width\": 255, \"changes\": -2},"
			  "\"wear\": {\"percent_used\": 256, \"life_left_percent\": -229, \"available_spare_percent\": 101,"
			  "\"bytes_written\": \"12x\", \"rated_tbw\": -1},"
			  "\"health\": {\"media_errors\": -1, \"power_on_hours\": 2.5, \"critical_warning\": \"spare\"},"
			  "\"observed_at\": \"yesterday\", \"verdict\": \"fine\", \"notes\": [1, \"vmd-domain\", \"x\"]}");
	struct bay b = document_read_bay(j, "t", "h");

	ck_assert(!b.drive.capacity_bytes.known && isnan(b.temperature_c));
	ck_assert_int_eq(b.link.now.speed_mtps + b.link.now.width_lanes + b.link.max.speed_mtps + b.link.max.width_lanes, 0);
	ck_assert_int_eq(b.link.changes, -1);
	ck_assert(isnan(b.wear.percent_used) && isnan(b.wear.life_left_percent) && isnan(b.wear.available_spare_percent));
	ck_assert(!b.wear.bytes_written.known && isnan(b.wear.rated_tbw));
	ck_assert(!b.health.media_errors.known && !b.health.power_on_hours.known);
	ck_assert_int_eq(b.health.critical_warning, -1);
	ck_assert_int_eq(b.observed_wall_ms, CLOCK_NEVER);
	ck_assert_int_eq(b.judged.verdict, VERDICT_NONE);
	ck_assert_uint_eq(b.notes, NOTE_VMD_DOMAIN);
	json_decref(j);
}
END_TEST

START_TEST(a_drive_without_a_pcie_link_is_told_by_its_protocol_or_verdict)
{
	static const struct {
		const char *text;
		bool pcie;
	} rows[] = {
		{"{\"bay\": \"1\", \"drive\": {\"protocol\": \"SATA\"}}", false},
		{"{\"bay\": \"1\", \"drive\": {\"protocol\": \"sas\"}}", false},
		{"{\"bay\": \"1\", \"drive\": {\"protocol\": \"NVMe\"}}", true},
		{"{\"bay\": \"1\", \"drive\": {\"protocol\": \"NVMe\"}, \"verdict\": \"not-applicable\"}", false},
		{"{\"bay\": \"1\", \"drive\": {}}", true},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		json_t *j = parse(rows[i].text);

		ck_assert_msg(document_read_bay(j, "t", "h").pcie == rows[i].pcie, "%s", rows[i].text);
		json_decref(j);
	}
}
END_TEST

UNIT_MAIN("document", a_full_bay_is_written_as_the_contract_says,
	of_an_unknown_drive_every_key_is_there_and_none_is_zero_LW_R6, a_link_of_placeholders_keeps_them_as_given,
	a_text_cut_inside_a_character_is_still_a_text, a_bay_that_is_written_read_and_written_is_the_same_text,
	a_document_that_is_written_read_and_written_is_the_same_text,
	the_text_of_a_document_is_the_same_without_its_tree, the_summary_counts_bays_drives_and_verdicts,
	a_document_cut_anywhere_is_refused,
	what_is_no_document_is_refused_with_the_reason,
	what_is_written_fits_its_schema_and_the_schema_refuses_what_does_not, an_empty_inventory_fits_the_schema_too, a_partial_reading_gives_what_it_says_and_nothing_more,
	presence_follows_from_a_drive_only_where_nothing_is_said_of_it,
	any_value_may_be_anything_without_spoiling_its_neighbours_LW_R6, members_made_alone_are_those_of_the_whole, values_out_of_their_range_are_unknown_LW_R6,
	a_drive_without_a_pcie_link_is_told_by_its_protocol_or_verdict)
