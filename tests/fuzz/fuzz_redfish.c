/* SPDX-License-Identifier: MIT */
/*
 * One resource of a small BMC, whatever it is, through survey and report: the first byte is the
 * maker, the second the resource that is replaced, the third has switches; the rest is its JSON.
 * It may tell our password, which must be gone.  Two polls of one tree, so that what is kept
 * between them is tried too.
 */
#include "base/jtext.h"
#include "base/mem.h"
#include "base/str.h"
#include "collectors/redfish/report.h"
#include "collectors/redfish/secrets.h"
#include "collectors/redfish/survey.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SWITCH_EXPAND = 1, SWITCH_FIRST_POLL_ONLY = 2, SWITCH_RECORDING = 4, REQUESTS_MAX = 3 * RF_RESOURCES_MAX };

static const char *const makers[] = {
	"Exemplar", "Dell", "HPE", "Supermicro", "Lenovo", "NVIDIA", "Cisco Systems Inc.", "AMI",
};

#define REF(path) "{\"@odata.id\":\"" path "\"}"

static const struct {
	const char *path, *text;
} resources[] = {
	{"/redfish/v1", "{\"RedfishVersion\":\"1.18.0\",\"Systems\":" REF("/redfish/v1/Systems") ",\"Chassis\":"
		REF("/redfish/v1/Chassis") ",\"ProtocolFeaturesSupported\":{\"ExpandQuery\":{\"ExpandAll\":true,\"Levels\":true}}}"},
	{"/redfish/v1/Systems", "{\"Members\":[" REF("/redfish/v1/Systems/1") "]}"},
	{"/redfish/v1/Systems/1", "{\"Storage\":" REF("/redfish/v1/Systems/1/Storage") ",\"SimpleStorage\":"
		REF("/redfish/v1/Systems/1/SimpleStorage") ",\"Links\":{\"ManagedBy\":[" REF("/redfish/v1/Managers/1") "]},"
		"\"Oem\":{\"Hpe\":{\"Links\":{\"SmartStorage\":" REF("/redfish/v1/Systems/1/SmartStorage") "}}}}"},
	{"/redfish/v1/Systems/1/Storage", "{\"Members\":[" REF("/redfish/v1/Systems/1/Storage/1") ","
		REF("/redfish/v1/Systems/1/Storage/2") "]}"},
	{"/redfish/v1/Systems/1/Storage/1", "{\"Id\":\"1\",\"Drives\":[" REF("/redfish/v1/Systems/1/Storage/1/Drives/1") ","
		REF("/redfish/v1/Systems/1/Storage/1/Drives/2") "]}"},
	{"/redfish/v1/Systems/1/Storage/1/Drives/1", "{\"SerialNumber\":\"FZ1\",\"Model\":\"Fuzz 1.92TB\",\"Protocol\":\"NVMe\","
		"\"Status\":{\"State\":\"Enabled\",\"Health\":\"OK\"},\"PhysicalLocation\":{\"PartLocation\":{\"LocationOrdinalValue\":1}},"
		"\"Metrics\":" REF("/redfish/v1/Systems/1/Storage/1/Drives/1/Metrics") ",\"Links\":{\"Chassis\":"
		REF("/redfish/v1/Chassis/1") ",\"PCIeFunctions\":[" REF("/redfish/v1/Chassis/1/PCIeDevices/1/PCIeFunctions/1") "]}}"},
	{"/redfish/v1/Systems/1/Storage/1/Drives/2", "{\"SerialNumber\":\"FZ2\",\"Model\":\"Fuzz 1.92TB\"}"},
	{"/redfish/v1/Systems/1/Storage/1/Drives/1/Metrics", "{\"NVMeSMART\":{\"PercentageUsed\":3}}"},
	{"/redfish/v1/Systems/1/Storage/2", "{\"StorageControllers\":[{\"SerialNumber\":\"FZ3\",\"PCIeInterface\":{\"PCIeType\":"
		"\"Gen4\",\"LanesInUse\":4}}],\"Controllers\":" REF("/redfish/v1/Systems/1/Storage/2/Controllers") ",\"Drives\":["
		REF("/redfish/v1/Systems/1/Storage/2/Drives/1") "]}"},
	{"/redfish/v1/Systems/1/Storage/2/Controllers", "{\"Members\":[" REF("/redfish/v1/Systems/1/Storage/2/Controllers/1") "]}"},
	{"/redfish/v1/Systems/1/Storage/2/Controllers/1", "{\"SerialNumber\":\"FZ3\"}"},
	{"/redfish/v1/Systems/1/Storage/2/Drives/1", "{\"SerialNumber\":\"FZ3\"}"},
	{"/redfish/v1/Systems/1/SimpleStorage", "{\"Members\":[" REF("/redfish/v1/Systems/1/SimpleStorage/1") "]}"},
	{"/redfish/v1/Systems/1/SimpleStorage/1", "{\"Devices\":[{\"Name\":\"1\",\"Model\":\"Fuzz\"}]}"},
	{"/redfish/v1/Systems/1/SmartStorage", "{\"Links\":{\"ArrayControllers\":"
		REF("/redfish/v1/Systems/1/SmartStorage/ArrayControllers") "}}"},
	{"/redfish/v1/Systems/1/SmartStorage/ArrayControllers", "{\"Members\":["
		REF("/redfish/v1/Systems/1/SmartStorage/ArrayControllers/1") "]}"},
	{"/redfish/v1/Systems/1/SmartStorage/ArrayControllers/1", "{\"Links\":{\"PhysicalDrives\":"
		REF("/redfish/v1/Systems/1/SmartStorage/ArrayControllers/1/DiskDrives") "}}"},
	{"/redfish/v1/Systems/1/SmartStorage/ArrayControllers/1/DiskDrives", "{\"Members\":["
		REF("/redfish/v1/Systems/1/SmartStorage/ArrayControllers/1/DiskDrives/1") "]}"},
	{"/redfish/v1/Systems/1/SmartStorage/ArrayControllers/1/DiskDrives/1", "{\"@odata.type\":\"#HpeSmartStorageDiskDrive\"}"},
	{"/redfish/v1/Managers/1", "{\"FirmwareVersion\":\"1.0\"}"},
	{"/redfish/v1/Chassis", "{\"Members\":[" REF("/redfish/v1/Chassis/1") "]}"},
	{"/redfish/v1/Chassis/1", "{\"Drives\":" REF("/redfish/v1/Chassis/1/Drives") ",\"PCIeSlots\":"
		REF("/redfish/v1/Chassis/1/PCIeSlots") ",\"PCIeDevices\":" REF("/redfish/v1/Chassis/1/PCIeDevices")
		",\"Sensors\":" REF("/redfish/v1/Chassis/1/Sensors") "}"},
	{"/redfish/v1/Chassis/1/Drives", "{\"Members\":[" REF("/redfish/v1/Chassis/1/Drives/1") "]}"},
	{"/redfish/v1/Chassis/1/Drives/1", "{\"SerialNumber\":\"FZ1\",\"Model\":\"Fuzz 1.92TB\"}"},
	{"/redfish/v1/Chassis/1/PCIeSlots", "{\"Slots\":[{\"SlotType\":\"U2\",\"PCIeType\":\"Gen4\",\"Lanes\":4,"
		"\"Location\":{\"PartLocation\":{\"LocationOrdinalValue\":2}}}]}"},
	{"/redfish/v1/Chassis/1/PCIeDevices", "{\"Members\":[" REF("/redfish/v1/Chassis/1/PCIeDevices/1") ","
		REF("/redfish/v1/Chassis/1/PCIeDevices/2") "]}"},
	{"/redfish/v1/Chassis/1/PCIeDevices/1", "{\"PCIeInterface\":{\"PCIeType\":\"Gen4\",\"LanesInUse\":2,\"MaxLanes\":4},"
		"\"PCIeFunctions\":" REF("/redfish/v1/Chassis/1/PCIeDevices/1/PCIeFunctions") "}"},
	{"/redfish/v1/Chassis/1/PCIeDevices/2", "{\"SerialNumber\":\"FZ2\",\"PCIeFunctions\":"
		REF("/redfish/v1/Chassis/1/PCIeDevices/1/PCIeFunctions") "}"},
	{"/redfish/v1/Chassis/1/PCIeDevices/1/PCIeFunctions", "{\"Members\":["
		REF("/redfish/v1/Chassis/1/PCIeDevices/1/PCIeFunctions/1") "]}"},
	{"/redfish/v1/Chassis/1/PCIeDevices/1/PCIeFunctions/1", "{\"ClassCode\":\"0x010802\"}"},
	{"/redfish/v1/Chassis/1/Sensors", "{\"Members\":[" REF("/redfish/v1/Chassis/1/Sensors/1_SSD_0_Temp_0") "]}"},
	{"/redfish/v1/Chassis/1/Sensors/1_SSD_0_Temp_0", "{\"Reading\":30}"},
};

