/* SPDX-License-Identifier: MIT */
/*
 * decode: a raw NVMe page from a file, binary or hexadecimal, in words.  Each kind becomes one
 * JSON object; the table is the same object in lines.  No drive is asked.
 */
#include "agent/cli/command.h"
#include "base/file.h"
#include "base/jtext.h"
#include "base/str.h"
#include "collectors/nvme/logpages.h"
#include "collectors/nvme/page_check.h"
#include "collectors/nvme/recording.h"
#include "collectors/nvme/smart.h"
#include "document/bays.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

enum { FILE_MAX_BYTES = 1024 * 1024, PAGE_MAX_BYTES = 256 * 64 + 1 };

/* ---- values: what is not known is null, what is beyond 2^53 a text ---- */

static void put(json_t *o, const char *key, json_t *value)
{
	json_object_set_new(o, key, value);
}

static json_t *json_count(struct count c)
{
	char text[COUNT_TEXT_MAX];
	uint64_t n;

	if (!c.known)
		return json_null();
	if (count_to_u64(c, &n) && n <= UINT64_C(1) << 53)
		return json_integer((json_int_t)n);
	return json_string(count_text(c, text));
}

static json_t *json_u64(uint64_t n)
{
	return json_count(count_of(n));
}

/* Bytes are always a text, as everywhere. */
static json_t *json_bytes(struct count c)
{
	char text[COUNT_TEXT_MAX];

	return c.known ? json_string(count_text(c, text)) : json_null();
}

static json_t *json_number_or_null(double d)
{
	return isnan(d) ? json_null() : d == floor(d) ? json_integer((json_int_t)d) : json_real(d);
}

static json_t *json_text_or_null(const char *s)
{
	return s && s[0] ? json_string(s) : json_null();
}

static struct count units_to_bytes(struct count units)
{
	return units.hi || units.lo ? count_times(units, 512000) : (struct count){0};
}

static json_t *json_warnings(unsigned bits)
{
	json_t *list = json_array();

	for (unsigned bit = 1; bit <= CRITICAL_PMR; bit <<= 1)
		if (bits & bit)
			json_array_append_new(list, json_string(critical_warning_word(bit)));
	return list;
}

/* ---- the kinds ---- */

static void show_smart(const uint8_t *page, size_t len, json_t *o)
{
	json_t *sensors = json_array();
	struct nv_smart m;
	bool spare;

	nv_smart_decode(page, len, &m);
	spare = m.spare_percent || m.spare_threshold_percent; /* 0 of 0 is "not reported" */
	put(o, "critical_warning", json_warnings(m.critical_warning));
	put(o, "temperature_celsius", json_number_or_null(nv_celsius(m.temperature_k)));
	put(o, "available_spare_percent", spare ? json_integer(m.spare_percent) : json_null());
	put(o, "spare_threshold_percent", spare ? json_integer(m.spare_threshold_percent) : json_null());
	put(o, "percent_used", json_integer(m.used_percent));
	put(o, "endurance_group_critical_warning", json_integer(m.endurance_group_warning));
	put(o, "data_units_read", json_count(m.data_units_read));
	put(o, "bytes_read", json_bytes(units_to_bytes(m.data_units_read)));
	put(o, "data_units_written", json_count(m.data_units_written));
	put(o, "bytes_written", json_bytes(units_to_bytes(m.data_units_written)));
	put(o, "host_reads", json_count(m.host_reads));
	put(o, "host_writes", json_count(m.host_writes));
	put(o, "controller_busy_minutes", json_count(m.controller_busy_minutes));
	put(o, "power_cycles", json_count(m.power_cycles));
	put(o, "power_on_hours", json_count(m.power_on_hours));
	put(o, "unsafe_shutdowns", json_count(m.unsafe_shutdowns));
	put(o, "media_errors", json_count(m.media_errors));
	put(o, "error_log_entries", json_count(m.error_log_entries));
	put(o, "warning_temperature_minutes", json_u64(m.warning_temperature_minutes));
	put(o, "critical_temperature_minutes", json_u64(m.critical_temperature_minutes));
	for (int i = 0; i < NV_SMART_SENSORS; i++)
		json_array_append_new(sensors, json_number_or_null(nv_celsius(m.sensors_k[i])));
	put(o, "sensors_celsius", sensors);
	put(o, "light_throttle_count", json_u64(m.throttle_count[0]));
	put(o, "light_throttle_seconds", json_u64(m.throttle_seconds[0]));
	put(o, "heavy_throttle_count", json_u64(m.throttle_count[1]));
	put(o, "heavy_throttle_seconds", json_u64(m.throttle_seconds[1]));
}

