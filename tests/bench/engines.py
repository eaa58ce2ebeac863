# SPDX-License-Identifier: MIT
"""The stream of tests/bench/stream.h in other engines: a narrow table, Prometheus and VictoriaMetrics, for store.py."""
import array
import http.client
import os
import pathlib
import shutil
import sqlite3
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(os.environ.get("srcdir", ".")) / "tests" / "system"))
from ports import free_port  # noqa: E402

METRICS = 30  # of tests/bench/stream.c


def stream(program, drives, rounds):
    """Of each round its time in ms, and a number for each series."""
    with subprocess.Popen([program, str(drives), str(rounds), "-"], stdout=subprocess.PIPE) as p:
        size = 8 * (1 + drives * METRICS)
        while len(block := p.stdout.read(size)) == size:
            row = array.array("d", block)
            yield int(row[0]), row[1:]


def narrow(program, folder, drives, rounds):
    """A row a sample, (series, ts, value) WITHOUT ROWID, a commit a round: figures by name."""
    path = os.path.join(folder, "narrow.db")
    db = sqlite3.connect(path, isolation_level=None)
    db.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                     "CREATE TABLE sample (series, ts, value, PRIMARY KEY (series, ts)) WITHOUT ROWID")
    took = []
    for at, values in stream(program, drives, rounds):
        rows = [(series, at, value) for series, value in enumerate(values)]
        began = time.monotonic()
        db.execute("BEGIN")
        db.executemany("INSERT INTO sample VALUES (?, ?, ?)", rows)
        db.execute("COMMIT")
        took.append((time.monotonic() - began) * 1e3)

    def read_ms(sql):
        began = time.monotonic()
        db.execute(sql).fetchall()
        return (time.monotonic() - began) * 1e3

    took.sort()
    figures = {"cycle_ms": took[len(took) // 2], "worst_ms": took[-1],
               "series_ms": min(read_ms("SELECT ts, value FROM sample WHERE series = 7 ORDER BY ts") for _ in range(5)),
               "latest_ms": min(read_ms("SELECT series, max(ts), value FROM sample GROUP BY series") for _ in range(5))}
    db.close()
    figures["bytes"] = os.path.getsize(path) / (rounds * drives * METRICS)
    return figures


# ---- remote write ----

def varint(n):
    out = b""
    while n > 0x7f:
        out += bytes([n & 0x7f | 0x80])
        n >>= 7
    return out + bytes([n])


def field(tag, data):
    return bytes([tag]) + varint(len(data)) + data


def labels(series):
    named = {"__name__": f"bench_metric_{series % METRICS:02d}", "bay": str(series // METRICS % 24), "host": f"srv{series // METRICS // 24}",
             "serial": f"SN{series // METRICS:06d}"}
    return b"".join(field(0x0a, field(0x0a, k.encode()) + field(0x12, v.encode())) for k, v in sorted(named.items()))


def snappy(data):
    """Its block format, without compressing."""
    out = [varint(len(data))]
    for i in range(0, len(data), 65536):
        part = data[i:i + 65536]
        out += [b"\xf4" + struct.pack("<H", len(part) - 1), part]
    return b"".join(out)


def bodies(program, drives, rounds, rounds_a_body=20):
    heads = [labels(s) for s in range(drives * METRICS)]
    samples = [[] for _ in heads]
    n = 0
    for at, values in stream(program, drives, rounds):
        time_of = b"\x10" + varint(at)
        head = b"\x12" + varint(9 + len(time_of)) + b"\x09"
        for of, value in zip(samples, values):
            of.append(head + struct.pack("<d", value) + time_of)
        n += 1
        if n % rounds_a_body == 0 or n == rounds:
            yield snappy(b"".join(field(0x0a, h + b"".join(of)) for h, of in zip(heads, samples)))
            for of in samples:
                of.clear()


class Engine:
    """One of them, on loopback, from its start to its end."""

    def __init__(self, command, ready, log):
        self.port = free_port()
        command = [arg.replace("PORT", str(self.port)) for arg in command]
        with open(log, "wb") as f:
            self.process = subprocess.Popen(command, stdout=f, stderr=f)
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                if self.ask("GET", ready)[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        self.stop()
        raise RuntimeError(f"{command[0]} does not start: {open(log, errors='replace').read()[-500:]}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def ask(self, method, path, body=None):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            c.request(method, path, body)
            answer = c.getresponse()
            return answer.status, answer.read()
        finally:
            c.close()

    def feed(self, program, drives, rounds):
        headers = {"Content-Type": "application/x-protobuf", "Content-Encoding": "snappy", "X-Prometheus-Remote-Write-Version": "0.1.0"}
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        for body in bodies(program, drives, rounds):
            c.request("POST", "/api/v1/write", body, headers)
            answer = c.getresponse()
            said = answer.read()
            if answer.status != 204:
                raise RuntimeError(f"remote write: {answer.status} {said[:200]!r}")
        c.close()

    def usage(self):
        """Seconds of CPU so far, and MB of memory of its own."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as f:
            parts = f.read().rsplit(")", 1)[1].split()
        with open(f"/proc/{self.process.pid}/smaps_rollup", encoding="ascii") as f:
            private = sum(int(line.split()[1]) for line in f if line.startswith("Private_"))
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK"), private / 1024

    def series_ms(self, path):
        took = []
        for _ in range(10):
            began = time.monotonic()
            status, _ = self.ask("GET", path)
            if status != 200:
                raise RuntimeError(f"{path}: {status}")
            took.append((time.monotonic() - began) * 1e3)
        return min(took)


def disk(*folders):
    return sum(f.stat().st_size for folder in folders for f in pathlib.Path(folder).rglob("*") if f.is_file())


def said_of(name, size, samples, engine, path):
    cpu, private = engine.usage()
    return (f"{name}, the same stream by remote write: {size / samples:.2f} bytes a sample on disk, {cpu / samples * 1e6:.1f} us of CPU a sample,"
            f" {private:.0f} MB of memory of its own; a series of all that {engine.series_ms(path):.1f} ms")


def prometheus(program, folder, drives, rounds):
    if not shutil.which("prometheus"):
        return "Prometheus beside it: not installed"
    where, config = os.path.join(folder, "prometheus"), os.path.join(folder, "prometheus.yml")
    with open(config, "w", encoding="ascii") as f:
        f.write("global: {scrape_interval: 60s}\n")
    with Engine(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={where}", "--web.listen-address=127.0.0.1:PORT",
                 "--storage.tsdb.retention.time=100y", "--web.enable-remote-write-receiver", "--web.enable-admin-api"],
                "/-/ready", os.path.join(folder, "prometheus.log")) as p:
        first = next(stream(program, drives, 1))[0] // 1000
        p.feed(program, drives, rounds)
        # what is not in blocks yet goes into one with the snapshot
        status, _ = p.ask("POST", "/api/v1/admin/tsdb/snapshot")
        if status != 200:
            raise RuntimeError(f"snapshot: {status}")
        size = disk(os.path.join(where, "snapshots"))
        path = f"/api/v1/query_range?query=bench_metric_22%7Bserial=%22SN000003%22%7D&start={first}&end={first + 60 * rounds}&step=60"
        return said_of("Prometheus", size, rounds * drives * METRICS, p, path)


def victoria_metrics(program, folder, drives, rounds):
    if not shutil.which("victoria-metrics"):
        return "VictoriaMetrics beside it: not installed"
    where = os.path.join(folder, "victoria")
    with Engine(["victoria-metrics", f"-storageDataPath={where}", "-httpListenAddr=127.0.0.1:PORT", "-retentionPeriod=100y"],
                "/health", os.path.join(folder, "victoria.log")) as p:
        p.feed(program, drives, rounds)
        for path in ("/internal/force_flush", "/internal/force_merge"):
            p.ask("GET", path)
        time.sleep(5)
        size = disk(os.path.join(where, "data"), os.path.join(where, "indexdb"))
        return said_of("VictoriaMetrics", size, rounds * drives * METRICS, p,
                       "/api/v1/export?match%5B%5D=bench_metric_22%7Bserial=%22SN000003%22%7D")
