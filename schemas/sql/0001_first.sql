-- SPDX-License-Identifier: MIT
-- 0001: what the agent keeps.  docs/STORAGE.md explains the file to whoever opens it with the
-- sqlite3 shell.  Times ending in _wall_ms are milliseconds since 1970 (UTC); those ending in
-- _steady_ms count milliseconds that the agent lived through, which no step of a clock moves.

-- One row a poll of everything.
CREATE TABLE poll (
	id INTEGER PRIMARY KEY,
	at_wall_ms INTEGER NOT NULL,
	at_steady_ms INTEGER NOT NULL
);

CREATE TABLE target (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	verdict TEXT,
	since_steady_ms INTEGER NOT NULL
);

-- One row a bay that ever held a drive.
CREATE TABLE place (
	id INTEGER PRIMARY KEY,
	host TEXT NOT NULL,
	bay TEXT NOT NULL,
	UNIQUE (host, bay)
);

-- One row a drive that was ever seen, and what is remembered of it beyond its last reading.
CREATE TABLE drive (
	id INTEGER PRIMARY KEY,
	key TEXT NOT NULL UNIQUE,          -- drive.id of the document
	serial TEXT, model TEXT, firmware TEXT,
	target TEXT, host TEXT, bay TEXT,  -- where it is, or was last
	sources TEXT,                      -- the targets that saw it, with commas
	here INTEGER NOT NULL, lost INTEGER NOT NULL, by_place INTEGER NOT NULL, missed INTEGER NOT NULL,
	state TEXT, verdict TEXT,
	speed_mtps INTEGER, width_lanes INTEGER,
	link_changes INTEGER NOT NULL, flapping INTEGER NOT NULL,
	changed_steady_ms TEXT,            -- of the last changes of the link, newest first, with commas
	busy_speed_mtps INTEGER, busy_width_lanes INTEGER, busy_steady_ms INTEGER,
	io_done TEXT,
	media_rose_steady_ms INTEGER,
	first_seen_wall_ms INTEGER, seen_wall_ms INTEGER, seen_steady_ms INTEGER,
	bytes_written TEXT, bytes_read TEXT, power_on_hours TEXT, power_cycles TEXT,
	unsafe_shutdowns TEXT, media_errors TEXT
);
CREATE INDEX drive_serial ON drive (serial);

-- One row a drive and poll that saw it; NULL is "not known".  Counters past 2^63 are decimal texts.
CREATE TABLE sample (
	drive INTEGER NOT NULL REFERENCES drive (id),
	poll INTEGER NOT NULL REFERENCES poll (id),
	place INTEGER NOT NULL REFERENCES place (id),
	percent_used, life_left_percent, available_spare_percent, spare_threshold_percent,
	bytes_written, bytes_read, physical_bytes_written,
	critical_warning, media_errors, error_log_entries, unsafe_shutdowns, power_cycles,
	power_on_hours, controller_busy_minutes, temperature_celsius,
	speed_gts, width, max_speed_gts, max_width,
	aer_correctable, aer_nonfatal, aer_fatal,
	PRIMARY KEY (drive, poll)
) WITHOUT ROWID;

-- Which drives a bay held, from poll to poll.
CREATE TABLE stay (
	id INTEGER PRIMARY KEY,
	drive INTEGER NOT NULL REFERENCES drive (id),
	place INTEGER NOT NULL REFERENCES place (id),
	first_poll INTEGER NOT NULL,
	last_poll INTEGER NOT NULL
);
CREATE INDEX stay_place ON stay (place);
CREATE INDEX stay_drive ON stay (drive);

CREATE TABLE event (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	at_wall_ms INTEGER NOT NULL,
	type TEXT NOT NULL, severity TEXT NOT NULL,
	target TEXT, host TEXT, bay TEXT, serial TEXT,
	from_value TEXT, to_value TEXT, message TEXT, source_id TEXT
);

-- Alerts that stand, and those that were.
CREATE TABLE alert (
	id INTEGER PRIMARY KEY,
	kind TEXT NOT NULL, key TEXT NOT NULL, severity TEXT NOT NULL, state TEXT NOT NULL,
	target TEXT, host TEXT, bay TEXT, serial TEXT, drive TEXT, message TEXT,
	since_wall_ms INTEGER NOT NULL, last_seen_wall_ms INTEGER NOT NULL, resolved_wall_ms INTEGER,
	since_steady_ms INTEGER NOT NULL, quiet_steady_ms INTEGER,
	notices INTEGER NOT NULL, acknowledged_by TEXT, silenced_until_wall_ms INTEGER
);
CREATE INDEX alert_state ON alert (state);

-- What each channel still has to be told, and what it was told.
CREATE TABLE notice (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	channel TEXT NOT NULL,
	alert INTEGER,                     -- NULL for a grouped one
	body TEXT NOT NULL,                -- JSON, as it is sent
	made_wall_ms INTEGER NOT NULL,
	attempts INTEGER NOT NULL DEFAULT 0,
	told_wall_ms INTEGER               -- NULL: still to be told
);
CREATE INDEX notice_open ON notice (told_wall_ms) WHERE told_wall_ms IS NULL;

-- The last round as the document lanewatch/bays/v1.
CREATE TABLE document (
	id INTEGER PRIMARY KEY CHECK (id = 1),
	at_wall_ms INTEGER NOT NULL,
	body TEXT NOT NULL
);

CREATE VIEW drives_now AS
	SELECT serial, model, host, bay, firmware, verdict,
		strftime('%Y-%m-%dT%H:%M:%SZ', seen_wall_ms / 1000, 'unixepoch') AS seen
	FROM drive WHERE here ORDER BY host, bay;

CREATE VIEW points AS
	SELECT strftime('%Y-%m-%dT%H:%M:%SZ', poll.at_wall_ms / 1000, 'unixepoch') AS at,
		drive.serial, place.host, place.bay, sample.*
	FROM sample JOIN poll ON poll.id = sample.poll JOIN drive ON drive.id = sample.drive
		JOIN place ON place.id = sample.place
	ORDER BY sample.poll;
