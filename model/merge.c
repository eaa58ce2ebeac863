/* SPDX-License-Identifier: MIT */
/*
 * merge: see merge.h.  The kernel reads links and log pages live, so its values are
 * preferred where they do not contradict the BMC's.  Where they do, both are shown, a note
 * says so, and the worse link counts.  Empty values are filled from the other views.
 */
#include "model/merge.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

static int known_dimensions(const struct bay *b)
{
	return !!b->link.now.speed_mtps + !!b->link.now.width_lanes;
}

/* How much a view is worth for the link: what is read live before what is told. */
static int link_worth(const struct merge_view *v)
{
	const struct bay *b = v->bay;

	return b->has_drive * 100 + known_dimensions(b) * 10 + (v->kind == TARGET_NVME);
}

/* And for wear and health: the drive's own log page first. */
static int page_worth(const struct merge_view *v)
{
	const struct bay *b = v->bay;
	bool page = b->health.critical_warning >= 0 || !isnan(b->wear.percent_used);

	return b->has_drive * 100 + page * 10 + (v->kind == TARGET_NVME);
}

static bool rates_differ(struct pcie_rate a, struct pcie_rate b)
{
	return (a.speed_mtps && b.speed_mtps && a.speed_mtps != b.speed_mtps) ||
	       (a.width_lanes && b.width_lanes && a.width_lanes != b.width_lanes);
}

/* True if a carries less than b, as far as both are known. */
static bool rate_worse(struct pcie_rate a, struct pcie_rate b)
{
	double x = pcie_bandwidth(a), y = pcie_bandwidth(b);

	if (x > 0 && y > 0)
		return x < y;
	if (a.speed_mtps && b.speed_mtps && a.speed_mtps != b.speed_mtps)
		return a.speed_mtps < b.speed_mtps;
	return a.width_lanes && b.width_lanes && a.width_lanes < b.width_lanes;
}

static void fill_text(char *to, size_t size, const char *from)
{
	if (!*to)
		str_copy(to, size, from);
}

static void fill_count(struct count *to, struct count from)
{
	if (!to->known)
		*to = from;
}

static void fill_number(double *to, double from)
{
	if (isnan(*to))
		*to = from;
}

/* A capability from another source, unless it contradicts what runs. */
static void fill_limit(int *to, int from, int now)
{
	if (!*to && from >= now)
		*to = from;
}

static void fill_link(struct pcie_link *l, const struct pcie_link *from)
{
	if (!l->max.speed_mtps && !l->max.width_lanes)
		fill_text(l->max_from, sizeof l->max_from, from->max_from);
	if (!l->slot.speed_mtps && !l->slot.width_lanes)
		fill_text(l->slot_from, sizeof l->slot_from, from->slot_from);
	if (!l->now.speed_mtps)
		l->now.speed_mtps = from->now.speed_mtps;
	if (!l->now.width_lanes)
		l->now.width_lanes = from->now.width_lanes;
	fill_limit(&l->max.speed_mtps, from->max.speed_mtps, l->now.speed_mtps);
	fill_limit(&l->max.width_lanes, from->max.width_lanes, l->now.width_lanes);
	fill_limit(&l->slot.speed_mtps, from->slot.speed_mtps, l->now.speed_mtps);
	fill_limit(&l->slot.width_lanes, from->slot.width_lanes, l->now.width_lanes);
	if (!pcie_errors_known(&l->aer_device) && !pcie_errors_known(&l->aer_port)) {
		l->aer_device = from->aer_device;
		l->aer_port = from->aer_port;
	}
	fill_count(&l->aer_correctable, from->aer_correctable);
	fill_count(&l->aer_nonfatal, from->aer_nonfatal);
	fill_count(&l->aer_fatal, from->aer_fatal);
	if (l->changes < 0)
		l->changes = from->changes;
}

