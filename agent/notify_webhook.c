/* SPDX-License-Identifier: MIT */
/* notify_webhook: one notice a request, as the object of the contract or in the operator's own shape. */
#include "agent/notify_template.h"
#include "agent/notify_way.h"
#include "base/jtext.h"

static void *send_webhook(const struct notify_env *env, const struct notify_post *p, notify_done_fn *done, void *arg)
{
	json_t *shaped = p->config->template_text ? template_fill_json(p->config->template_text, p->notice) : NULL;
	char *body = jtext_print(shaped ? shaped : p->notice, JSON_COMPACT);

	json_decref(shaped);
	return notify_http_send(env, p, p->config->url, body, done, arg);
}

const struct notify_way notify_webhook = {send_webhook, notify_http_cancel, false};
