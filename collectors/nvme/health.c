/* SPDX-License-Identifier: MIT */
/* health: see health.h. */
#include "collectors/nvme/health.h"
#include "base/str.h"
#include "collectors/nvme/logpages.h"
#include "collectors/nvme/smart.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

static const char permission[] =
	"log pages need CAP_SYS_ADMIN and a readable device node: run it as root, or use the service";

/* Data units of 1000 blocks of 512 bytes, whatever the block size; 0 is "not reported" (figure 207). */
static struct count units_to_bytes(struct count units)
{
	return units.hi || units.lo ? count_times(units, 512000) : (struct count){0};
}

static void take_smart(const struct nv_smart *m, struct bay *b)
{
	struct wear *w = &b->wear;
	struct health *h = &b->health;

	w->percent_used = m->used_percent;
	w->available_spare_percent = m->spare_percent;
	w->spare_threshold_percent = m->spare_threshold_percent;
	w->bytes_read = units_to_bytes(m->data_units_read);
	w->bytes_written = units_to_bytes(m->data_units_written);
	h->critical_warning = m->critical_warning & ((CRITICAL_PMR << 1) - 1);
	h->media_errors = m->media_errors;
	h->error_log_entries = m->error_log_entries;
	h->unsafe_shutdowns = m->unsafe_shutdowns;
	h->power_cycles = m->power_cycles;
	h->power_on_hours = m->power_on_hours;
	h->controller_busy_minutes = m->controller_busy_minutes;
	b->temperature_c = nv_celsius(m->temperature_k);
	for (int i = 0; i < BAY_SENSORS_MAX && i < NV_SMART_SENSORS; i++)
		b->sensors_c[i] = nv_celsius(m->sensors_k[i]);
}

static void tell(struct target *t, const struct nv_controller *c, enum nv_page page, const struct nv_answer *a,
	const char *message)
{
	char resource[64], code[32];

	snprintf(resource, sizeof resource, "%s %s", c->name, nv_page_word(page));
	nv_answer_code(a, code, sizeof code);
	target_add_error(t, resource, code, message);
}

/* Millidegrees of one input of the controller's hwmon device. */
static double hwmon_celsius(const struct nv_sysfs *s, const char *dir, int input)
{
	char name[32];
	int64_t milli;

	snprintf(name, sizeof name, "temp%d_input", input);
	if (!nv_sysfs_int(s, dir, name, &milli) || milli < -100000 || milli > 200000)
		return NAN;
	return (double)milli / 1000;
}

/*
 * Without the right to ask the drive, the kernel's hwmon driver still may (and sends it the same
 * command, so not where the drive does not answer).  It lies below the controller, or below a folder
 * `hwmon` of it in kernels before 5.8.
 */
static void read_hwmon(const struct nv_sysfs *s, const char *controller, struct bay *b)
{
	char dir[NV_PATH_MAX], text[16];
	struct nv_names names;

	nv_sysfs_list(s, controller, &names);
	for (size_t i = 0; i < names.n && isnan(b->temperature_c); i++) {
		if (!str_starts(names.names[i], "hwmon") || str_same(names.names[i], "hwmon") ||
			!nv_path_join(dir, sizeof dir, controller, names.names[i]) ||
			!nv_sysfs_text(s, dir, "name", text, sizeof text) || !str_same(text, "nvme"))
			continue;
		b->temperature_c = hwmon_celsius(s, dir, 1);
		for (int k = 0; k < BAY_SENSORS_MAX; k++)
			b->sensors_c[k] = hwmon_celsius(s, dir, k + 2);
	}
	nv_names_release(&names);
}

static void fall_back_to_hwmon(const struct nv_sysfs *s, const struct nv_controller *c, struct bay *b)
{
	char dir[NV_PATH_MAX];

	read_hwmon(s, c->path, b);
	if (isnan(b->temperature_c) && nv_path_join(dir, sizeof dir, c->path, "hwmon"))
		read_hwmon(s, dir, b);
	if (isnan(b->temperature_c) && c->device[0] && nv_path_join(dir, sizeof dir, c->device, "hwmon"))
		read_hwmon(s, dir, b);
}

