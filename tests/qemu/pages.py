#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pages.py DIR COUNT: health pages of COUNT drives, each field other than in the next, as DIR/nvmeN/log-02.bin."""
import os
import random
import sys

rng = random.Random(1)
for n in range(int(sys.argv[2])):
    page = bytearray(512)
    page[0] = rng.choice((0, 0, 1, 2, 4, 8, 16, 5))
    page[1:3] = (300 + rng.randrange(60)).to_bytes(2, "little")
    page[3], page[4], page[5] = rng.randrange(1, 101), rng.randrange(1, 101), rng.randrange(256)
    for at in (32, 48):                                  # data units; one drive has more than 64 bits of them
        page[at:at + 16] = (rng.getrandbits(70 if n == 7 else 40)).to_bytes(16, "little")
    for at in range(64, 192, 16):
        page[at:at + 16] = rng.getrandbits(rng.choice((8, 20, 31))).to_bytes(16, "little")
    for at in (192, 196):
        page[at:at + 4] = rng.getrandbits(16).to_bytes(4, "little")
    for i in range(8):
        kelvin = rng.choice((0, 300 + rng.randrange(60)))
        page[200 + 2 * i:202 + 2 * i] = kelvin.to_bytes(2, "little")
    os.makedirs(f"{sys.argv[1]}/nvme{n}", exist_ok=True)
    with open(f"{sys.argv[1]}/nvme{n}/log-02.bin", "wb") as f:
        f.write(page)
