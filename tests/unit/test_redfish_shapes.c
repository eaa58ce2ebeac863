/* SPDX-License-Identifier: MIT */
/* Shapes of Redfish trees that services have in the field, each as small as shows it. */
#include "tests/unit/rf_fixture.h"
#include "tests/unit/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static json_t *tree;
static struct snapshot snap;

/* Adds a resource, written with ' for ". */
static void resource(const char *path, const char *text)
{
	char json[2048];
	json_t *doc;

	ck_assert_uint_lt(strlen(text), sizeof json);
	memcpy(json, text, strlen(text) + 1);
	for (char *s = json; (s = strchr(s, '\'')) != NULL;)
		*s = '"';
	doc = json_loads(json, 0, NULL);
	ck_assert_msg(doc != NULL, "%s: %s", path, text);
	json_object_set_new(doc, "@odata.id", json_string(path));
	json_object_set_new(tree, path, doc);
}

/* A service with one system and one chassis; `oem` is what the system has besides. */
static void begin(const char *vendor, const char *oem)
{
	char text[512];

	tree = json_object();
	snprintf(text, sizeof text,
		"{'RedfishVersion':'1.15.0','Vendor':'%s','Systems':{'@odata.id':'/redfish/v1/Systems'},"
		"'Chassis':{'@odata.id':'/redfish/v1/Chassis'}}", vendor);
	resource("/redfish/v1", text);
	resource("/redfish/v1/Systems", "{'Members':[{'@odata.id':'/redfish/v1/Systems/1'}]}");
	snprintf(text, sizeof text, "{'PowerState':'On','Storage':{'@odata.id':'/redfish/v1/Systems/1/Storage'}%s}", oem);
	resource("/redfish/v1/Systems/1", text);
	resource("/redfish/v1/Systems/1/Storage", "{'Members':[]}");
	resource("/redfish/v1/Chassis", "{'Members':[{'@odata.id':'/redfish/v1/Chassis/1'}]}");
	resource("/redfish/v1/Chassis/1", "{'PCIeDevices':{'@odata.id':'/redfish/v1/Chassis/1/PCIeDevices'}}");
}

static void walk(void)
{
	rf_fixture_walk(tree, NULL, NULL, &snap);
}

static void end(void)
{
	snapshot_release(&snap);
	json_decref(tree);
}

static const struct bay *bay(const char *name)
{
	for (size_t i = 0; i < snap.n_bays; i++)
		if (strcmp(snap.bays[i].bay, name) == 0)
			return &snap.bays[i];
	ck_abort_msg("there is no bay %s", name);
	return NULL;
}

static void one_drive(const char *drive)
{
	resource("/redfish/v1/Systems/1/Storage", "{'Members':[{'@odata.id':'/redfish/v1/Systems/1/Storage/1'}]}");
	resource("/redfish/v1/Systems/1/Storage/1",
		"{'Drives':[{'@odata.id':'/redfish/v1/Systems/1/Storage/1/Drives/A'}]}");
	resource("/redfish/v1/Systems/1/Storage/1/Drives/A", drive);
}

START_TEST(a_drive_that_is_only_listed_is_who_its_pcie_device_says)
{
	begin("Exemplar", "");
	one_drive("{}");
	resource("/redfish/v1/Chassis/1/PCIeDevices", "{'Members':[{'@odata.id':'/redfish/v1/Chassis/1/PCIeDevices/0'}]}");
	resource("/redfish/v1/Chassis/1/PCIeDevices/0",
		"{'SerialNumber':'SN1','Model':'EX9','PCIeFunctions':{'@odata.id':'/redfish/v1/Chassis/1/PCIeDevices/0/PCIeFunctions'},"
		"'PCIeInterface':{'PCIeType':'Gen4','MaxPCIeType':'Gen5','LanesInUse':4,'MaxLanes':4}}");
	resource("/redfish/v1/Chassis/1/PCIeDevices/0/PCIeFunctions",
		"{'Members':[{'@odata.id':'/redfish/v1/Chassis/1/PCIeDevices/0/PCIeFunctions/0'}]}");
	resource("/redfish/v1/Chassis/1/PCIeDevices/0/PCIeFunctions/0",
		"{'Links':{'Drives':[{'@odata.id':'/redfish/v1/Systems/1/Storage/1/Drives/A'}]}}");
	walk();
	ck_assert_uint_eq(snap.n_bays, 1);
	ck_assert_str_eq(snap.bays[0].drive.serial, "SN1");
	ck_assert_str_eq(snap.bays[0].drive.model, "EX9");
	ck_assert_uint_eq(snap.bays[0].link.now.speed_mtps, 16000);
	end();
}
END_TEST

