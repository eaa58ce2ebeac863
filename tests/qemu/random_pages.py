#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""random_pages.py DIR COUNT: files of a byte that says which page and random bytes, the same each time."""
import os
import random
import sys

rng = random.Random(1)
guid = bytes.fromhex("c5af1028eabff2a49c4f6f7cc914d5af")
os.makedirs(sys.argv[1], exist_ok=True)
for n in range(int(sys.argv[2])):
    kind = 1 + n % 7
    page = bytearray(rng.randbytes({2: 128, 4: 564, 7: 4096}.get(kind, 512)))
    if kind == 6:
        page[496:512] = guid
    with open(f"{sys.argv[1]}/{n:04d}", "wb") as f:
        f.write(bytes([kind]) + page)
