-- SPDX-License-Identifier: MIT
-- 0003: points of more than some two hours ago move into chunks, one for each drive and 120 polls
-- (docs/STORAGE.md has the format); only the last ones are rows, in the order of the polls, so that
-- a round touches few pages of the disk.
DROP VIEW points;

CREATE TABLE recent (
	poll INTEGER NOT NULL REFERENCES poll (id),
	drive INTEGER NOT NULL REFERENCES drive (id),
	place INTEGER NOT NULL REFERENCES place (id),
	percent_used, life_left_percent, available_spare_percent, spare_threshold_percent,
	bytes_written, bytes_read, physical_bytes_written,
	critical_warning, media_errors, error_log_entries, unsafe_shutdowns, power_cycles,
	power_on_hours, controller_busy_minutes, temperature_celsius,
	speed_gts, width, max_speed_gts, max_width,
	aer_correctable, aer_nonfatal, aer_fatal,
	PRIMARY KEY (poll, drive)
) WITHOUT ROWID;

INSERT INTO recent (poll, drive, place, percent_used, life_left_percent, available_spare_percent,
	spare_threshold_percent, bytes_written, bytes_read, physical_bytes_written, critical_warning,
	media_errors, error_log_entries, unsafe_shutdowns, power_cycles, power_on_hours,
	controller_busy_minutes, temperature_celsius, speed_gts, width, max_speed_gts, max_width,
	aer_correctable, aer_nonfatal, aer_fatal)
	SELECT poll, drive, place, percent_used, life_left_percent, available_spare_percent,
	spare_threshold_percent, bytes_written, bytes_read, physical_bytes_written, critical_warning,
	media_errors, error_log_entries, unsafe_shutdowns, power_cycles, power_on_hours,
	controller_busy_minutes, temperature_celsius, speed_gts, width, max_speed_gts, max_width,
	aer_correctable, aer_nonfatal, aer_fatal FROM sample;
DROP TABLE sample;

-- id = (first poll of the bucket / 120) * 2^20 + drive
CREATE TABLE chunk (
	id INTEGER PRIMARY KEY,
	data BLOB NOT NULL
);

CREATE VIEW points AS
	SELECT strftime('%Y-%m-%dT%H:%M:%SZ', poll.at_wall_ms / 1000, 'unixepoch') AS at,
		drive.serial, place.host, place.bay, recent.*
	FROM recent JOIN poll ON poll.id = recent.poll JOIN drive ON drive.id = recent.drive
		JOIN place ON place.id = recent.place
	ORDER BY recent.poll;