static void show_errors(const uint8_t *page, size_t len, json_t *o)
{
	json_t *list = json_array();
	struct nv_error x;
	char status[16];

	for (size_t i = 0; i < len / 64; i++) {
		json_t *entry;

		if (!nv_error_decode(page, len, i, &x))
			continue;
		entry = json_object();
		snprintf(status, sizeof status, "0x%04x", x.status);
		put(entry, "error_count", json_u64(x.count));
		put(entry, "queue", x.queue == 0xffff ? json_null() : json_integer(x.queue));
		put(entry, "command", x.command == 0xffff ? json_null() : json_integer(x.command));
		put(entry, "status", json_string(status));
		put(entry, "parameter_byte", x.location_known ? json_integer(x.location_byte) : json_null());
		put(entry, "parameter_bit", x.location_known ? json_integer(x.location_bit) : json_null());
		put(entry, "lba", json_u64(x.lba));
		put(entry, "namespace", json_u64(x.namespace_id));
		json_array_append_new(list, entry);
	}
	put(o, "entries", list);
}

static void show_firmware(const uint8_t *page, size_t len, json_t *o)
{
	json_t *list = json_array();
	struct nv_firmware f;

	nv_firmware_decode(page, len, &f);
	put(o, "active_slot", json_integer(f.active_slot));
	put(o, "next_slot", f.next_slot ? json_integer(f.next_slot) : json_null());
	for (int i = 0; i < NV_FIRMWARE_SLOTS; i++)
		json_array_append_new(list, json_text_or_null(f.revisions[i]));
	put(o, "revisions", list);
}

static const char *self_test_kind(int kind)
{
	return kind == 1 ? "short" : kind == 2 ? "extended" : kind == 0xe ? "vendor" : NULL;
}

static void show_self_tests(const uint8_t *page, size_t len, json_t *o)
{
	json_t *list = json_array();
	struct nv_self_tests s;

	nv_self_tests_decode(page, len, &s);
	put(o, "running", json_text_or_null(self_test_kind(s.running_kind)));
	put(o, "completion_percent", s.running_kind ? json_integer(s.completion_percent) : json_null());
	for (size_t i = 0; i < s.n; i++) {
		const struct nv_self_test *t = &s.tests[i];
		json_t *entry = json_object();

		put(entry, "result", json_text_or_null(self_test_word(t->result)));
		put(entry, "code", json_integer(t->result_code));
		put(entry, "kind", json_text_or_null(self_test_kind(t->kind)));
		put(entry, "power_on_hours", json_u64(t->power_on_hours));
		put(entry, "segment", t->result_code == 7 ? json_integer(t->segment) : json_null());
		put(entry, "namespace", t->namespace_known ? json_u64(t->namespace_id) : json_null());
		put(entry, "lba", t->lba_known ? json_u64(t->lba) : json_null());
		json_array_append_new(list, entry);
	}
	put(o, "results", list);
}