/* A page that did not come: the state of the drive may follow from it. */
static void smart_unread(const struct nv_sysfs *s, const struct nv_controller *c, const struct nv_answer *a,
	struct bay *b, struct target *t)
{
	const char *message = "the drive refused its health page";

	b->wear_unread = nv_answer_reason(a);
	switch (a->end) {
	case NV_DENIED:
		message = permission;
		if (t->reason == REASON_NONE) {
			t->reason = REASON_PERMISSION_DENIED;
			str_copy(t->message, sizeof t->message, permission);
		}
		fall_back_to_hwmon(s, c, b);
		break;
	case NV_TIMED_OUT:
		if (a->error == EAGAIN || a->error == EBUSY) {
			b->drive.state = DRIVE_RESETTING;
			message = "the controller is being reset; it is asked again at the next poll";
		} else {
			b->drive.state = DRIVE_NOT_ANSWERING;
			message = "the drive does not answer";
		}
		break;
	case NV_FAILED:
		message = a->error == EPIPE ? "the reader process has died; where it was started again, the next poll asks"
					    : "the health page could not be read";
		break;
	case NV_END_UNKNOWN:
	case NV_READ:
	case NV_NOT_OFFERED:
	case NV_REFUSED:
		break;
	}
	if (a->end != NV_NOT_OFFERED || a->status)
		tell(t, c, NV_PAGE_SMART, a, message);
}

static void fill_smart(const struct nv_sysfs *s, const struct nv_controller *c, const struct nv_answer *a,
	struct bay *b, struct target *t)
{
	struct nv_smart m;

	if (!a || a->end == NV_END_UNKNOWN) {
		b->wear_unread = REASON_NOT_REPORTED;
		return;
	}
	if (a->end != NV_READ) {
		smart_unread(s, c, a, b, t);
		return;
	}
	switch (nv_smart_decode(a->data, a->len, &m)) {
	case NV_SAMPLE_GOOD:
		take_smart(&m, b);
		return;
	case NV_SAMPLE_UNKNOWN:
	case NV_SAMPLE_BLANK:
	case NV_SAMPLE_IMPOSSIBLE:
		b->wear.quality = WEAR_QUALITY_SUSPECT;
		b->wear_unread = REASON_PLACEHOLDER;
		return;
	}
}

/* What was not asked because the controller is not live. */
static void not_live(const struct nv_controller *c, struct bay *b, struct target *t)
{
	b->wear_unread = b->drive.state == DRIVE_RESETTING ? REASON_TIMEOUT : REASON_NOT_REPORTED;
	switch (b->drive.state) {
	case DRIVE_DEAD:
		target_add_error(t, c->name, "dead", "the kernel has given the controller up");
		return;
	case DRIVE_RESETTING:
		target_add_error(t, c->name, "resetting",
			"the controller is being reset; it is asked again at the next poll");
		return;
	case DRIVE_STATE_UNKNOWN:
	case DRIVE_LIVE:
	case DRIVE_NOT_ANSWERING:
		target_add_error(t, c->name, "not-live", "the controller is being taken away");
		return;
	}
}

/* The bytes of a page that was read, NULL if it was not. */
static const struct nv_answer *page_of(const struct nv_memory *m, const struct nv_controller *c, enum nv_page page)
{
	const struct nv_answer *a = nv_memory_answer(m, c, page);

	return a && a->end == NV_READ ? a : NULL;
}

static void fill_self_test(const struct nv_answer *a, struct health *h)
{
	struct nv_self_tests tests;

	if (!a || !nv_self_tests_decode(a->data, a->len, &tests))
		return;
	h->self_test = tests.n ? tests.tests[0].result : SELF_TEST_NONE;
	if (tests.n) {
		h->self_test_code = tests.tests[0].result_code;
		h->self_test_hours = count_of(tests.tests[0].power_on_hours);
	}
	if (tests.running_kind)
		h->self_test = SELF_TEST_RUNNING;
}