enum { N_RESOURCES = sizeof resources / sizeof resources[0] };

static json_t *answer_of(const char *key, const char *maker)
{
	for (size_t i = 0; i < N_RESOURCES; i++)
		if (strcmp(resources[i].path, key) == 0) {
			json_t *doc = json_loads(resources[i].text, 0, NULL);

			assert(doc);
			if (i == 0)
				json_object_set_new(doc, "Vendor", json_string(maker));
			return doc;
		}
	return NULL;
}

static void check_text(const char *s)
{
	char clean[512];

	str_clean(clean, sizeof clean, s);
	assert(strcmp(clean, s) == 0);
}

static void check_percent(double v, double max)
{
	assert(isnan(v) || (v >= 0 && v <= max));
}

static void check_rate(struct pcie_rate r)
{
	assert(!r.speed_mtps || pcie_generation(r.speed_mtps));
	assert(r.width_lanes >= 0 && r.width_lanes <= 32);
}

static void check_bay(const struct bay *b)
{
	check_text(b->bay);
	check_text(b->location);
	check_text(b->drive.serial);
	check_text(b->drive.model);
	check_text(b->drive.firmware);
	check_text(b->bmc_health);
	check_text(b->link.now_from);
	check_text(b->link.slot_from);
	check_percent(b->wear.percent_used, 255);
	check_percent(b->wear.life_left_percent, 100);
	check_percent(b->wear.available_spare_percent, 100);
	assert(isnan(b->temperature_c) || (b->temperature_c > -100 && b->temperature_c < 250));
	check_rate(b->link.now);
	check_rate(b->link.max);
	check_rate(b->link.slot);
}

