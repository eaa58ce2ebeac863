/* SPDX-License-Identifier: MIT */
/*
 * Reports of many drives in place of a request for each: what counts of them, and for whom.  A BMC of a
 * few Dell drives stands in memory; clocks are turned by hand.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "collectors/redfish/report.h"
#include "collectors/redfish/survey.h"
#include "collectors/redfish/telemetry.h"
#include "tests/unit/sim.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define REPORTS "/redfish/v1/TelemetryService/MetricReports"

enum { DRIVES = 4, MINUTE_MS = 60 * 1000 };

static const int64_t noon = 1900000000000; /* by the BMC's clock, which is not ours */
static json_t *bmc;			    /* {path: document}; "status" in a document is that of a refusal */
static json_t *asked;			    /* paths of the round */
static struct rf_tree tree;
static struct rf_telemetry *telemetry;
static struct snapshot snap;

static const char *at(int64_t wall_ms)
{
	static char text[CLOCK_TEXT_MAX];

	return clock_text(wall_ms, text);
}

static void put(const char *path, json_t *doc)
{
	json_object_set_new(doc, "@odata.id", json_string(path));
	json_object_set_new(bmc, path, doc);
}

static void drive_path(int bay, char out[128])
{
	snprintf(out, 128, "/redfish/v1/Systems/1/Storage/CPU.1/Drives/Disk.Bay.%d:Enclosure.Internal.0-1", bay);
}

static void put_drive(int bay, const char *serial)
{
	char path[128], smart[160];

	drive_path(bay, path);
	snprintf(smart, sizeof smart, "%s/Oem/Dell/DellNVMeSMARTAttributes", path);
	put(path, json_pack("{s:s, s:s, s:s, s:s, s:{s:s}, s:{s:{s:{s:s}}}}", "Id", rf_path_last(path), "SerialNumber", serial,
		"Model", "Test NVMe", "Protocol", "PCIe", "Status", "State", "Enabled", "Oem", "Dell",
		"DellNVMeSMARTAttributes", "@odata.id", smart));
	put(smart, json_pack("{s:i, s:i}", "LifeUsedPercent", 90 + bay, "CompositeTemperatureKelvin", 300));
}

/* A value of a drive; `when` 0: it has no time of its own. */
static json_t *value_of(const char *fqdd, const char *id, json_t *value, int64_t when)
{
	json_t *v = json_pack("{s:s, s:o, s:{s:{s:s}}}", "MetricId", id, "MetricValue", value, "Oem", "Dell", "FQDD", fqdd);

	if (when)
		json_object_set_new(v, "Timestamp", json_string(at(when)));
	return v;
}

static json_t *values(void)
{
	return json_object_get(json_object_get(bmc, REPORTS "/NVMeSMARTData"), "MetricValues");
}

static void put_report(int64_t when)
{
	put(REPORTS "/NVMeSMARTData", json_pack("{s:s, s:s, s:[]}", "Id", "NVMeSMARTData", "Timestamp", at(when), "MetricValues"));
	for (int i = 0; i < DRIVES; i++) {
		char path[128];

		drive_path(i, path);
		json_array_append_new(values(), value_of(rf_path_last(path), "PercentageUsed", json_sprintf("%d", 10 + i), 0));
	}
}

static void put_clock(int64_t wall_ms)
{
	put("/redfish/v1/Managers/1", json_pack("{s:s, s:s}", "Id", "1", "DateTime", at(wall_ms)));
}