START_TEST(a_placeholder_in_what_drive_or_slot_can_do_voids_the_value_read_with_it)
{
	static const struct {
		const char *can, *slot;
		int speed_mtps, width_lanes, slot_mtps, slot_lanes;
	} rows[] = {
		{"'MaxPCIeType':'Gen5','MaxLanes':0", "'PCIeType':'Gen5','Lanes':4", 0, 0, 32000, 4},
		{"'MaxPCIeType':'Unknown','MaxLanes':1", "'PCIeType':'Gen5','Lanes':4", 0, 0, 32000, 4},
		{"'MaxPCIeType':'Gen5','MaxLanes':4", "'PCIeType':'Gen3','Lanes':255", 32000, 4, 0, 0},
		{"'MaxPCIeType':'Gen5'", "'Lanes':4", 32000, 0, 0, 4}, /* what is missing voids itself */
	};
	char text[512];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct pcie_link *l;

		begin("Exemplar", "");
		one_drive("{}");
		resource("/redfish/v1/Chassis/1/PCIeDevices", "{'Members':[{'@odata.id':'/redfish/v1/Chassis/1/PCIeDevices/0'}]}");
		snprintf(text, sizeof text,
			"{'SerialNumber':'SN1','PCIeFunctions':{'@odata.id':'/redfish/v1/Chassis/1/PCIeDevices/0/PCIeFunctions'},"
			"'PCIeInterface':{'PCIeType':'Gen5','LanesInUse':4,%s},'Slot':{%s}}",
			rows[i].can, rows[i].slot);
		resource("/redfish/v1/Chassis/1/PCIeDevices/0", text);
		resource("/redfish/v1/Chassis/1/PCIeDevices/0/PCIeFunctions",
			"{'Members':[{'@odata.id':'/redfish/v1/Chassis/1/PCIeDevices/0/PCIeFunctions/0'}]}");
		resource("/redfish/v1/Chassis/1/PCIeDevices/0/PCIeFunctions/0",
			"{'Links':{'Drives':[{'@odata.id':'/redfish/v1/Systems/1/Storage/1/Drives/A'}]}}");
		walk();
		ck_assert_uint_eq(snap.n_bays, 1);
		l = &snap.bays[0].link;
		ck_assert_int_eq(l->now.speed_mtps, 32000);
		ck_assert_int_eq(l->now.width_lanes, 4);
		ck_assert_int_eq(l->max.speed_mtps, rows[i].speed_mtps);
		ck_assert_int_eq(l->max.width_lanes, rows[i].width_lanes);
		ck_assert_int_eq(l->slot.speed_mtps, rows[i].slot_mtps);
		ck_assert_int_eq(l->slot.width_lanes, rows[i].slot_lanes);
		end();
	}
}
END_TEST

START_TEST(what_dell_counts_of_a_drive_fills_spare_and_busy_time_too)
{
	const struct bay *b;

	begin("Dell", "");
	one_drive("{'SerialNumber':'SN4','Protocol':'PCIe','MediaType':'SSD','Status':{'State':'Enabled'},"
		  "'PhysicalLocation':{'PartLocation':{'LocationOrdinalValue':0}},"
		  "'Oem':{'Dell':{'DellNVMeSMARTAttributes':{'@odata.id':'/redfish/v1/Systems/1/Oem/Smart'}}}}");
	resource("/redfish/v1/Systems/1/Oem/Smart",
		"{'AvailableSparePercent':97,'AvailableSpareThresholdPercent':10,'CompositeTemperatureKelvin':313,"
		"'LifeUsedPercent':2,'ControllerBusyTimeMinutes':77}");
	walk();
	b = bay("0");
	ck_assert_double_eq(b->wear.available_spare_percent, 97);
	ck_assert_double_eq(b->wear.percent_used, 2);
	ck_assert_double_eq(b->temperature_c, 40);
	ck_assert(b->health.controller_busy_minutes.known && b->health.controller_busy_minutes.lo == 77);
	end();
}
END_TEST