static void check(const struct rf_survey *s)
{
	struct snapshot out;

	snapshot_init(&out, "fuzz", TARGET_REDFISH, "fuzz");
	rf_report(s, &out);
	for (size_t i = 0; i < out.n_bays; i++)
		check_bay(&out.bays[i]);
	check_text(out.target.product);
	snapshot_release(&out);
}

static void poll_once(struct rf_tree *t, bool no_expand, const char *maker, const char *replaced, json_t *doc,
	size_t elements)
{
	struct rf_survey *s = mem_new(1, sizeof *s);
	struct rf_resource *r;
	size_t requests = 0;

	s->tree = t;
	s->no_expand = no_expand;
	rf_tree_begin(t);
	t->metrics_due = true;
	for (;;) {
		json_t *answer;

		r = rf_tree_next(t);
		if (!r) {
			rf_survey_run(s);
			r = rf_tree_next(t);
		}
		if (!r)
			break;
		assert(++requests < REQUESTS_MAX); /* a walk has an end */
		if (doc && strcmp(r->key, replaced) == 0) {
			rf_tree_put(t, r, json_incref(doc), elements);
			continue;
		}
		answer = answer_of(r->key, maker);
		if (answer)
			rf_tree_put(t, r, answer, 10);
		else
			rf_tree_fail(t, r, 404, "", "");
	}
	check(s);
	free(s);
	rf_tree_pack(t);
}

/* Whatever the document is, our password is not in it afterwards. */
static void hide_secret(const uint8_t *data, size_t size, json_t *doc)
{
	static const char secret[] = "C0rrect+horse";
	struct rf_secrets s = {0};
	char *body = mem_new(size + 1, 1), *text;

	memcpy(body, data, size);
	rf_secrets_add(&s, secret, "root");
	rf_secrets_hide(&s, body, doc);
	rf_secrets_release(&s);
	text = json_dumps(doc, JSON_COMPACT);
	assert(!text || !strstr(text, secret));
	free(text);
	free(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct url origin = {.host = "127.0.0.1", .port = 80};
	struct rf_tree t;
	const char *maker, *replaced;
	bool no_expand;
	size_t elements = 0;
	json_t *doc;

	if (size < 4 || size > 65536)
		return 0;
	maker = makers[data[0] % (sizeof makers / sizeof makers[0])];
	replaced = resources[data[1] % N_RESOURCES].path;
	doc = jtext_parse((const char *)data + 3, size - 3, &elements, NULL);
	if (!doc)
		return 0;
	hide_secret(data + 3, size - 3, doc);
	rf_tree_init(&t, data[2] & SWITCH_RECORDING ? NULL : &origin);
	no_expand = !(data[2] & SWITCH_EXPAND);
	poll_once(&t, no_expand, maker, replaced, doc, elements);
	poll_once(&t, no_expand, maker, replaced, data[2] & SWITCH_FIRST_POLL_ONLY ? NULL : doc, elements);
	rf_tree_release(&t);
	json_decref(doc);
	return 0;
}
