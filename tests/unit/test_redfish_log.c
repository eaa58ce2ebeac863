/* SPDX-License-Identifier: MIT */
/* What records of makers' logs say: severity, meaning and bay; and what is noise. */
#include "base/jtext.h"
#include "collectors/redfish/log_entry.h"
#include "tests/unit/unit.h"

#include <stdio.h>

static const struct row {
	const char *entry; /* with ' for " */
	bool of_drives;
	const char *severity, *to, *bay;
} rows[] = {
	/* Dell */
	{"{'Id':'7','MessageId':'IDRAC.2.10.PDR5','Message':'Gone','MessageArgs':['PCIe SSD in Slot 7 in Bay 1'],'Severity':'Warning'}", true,
		"warning", "drive-removed", "7"},
	{"{'Id':'8','MessageId':'IDRAC.2.7.PDR8','Message':'Drive 12 is installed in disk drive bay 1.','Severity':'OK'}", true, "info",
		"drive-added", "12"},
	{"{'Id':'9','MessageId':'PDR3','Message':'x','MessageArgs':['Disk 3 in Backplane 1 of RAID Controller in Slot 4']}", true, "critical",
		"drive-dead", "3"},
	{"{'Id':'9','MessageId':'IDRAC.2.7.UEFI0031','Message':'Slot 2 in Bay 1 has fewer lanes'}", true, "critical", "link-changed", "2"},
	{"{'Id':'9','MessageId':'IDRAC.2.7.UEFI0080','Message':'A link is slow'}", true, "warning", "link-changed", ""},
	{"{'Id':'9','MessageId':'IDRAC.2.7.UEFI0067','Message':'A link is off'}", true, "critical", "link-changed", ""},
	{"{'Id':'9','MessageId':'IDRAC.2.7.CTL137','Message':'no words','MessageArgs':['PCIe SSD in Slot 11 in Bay 2']}", true, "warning",
		"drive-not-answering", "11"},
	{"{'Id':'9','MessageId':'IDRAC.2.7.SSD0001','Message':'worn'}", true, "warning", "", ""},
	{"{'Id':'9','MessageId':'IDRAC.2.7.PDR9999','Message':'new','Severity':'Critical'}", true, "critical", "", ""},
	{"{'Id':'9','MessageId':'IDRAC.2.7.USR0030','Message':'root logged in','Oem':{'Dell':{'Category':'Audit'}}}", false, "", "", ""},
	{"{'Id':'9','MessageId':'IDRAC.2.7.RED032','Message':'Drive firmware page read','Oem':{'Dell':{'Category':'Audit'}}}", false, "", "", ""},
	{"{'Id':'9','MessageId':'IDRAC.2.7.FAN1004','Message':'fan','Oem':{'Dell':{'Category':'System Health'}}}", false, "", "", ""},
	{"{'Id':'9','MessageId':'IDRAC.2.7.XYZ1','Message':'a volume','Oem':{'Dell':{'Category':'Storage'}}}", true, "info", "", ""},
	/* HPE: the id is class and code */
	{"{'Id':'5','MessageId':'19.47','Message':'Drive removed (Slot=3:Port=1I:Box=1:Bay=4)','Severity':'Critical',"
	 "'Oem':{'Hpe':{'ClassDescription':'Drive Array'}}}", true, "critical", "", "4"},
	{"{'Id':'5','MessageId':'10.1','Message':'A disk of words','Oem':{'Hpe':{'ClassDescription':'Environment'}}}", false, "", "", ""},
	{"{'Id':'5','MessageId':'iLOEvents.3.2.PCIeDriveConditionRemoved','Message':'x Bay 2'}", true, "critical", "drive-removed", "2"},
	/* the standard registry, and others by their words */
	{"{'EventId':'5','MessageId':'StorageDevice.1.1.DriveRemoved','Message':'Removed','MessageArgs':['Bay 6'],'MessageSeverity':'Warning'}",
		true, "critical", "drive-removed", "6"},
	{"{'Id':'5','MessageId':'StorageDevice.1.1.DriveFailureCleared','Message':'fine'}", true, "info", "", ""},
	{"{'Id':'5','Message':'Event_Type : Drive Presence','SensorType':'Drive Slot/Bay','Severity':'OK'}", true, "info", "", ""},
	{"{'Id':'5','Message':'NVMe SSD 4 is hot','Severity':'Warning'}", true, "warning", "", ""},
	{"{'Id':'5','MessageId':'Base.1.DriverUpdated','Message':'The driver is new'}", false, "", "", ""},
	{"{'Id':'5','Message':'Boot from cdrom'}", false, "", "", ""},
	/* what makes no sense */
	{"{}", false, "", "", ""},
	{"{'MessageId':12,'Message':[],'MessageArgs':{},'Severity':null}", false, "", "", ""},
	{"{'MessageId':'PDR5'}", true, "warning", "drive-removed", ""},
	{"{'MessageId':'PDR5','Message':'Slot Slot Bay= Bay 99999999999 Bay'}", true, "warning", "drive-removed", ""},
};