static void setup(void)
{
	json_t *drives = json_array();

	clock_set(1000000000000, 5000000); /* ours: years behind */
	bmc = json_object();
	put("/redfish/v1", json_pack("{s:s, s:s, s:{s:s}, s:{s:s}}", "RedfishVersion", "1.9.0", "Vendor", "Dell", "Systems",
		"@odata.id", "/redfish/v1/Systems", "TelemetryService", "@odata.id", "/redfish/v1/TelemetryService"));
	put("/redfish/v1/Systems", json_pack("{s:[{s:s}]}", "Members", "@odata.id", "/redfish/v1/Systems/1"));
	put("/redfish/v1/Systems/1", json_pack("{s:s, s:{s:s}, s:{s:[{s:s}]}}", "Id", "1", "Storage", "@odata.id",
		"/redfish/v1/Systems/1/Storage", "Links", "ManagedBy", "@odata.id", "/redfish/v1/Managers/1"));
	put("/redfish/v1/Systems/1/Storage", json_pack("{s:[{s:s}]}", "Members", "@odata.id", "/redfish/v1/Systems/1/Storage/CPU.1"));
	for (int i = 0; i < DRIVES; i++) {
		char path[128], serial[32];

		drive_path(i, path);
		snprintf(serial, sizeof serial, "TT000000%d", i);
		put_drive(i, serial);
		json_array_append_new(drives, json_pack("{s:s}", "@odata.id", path));
	}
	put("/redfish/v1/Systems/1/Storage/CPU.1", json_pack("{s:s, s:o}", "Id", "CPU.1", "Drives", drives));
	put("/redfish/v1/TelemetryService", json_pack("{s:b, s:{s:s}, s:{s:s}}", "ServiceEnabled", 1, "MetricReports", "@odata.id",
		REPORTS, "MetricReportDefinitions", "@odata.id", "/redfish/v1/TelemetryService/MetricReportDefinitions"));
	put(REPORTS, json_pack("{s:[{s:s}, {s:s}]}", "Members", "@odata.id", REPORTS "/PowerMetrics", "@odata.id",
		REPORTS "/NVMeSMARTData"));
	put_clock(noon);
	put_report(noon - 20 * MINUTE_MS);
	rf_tree_init(&tree, NULL);
	telemetry = rf_telemetry_new();
	snapshot_init(&snap, "test", TARGET_REDFISH, "test");
	asked = json_object();
}

static void teardown(void)
{
	snapshot_release(&snap);
	rf_telemetry_free(telemetry);
	rf_tree_release(&tree);
	json_decref(bmc);
	json_decref(asked);
}

static void answer(struct rf_resource *r)
{
	json_t *doc = json_object_get(bmc, r->key);
	int status = doc ? (int)json_integer_value(json_object_get(doc, "status")) : 404;

	json_object_set_new(asked, r->key, json_true());
	if (doc && !status)
		rf_tree_put(&tree, r, json_incref(doc), 1);
	else
		rf_tree_fail(&tree, r, status, doc ? "IDRAC.2.8.LIC501" : "", "");
}

/* One poll; `metrics` if it is the time of theirs. */
static void poll_bmc(bool metrics, bool rewalk)
{
	struct rf_survey *s = mem_new(1, sizeof *s);
	struct rf_resource *r;

	json_object_clear(asked);
	rf_tree_begin(&tree);
	if (rewalk)
		rf_tree_rewalk(&tree);
	tree.metrics_due = metrics;
	s->tree = &tree;
	s->telemetry = telemetry;
	for (;;) {
		rf_survey_run(s);
		r = rf_tree_next(&tree);
		if (!r)
			break;
		for (; r; r = rf_tree_next(&tree))
			answer(r);
	}
	snapshot_release(&snap);
	snapshot_init(&snap, "test", TARGET_REDFISH, "test");
	rf_report(s, &snap);
	free(s);
	rf_tree_pack(&tree);
}

static const struct bay *bay(int number)
{
	char name[8];

	snprintf(name, sizeof name, "%d", number);
	for (size_t i = 0; i < snap.n_bays; i++)
		if (strcmp(snap.bays[i].bay, name) == 0)
			return &snap.bays[i];
	ck_abort_msg("there is no bay %d", number);
	return NULL;
}

static bool was_asked(const char *path)
{
	return json_object_get(asked, path) != NULL;
}

/* Requests for one drive's SMART data alone. */
static int own_requests(void)
{
	const char *path;
	json_t *j;
	int n = 0;

	json_object_foreach(asked, path, j)
		n += strstr(path, "DellNVMeSMARTAttributes") != NULL;
	return n;
}

START_TEST(one_report_takes_the_place_of_a_request_for_each_drive)
{
	setup();
	poll_bmc(true, false);
	ck_assert_int_eq(own_requests(), 0);
	for (int i = 0; i < DRIVES; i++)
		ck_assert(bay(i)->wear.percent_used == 10 + i);
	ck_assert(!was_asked(REPORTS "/PowerMetrics"));
	poll_bmc(false, false); /* what was measured stays until it is measured again */
	ck_assert(!was_asked(REPORTS "/NVMeSMARTData"));
	ck_assert(bay(2)->wear.percent_used == 12);
	poll_bmc(true, false);
	ck_assert(was_asked(REPORTS "/NVMeSMARTData"));
	ck_assert(!was_asked(REPORTS) && !was_asked("/redfish/v1/TelemetryService"));
	teardown();
}
END_TEST