static void show_endurance_group(const uint8_t *page, size_t len, json_t *o)
{
	struct nv_endurance_group g;

	nv_endurance_group_decode(page, len, &g);
	if (g.spare_percent == 0 && g.spare_threshold_percent == 0)
		g.spare_percent = g.spare_threshold_percent = NAN; /* "not reported" */
	put(o, "critical_warning", json_warnings(g.critical_warning));
	put(o, "available_spare_percent", json_number_or_null(g.spare_percent));
	put(o, "spare_threshold_percent", json_number_or_null(g.spare_threshold_percent));
	put(o, "percent_used", json_number_or_null(g.used_percent));
	put(o, "bytes_endurance_estimate", json_bytes(g.endurance_bytes));
	put(o, "bytes_read", json_bytes(g.bytes_read));
	put(o, "bytes_written", json_bytes(g.bytes_written));
	put(o, "bytes_media_written", json_bytes(g.media_bytes_written));
	put(o, "host_reads", json_count(g.host_reads));
	put(o, "host_writes", json_count(g.host_writes));
	put(o, "media_errors", json_count(g.media_errors));
	put(o, "error_log_entries", json_count(g.error_log_entries));
	put(o, "bytes_capacity", json_bytes(g.capacity_bytes));
	put(o, "bytes_unallocated", json_bytes(g.unallocated_bytes));
}

static void show_ocp_smart(const uint8_t *page, size_t len, json_t *o)
{
	struct nv_ocp_smart s;

	nv_ocp_smart_decode(page, len, &s);
	put(o, "log_page_version", json_integer(s.version));
	put(o, "bytes_media_written", json_bytes(s.media_bytes_written));
	put(o, "bytes_media_read", json_bytes(s.media_bytes_read));
	put(o, "bad_user_blocks", json_u64(s.bad_user_blocks));
	put(o, "bad_user_blocks_normalized", json_integer(s.bad_user_blocks_normalized));
	put(o, "bad_system_blocks", json_u64(s.bad_system_blocks));
	put(o, "bad_system_blocks_normalized", json_integer(s.bad_system_blocks_normalized));
	put(o, "xor_recoveries", json_u64(s.xor_recoveries));
	put(o, "uncorrectable_reads", json_u64(s.uncorrectable_reads));
	put(o, "soft_ecc_errors", json_u64(s.soft_ecc_errors));
	put(o, "end_to_end_errors_detected", json_u64(s.end_to_end_detected));
	put(o, "end_to_end_errors_corrected", json_u64(s.end_to_end_corrected));
	put(o, "system_data_percent_used", json_integer(s.system_data_used_percent));
	put(o, "refreshes", json_u64(s.refreshes));
	put(o, "max_user_erase_count", json_u64(s.max_erase_count));
	put(o, "min_user_erase_count", json_u64(s.min_erase_count));
	put(o, "thermal_throttle_events", json_integer(s.throttle_events));
	put(o, "thermal_throttle_status", json_integer(s.throttle_status));
	put(o, "pcie_correctable_errors", json_u64(s.pcie_correctable_errors));
	put(o, "incomplete_shutdowns", json_u64(s.incomplete_shutdowns));
	put(o, "free_blocks_percent", json_integer(s.free_blocks_percent));
	/* 0 is a capacitor that cannot hold, 65535 a drive that has none */
	put(o, "capacitor_health_percent",
		s.capacitor_health_percent == 0xffff ? json_null() : json_integer(s.capacitor_health_percent));
	put(o, "unaligned_io", json_u64(s.unaligned_io));
	put(o, "security_version", json_u64(s.security_version));
	put(o, "namespace_utilization", json_u64(s.namespace_use));
	put(o, "power_loss_protection_starts", json_count(s.power_loss_starts));
	put(o, "bytes_endurance_estimate", json_bytes(s.endurance_bytes));
	put(o, "pcie_link_retrainings", s.has_link_retrainings ? json_u64(s.link_retrainings) : json_null());
}

static json_t *show_power_states(const struct nv_identify *id)
{
	json_t *list = json_array();

	for (size_t i = 0; i < id->n_power_states; i++) {
		const struct nv_power_state *p = &id->power_states[i];
		json_t *entry = json_object();

		put(entry, "max_watts", json_number_or_null(round(p->max_watts * 10000) / 10000));
		put(entry, "operational", json_boolean(p->operational));
		put(entry, "entry_microseconds", json_u64(p->entry_us));
		put(entry, "exit_microseconds", json_u64(p->exit_us));
		json_array_append_new(list, entry);
	}
	return list;
}

