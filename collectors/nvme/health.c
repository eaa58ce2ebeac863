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

static const struct nv_answer *answer_of(const struct nv_ask *asks, size_t n, const char *controller, enum nv_page page)
{
	for (size_t i = 0; i < n; i++)
		if (asks[i].page == page && str_same(asks[i].controller, controller))
			return &asks[i].answer;
	return NULL;
}

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
		message = a->error == EPIPE ? "the reader process has ended; restart the service"
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

static void fill_self_test(const struct nv_answer *a, struct health *h)
{
	struct nv_self_tests tests;

	if (!a || a->end != NV_READ || !nv_self_tests_decode(a->data, a->len, &tests))
		return;
	h->self_test = tests.n ? tests.tests[0].result : SELF_TEST_NONE;
	if (tests.n) {
		h->self_test_code = tests.tests[0].result_code;
		h->self_test_hours = count_of(tests.tests[0].power_on_hours);
	}
	if (tests.running_kind)
		h->self_test = SELF_TEST_RUNNING;
}

static void fill_identify(const struct nv_answer *a, struct drive *d)
{
	struct nv_identify id;

	if (!a || a->end != NV_READ || !nv_identify_decode(a->data, a->len, &id))
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

/* Pages beside the health page that were refused with a status of their own: worth a word, no more. */
static void tell_others(const struct nv_controller *c, const struct nv_ask *asks, size_t n, struct target *t)
{
	for (size_t i = 0; i < n; i++) {
		const struct nv_ask *q = &asks[i];

		if (q->page != NV_PAGE_SMART && str_same(q->controller, c->name) &&
			(q->answer.end == NV_REFUSED || q->answer.end == NV_FAILED))
			tell(t, c, q->page, &q->answer, "this page could not be read; the others were");
	}
}

void nv_health_fill(const struct nv_sysfs *s, const struct nv_controller *c, const struct nv_ask *asks,
	size_t n_asks, struct bay *b, struct target *t)
{
	const struct nv_answer *smart, *ocp;
	struct nv_ocp_smart o;

	if (!c->may_ask) {
		not_live(c, b, t);
		return;
	}
	smart = answer_of(asks, n_asks, c->name, NV_PAGE_SMART);
	fill_smart(s, c, smart, b, t);
	if (smart && smart->end != NV_READ && smart->end != NV_NOT_OFFERED && smart->end != NV_REFUSED)
		return; /* the other pages fare alike; one word is enough */
	fill_self_test(answer_of(asks, n_asks, c->name, NV_PAGE_SELF_TEST), &b->health);
	fill_identify(answer_of(asks, n_asks, c->name, NV_PAGE_IDENTIFY), &b->drive);
	ocp = answer_of(asks, n_asks, c->name, NV_PAGE_OCP_SMART);
	if (ocp && ocp->end == NV_READ && nv_ocp_smart_decode(ocp->data, ocp->len, &o))
		b->wear.physical_bytes_written = o.media_bytes_written;
	tell_others(c, asks, n_asks, t);
}