static const struct {
	const char *what, *id, *value;
	int64_t age_ms;
	double used, celsius;
} counts[] = {
	{"a number in a text", "PercentageUsed", "\"7\"", 0, 7, NAN},
	{"a number", "PercentageUsed", "7", 0, 7, NAN},
	{"more than a hundred", "PercentageUsed", "\"130\"", 0, 130, NAN},
	{"what is left", "PercentDriveLifeRemaining", "\"95\"", 0, 5, NAN},
	{"kelvin", "CompositeTemperature", "\"308\"", 0, NAN, 35},
	{"a name that is spelt so by some", "CompositeTemparature", "\"308\"", 0, NAN, 35},
	{"celsius", "TemperatureReading", "\"41\"", 0, NAN, 41},
	{"two hours old", "PercentageUsed", "\"7\"", 120 * MINUTE_MS, 7, NAN},
	{"a little ahead", "PercentageUsed", "\"7\"", -2 * MINUTE_MS, 7, NAN},
	{"a name of nothing that is known", "SomethingUsed", "\"7\"", 0, NAN, NAN},
	{"a name that only ends so", "NotPercentageUsed", "\"7\"", 0, NAN, NAN},
	{"no number", "PercentageUsed", "\"seven\"", 0, NAN, NAN},
	{"a number and more", "PercentageUsed", "\"7 %\"", 0, NAN, NAN},
	{"nothing", "PercentageUsed", "\"\"", 0, NAN, NAN},
	{"null", "PercentageUsed", "null", 0, NAN, NAN},
	{"a list", "PercentageUsed", "[7]", 0, NAN, NAN},
	{"less than nothing", "PercentageUsed", "\"-1\"", 0, NAN, NAN},
	{"past what a byte holds", "PercentageUsed", "\"256\"", 0, NAN, NAN},
	{"infinity", "PercentageUsed", "\"inf\"", 0, NAN, NAN},
	{"a left of 255, which means nothing", "PercentDriveLifeRemaining", "\"255\"", 0, NAN, NAN},
	{"zero kelvin", "CompositeTemperature", "\"0\"", 0, NAN, NAN},
	{"celsius where kelvin are due", "CompositeTemperature", "\"35\"", 0, NAN, NAN},
	{"four hours old", "PercentageUsed", "\"7\"", 240 * MINUTE_MS, NAN, NAN},
	{"of tomorrow", "PercentageUsed", "\"7\"", -24 * 60 * MINUTE_MS, NAN, NAN},
};

START_TEST(a_value_counts_if_it_is_one_and_young)
{
	char path[128];

	for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
		setup();
		drive_path(0, path);
		json_array_clear(values());
		json_array_append_new(values(), value_of(rf_path_last(path), counts[n].id,
			json_loads(counts[n].value, JSON_DECODE_ANY, NULL), noon - counts[n].age_ms));
		json_object_del(json_object_get(bmc, path), "Oem"); /* its own resource tells nothing */
		json_object_set_new(json_object_get(bmc, path), "Metrics", json_pack("{s:s}", "@odata.id", "/redfish/v1/nowhere"));
		poll_bmc(true, false);
		ck_assert_msg(isnan(counts[n].used) ? isnan(bay(0)->wear.percent_used) : bay(0)->wear.percent_used == counts[n].used,
			"%s: %g used", counts[n].what, bay(0)->wear.percent_used);
		ck_assert_msg(isnan(counts[n].celsius) ? isnan(bay(0)->temperature_c) : bay(0)->temperature_c == counts[n].celsius,
			"%s: %g C", counts[n].what, bay(0)->temperature_c);
		ck_assert(bay(1)->wear.percent_used == 91); /* the others' own */
		teardown();
	}
}
END_TEST

START_TEST(a_report_from_before_a_drive_came_is_not_of_it)
{
	setup();
	poll_bmc(true, false);
	ck_assert(bay(1)->wear.percent_used == 11);
	put_drive(1, "TT0000099");
	clock_set(1000000000000, 5000000 + 10 * MINUTE_MS);
	poll_bmc(true, false);
	ck_assert(bay(1)->wear.percent_used == 91); /* asked of the drive itself */
	ck_assert_int_eq(own_requests(), 1);
	ck_assert(bay(2)->wear.percent_used == 12);
	put_report(noon + 15 * MINUTE_MS);
	clock_set(1000000000000, 5000000 + 20 * MINUTE_MS);
	poll_bmc(true, false);
	ck_assert(bay(1)->wear.percent_used == 11); /* the next report is */
	ck_assert_int_eq(own_requests(), 0);
	teardown();
}
END_TEST