static void fill_drive(struct drive *d, const struct drive *from)
{
	fill_text(d->serial, sizeof d->serial, from->serial);
	fill_text(d->model, sizeof d->model, from->model);
	fill_text(d->manufacturer, sizeof d->manufacturer, from->manufacturer);
	fill_text(d->part_number, sizeof d->part_number, from->part_number);
	fill_text(d->firmware, sizeof d->firmware, from->firmware);
	fill_text(d->firmware_next, sizeof d->firmware_next, from->firmware_next);
	fill_text(d->protocol, sizeof d->protocol, from->protocol);
	fill_text(d->media_type, sizeof d->media_type, from->media_type);
	fill_text(d->form_factor, sizeof d->form_factor, from->form_factor);
	fill_text(d->controller, sizeof d->controller, from->controller);
	fill_text(d->pci_address, sizeof d->pci_address, from->pci_address);
	fill_text(d->pci_path, sizeof d->pci_path, from->pci_path);
	fill_count(&d->capacity_bytes, from->capacity_bytes);
	if (d->state == DRIVE_STATE_UNKNOWN)
		d->state = from->state;
	if (!d->n_namespaces) {
		d->n_namespaces = from->n_namespaces;
		memcpy(d->namespaces, from->namespaces, sizeof d->namespaces);
	}
	if (!d->n_names) {
		d->n_names = from->n_names;
		memcpy(d->names, from->names, sizeof d->names);
	}
	if (!d->uses_known) {
		d->uses_known = from->uses_known;
		d->n_uses = from->n_uses;
		memcpy(d->uses, from->uses, sizeof d->uses);
	}
	if (!d->n_paths) {
		d->n_paths = from->n_paths;
		memcpy(d->paths, from->paths, sizeof d->paths);
	}
}

static void fill_wear(struct wear *w, const struct wear *from)
{
	if (from->quality == WEAR_QUALITY_SUSPECT)
		return; /* one bad page is not believed in any value */
	if (isnan(w->percent_used) && isnan(w->life_left_percent)) {
		w->percent_used = from->percent_used;
		w->life_left_percent = from->life_left_percent;
	}
	fill_number(&w->available_spare_percent, from->available_spare_percent);
	fill_number(&w->spare_threshold_percent, from->spare_threshold_percent);
	fill_count(&w->bytes_written, from->bytes_written);
	fill_count(&w->bytes_read, from->bytes_read);
	fill_count(&w->physical_bytes_written, from->physical_bytes_written);
	fill_number(&w->rated_tbw, from->rated_tbw);
	fill_number(&w->rated_dwpd, from->rated_dwpd);
	w->applicable = w->applicable && from->applicable;
}

static void fill_health(struct health *h, const struct health *from)
{
	if (h->failure_predicted != TRI_YES && from->failure_predicted != TRI_UNKNOWN)
		h->failure_predicted = from->failure_predicted;
	if (h->critical_warning < 0)
		h->critical_warning = from->critical_warning;
	fill_count(&h->media_errors, from->media_errors);
	fill_count(&h->error_log_entries, from->error_log_entries);
	fill_count(&h->unsafe_shutdowns, from->unsafe_shutdowns);
	fill_count(&h->power_cycles, from->power_cycles);
	fill_count(&h->power_on_hours, from->power_on_hours);
	fill_count(&h->controller_busy_minutes, from->controller_busy_minutes);
	if (!h->last_error.known)
		h->last_error = from->last_error;
	if (h->self_test == SELF_TEST_UNKNOWN) {
		h->self_test = from->self_test;
		h->self_test_code = from->self_test_code;
		h->self_test_hours = from->self_test_hours;
	}
}

/* What else a second view of the same drive adds, wear and health apart. */
static void fill_bay(struct bay *b, const struct bay *from)
{
	fill_drive(&b->drive, &from->drive);
	fill_text(b->location, sizeof b->location, from->location);
	fill_text(b->bmc_health, sizeof b->bmc_health, from->bmc_health);
	fill_number(&b->temperature_c, from->temperature_c);
	for (size_t i = 0; i < BAY_SENSORS_MAX; i++)
		fill_number(&b->sensors_c[i], from->sensors_c[i]);
	if (b->role == ROLE_UNKNOWN)
		b->role = from->role;
	if (b->busy != TRI_YES && from->busy != TRI_UNKNOWN)
		b->busy = from->busy;
	fill_count(&b->io_done, from->io_done);
	if (!b->io.known)
		b->io = from->io;
	if (!b->throughput.known)
		b->throughput = from->throughput;
	fill_text(b->slot, sizeof b->slot, from->slot);
	b->seen_fast_while_busy |= from->seen_fast_while_busy;
	b->media_errors_rising |= from->media_errors_rising;
	b->pcie = b->pcie && from->pcie;
	b->notes |= from->notes;
}

static bool apart(double a, double b, double by)
{
	return fabs(a - b) > by; /* false where one is not known */
}

