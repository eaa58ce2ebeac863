# SPDX-License-Identifier: MIT
"""Figures of the store: store.py BUILDDIR. 24 drives over a week and a month, a fleet of 2400, a narrow table and
Prometheus beside them. PACE=real: bytes really written, over 15 minutes each. FLEET_ROUNDS=1440: the fleet's whole day."""
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

build = pathlib.Path(sys.argv[1]).resolve()
program, lanewatch = str(build / "tests/bench/store"), str(build / "lanewatch")


def figures(*args):
    out = subprocess.run([program, *map(str, args)], capture_output=True, text=True, check=True).stdout
    return {k: float(v) for k, v in (line.split() for line in out.splitlines())}


def pages(path, *tables):
    try:
        with sqlite3.connect(path) as db:
            return sum(n for name, n in db.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name") if name in tables)
    except sqlite3.Error:
        shell = ["sqlite3", "-readonly", path, "SELECT sum(pgsize) FROM dbstat WHERE name IN (%s)" % ",".join(f"'{t}'" for t in tables)]
        return int(subprocess.run(shell, capture_output=True, text=True, check=True).stdout)


def say(text):
    print("store: " + text, flush=True)


def narrow(folder, drives, metrics, rounds):
    """The same number of samples, as changing, a row each: (series, ts, value) WITHOUT ROWID."""
    path = os.path.join(folder, "narrow.db")
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("PRAGMA journal_mode = WAL; CREATE TABLE sample (series, ts, value, PRIMARY KEY (series, ts)) WITHOUT ROWID")
    took = []
    for r in range(rounds):
        began = time.monotonic()
        db.execute("BEGIN")
        db.executemany("INSERT INTO sample VALUES (?, ?, ?)", ((s, 1772445600 + 60 * r, s * 512000 + r) for s in range(drives * metrics)))
        db.execute("COMMIT")
        took.append((time.monotonic() - began) * 1e3)
    began = time.monotonic()
    db.execute("SELECT count(value) FROM (SELECT value FROM sample WHERE series = 7 ORDER BY ts)").fetchone()
    read = (time.monotonic() - began) * 1e3
    db.close()
    return os.path.getsize(path) / (rounds * drives * metrics), sorted(took)[len(took) // 2], read


def prometheus(folder, db, seconds):
    """What promtool makes of the export of the same file."""
    text, blocks = os.path.join(folder, "all.om"), os.path.join(folder, "tsdb")
    with open(text, "w") as f:
        subprocess.run([lanewatch, "db", "export", "-o", "openmetrics", "--database", db], stdout=f, check=True)
    n = sum(1 for line in open(text) if not line.startswith("#"))
    subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", text, blocks], check=True, capture_output=True, timeout=seconds)
    return sum(f.stat().st_size for f in pathlib.Path(blocks).rglob("*") if f.is_file()) / n


def real_pace(folder):
    for commit, minutes in ((5, 15), (1, 15)):
        f = figures(24, minutes, os.path.join(folder, f"real{commit}.db"), commit, 60)
        say(f"{f['written_bytes'] / f['samples']:.1f} bytes written a sample over {minutes} real minutes, committing every {commit}")


with tempfile.TemporaryDirectory(prefix="lanewatch-bench.", dir=os.environ.get("BENCH_DIR")) as folder:
    if os.environ.get("PACE") == "real":
        real_pace(folder)
        sys.exit()
    week = os.path.join(folder, "week.db")
    f = figures(24, 7 * 1440, week)
    packed, whole = pages(week, "chunk", "poll"), os.path.getsize(week)
    say(f"24 drives, 7 days: {packed / f['samples']:.3f} bytes a sample in chunks and last polls, {whole / f['samples']:.3f} the whole file"
        f" with hours and days; {f['private_kb']:.0f} kB of private memory, {f['wal_bytes'] / 1e6:.1f} MB of WAL at most,"
        f" a cycle {f['cycle_median_ms']:.2f} ms, worst {f['cycle_worst_ms']:.0f}")
    say(f"latest of {f['latest_values']:.0f} series: {f['latest_median_ms']:.2f} ms")
    size, cycle, read = narrow(folder, 24, 22, 1440)
    say(f"a narrow table (series, ts, value), 1 day: {size:.1f} bytes a sample, a cycle {cycle:.1f} ms, a series of that day {read:.1f} ms")
    f = figures(24, 30 * 1440, os.path.join(folder, "month.db"))
    say(f"a series over 30 days ({f['series_points']:.0f} points): {f['series_median_ms']:.2f} ms ({f['series_cpu_median_ms']:.2f} of them CPU), worst {f['series_worst_ms']:.1f}")
    rounds = int(os.environ.get("FLEET_ROUNDS", "360"))
    f = figures(2400, rounds, os.path.join(folder, "fleet.db"))
    say(f"2400 drives, {rounds} rounds of {f['samples'] / rounds:.0f} samples: a cycle {f['cycle_median_ms']:.1f} ms ({f['cycle_cpu_median_ms']:.1f} of them CPU), worst"
        f" {f['cycle_worst_ms']:.0f} ({f['cycle_cpu_worst_ms']:.0f}), {f['wal_bytes'] / 1e6:.1f} MB of WAL at most; latest of {f['latest_values']:.0f} series {f['latest_median_ms']:.1f} ms")
    if shutil.which("promtool") and os.path.exists(lanewatch):
        say(f"Prometheus' blocks made of the same week: {prometheus(folder, week, 1800):.2f} bytes a sample")
    else:
        say("Prometheus beside it: no promtool here")
