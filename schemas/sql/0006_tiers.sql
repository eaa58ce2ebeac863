-- SPDX-License-Identifier: MIT
-- 0006: what is older than a bucket of 120 polls is kept three times: as it was read (chunk), by the
-- hour and by the day (least, greatest, last, how many), each for a time of its own.  The polls of the
-- last two hours or so are packed as well, a row a poll: a fleet's round is one row then.
-- docs/STORAGE.md has the formats.  Rows of `recent` are moved by the program, which drops it.
DROP VIEW points;
DROP VIEW drives_now;

-- What each drive said in a poll; NULL: nothing was read.
ALTER TABLE poll ADD COLUMN data BLOB;

-- The poll with which a row of `drive` was written; later ones may say more.
ALTER TABLE drive ADD COLUMN at_poll INTEGER;

-- One row for each 120 polls that are in chunks.  lived_ms: time lived up to its end, in which a
-- pause counts as a day at most: what is too old to be kept is told by that, whatever a clock says.
CREATE TABLE bucket (
	id INTEGER PRIMARY KEY,            -- number of a poll / 120
	from_wall_ms INTEGER NOT NULL,     -- the earliest and the latest of its polls
	until_wall_ms INTEGER NOT NULL,
	lived_ms INTEGER NOT NULL,
	times BLOB                         -- when its polls were; NULL: no longer kept
);

-- id = (bucket / 12) * 2^20 + drive
CREATE TABLE hour (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
-- id = (bucket / 360) * 2^20 + drive
CREATE TABLE day (id INTEGER PRIMARY KEY, data BLOB NOT NULL);

-- When it was seen last stands in the row, or in the last poll.
CREATE VIEW drives_now AS
	SELECT serial, model, host, bay, firmware, verdict FROM drive WHERE here ORDER BY host, bay;

-- The last round, a row a bay.
CREATE VIEW latest AS
	SELECT strftime('%Y-%m-%dT%H:%M:%SZ', document.at_wall_ms / 1000, 'unixepoch') AS at,
		json_extract(b.value, '$.host') AS host, json_extract(b.value, '$.bay') AS bay,
		json_extract(b.value, '$.drive.serial') AS serial, json_extract(b.value, '$.drive.model') AS model,
		json_extract(b.value, '$.verdict') AS verdict,
		json_extract(b.value, '$.link.speed_gts') AS speed_gts, json_extract(b.value, '$.link.width') AS width,
		json_extract(b.value, '$.wear.percent_used') AS percent_used,
		json_extract(b.value, '$.wear.bytes_written') AS bytes_written,
		json_extract(b.value, '$.health.status') AS health,
		json_extract(b.value, '$.health.media_errors') AS media_errors,
		json_extract(b.value, '$.temperature_celsius') AS temperature_celsius
	FROM document, json_each(document.body, '$.bays') AS b;

CREATE VIEW stays AS
	SELECT drive.serial, place.host, place.bay,
		strftime('%Y-%m-%dT%H:%M:%SZ', coalesce(
			(SELECT at_wall_ms FROM poll WHERE id = first_poll),
			(SELECT from_wall_ms FROM bucket WHERE id = first_poll / 120)) / 1000, 'unixepoch') AS since,
		CASE WHEN drive.here AND stay.id = (SELECT max(id) FROM stay AS s WHERE s.drive = drive.id) THEN NULL
		ELSE strftime('%Y-%m-%dT%H:%M:%SZ', coalesce(
			(SELECT at_wall_ms FROM poll WHERE id = last_poll),
			(SELECT until_wall_ms FROM bucket WHERE id = last_poll / 120)) / 1000, 'unixepoch') END AS until
	FROM stay JOIN drive ON drive.id = stay.drive JOIN place ON place.id = stay.place
	ORDER BY stay.id;

CREATE VIEW happened AS
	SELECT strftime('%Y-%m-%dT%H:%M:%SZ', at_wall_ms / 1000, 'unixepoch') AS at, severity, type,
		host, bay, serial, message
	FROM event ORDER BY id;