START_TEST(a_drive_that_came_between_two_reports_has_no_sample_rather_than_anothers)
{
	setup();
	poll_bmc(true, false);
	put_drive(1, "TT0000099");
	poll_bmc(false, false);
	ck_assert(isnan(bay(1)->wear.percent_used));
	ck_assert(bay(0)->wear.percent_used == 10);
	teardown();
}
END_TEST

START_TEST(a_report_that_says_otherwise_than_the_drive_is_of_another)
{
	char path[128];

	setup();
	drive_path(3, path);
	json_object_set_new(json_object_get(bmc, path), "PredictedMediaLifeLeftPercent", json_integer(40));
	drive_path(2, path);
	json_object_set_new(json_object_get(bmc, path), "PredictedMediaLifeLeftPercent", json_integer(89));
	poll_bmc(true, false);
	ck_assert(bay(3)->wear.percent_used == 93); /* its own resource's */
	ck_assert(bay(2)->wear.percent_used == 12);
	teardown();
}
END_TEST

START_TEST(a_report_that_is_not_renewed_becomes_no_sample)
{
	setup();
	poll_bmc(true, false);
	clock_set(1000000000000, 5000000 + 200 * MINUTE_MS);
	put_clock(noon + 200 * MINUTE_MS);
	poll_bmc(false, false);
	ck_assert(isnan(bay(0)->wear.percent_used));
	poll_bmc(true, false);
	ck_assert(bay(0)->wear.percent_used == 90); /* each by itself again */
	teardown();
}
END_TEST

START_TEST(the_clock_of_the_BMC_decides_and_is_read_anew_where_it_was_put_right)
{
	setup();
	poll_bmc(true, false);
	put_clock(noon + 300LL * 24 * 60 * MINUTE_MS);
	put_report(noon + 300LL * 24 * 60 * MINUTE_MS);
	poll_bmc(true, false);
	ck_assert(was_asked("/redfish/v1/Managers/1"));
	ck_assert(bay(0)->wear.percent_used == 10);
	ck_assert_int_eq(own_requests(), 0);
	poll_bmc(true, false);
	ck_assert(!was_asked("/redfish/v1/Managers/1"));
	teardown();
}
END_TEST

START_TEST(what_is_not_licensed_is_left_alone_until_the_next_walk)
{
	json_t *list;

	setup();
	list = json_incref(json_object_get(bmc, REPORTS));
	json_object_set_new(bmc, REPORTS, json_pack("{s:i}", "status", 403));
	poll_bmc(true, false);
	ck_assert(was_asked(REPORTS));
	ck_assert(bay(0)->wear.percent_used == 90);
	ck_assert_uint_eq(snap.target.n_errors, 0);
	for (int i = 0; i < 3; i++) {
		poll_bmc(true, false);
		ck_assert(!was_asked(REPORTS));
	}
	json_object_set_new(bmc, REPORTS, list); /* a licence came */
	poll_bmc(true, true);
	ck_assert(was_asked(REPORTS));
	ck_assert(bay(0)->wear.percent_used == 10);
	teardown();
}
END_TEST

START_TEST(a_service_that_is_off_costs_one_request_a_walk)
{
	setup();
	json_object_set_new(json_object_get(bmc, "/redfish/v1/TelemetryService"), "ServiceEnabled", json_false());
	poll_bmc(true, false);
	ck_assert(was_asked("/redfish/v1/TelemetryService") && !was_asked(REPORTS));
	poll_bmc(true, false);
	ck_assert(!was_asked("/redfish/v1/TelemetryService"));
	teardown();
}
END_TEST

START_TEST(few_drives_are_not_worth_a_report)
{
	json_t *drives;

	setup();
	drives = json_object_get(json_object_get(bmc, "/redfish/v1/Systems/1/Storage/CPU.1"), "Drives");
	json_array_remove(drives, 3);
	poll_bmc(true, false);
	ck_assert(!was_asked("/redfish/v1/TelemetryService"));
	ck_assert(bay(0)->wear.percent_used == 90);
	teardown();
}
END_TEST

static void add_halves(const char *lower, const char *upper)
{
	char path[128];

	drive_path(0, path);
	json_array_append_new(values(), value_of(rf_path_last(path), "PowerCyclesLower", json_string(lower), 0));
	if (upper)
		json_array_append_new(values(), value_of(rf_path_last(path), "PowerCyclesUpper", json_string(upper), 0));
}