/* Whether two sources contradict each other in what both say. */
static unsigned contradictions(const struct bay *a, const struct bay *b)
{
	double x = count_to_double(a->drive.capacity_bytes), y = count_to_double(b->drive.capacity_bytes);
	unsigned notes = 0;

	if (rates_differ(a->link.now, b->link.now))
		notes |= NOTE_SOURCES_DISAGREE;
	if (apart(a->wear.percent_used, b->wear.percent_used, 2))
		notes |= NOTE_WEAR_SOURCES_DISAGREE;
	if (apart(x, y, 0.03 * fmax(x, y)))
		notes |= NOTE_CAPACITY_SUSPECT;
	return notes;
}

static void add_view(struct pcie_link *l, const struct bay *b)
{
	if (l->n_views == PCIE_VIEWS_MAX)
		return;
	str_copy(l->views[l->n_views].target, sizeof l->views[0].target, b->target);
	l->views[l->n_views++].now = b->link.now;
}

/* The views that count: those of this round if there are any, else the stale ones. */
static size_t views_that_count(const struct merge_view *views, size_t n, struct merge_view *out)
{
	bool fresh = false;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		fresh |= !views[i].bay->stale;
	for (size_t i = 0; i < n; i++)
		if (!fresh || !views[i].bay->stale)
			out[k++] = views[i];
	return k;
}

static const struct bay *best(const struct merge_view *views, size_t n,
	int (*worth)(const struct merge_view *v))
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (worth(&views[i]) > worth(&views[best]))
			best = i;
	return views[best].bay;
}

/* The link of the place, and the target whose link it is. */
static void merge_links(struct bay *b, const struct merge_view *views, size_t n)
{
	const struct bay *chosen = best(views, n, link_worth);

	for (size_t i = 0; i < n; i++) {
		const struct bay *v = views[i].bay;

		if (v->has_drive && rates_differ(v->link.now, chosen->link.now) &&
			rate_worse(v->link.now, chosen->link.now))
			chosen = v;
	}
	b->link = chosen->link;
	str_copy(b->target, sizeof b->target, chosen->target);
	b->link.n_views = 0;
	for (size_t i = 0; i < n; i++)
		if (views[i].bay->has_drive && views[i].bay->pcie)
			add_view(&b->link, views[i].bay);
	if (b->link.n_views < 2)
		b->link.n_views = 0;
	for (size_t i = 0; i < n; i++)
		if (views[i].bay != chosen && views[i].bay->has_drive)
			fill_link(&b->link, &views[i].bay->link);
}

static void merge_pages(struct bay *b, const struct merge_view *views, size_t n)
{
	const struct bay *page = best(views, n, page_worth);

	b->wear = page->wear;
	b->health = page->health;
	b->wear_unread = page->wear_unread;
	for (size_t i = 0; i < n; i++) {
		const struct bay *v = views[i].bay;

		if (v == page || !v->has_drive)
			continue;
		fill_wear(&b->wear, &v->wear);
		fill_health(&b->health, &v->health);
		if (b->wear_unread == REASON_NONE)
			b->wear_unread = v->wear_unread;
	}
}

static enum tri any_present(const struct merge_view *views, size_t n)
{
	enum tri present = TRI_UNKNOWN;

	for (size_t i = 0; i < n; i++) {
		if (views[i].bay->present == TRI_YES)
			return TRI_YES;
		if (views[i].bay->present == TRI_NO)
			present = TRI_NO;
	}
	return present;
}

/* Sources in the order of the views, and whether two of them contradict each other. */
static void merge_rest(struct bay *b, const struct merge_view *views, size_t n)
{
	b->drive.n_sources = 0;
	for (size_t i = 0; i < n; i++) {
		const struct bay *v = views[i].bay;

		if (!v->has_drive)
			continue;
		fill_bay(b, v);
		drive_add_source(&b->drive, v->target);
		for (size_t k = 0; k < i; k++)
			if (views[k].bay->has_drive)
				b->notes |= contradictions(views[k].bay, v);
	}
}

struct bay merge_views(const struct merge_view *all, size_t n_all)
{
	struct merge_view views[MERGE_VIEWS_MAX] = {all[0]};
	size_t n = views_that_count(all, n_all, views);
	struct bay b = *best(views, n, link_worth);

	str_copy(b.bay, sizeof b.bay, all[0].bay->bay);
	fill_text(b.location, sizeof b.location, all[0].bay->location);
	b.present = any_present(views, n);
	if (!b.has_drive)
		return b;
	merge_links(&b, views, n);
	merge_pages(&b, views, n);
	merge_rest(&b, views, n);
	return b;
}