static void show_identify(const uint8_t *page, size_t len, json_t *o)
{
	struct nv_identify id;
	char text[32];

	nv_identify_decode(page, len, &id);
	put(o, "serial", json_text_or_null(id.serial));
	put(o, "model", json_text_or_null(id.model));
	put(o, "firmware", json_text_or_null(id.firmware));
	snprintf(text, sizeof text, "%d.%d.%d", id.version_major, id.version_minor, id.version_tertiary);
	put(o, "nvme_version", id.version_major ? json_string(text) : json_null());
	snprintf(text, sizeof text, "0x%04x", id.pci_vendor);
	put(o, "pci_vendor", json_string(text));
	snprintf(text, sizeof text, "0x%04x", id.pci_subsystem_vendor);
	put(o, "pci_subsystem_vendor", json_string(text));
	snprintf(text, sizeof text, "%02x%02x%02x", id.oui[0], id.oui[1], id.oui[2]);
	put(o, "oui", json_string(text));
	put(o, "controller_id", json_integer(id.controller_id));
	put(o, "subsystem_nqn", json_text_or_null(id.nqn));
	put(o, "bytes_capacity", json_bytes(id.capacity_bytes));
	put(o, "bytes_unallocated", json_bytes(id.unallocated_bytes));
	put(o, "namespaces", json_u64(id.namespaces));
	put(o, "warning_temperature_celsius", json_number_or_null(id.warning_temperature_c));
	put(o, "critical_temperature_celsius", json_number_or_null(id.critical_temperature_c));
	put(o, "firmware_slots", json_integer(id.firmware_slots));
	put(o, "error_log_entries", json_integer(id.error_log_entries));
	put(o, "self_test", json_boolean(id.has_self_test));
	put(o, "extended_self_test_minutes",
		id.has_extended_self_test_minutes ? json_integer(id.extended_self_test_minutes) : json_null());
	put(o, "endurance_groups", json_integer(id.endurance_groups));
	put(o, "power_states", show_power_states(&id));
}

static json_t *show(enum nv_page kind, const uint8_t *page, size_t len)
{
	static void (*const shows[NV_PAGES])(const uint8_t *, size_t, json_t *) = {
		[NV_PAGE_SMART] = show_smart,
		[NV_PAGE_ERROR] = show_errors,
		[NV_PAGE_FIRMWARE] = show_firmware,
		[NV_PAGE_SELF_TEST] = show_self_tests,
		[NV_PAGE_ENDURANCE_GROUP] = show_endurance_group,
		[NV_PAGE_OCP_SMART] = show_ocp_smart,
		[NV_PAGE_IDENTIFY] = show_identify,
	};
	json_t *o = json_object();

	put(o, "schema", json_string("lanewatch/page/v1"));
	put(o, "kind", json_string(nv_page_word(kind)));
	shows[kind](page, len, o);
	return o;
}

/* ---- the table: the object in lines ---- */

static void print_value(const json_t *v)
{
	char *text;

	if (json_is_string(v)) {
		fputs(json_string_value(v), stdout);
	} else if (json_is_null(v)) {
		fputs("-", stdout);
	} else if (json_is_boolean(v)) {
		fputs(json_is_true(v) ? "yes" : "no", stdout);
	} else {
		text = jtext_print(v, JSON_ENCODE_ANY | DOCUMENT_DUMP);
		fputs(text ? text : "-", stdout);
		free(text);
	}
}

static void print_label(const char *key, int indent)
{
	char label[40];
	size_t i;

	for (i = 0; key[i] && i < sizeof label - 1; i++)
		label[i] = key[i] == '_' ? ' ' : key[i];
	label[i] = '\0';
	printf("%*s%-*s  ", indent, "", 34 - indent, label);
}