START_TEST(a_device_is_joined_by_its_function_and_found_below_the_system_too)
{
	static const char *const lists[] = {"{'@odata.id':'/redfish/v1/Systems/1/PCIeDevices'}",
		"[{'@odata.id':'/redfish/v1/Systems/1/PCIeDevices/0'}]"};
	char oem[128];

	for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
		snprintf(oem, sizeof oem, ",'PCIeDevices':%s", lists[i]);
		begin("Exemplar", oem);
		one_drive("{'SerialNumber':'SN5','Protocol':'NVMe','Status':{'State':'Enabled'}}");
		resource("/redfish/v1/Systems/1/PCIeDevices", "{'Members':[{'@odata.id':'/redfish/v1/Systems/1/PCIeDevices/0'}]}");
		resource("/redfish/v1/Systems/1/PCIeDevices/0",
			"{'PCIeFunctions':{'@odata.id':'/redfish/v1/Systems/1/PCIeDevices/0/PCIeFunctions'},"
			"'PCIeInterface':{'PCIeType':'Gen5','MaxPCIeType':'Gen5','LanesInUse':2,'MaxLanes':4}}");
		resource("/redfish/v1/Systems/1/PCIeDevices/0/PCIeFunctions",
			"{'Members':[{'@odata.id':'/redfish/v1/Systems/1/PCIeDevices/0/PCIeFunctions/0'}]}");
		resource("/redfish/v1/Systems/1/PCIeDevices/0/PCIeFunctions/0",
			"{'Links':{'Drives':[{'@odata.id':'/redfish/v1/Systems/1/Storage/1/Drives/A'}]}}");
		walk();
		ck_assert_uint_eq(snap.n_bays, 1);
		ck_assert_uint_eq(snap.bays[0].link.now.width_lanes, 2);
		end();
	}
}
END_TEST

START_TEST(the_controller_that_is_a_drive_tells_its_wear)
{
	for (int is_drive = 0; is_drive < 2; is_drive++) {
		begin("Exemplar", "");
		one_drive("{'SerialNumber':'SN6','Protocol':'NVMe','Status':{'State':'Enabled'}}");
		resource("/redfish/v1/Systems/1/Storage/1",
			is_drive ? "{'Drives':[{'@odata.id':'/redfish/v1/Systems/1/Storage/1/Drives/A'}],'StorageControllers':[{"
				   "'SerialNumber':'SN6','Metrics':{'@odata.id':'/redfish/v1/Systems/1/Storage/1/Metrics'}}]}"
				 : "{'Drives':[{'@odata.id':'/redfish/v1/Systems/1/Storage/1/Drives/A'}],'StorageControllers':[{"
				   "'SerialNumber':'ADAPTER','Metrics':{'@odata.id':'/redfish/v1/Systems/1/Storage/1/Metrics'}}]}");
		resource("/redfish/v1/Systems/1/Storage/1/Metrics", "{'NVMeSMART':{'PercentageUsed':33}}");
		walk();
		if (is_drive)
			ck_assert_double_eq(snap.bays[0].wear.percent_used, 33);
		else
			ck_assert(isnan(snap.bays[0].wear.percent_used));
		end();
	}
}
END_TEST

START_TEST(life_left_and_temperature_are_found_where_some_makers_put_them)
{
	begin("Inspur", "");
	one_drive("{'SerialNumber':'SN7','Status':{'State':'Enabled'},"
		  "'Oem':{'Public':{'TimeLeft':83,'TemperatureCelsius':38,'HoursOfPoweredUp':99}}}");
	walk();
	ck_assert_double_eq(snap.bays[0].wear.percent_used, 17);
	ck_assert_double_eq(snap.bays[0].temperature_c, 38);
	ck_assert_uint_eq(snap.bays[0].health.power_on_hours.lo, 99);
	end();
	begin("Google", "");
	one_drive("{'SerialNumber':'SN8','Status':{'State':'Enabled'}}");
	resource("/redfish/v1/Systems/1/Storage/1",
		"{'Drives':[{'@odata.id':'/redfish/v1/Systems/1/Storage/1/Drives/A'}],'StorageControllers':[{'SerialNumber':'SN8',"
		"'NVMeControllerProperties':{'Oem':{'Google':{'SMARTAttributes':{'PercentageUsed':12,'CompositeTemperatureKelvins':311,"
		"'AvailableSparePercent':90,'CriticalWarning':4}}}}}]}");
	walk();
	ck_assert_double_eq(snap.bays[0].wear.percent_used, 12);
	ck_assert_double_eq(snap.bays[0].temperature_c, 38);
	ck_assert_int_eq(snap.bays[0].health.critical_warning, 4);
	end();
}
END_TEST

