-- SPDX-License-Identifier: MIT
-- 0004: what a drive moved from one poll to the next: bytes per second, the share of time in which
-- requests were pending, and the busier direction as a share of what its link carries.
ALTER TABLE recent ADD COLUMN read_bytes_per_second;
ALTER TABLE recent ADD COLUMN write_bytes_per_second;
ALTER TABLE recent ADD COLUMN busy_ratio;
ALTER TABLE recent ADD COLUMN link_ratio;
