/* SPDX-License-Identifier: MIT */
/*
 * path: every link out of a BMC's answer, reduced to a path on that BMC or refused
 * (SECURITY.md, R1 and R2).  `@odata.id`, nextLink, Location and event stream URIs all
 * come through here before anything is fetched.
 */
#ifndef REDFISH_PATH_H
#define REDFISH_PATH_H

#include "base/url.h"

#include <stdbool.h>

enum { RF_PATH_MAX = 1024 };

/*
 * Reduces a link to a path: absolute URLs only with the origin's own scheme, host and port; one
 * leading '/', no control characters, no ".." segment also after decoding, at most RF_PATH_MAX - 1
 * bytes; blanks are percent-encoded, a fragment is cut, a trailing slash and a query are kept.
 * `origin` NULL (a recording) refuses every absolute URL.  False if the link is refused.
 */
bool rf_path_reduce(const struct url *origin, const char *link, char out[RF_PATH_MAX]);

/* The name a resource is known by: without fragment and trailing slashes; a query stays. */
void rf_path_key(const char *path, char out[RF_PATH_MAX]);

/* The last segment of a path, borrowed. */
const char *rf_path_last(const char *path);

#endif