static json_t *parse(const char *text)
{
	char json[1024];
	size_t n = 0;

	for (; *text && n + 1 < sizeof json; text++)
		json[n++] = *text == '\'' ? '"' : *text;
	json[n] = '\0';
	return jtext_parse(json, n, NULL, NULL);
}

START_TEST(records_about_drives_are_told_by_id_category_and_words_and_the_rest_is_noise)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		json_t *j = parse(rows[i].entry);
		struct event e;

		ck_assert_msg(j != NULL, "row %zu is no JSON", i);
		ck_assert_msg(rf_log_entry_read(j, "Lclog", &e) == rows[i].of_drives, "row %zu: %s", i, rows[i].entry);
		if (rows[i].of_drives) {
			ck_assert_str_eq(severity_word(e.severity), rows[i].severity);
			ck_assert_str_eq(e.to, rows[i].to);
			ck_assert_str_eq(e.bay, rows[i].bay);
			ck_assert_int_eq(e.type, EVENT_BMC_LOG);
		}
		json_decref(j);
	}
}
END_TEST

START_TEST(a_record_is_known_again_by_its_content_whatever_its_number_has_become)
{
	json_t *a = parse("{'Id':'1','Created':'2026-01-01T00:00:00Z','MessageId':'PDR5','Message':'x'}");
	json_t *b = parse("{'Id':'2','Created':'2026-01-01T00:00:00Z','MessageId':'PDR5','Message':'x'}");
	json_t *c = parse("{'Id':'1','Created':'2026-01-01T00:00:01Z','MessageId':'PDR5','Message':'x'}");

	ck_assert_uint_eq(rf_log_entry_key(a), rf_log_entry_key(b));
	ck_assert_uint_ne(rf_log_entry_key(a), rf_log_entry_key(c));
	json_decref(a);
	json_decref(b);
	json_decref(c);
}
END_TEST

START_TEST(outside_text_of_a_record_is_cleaned_and_bounded_LW_R13)
{
	char text[2048];
	struct event e;
	json_t *j = json_object();

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	memcpy(text, "\x1b]0;evil\x07\n", 10);
	json_object_set_new(j, "Message", json_string(text));
	json_object_set_new(j, "MessageId", json_string("A.B.PDR5"));
	json_object_set_new(j, "Id", json_string(text));
	json_object_set_new(j, "Created", json_string(text));
	ck_assert(rf_log_entry_read(j, text, &e));
	ck_assert_ptr_null(strpbrk(e.message, "\x1b\n\x07"));
	ck_assert_ptr_null(strpbrk(e.source_id + 15, "\x1b\n\x07"));
	ck_assert_uint_lt(strlen(e.message), sizeof e.message);
	json_decref(j);
}
END_TEST

UNIT_MAIN("redfish_log", records_about_drives_are_told_by_id_category_and_words_and_the_rest_is_noise,
	a_record_is_known_again_by_its_content_whatever_its_number_has_become, outside_text_of_a_record_is_cleaned_and_bounded_LW_R13)
