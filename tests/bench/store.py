# SPDX-License-Identifier: MIT
"""Figures of the store, each with what it should be: store.py BUILDDIR. 24 drives x 30 metrics over a week and a month, a
fleet of 2400 drives over a day, and the same stream in other engines. FLEET_ROUNDS=360: less of the fleet's day.
PACE=real: bytes really written, over MINUTES (15) real minutes, with a commit every 5 and every one of them."""
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

import engines

build = pathlib.Path(sys.argv[1]).resolve()
program = str(build / "tests/bench/store")
WEEK, MONTH, DAY = 7 * 1440, 30 * 1440, 1440


def parsed(out):
    return {k: float(v) for k, v in (line.split() for line in out.splitlines())}


def figures(*args):
    return parsed(subprocess.run([program, *map(str, args)], capture_output=True, text=True, check=True).stdout)


def pages(path, *tables):
    """Whole pages, by dbstat: of Python's SQLite, or of the shell where that has none."""
    sql = "SELECT sum(pgsize) FROM dbstat WHERE name IN (%s)" % ",".join(f"'{t}'" for t in tables)
    try:
        with sqlite3.connect(path) as db:
            return db.execute(sql).fetchone()[0]
    except sqlite3.Error:
        return int(subprocess.run(["sqlite3", "-readonly", path, sql], capture_output=True, text=True, check=True).stdout)


def say(text):
    print("store: " + text, flush=True)


def against(what, value, limit, unit, beside=""):
    """What was measured, and the target beside it."""
    met = "met" if value <= limit else "MISSED"
    say(f"{what}: {value:.3g} {unit} (target {limit:g}: {met}){beside}")


def timed(what, f, name, limit):
    """Median of the clock, and of CPU for a machine that is busy with other things."""
    against(what, f[name + "_median_ms"], limit, "ms",
            f"; {f[name + '_cpu_median_ms']:.3g} of CPU, worst {f[name + '_worst_ms']:.3g} ({f[name + '_cpu_worst_ms']:.3g})")


def week(folder):
    path = os.path.join(folder, "week.db")
    f = figures(24, WEEK, path)
    against("24 drives, 7 days, chunks and last polls", pages(path, "chunk", "poll", "bucket") / f["samples"], 0.57, "bytes a sample", "; the aim is 0.43")
    say(f"24 drives, 7 days, the whole file with hours and days: {os.path.getsize(path) / f['samples']:.3g} bytes a sample")
    against("24 drives, private memory", f["private_kb"] / 1000, 3, "MB")
    say(f"24 drives, a cycle: {f['cycle_median_ms']:.2g} ms ({f['cycle_cpu_median_ms']:.2g} of CPU), worst {f['cycle_worst_ms']:.3g}"
        f" ({f['cycle_cpu_worst_ms']:.3g}), {f['wal_bytes'] / 1e6:.1f} MB of WAL, {f['written_bytes'] / f['samples']:.2g} bytes written a sample at this pace")
    timed(f"latest of {f['latest_values']:.0f} series", f, "latest", 1)


def month(folder):
    f = figures(24, MONTH, os.path.join(folder, "month.db"))
    for metric, kind in (("bytes_written", "that moves"), ("power_on_hours", "that creeps"), ("poll_ms", "of noise")):
        timed(f"a series {kind} over 30 days, {f['series_points']:.0f} points", f, "series_" + metric, 3)


def fleet(folder):
    rounds = int(os.environ.get("FLEET_ROUNDS", str(DAY)))
    path = os.path.join(folder, "fleet.db")
    f = figures(2400, rounds, path)
    what = f"2400 drives, {rounds / 60:.3g} hours of {f['samples'] / rounds:.0f} series"
    timed(what + ", a cycle", f, "cycle", 5)
    against(what + ", worst cycle", f["cycle_worst_ms"], 50, "ms", f"; {f['cycle_cpu_worst_ms']:.3g} of CPU; 99 in 100 take {f['cycle_p99_ms']:.3g} ({f['cycle_cpu_p99_ms']:.3g})")
    against(what + ", WAL at most", f["wal_bytes"] / 1e6, 25, "MB")
    against(what + ", chunks and last polls", pages(path, "chunk", "poll", "bucket") / f["samples"], 0.57, "bytes a sample",
            f"; {os.path.getsize(path) / f['samples']:.3g} the whole file, {f['written_bytes'] / f['samples']:.2g} written; {f['private_kb'] / 1000:.1f} MB of private memory")
    timed(f"latest of {f['latest_values']:.0f} series", f, "latest", 50)


def others(folder):
    n = engines.narrow(program, folder, 24, DAY)
    say(f"a narrow table (series, ts, value), 1 day of the same: {n['bytes']:.3g} bytes a sample, a cycle {n['cycle_ms']:.3g} ms (worst {n['worst_ms']:.3g}),"
        f" a series of that day {n['series_ms']:.2g} ms, latest of all {n['latest_ms']:.3g} ms")
    for engine in (engines.prometheus, engines.victoria_metrics):
        try:
            say(engine(program, folder, 24, WEEK))
        except (OSError, RuntimeError) as e:
            say(f"{engine.__name__} beside it failed: {e}")


def real_pace(folder):
    """Both at once: the kernel tells for each process what it wrote. A file is made once, so that counts beside it."""
    minutes = int(os.environ.get("MINUTES", "15"))
    runs = [(every, limit, subprocess.Popen([program, "24", str(minutes), os.path.join(folder, f"real{every}.db"), str(every), "60"],
                                            stdout=subprocess.PIPE, text=True)) for every, limit in ((5, 12), (1, 40))]
    for every, limit, run in runs:
        out = run.communicate()[0]
        if run.returncode:
            raise RuntimeError(f"a commit every {every}: it failed")
        f = parsed(out)
        after = f["written_bytes"] - f["first_bytes"], f["samples"] - f["first_samples"]
        against(f"24 drives, {minutes} real minutes, a commit every {every}", after[0] / after[1] if after[1] else float("nan"), limit,
                "bytes written a sample", f" after the first commit, which wrote {f['first_bytes'] / 1e3:.0f} kB with the file itself")


with tempfile.TemporaryDirectory(prefix="lanewatch-bench.", dir=os.environ.get("BENCH_DIR")) as temporary:
    if os.environ.get("PACE") == "real":
        real_pace(temporary)
    else:
        for part in (week, month, fleet, others):
            part(temporary)
