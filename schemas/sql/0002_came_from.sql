-- SPDX-License-Identifier: MIT
-- 0002: from which bay a drive came to the one that it is in, and how its link was judged there:
-- whether a fault follows the drive or stays with the bay is told from that.
ALTER TABLE drive ADD COLUMN came_from TEXT;
ALTER TABLE drive ADD COLUMN came_verdict TEXT;
ALTER TABLE drive ADD COLUMN came_steady_ms INTEGER;