static void smart_storage(const char *links)
{
	char text[256];

	snprintf(text, sizeof text, "{'%s':{'ArrayControllers':{'@odata.id':'/redfish/v1/Systems/1/SmartStorage/ArrayControllers'}}}", links);
	resource("/redfish/v1/Systems/1/SmartStorage", text);
	resource("/redfish/v1/Systems/1/SmartStorage/ArrayControllers",
		"{'Members':[{'@odata.id':'/redfish/v1/Systems/1/SmartStorage/ArrayControllers/0'}]}");
	snprintf(text, sizeof text, "{'%s':{'PhysicalDrives':{'@odata.id':'/redfish/v1/Systems/1/SmartStorage/ArrayControllers/0/DiskDrives'}}}", links);
	resource("/redfish/v1/Systems/1/SmartStorage/ArrayControllers/0", text);
	resource("/redfish/v1/Systems/1/SmartStorage/ArrayControllers/0/DiskDrives",
		"{'Members':[{'@odata.id':'/redfish/v1/Systems/1/SmartStorage/ArrayControllers/0/DiskDrives/0'}]}");
	resource("/redfish/v1/Systems/1/SmartStorage/ArrayControllers/0/DiskDrives/0",
		"{'Location':'1I:1:3','InterfaceType':'SAS','MediaType':'SSD','Model':'EX','SerialNumber':'SN2','Status':{'Health':'OK'},"
		"'SSDEnduranceUtilizationPercentage':329,'CurrentTemperatureCelsius':33}");
}

START_TEST(a_disk_of_the_smartstorage_tree_is_known_by_its_place_as_well)
{
	static const struct {
		const char *oem, *links;
	} rows[] = {{"Hpe", "Links"}, {"Hp", "links"}}; /* iLO 5; iLO 4 */
	char oem[128];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		snprintf(oem, sizeof oem, ",'Oem':{'%s':{'%s':{'SmartStorage':{'@odata.id':'/redfish/v1/Systems/1/SmartStorage'}}}}",
			rows[i].oem, rows[i].links);
		begin("", oem);
		smart_storage(rows[i].links);
		walk();
		ck_assert_str_eq(bay("1I:1:3")->drive.serial, "SN2");
		ck_assert_double_eq(bay("1I:1:3")->temperature_c, 33);
		ck_assert_double_eq(bay("1I:1:3")->wear.percent_used, 255); /* 255 or more */
		end();
	}
}
END_TEST

START_TEST(LW_R8_a_chassis_list_without_end_hides_no_drive)
{
	json_t *members = json_array();
	char path[64];

	begin("Exemplar", "");
	one_drive("{'SerialNumber':'SN3','Status':{'State':'Enabled'},"
		  "'PhysicalLocation':{'PartLocation':{'LocationOrdinalValue':7}}}");
	for (int i = 0; i < 20000; i++) {
		snprintf(path, sizeof path, "/redfish/v1/Chassis/%d", i);
		json_array_append_new(members, json_pack("{s:s}", "@odata.id", path));
	}
	json_object_set_new(json_object_get(tree, "/redfish/v1/Chassis"), "Members", members);
	walk();
	ck_assert_str_eq(bay("7")->drive.serial, "SN3");
	ck_assert(snap.target.partial);
	end();
}
END_TEST

/* A PCIe device with one function; `more` is what the device tells. */
static void device(const char *id, const char *more, const char *function)
{
	char path[128], text[512];

	snprintf(path, sizeof path, "/redfish/v1/Chassis/1/PCIeDevices/%s", id);
	snprintf(text, sizeof text, "{'PCIeFunctions':{'@odata.id':'%s/PCIeFunctions'}%s}", path, more);
	resource(path, text);
	snprintf(path, sizeof path, "/redfish/v1/Chassis/1/PCIeDevices/%s/PCIeFunctions", id);
	snprintf(text, sizeof text, "{'Members':[{'@odata.id':'%s/0'}]}", path);
	resource(path, text);
	snprintf(path, sizeof path, "/redfish/v1/Chassis/1/PCIeDevices/%s/PCIeFunctions/0", id);
	resource(path, function);
}