/* The newest entry; its number is that of all errors so far, where the health page does not tell. */
static void fill_errors(const struct nv_answer *a, struct health *h)
{
	struct nv_error newest = {0}, x;

	for (size_t i = 0; a && i < NV_ERROR_ENTRIES; i++)
		if (nv_error_decode(a->data, a->len, i, &x) && x.count > newest.count)
			newest = x;
	if (!newest.count)
		return;
	h->last_error = (struct last_error){.known = true, .number = count_of(newest.count), .status = newest.status};
	if (newest.namespace_id && newest.namespace_id != UINT32_MAX) {
		h->last_error.namespace_id = newest.namespace_id;
		h->last_error.lba = count_of(newest.lba);
	}
	if (!h->error_log_entries.known)
		h->error_log_entries = count_of(newest.count);
}

static void fill_firmware(const struct nv_answer *a, struct drive *d)
{
	struct nv_firmware f;

	if (!a || !nv_firmware_decode(a->data, a->len, &f))
		return;
	if (!d->firmware[0])
		str_copy(d->firmware, sizeof d->firmware, f.revisions[f.active_slot - 1]);
	if (f.next_slot && f.next_slot != f.active_slot)
		str_copy(d->firmware_next, sizeof d->firmware_next, f.revisions[f.next_slot - 1]);
}

static void fill_identify(const struct nv_answer *a, struct drive *d)
{
	struct nv_identify id;

	if (!a || !nv_identify_decode(a->data, a->len, &id))
		return;
	if (!d->serial[0])
		str_copy(d->serial, sizeof d->serial, id.serial);
	if (!d->model[0])
		str_copy(d->model, sizeof d->model, id.model);
	if (!d->firmware[0])
		str_copy(d->firmware, sizeof d->firmware, id.firmware);
	/* the drive's own capacity; its namespaces may leave part of it out */
	if (id.capacity_bytes.known)
		d->capacity_bytes = id.capacity_bytes;
}

/*
 * What was really written to the flash: OCP's page tells it exactly, an endurance group in billions of
 * bytes; of several groups none is the drive.
 */
static void fill_physical(const struct nv_memory *m, const struct nv_controller *c, struct wear *w)
{
	const struct nv_answer *ocp = page_of(m, c, NV_PAGE_OCP_SMART), *group = page_of(m, c, NV_PAGE_ENDURANCE_GROUP),
			       *identify = page_of(m, c, NV_PAGE_IDENTIFY);
	struct nv_endurance_group g;
	struct nv_identify id;
	struct nv_ocp_smart o;

	if (ocp && nv_ocp_smart_decode(ocp->data, ocp->len, &o) && (o.media_bytes_written.lo || o.media_bytes_written.hi))
		w->physical_bytes_written = o.media_bytes_written;
	else if (group && nv_endurance_group_decode(group->data, group->len, &g) &&
		 (!identify || (nv_identify_decode(identify->data, identify->len, &id) && id.endurance_groups == 1)))
		w->physical_bytes_written = g.media_bytes_written;
}

/* Pages beside the health page that did not come, other than those that the drive does not have: worth a word, no more. */
static void tell_others(const struct nv_controller *c, const struct nv_memory *m, struct target *t)
{
	for (int page = NV_PAGE_UNKNOWN + 1; page < NV_PAGES; page++) {
		const struct nv_answer *a = nv_memory_answer(m, c, page);

		if (a && page != NV_PAGE_SMART && (a->end == NV_REFUSED || a->end == NV_FAILED || a->end == NV_TIMED_OUT))
			tell(t, c, page, a, "this page could not be read; the others were");
	}
}

void nv_health_fill(const struct nv_sysfs *s, const struct nv_controller *c, const struct nv_memory *m,
	struct bay *b, struct target *t)
{
	const struct nv_answer *smart;

	if (!c->may_ask) {
		not_live(c, b, t);
		return;
	}
	smart = nv_memory_answer(m, c, NV_PAGE_SMART);
	fill_smart(s, c, smart, b, t);
	if (smart && smart->end != NV_READ && smart->end != NV_NOT_OFFERED && smart->end != NV_REFUSED)
		return; /* the other pages fare alike; one word is enough */
	fill_self_test(page_of(m, c, NV_PAGE_SELF_TEST), &b->health);
	fill_errors(page_of(m, c, NV_PAGE_ERROR), &b->health);
	fill_firmware(page_of(m, c, NV_PAGE_FIRMWARE), &b->drive);
	fill_identify(page_of(m, c, NV_PAGE_IDENTIFY), &b->drive);
	fill_physical(m, c, &b->wear);
	tell_others(c, m, t);
}