START_TEST(a_counter_in_halves_is_whole_or_unknown)
{
	char text[COUNT_TEXT_MAX];

	setup();
	add_halves("5", "2");
	poll_bmc(true, false);
	ck_assert_str_eq(count_text(bay(0)->health.power_cycles, text), "36893488147419103237");
	put_report(noon - 10 * MINUTE_MS);
	add_halves("5", NULL);
	poll_bmc(true, false);
	ck_assert(!bay(0)->health.power_cycles.known);
	put_report(noon - 9 * MINUTE_MS);
	add_halves("18446744073709551616", "0"); /* no half */
	poll_bmc(true, false);
	ck_assert(!bay(0)->health.power_cycles.known);
	teardown();
}
END_TEST

/* Of a value that stands twice, the newest; the report's own time where a value has none. */
START_TEST(of_several_values_the_newest_counts)
{
	char path[128];

	setup();
	drive_path(0, path);
	json_array_insert_new(values(), 0, value_of(rf_path_last(path), "PercentageUsed", json_string("60"), noon - MINUTE_MS));
	json_array_append_new(values(), value_of(rf_path_last(path), "PercentageUsed", json_string("50"), noon - 60 * MINUTE_MS));
	poll_bmc(true, false);
	ck_assert(bay(0)->wear.percent_used == 60);
	teardown();
}
END_TEST

/* Each replaces the report, its values or one of them. */
static const char *const hostile[] = {
	"{\"MetricValues\": null}", "{\"MetricValues\": {}}", "{\"MetricValues\": \"x\"}", "{\"MetricValues\": [null, 1, [], \"\"]}", "{}",
	"{\"MetricValues\": [{\"MetricId\": {}, \"MetricValue\": {}, \"Timestamp\": [], \"Oem\": 7, \"MetricProperty\": 9}]}",
	"{\"MetricValues\": [{\"MetricId\": \"PercentageUsed\", \"MetricValue\": \"5\", \"Timestamp\": \"9999-99-99\", \"Oem\": {\"Dell\": {\"FQDD\": \"Disk.Bay.0:Enclosure.Internal.0-1\"}}}]}",
	"{\"MetricValues\": [{\"MetricId\": \"PercentageUsed\", \"MetricValue\": \"5\", \"Oem\": {\"Dell\": {\"FQDD\": \"SMARTData:\"}}}]}",
	"{\"MetricValues\": [{\"MetricProperty\": \"http://elsewhere/redfish/v1/Systems/1#/PercentageUsed\", \"MetricValue\": \"5\"}]}",
	"{\"MetricValues\": [{\"MetricProperty\": \"/../../#/PercentageUsed\", \"MetricValue\": \"5\"}]}",
	"{\"MetricValues\": [{\"MetricProperty\": \"/redfish/v1/Systems/1/Storage/CPU.1/Drives#/PercentageUsed\", \"MetricValue\": \"5\"}]}",
};

START_TEST(LW_R6_a_report_of_nonsense_leaves_each_drive_its_own_answer)
{
	for (size_t n = 0; n < sizeof hostile / sizeof hostile[0]; n++) {
		json_t *report = json_loads(hostile[n], 0, NULL);

		setup();
		ck_assert_ptr_nonnull(report);
		put(REPORTS "/NVMeSMARTData", report);
		if (!json_object_get(report, "Timestamp"))
			json_object_set_new(report, "Timestamp", json_string(at(noon)));
		poll_bmc(true, false);
		for (int i = 0; i < DRIVES; i++)
			ck_assert_msg(bay(i)->wear.percent_used == 90 + i, "bay %d: %g", i, bay(i)->wear.percent_used);
		teardown();
	}
}
END_TEST

START_TEST(LW_R8_a_report_without_end_is_read_up_to_a_bound)
{
	setup();
	for (int i = 0; i < 40000; i++)
		json_array_append_new(values(), value_of("Nobody", "PercentageUsed", json_string("5"), 0));
	poll_bmc(true, false);
	for (int i = 0; i < DRIVES; i++)
		ck_assert(bay(i)->wear.percent_used == 10 + i);
	teardown();
}
END_TEST