START_TEST(functions_are_asked_for_only_of_devices_that_may_be_a_drive)
{
	static const char *const spared[] = {"gpu", "nic", "none", "off"};
	char path[128];
	json_t *asked;

	begin("Exemplar", "");
	one_drive("{'SerialNumber':'SN1','Protocol':'NVMe','Status':{'State':'Enabled'},"
		  "'PhysicalLocation':{'PartLocation':{'LocationOrdinalValue':1}}}");
	resource("/redfish/v1/Chassis/1/PCIeDevices",
		"{'Members':[{'@odata.id':'/redfish/v1/Chassis/1/PCIeDevices/gpu'},{'@odata.id':'/redfish/v1/Chassis/1/PCIeDevices/nic'},"
		"{'@odata.id':'/redfish/v1/Chassis/1/PCIeDevices/none'},{'@odata.id':'/redfish/v1/Chassis/1/PCIeDevices/off'},"
		"{'@odata.id':'/redfish/v1/Chassis/1/PCIeDevices/ssd'}]}");
	device("gpu", ",'PCIeInterface':{'PCIeType':'Gen5','LanesInUse':16,'MaxPCIeType':'Gen5','MaxLanes':16}", "{'ClassCode':'0x030200'}");
	device("nic", ",'SerialNumber':'NIC1','PCIeInterface':{'PCIeType':'Gen3','LanesInUse':4,'MaxLanes':4}", "{'ClassCode':'0x020000'}");
	device("none", "", "{'ClassCode':'0x0c0330'}");
	device("off", ",'Status':{'State':'Disabled'},'PCIeInterface':{'MaxLanes':4}", "{'ClassCode':'0x010802'}");
	device("ssd", ",'PCIeInterface':{'PCIeType':'Gen4','LanesInUse':4,'MaxPCIeType':'Gen4','MaxLanes':4}",
		"{'ClassCode':'0x010802','Links':{'Drives':[{'@odata.id':'/redfish/v1/Systems/1/Storage/1/Drives/A'}]}}");
	asked = rf_fixture_asks(tree);
	for (size_t i = 0; i < sizeof spared / sizeof spared[0]; i++) {
		snprintf(path, sizeof path, "/redfish/v1/Chassis/1/PCIeDevices/%s/PCIeFunctions", spared[i]);
		ck_assert_msg(!json_object_get(asked, path), "%s is asked for", path);
	}
	walk();
	ck_assert_uint_eq(bay("1")->link.now.speed_mtps, 16000);
	json_decref(asked);
	end();
}
END_TEST

START_TEST(a_chassis_is_not_asked_for_drives_that_a_storage_lists)
{
	json_t *asked;

	begin("Exemplar", "");
	resource("/redfish/v1/Chassis/1", "{'Drives':{'@odata.id':'/redfish/v1/Chassis/1/Drives'}}");
	resource("/redfish/v1/Chassis/1/Drives", "{'Members':[{'@odata.id':'/redfish/v1/Chassis/1/Drives/1'}]}");
	resource("/redfish/v1/Chassis/1/Drives/1", "{'SerialNumber':'SN1','Status':{'State':'Enabled'}}");
	resource("/redfish/v1/Systems/1/Storage", "{'Members':[{'@odata.id':'/redfish/v1/Systems/1/Storage/1'}]}");
	resource("/redfish/v1/Systems/1/Storage/1", "{'Drives':[{'@odata.id':'/redfish/v1/Chassis/1/Drives/1'}]}");
	asked = rf_fixture_asks(tree);
	ck_assert_ptr_null(json_object_get(asked, "/redfish/v1/Chassis/1/Drives"));
	json_decref(asked);
	/* where the Storage fails, the chassis stands in for it */
	json_object_del(tree, "/redfish/v1/Systems/1/Storage/1");
	walk();
	ck_assert_str_eq(snap.bays[0].drive.serial, "SN1");
	end();
}
END_TEST