/* Values in one line, with blanks between them. */
static void print_list(const json_t *list)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		if (i)
			putchar(' ');
		print_value(json_array_get(list, i));
	}
	if (json_array_size(list) == 0)
		fputs("none", stdout);
	putchar('\n');
}

static void print_entries(const char *key, const json_t *list)
{
	const char *name;
	const json_t *value;

	for (size_t i = 0; i < json_array_size(list); i++) {
		print_label(key, 0);
		printf("%zu\n", i);
		json_object_foreach((json_t *)json_array_get(list, i), name, value) {
			print_label(name, 2);
			print_value(value);
			putchar('\n');
		}
	}
}

static void print_table(json_t *o)
{
	const char *key;
	const json_t *value;

	json_object_foreach(o, key, value) {
		if (str_same(key, "schema"))
			continue;
		if (json_is_array(value) && json_is_object(json_array_get(value, 0))) {
			print_entries(key, value);
			continue;
		}
		print_label(key, 0);
		if (json_is_array(value)) {
			print_list(value);
			continue;
		}
		print_value(value);
		putchar('\n');
	}
}

/* ---- the file ---- */

static bool is_text(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isprint((unsigned char)p[i]) && !isspace((unsigned char)p[i]))
			return false;
	return len > 0;
}

/* The page in a file of either form; -1 with what is wrong. */
static int read_page(const char *path, uint8_t *page, size_t *len, struct err *e)
{
	struct buf b;
	long n = -1;
	int rc = -1;

	buf_init(&b, FILE_MAX_BYTES);
	if (file_read(str_same(path, "-") ? "/dev/stdin" : path, &b, e))
		goto out;
	if (is_text(buf_text(&b), b.len)) {
		n = nv_hex_parse(buf_text(&b), b.len, page, PAGE_MAX_BYTES);
		if (n < 0) {
			err_set(e, "%s: text, and not the hexadecimal bytes of a page", path);
			goto out;
		}
		*len = (size_t)n;
	} else {
		*len = b.len < PAGE_MAX_BYTES ? b.len : PAGE_MAX_BYTES;
		if (b.len)
			memcpy(page, b.data, *len);
	}
	rc = 0;
out:
	buf_release(&b);
	return rc;
}

static int usage(const char *word)
{
	static const char *const kinds[] = {"smart", "error", "firmware", "self-test", "endurance-group",
		"ocp-smart", "identify", NULL};
	const char *near = word ? str_nearest(word, kinds) : NULL;

	fprintf(stderr, "lanewatch: decode needs a kind and a file");
	if (word)
		fprintf(stderr, "; '%s' is no kind%s%s%s", word, near ? ", did you mean '" : "", near ? near : "",
			near ? "'?" : "");
	fprintf(stderr, " (smart, error, firmware, self-test, endurance-group, ocp-smart, identify)\n");
	return EX_USAGE;
}

int command_decode(const struct options *o, const struct config *c)
{
	uint8_t page[PAGE_MAX_BYTES];
	size_t len = 0;
	enum nv_page kind;
	struct err e;
	json_t *j;
	char *text;

	(void)c;
	kind = o->n_args ? nv_page_of(o->args[0]) : NV_PAGE_UNKNOWN;
	if (o->n_args != 2 || kind == NV_PAGE_UNKNOWN)
		return usage(o->n_args && kind == NV_PAGE_UNKNOWN ? o->args[0] : NULL);
	if (read_page(o->args[1], page, &len, &e)) {
		fprintf(stderr, "lanewatch: %s\n", e.text);
		return EX_DATAERR;
	}
	if (nv_page_check(kind, page, len, &e)) {
		fprintf(stderr, "lanewatch: %s: %s\n", o->args[1], e.text);
		return EX_DATAERR;
	}
	j = show(kind, page, len);
	if (o->output == OUTPUT_JSON) {
		text = jtext_print(j, JSON_INDENT(2) | DOCUMENT_DUMP);
		if (text)
			puts(text);
		free(text);
	} else {
		print_table(j);
	}
	json_decref(j);
	return EX_OK;
}
