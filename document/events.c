/* SPDX-License-Identifier: MIT */
/* events: see events.h. */
#include "document/events.h"

#include "base/str.h"
#include "document/field.h"

#include <inttypes.h>
#include <math.h>

static void put_text(json_t *o, const char *key, const char *text)
{
	field_put(o, key, field_text(text));
}

static void put_time(json_t *o, const char *key, int64_t wall_ms)
{
	field_put(o, key, field_time(wall_ms));
}

json_t *document_of_event(const struct event *e)
{
	json_t *o = json_object();

	field_put(o, "id", e->id ? json_integer(e->id) : NULL);
	put_time(o, "at", e->at_wall_ms);
	put_text(o, "target", e->target);
	put_text(o, "host", e->host);
	put_text(o, "type", event_type_word(e->type));
	put_text(o, "severity", severity_word(e->severity));
	put_text(o, "bay", e->bay);
	put_text(o, "serial", e->serial);
	put_text(o, "from", e->from);
	put_text(o, "to", e->to);
	put_text(o, "message", e->message);
	put_text(o, "source_id", e->source_id);
	return o;
}

static json_t *told(const struct alert *a)
{
	json_t *list = json_array();

	for (size_t i = a->n_told; i-- > 0;) {
		json_t *o = json_object();

		put_text(o, "channel", a->told[i].channel);
		put_time(o, "at", a->told[i].at_wall_ms);
		field_put(o, "ok", json_boolean(a->told[i].ok));
		json_array_append_new(list, o);
	}
	return list;
}

json_t *document_of_alert(const struct alert *a)
{
	json_t *o = json_object();

	field_put(o, "id", json_integer(a->id));
	put_text(o, "kind", alert_kind_word(a->kind));
	put_text(o, "key", a->key);
	put_text(o, "severity", severity_word(a->severity));
	put_text(o, "state", alert_state_word(a->state));
	put_text(o, "target", a->target);
	put_text(o, "host", a->host);
	put_text(o, "bay", a->bay);
	put_text(o, "serial", a->serial);
	put_time(o, "since", a->since_wall_ms);
	put_time(o, "last_seen", a->last_seen_wall_ms);
	put_time(o, "resolved_at", a->resolved_wall_ms);
	put_text(o, "message", a->message);
	if (a->rule[0])
		put_text(o, "rule", a->rule);
	put_text(o, "acknowledged_by", a->acknowledged_by);
	put_time(o, "silenced_until", a->silenced_until_wall_ms);
	put_text(o, "silenced_by", a->silenced_by);
	field_put(o, "notified", told(a));
	return o;
}

/* What few have: the operator's rule, and how severe it was before. */
static void put_more(json_t *o, const char *rule, enum severity before)
{
	if (rule[0])
		put_text(o, "rule", rule);
	if (before)
		put_text(o, "severity_before", severity_word(before));
}

static json_t *members(const struct notice *n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n->n_members; i++) {
		const struct notice_member *m = &n->members[i];
		json_t *o = json_object();

		put_text(o, "kind", alert_kind_word(m->kind));
		put_text(o, "state", alert_state_word(m->state));
		put_text(o, "bay", m->bay);
		put_text(o, "serial", m->serial);
		put_text(o, "target", m->target);
		put_text(o, "host", m->host);
		put_text(o, "severity", severity_word(m->severity));
		put_time(o, "since", m->since_wall_ms);
		put_text(o, "message", m->message);
		put_more(o, m->rule, m->severity_before);
		json_array_append_new(list, o);
	}
	return list;
}

json_t *document_of_notice(const struct notice *n, const char *channel)
{
	json_t *o = json_object();

	put_text(o, "id", n->id);
	put_text(o, "channel", channel);
	put_time(o, "at", n->at_wall_ms);
	put_text(o, "kind", alert_kind_word(n->kind));
	put_text(o, "severity", severity_word(n->severity));
	put_text(o, "state", alert_state_word(n->state));
	put_text(o, "target", n->target);
	put_text(o, "host", n->host);
	put_text(o, "bay", n->bay);
	put_text(o, "serial", n->serial);
	put_time(o, "since", n->since_wall_ms);
	put_text(o, "message", n->message);
	put_more(o, n->rule, n->severity_before);
	if (n->n_members)
		field_put(o, "members", members(n));
	return o;
}

json_t *document_of_events(const struct events *ev)
{
	json_t *o = json_object(), *list = json_array();

	for (size_t i = 0; i < ev->n; i++)
		json_array_append_new(list, document_of_event(&ev->items[i]));
	put_text(o, "schema", "lanewatch/events/v1");
	field_put(o, "events", list);
	return o;
}

json_t *document_of_alerts(const struct alerts *a)
{
	json_t *o = json_object(), *list = json_array();

	for (size_t i = 0; i < a->n; i++)
		json_array_append_new(list, document_of_alert(&a->items[i]));
	put_text(o, "schema", "lanewatch/alerts/v1");
	field_put(o, "alerts", list);
	return o;
}

static bool is_integer(double v)
{
	return v == floor(v) && fabs(v) < 1e15;
}

/* Whether a counter is a text, for it has to keep all its digits. */
static bool is_text(const struct metric *metric, struct count c)
{
	uint64_t n;

	return (metric && str_has_nocase(metric->name, "bytes_")) || !count_to_u64(c, &n) || n > (1ULL << 53);
}

json_t *document_of_value(const struct metric *metric, struct metric_value v)
{
	char text[COUNT_TEXT_MAX];

	if (!v.known)
		return json_null();
	if (!v.whole)
		return is_integer(v.real) ? json_integer((json_int_t)v.real) : json_real(v.real);
	if (is_text(metric, v.count))
		return json_string(count_text(v.count, text));
	return json_integer((json_int_t)v.count.lo);
}

void document_add_value(struct buf *out, const struct metric *metric, struct metric_value v)
{
	char text[COUNT_TEXT_MAX];

	if (!v.known)
		buf_add_text(out, "null");
	else if (!v.whole && is_integer(v.real))
		buf_printf(out, "%" PRId64, (int64_t)v.real);
	else if (!v.whole)
		buf_printf(out, "%.15g", v.real);
	else if (is_text(metric, v.count))
		buf_printf(out, "\"%s\"", count_text(v.count, text));
	else
		buf_add_text(out, count_text(v.count, text));
}
