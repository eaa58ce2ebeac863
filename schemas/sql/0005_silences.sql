-- SPDX-License-Identifier: MIT
-- 0005: what people said of alerts (silences), the operator's rule that an alert is of, how severe it
-- was when it was told, and whether a channel refused a notice for ever.
ALTER TABLE alert ADD COLUMN rule TEXT;
ALTER TABLE alert ADD COLUMN told_severity TEXT;
UPDATE alert SET told_severity = severity WHERE notices > 0;
ALTER TABLE notice ADD COLUMN refused INTEGER;

-- Patterns with commas; NULL is everything.
CREATE TABLE silence (
	id INTEGER PRIMARY KEY,
	key TEXT,                          -- of one alert; else the patterns
	kinds TEXT, targets TEXT, hosts TEXT, bays TEXT, serials TEXT,
	by_whom TEXT NOT NULL, comment TEXT,
	from_wall_ms INTEGER NOT NULL, until_wall_ms INTEGER NOT NULL
);
