/* SPDX-License-Identifier: MIT */
/* bay: see bay.h. */
#include "model/bay.h"

#include "base/clock.h"
#include "base/str.h"

#include <math.h>

struct bay bay_unknown(const char *target, const char *host, const char *name)
{
	struct bay b = {
		.pcie = true, /* until the source names another protocol */
		.link = pcie_link_unknown(),
		.wear = wear_unknown(),
		.health = health_unknown(),
		.temperature_c = NAN,
		.throughput = throughput_unknown(),
		.rated = ceiling_unknown(),
		.observed_wall_ms = CLOCK_NEVER,
	};

	for (size_t i = 0; i < BAY_SENSORS_MAX; i++)
		b.sensors_c[i] = NAN;
	str_copy(b.target, sizeof b.target, target);
	str_copy(b.host, sizeof b.host, host);
	str_copy(b.bay, sizeof b.bay, name);
	return b;
}

const char *bay_role_word(enum bay_role r)
{
	switch (r) {
	case ROLE_UNKNOWN:
		return NULL;
	case ROLE_DATA:
		return "data";
	case ROLE_BOOT:
		return "boot";
	case ROLE_LOG:
		return "log";
	case ROLE_CACHE:
		return "cache";
	case ROLE_SPECIAL:
		return "special";
	case ROLE_SPARE:
		return "spare";
	}
	return NULL;
}

enum bay_role bay_role_of(const char *word)
{
	for (int r = ROLE_UNKNOWN + 1; word && r <= ROLE_SPARE; r++)
		if (str_same(word, bay_role_word(r)))
			return r;
	return ROLE_UNKNOWN;
}

const char *note_word(enum note bit)
{
	switch (bit) {
	case NOTE_DUPLICATE_SERIAL:
		return "duplicate-serial";
	case NOTE_NOT_SEEN_BY_HOST:
		return "not-seen-by-host";
	case NOTE_NOT_SEEN_BY_BMC:
		return "not-seen-by-bmc";
	case NOTE_SOURCES_DISAGREE:
		return "sources-disagree";
	case NOTE_WEAR_SOURCES_DISAGREE:
		return "wear-sources-disagree";
	case NOTE_BMC_HEALTH_CONTRADICTS_SMART:
		return "bmc-health-contradicts-smart";
	case NOTE_LIFE_LEFT_NOT_CREDIBLE:
		return "life-left-not-credible";
	case NOTE_CAPACITY_SUSPECT:
		return "capacity-suspect";
	case NOTE_WEAR_RATE:
		return "wear-rate";
	case NOTE_VMD_DOMAIN:
		return "vmd-domain";
	case NOTES_END:
		return NULL;
	}
	return NULL;
}

unsigned note_of(const char *word)
{
	for (unsigned bit = 1; word && bit < NOTES_END; bit <<= 1)
		if (str_same(word, note_word(bit)))
			return bit;
	return 0;
}