START_TEST(with_reports_a_simulated_iDRAC_is_sent_fewer_requests_for_the_same_answer)
{
	struct sim with = sim_start(ARGS("--chassis", "r7725xd", "--license", "--telemetry", "3600", "--fault", "bay 7 wear 81", "--strict"));
	struct sim without = sim_start(ARGS("--chassis", "r7725xd", "--license", "--fault", "bay 7 wear 81", "--strict"));
	struct sim_polls a = sim_poll_every(&with, 3, 11 * MINUTE_MS), b = sim_poll_every(&without, 3, 11 * MINUTE_MS);

	ck_assert_int_le(a.requests[2], 3 + 2); /* two reports */
	ck_assert_int_ge(b.requests[2], 24);
	ck_assert_uint_eq(a.last.n_bays, b.last.n_bays);
	for (size_t i = 0; i < a.last.n_bays; i++) {
		const struct bay *x = &a.last.bays[i], *y = &b.last.bays[i];
		double u = x->wear.percent_used, v = y->wear.percent_used;

		ck_assert_str_eq(x->bay, y->bay);
		ck_assert_msg((isnan(u) && isnan(v)) || u == v, "bay %s: %g and %g used", x->bay, u, v);
		ck_assert_msg(isnan(y->temperature_c) || x->temperature_c == y->temperature_c, "bay %s: %g and %g C", x->bay,
			x->temperature_c, y->temperature_c);
	}
	sim_polls_release(&a);
	sim_polls_release(&b);
	ck_assert_int_eq(sim_stop(&with), 0);
	ck_assert_int_eq(sim_stop(&without), 0);
}
END_TEST

/* Without a licence for each drive's resource the reports still tell. */
START_TEST(reports_tell_wear_where_the_drives_resources_need_a_licence)
{
	struct sim sim = sim_start(ARGS("--chassis", "r7725xd", "--telemetry", "0", "--fault", "bay 7 wear 81", "--strict"));
	struct sim_polls p = sim_poll(&sim, 1, false, false);

	for (size_t i = 0; i < p.last.n_bays; i++)
		if (strcmp(p.last.bays[i].bay, "7") == 0)
			ck_assert(p.last.bays[i].wear.percent_used == 81);
	sim_polls_release(&p);
	ck_assert_int_eq(sim_stop(&sim), 0);
}
END_TEST

START_TEST(another_makers_reports_are_found_by_their_definitions)
{
	struct sim with = sim_start(ARGS("--chassis", "generic", "--telemetry", "3600", "--fault", "bay 4 wear 85", "--strict"));
	struct sim without = sim_start(ARGS("--chassis", "generic", "--fault", "bay 4 wear 85", "--strict"));
	struct sim_polls a = sim_poll_every(&with, 3, 11 * MINUTE_MS), b = sim_poll_every(&without, 3, 11 * MINUTE_MS);
	bool seen = false;

	ck_assert_int_le(a.requests[2] + 8, b.requests[2]); /* one report for eight drives, which have two resources each */
	for (size_t i = 0; i < a.last.n_bays; i++)
		if (strcmp(a.last.bays[i].bay, "4") == 0) {
			seen = true;
			ck_assert(a.last.bays[i].wear.percent_used == 85);
			ck_assert(a.last.bays[i].temperature_c == b.last.bays[i].temperature_c);
		}
	ck_assert(seen);
	sim_polls_release(&a);
	sim_polls_release(&b);
	sim_stop(&with);
	sim_stop(&without);
}
END_TEST

UNIT_MAIN("redfish telemetry",
	one_report_takes_the_place_of_a_request_for_each_drive,
	a_value_counts_if_it_is_one_and_young,
	a_report_from_before_a_drive_came_is_not_of_it,
	a_drive_that_came_between_two_reports_has_no_sample_rather_than_anothers,
	a_report_that_says_otherwise_than_the_drive_is_of_another,
	a_report_that_is_not_renewed_becomes_no_sample,
	the_clock_of_the_BMC_decides_and_is_read_anew_where_it_was_put_right,
	what_is_not_licensed_is_left_alone_until_the_next_walk,
	a_service_that_is_off_costs_one_request_a_walk,
	few_drives_are_not_worth_a_report,
	a_counter_in_halves_is_whole_or_unknown,
	of_several_values_the_newest_counts,
	LW_R6_a_report_of_nonsense_leaves_each_drive_its_own_answer,
	LW_R8_a_report_without_end_is_read_up_to_a_bound,
	with_reports_a_simulated_iDRAC_is_sent_fewer_requests_for_the_same_answer,
	reports_tell_wear_where_the_drives_resources_need_a_licence,
	another_makers_reports_are_found_by_their_definitions)