START_TEST(an_ilo_is_not_asked_for_devices_slots_and_chassis_that_tell_nothing_of_drives)
{
	json_t *asked;

	begin("HPE", "");
	resource("/redfish/v1/Chassis", "{'Members':[{'@odata.id':'/redfish/v1/Chassis/1'},{'@odata.id':'/redfish/v1/Chassis/DE0'}]}");
	resource("/redfish/v1/Chassis/1", "{'PCIeDevices':{'@odata.id':'/redfish/v1/Chassis/1/PCIeDevices'},"
		"'PCIeSlots':{'@odata.id':'/redfish/v1/Chassis/1/PCIeSlots'}}");
	resource("/redfish/v1/Chassis/DE0/Drives/1", "{'SerialNumber':'SN1','Protocol':'NVMe','Status':{'State':'Enabled'}}");
	resource("/redfish/v1/Systems/1/Storage", "{'Members':[{'@odata.id':'/redfish/v1/Systems/1/Storage/1'}]}");
	resource("/redfish/v1/Systems/1/Storage/1", "{'Drives':[{'@odata.id':'/redfish/v1/Chassis/DE0/Drives/1'}]}");
	asked = rf_fixture_asks(tree);
	ck_assert_ptr_nonnull(json_object_get(asked, "/redfish/v1/Chassis/DE0/Drives/1"));
	ck_assert_ptr_null(json_object_get(asked, "/redfish/v1/Chassis/1/PCIeDevices"));
	ck_assert_ptr_null(json_object_get(asked, "/redfish/v1/Chassis/1/PCIeSlots"));
	ck_assert_ptr_null(json_object_get(asked, "/redfish/v1/Chassis/DE0"));
	json_decref(asked);
	walk();
	end();
}
END_TEST

START_TEST(an_openbmc_is_asked_only_for_chassis_of_drives_and_for_copies_where_they_may_tell_more)
{
	json_t *asked;

	begin("OpenBMC", "");
	resource("/redfish/v1/Chassis", "{'Members':[{'@odata.id':'/redfish/v1/Chassis/bp'},{'@odata.id':'/redfish/v1/Chassis/fans'}]}");
	resource("/redfish/v1/Chassis/fans", "{'PCIeSlots':{'@odata.id':'/redfish/v1/Chassis/fans/PCIeSlots'}}");
	resource("/redfish/v1/Chassis/bp", "{'Drives':{'@odata.id':'/redfish/v1/Chassis/bp/Drives'},"
		"'PCIeSlots':{'@odata.id':'/redfish/v1/Chassis/bp/PCIeSlots'}}");
	resource("/redfish/v1/Chassis/bp/Drives", "{'Members':[{'@odata.id':'/redfish/v1/Chassis/bp/Drives/A'}]}");
	resource("/redfish/v1/Chassis/bp/Drives/A", "{'SerialNumber':'SN1','Model':'M','Status':{'State':'Enabled'},"
		"'PhysicalLocation':{'PartLocation':{'ServiceLabel':'Slot 0'}}}");
	one_drive("{'SerialNumber':'SN1','Model':'M','Status':{'State':'Enabled'},'Links':{'Chassis':{'@odata.id':'/redfish/v1/Chassis/bp/'}}}");
	asked = rf_fixture_asks(tree);
	ck_assert_ptr_nonnull(json_object_get(asked, "/redfish/v1/Chassis/bp/PCIeSlots"));
	ck_assert_ptr_null(json_object_get(asked, "/redfish/v1/Chassis/bp/Drives"));
	ck_assert_ptr_null(json_object_get(asked, "/redfish/v1/Chassis/fans"));
	json_decref(asked);
	/* where the Storage's copy does not tell who it is, the other is asked as well */
	one_drive("{'Status':{'State':'Enabled'},'Links':{'Chassis':{'@odata.id':'/redfish/v1/Chassis/bp'}}}");
	asked = rf_fixture_asks(tree);
	ck_assert_ptr_nonnull(json_object_get(asked, "/redfish/v1/Chassis/bp/Drives/A"));
	ck_assert_ptr_nonnull(json_object_get(asked, "/redfish/v1/Chassis/fans"));
	json_decref(asked);
	walk();
	end();
}
END_TEST

UNIT_MAIN("redfish shapes",
	an_openbmc_is_asked_only_for_chassis_of_drives_and_for_copies_where_they_may_tell_more,
	functions_are_asked_for_only_of_devices_that_may_be_a_drive,
	a_chassis_is_not_asked_for_drives_that_a_storage_lists,
	an_ilo_is_not_asked_for_devices_slots_and_chassis_that_tell_nothing_of_drives,
	a_device_is_joined_by_its_function_and_found_below_the_system_too,
	the_controller_that_is_a_drive_tells_its_wear, life_left_and_temperature_are_found_where_some_makers_put_them,
	what_dell_counts_of_a_drive_fills_spare_and_busy_time_too,
	a_drive_that_is_only_listed_is_who_its_pcie_device_says,
	a_placeholder_in_what_drive_or_slot_can_do_voids_the_value_read_with_it,
	a_disk_of_the_smartstorage_tree_is_known_by_its_place_as_well, LW_R8_a_chassis_list_without_end_hides_no_drive)
