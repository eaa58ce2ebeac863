/* SPDX-License-Identifier: MIT */
/*
 * events: the shapes of events, alerts and notifications (docs/API.md), from the model.
 * A key is always present; what is not known or does not apply is null.
 */
#ifndef DOCUMENT_EVENTS_H
#define DOCUMENT_EVENTS_H

#include "base/buf.h"
#include "model/alert.h"
#include "model/metric.h"

#include <jansson.h>

/* Each returns a new tree, the caller's to json_decref(). */
json_t *document_of_event(const struct event *e);
json_t *document_of_alert(const struct alert *a);
json_t *document_of_notice(const struct notice *n, const char *channel);

/* {"schema": "lanewatch/events/v1", "events": [..]}, and likewise for alerts. */
json_t *document_of_events(const struct events *ev);
json_t *document_of_alerts(const struct alerts *a);

/* A point of a metric: bytes are decimal texts, so that no reader loses digits. `metric`
 * NULL: present. */
json_t *document_of_value(const struct metric *metric, struct metric_value v);

/* The same as JSON text, for long series. */
void document_add_value(struct buf *out, const struct metric *metric, struct metric_value v);

#endif
