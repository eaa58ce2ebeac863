#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the web server costs while the agent polls, beside nginx and node_exporter in the same run.

web.py [SECONDS]; run from the build folder.  The agent and wrk are pinned to a core each.  Prints a line for each
figure with its limit (docs/HACKING.md); nothing can fail.  Without wrk, nginx or prometheus-node-exporter their
lines say so.  The processor's time is the process's own (/proc/PID/stat), less what it takes to poll alone.
"""
import base64
import gzip
import http.client
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(os.environ.get("srcdir", ".")) / "tests" / "system"))
import rig  # noqa: E402
from ports import free_port  # noqa: E402

CONNECTIONS = 64
SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 10
CORES = sorted(os.sched_getaffinity(0))
DAY_POINTS, DAYS = 1440, 30


def pinned(core):
    return lambda: os.sched_setaffinity(0, {core})


def cpu_s(pid):
    """The processor's time of all threads of a process so far, finer than its ticks."""
    return sum(int(p.read_text().split()[0]) for p in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


class Agent:
    def __init__(self, more="", database=None):
        self.port = free_port()
        self.sim = rig.Sim("--chassis", "r7725xd", "--license", "--port", "0", "--latency", "20", "--fault", "bay 7 width 2")
        self.conf = rig.config(f'listen = "127.0.0.1:{self.port}"\nconnections_per_address = {CONNECTIONS}\npoll_interval = "1s"\n{more}\n',
                               rig.target_text("rack1", self.sim.url, self.sim.password_file), 'policy "all" { expect = "gen5 x4" bays = "0-23" }\n')
        state, self.said = rig.fresh("state"), rig.fresh("said")
        state.mkdir()
        began = time.monotonic()
        self.process = subprocess.Popen([rig.LANEWATCH, "run", "--config", str(self.conf), "--database", str(database or rig.fresh("db"))],
                                        stdin=subprocess.DEVNULL, stderr=open(self.said, "w"), env=rig.environment(state), preexec_fn=pinned(CORES[0]))
        self.pid = self.process.pid
        self.wait_for("/healthz", 0.0005)
        self.answered_ms = 1e3 * (time.monotonic() - began)
        self.wait_for("/readyz", 0.1)

    def wait_for(self, path, pause_s):
        end = time.monotonic() + 30
        while self.ask(path)[0] != 200:
            assert time.monotonic() < end, self.said.read_text()
            time.sleep(pause_s)

    def ask(self, path, **headers):
        return ask(self.port, path, headers)

    def late_ms(self):
        """How late polls began at most, as the agent counts it since its start."""
        self.process.send_signal(signal.SIGUSR1)
        end = time.monotonic() + 5
        while time.monotonic() < end:
            m = re.findall(r"at most (\d+) ms late", self.said.read_text())
            if m:
                return m[-1]
            time.sleep(0.1)
        return "?"

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.sim.stop()


def ask(port, path, headers, source="127.0.0.1"):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=30, source_address=(source, 0))
    try:
        c.request("GET", path, headers=headers)
        r = c.getresponse()
        return r.status, r.headers, r.read()
    except OSError:
        return None, {}, b""
    finally:
        c.close()


def wrk(url, pid, seconds, headers=(), script=None):
    """Requests a second, p99 in ms and microseconds of the processor a request, of the process that answers."""
    before = cpu_s(pid)
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency"]
    for h in headers:
        command += ["-H", h]
    if script:
        command += ["-s", str(script)]
    out = subprocess.run([*command, url], capture_output=True, text=True, preexec_fn=pinned(CORES[-1])).stdout
    spent = cpu_s(pid) - before
    n = int(re.search(r"(\d+) requests in", out)[1])
    value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", out).groups()
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", out)
    p99 = float(value) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]
    return {"n": n, "rate": float(re.search(r"Requests/sec:\s+([\d.]+)", out)[1]), "p99_ms": p99, "spent_s": spent,
            "us": 1e6 * spent / n, "bad": int(bad[1]) if bad else 0}


def nginx(files):
    """One worker of nginx that serves these files with the headers of our replies; its pid and port.

    As cheap as it gets: for bodies this short sendfile and tcp_nopush, Debian's settings, cost a sixth more.
    """
    if not shutil.which("nginx") and not os.path.exists("/usr/sbin/nginx"):
        return None
    root, port = rig.fresh("nginx"), free_port()
    root.mkdir()
    for name, (body, zipped, media, headers) in files.items():
        (root / name).write_bytes(body)
        (root / (name + ".gz")).write_bytes(zipped)
    places = "".join(
        f"location = /{name} {{ types {{ }} default_type {media.partition(';')[0]}; gzip_static on; "
        + "".join(f"add_header {k} \"{v}\"; " for k, v in headers.items()) + "}\n" for name, (_, _, media, headers) in files.items())
    (root / "conf").write_text(f"""
daemon off; master_process off; worker_processes 1; pid {root}/pid; error_log {root}/error;
events {{ worker_connections 256; use epoll; multi_accept on; }}
http {{
access_log off; sendfile off; tcp_nodelay on; keepalive_requests 1000000000; server_tokens off;
open_file_cache max=100 inactive=600s; open_file_cache_valid 600s; etag on;
client_body_temp_path {root}/b; proxy_temp_path {root}/p; fastcgi_temp_path {root}/f; uwsgi_temp_path {root}/u; scgi_temp_path {root}/s;
server {{ listen 127.0.0.1:{port}; root {root};
{places}}} }}
""")
    child = subprocess.Popen(["/usr/sbin/nginx", "-p", str(root), "-e", str(root / "error"), "-c", str(root / "conf")], stdin=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, preexec_fn=pinned(CORES[0]))
    for _ in range(50):
        if ask(port, "/" + next(iter(files)), {})[0] == 200:
            return child, port
        time.sleep(0.1)
    child.terminate()
    return None


def node_exporter():
    if not shutil.which("prometheus-node-exporter"):
        return None
    port = free_port()
    child = subprocess.Popen(["prometheus-node-exporter", f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"],
                             stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=pinned(CORES[0]))
    for _ in range(50):
        if ask(port, "/metrics", {})[0] == 200:
            return child, port
        time.sleep(0.1)
    child.terminate()
    return None


KEPT = ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Resource-Policy", "Cache-Control", "Vary")


def fetch(a, path):
    """One reply plain and compressed, its type, and the headers that nginx would not send by itself."""
    _, headers, body = a.ask(path)
    zipped = a.ask(path, **{"Accept-Encoding": "gzip"})[2]
    assert gzip.decompress(zipped) == body
    return body, zipped, headers["Content-Type"], {k: headers[k] for k in KEPT}


def say(text):
    print("web: " + text, flush=True)


def compare(a, idle):
    """The same bytes with the same headers from us and from nginx, one after the other, three times over."""
    serial = next(b for b in rig.json.loads(a.ask("/api/v1/bays")[2])["bays"] if b["bay"] == "7")["drive"]["serial"]
    paths = {"a drive": "/api/v1/drives/" + serial, "targets": "/api/v1/targets", "a page asset": "/app.js"}
    files = {f"f{i}": fetch(a, p) for i, p in enumerate(paths.values())}
    other = nginx(files)
    for i, (what, path) in enumerate(paths.items()):
        body, zipped = files[f"f{i}"][:2]
        ours, theirs = [], []
        for _ in range(3):
            r = wrk(f"http://127.0.0.1:{a.port}{path}", a.pid, max(1, SECONDS // 3), ["Accept-Encoding: gzip"])
            r["us"] = 1e6 * (r["spent_s"] - idle * max(1, SECONDS // 3)) / r["n"]
            ours.append(r)
            if other:
                theirs.append(wrk(f"http://127.0.0.1:{other[1]}/f{i}", other[0].pid, max(1, SECONDS // 3), ["Accept-Encoding: gzip"]))
        show(f"{what} ({len(body)} bytes, {len(zipped)} compressed)", ours, theirs)
    etag = a.ask(paths["a drive"])[1]["ETag"]
    show("304 for a drive", [wrk(f"http://127.0.0.1:{a.port}{paths['a drive']}", a.pid, max(1, SECONDS // 3), [f"If-None-Match: {etag}"])], [])
    if other:
        other[0].terminate()
        other[0].wait()


def show(what, ours, theirs):
    us, best = statistics.median(r["us"] for r in ours), max(ours, key=lambda r: r["rate"])
    text = f"{what}: {us:.1f} us of the processor a request, {best['rate']:.0f} requests/s, p99 {min(r['p99_ms'] for r in ours):.1f} ms (limits 50000/s, 5 ms)"
    if theirs:
        them = statistics.median(r["us"] for r in theirs)
        text += f"; nginx {them:.1f} us, {max(r['rate'] for r in theirs):.0f}/s, p99 {min(r['p99_ms'] for r in theirs):.1f} ms: {us / them:.2f} of its cost (limit 1)"
    say(text + (f"; {sum(r['bad'] for r in ours)} FAILED" if any(r["bad"] for r in ours) else ""))


def mixed(a):
    """A2: 200 requests a second of pages and API, over 64 connections."""
    script = rig.fresh("lua")
    script.write_text('local p = {"/", "/api/v1/bays", "/api/v1/drives?limit=50&sort=-percent_used", "/api/v1/events?limit=50", "/api/v1/alerts", "/style.css", '
                      '"/app.js", "/api/v1/status", "/metrics", "/api/v1/series?drive=rack1/7&metric=temperature_celsius&since=-1h"}\nlocal n = 0\n'
                      f'function delay() return {1000 * CONNECTIONS // 200} end\n'
                      'function request() n = n + 1 return wrk.format("GET", p[n % #p + 1], {["Accept-Encoding"] = "gzip"}) end\n')
    seconds = max(SECONDS * 2, 10)
    r = wrk(f"http://127.0.0.1:{a.port}/", a.pid, seconds, script=script)
    say(f"{r['rate']:.0f} requests/s of pages, API, series and metrics for {seconds} s: p99 {r['p99_ms']:.1f} ms (limit 50 ms), "
        f"{100 * r['spent_s'] / seconds:.1f} % of a core, {r['bad']} refused; polls at most {a.late_ms()} ms late since the start (limit 1000 ms)")


def metrics(a):
    """Anew each time: a page of metrics is kept for a second."""
    spent, size = [], 0
    for _ in range(20):
        time.sleep(1.05)
        before = cpu_s(a.pid)
        body = a.ask("/metrics")[2]
        spent.append((cpu_s(a.pid) - before) * 1e3)
        size = len(re.findall(rb"^[^#\n]", body, re.M))
    mine = statistics.median(spent)
    text = f"/metrics of {size} series: {mine:.2f} ms of the processor, {720 * mine / size:.2f} ms for 720 of them (limit 0.5 ms)"
    other = node_exporter()
    if not other:
        return say(text + "; no prometheus-node-exporter here")
    spent = []
    for _ in range(20):
        before = cpu_s(other[0].pid)
        body = ask(other[1], "/metrics", {})[2]
        spent.append((cpu_s(other[0].pid) - before) * 1e3)
        theirs = len(re.findall(rb"^[^#\n]", body, re.M))
    other[0].terminate()
    other[0].wait()
    say(f"{text}; node_exporter {statistics.median(spent):.2f} ms for {theirs} series, {720 * statistics.median(spent) / theirs:.2f} ms for 720")


def start_up():
    """With a month of 24 drives in the store, which is looked through while the agent answers."""
    db, took = rig.fresh("db"), []
    subprocess.run([str(rig.BUILD / "tests/bench/store"), "24", str(DAYS * DAY_POINTS), str(db)], check=True, stdout=subprocess.DEVNULL)
    for _ in range(5):
        a = Agent(database=db)
        took.append(a.answered_ms)
        a.stop()
    say(f"answers {statistics.median(took):.0f} ms after its start with a month of 24 drives in {db.stat().st_size / 1e6:.0f} MB (limit 40 ms); of five {', '.join(f'{t:.0f}' for t in took)}")


def series():
    """30 days of one drive at a minute, made by tests/bench/store, then asked for over HTTP."""
    db = rig.fresh("db")
    subprocess.run([str(rig.BUILD / "tests/bench/store"), "1", str(DAYS * DAY_POINTS), str(db)], check=True, stdout=subprocess.DEVNULL)
    a = Agent(database=db)
    for metric in ("temperature_celsius", "bytes_written"):
        for headers in ({}, {"Accept-Encoding": "gzip"}):
            took, spent = [], []
            for _ in range(20):
                before, began = cpu_s(a.pid), time.monotonic()
                status, _, body = a.ask(f"/api/v1/series?drive=SN000000&metric={metric}", **headers)
                took.append((time.monotonic() - began) * 1e3)
                spent.append((cpu_s(a.pid) - before) * 1e3)
                assert status == 200, body
            j = rig.json.loads(gzip.decompress(body) if headers else body)
            say(f"series {metric}, {j['read']} points read, {len(j['points'])} sent{' compressed' if headers else ''} in {len(body)} bytes: "
                f"{statistics.median(took):.1f} ms, of the processor {statistics.median(spent):.1f} ms (limit 10 ms)")
    a.stop()


def passwords():
    """W8: a known and an unknown name in turn, from enough addresses that nobody has to wait."""
    users, password = rig.fresh("users"), rig.fresh("pw")
    password.write_text("right\n")
    line = subprocess.run([rig.LANEWATCH, "hash-password", "anna"], stdin=open(password), capture_output=True, text=True).stdout
    users.write_text(line)
    users.chmod(0o600)
    a = Agent(f'users_file = "{users}"')
    took = {"anna": [], "nobody": []}
    for i in range(400):
        name = "anna" if i % 2 else "nobody"
        began = time.monotonic()
        status = ask(a.port, "/api/v1/status", {"Authorization": "Basic " + base64.b64encode(f"{name}:wrong{i}".encode()).decode()}, f"127.1.{i // 4}.1")[0]
        took[name].append((time.monotonic() - began) * 1e3)
        assert status == 401, status
    a.stop()
    text = []
    for name, t in took.items():
        q = statistics.quantiles(t, n=20)
        text.append(f"{'known' if name == 'anna' else 'unknown'} name median {statistics.median(t):.2f}, 5 % {q[0]:.2f}, 95 % {q[-1]:.2f} ms")
    known, unknown = (statistics.median(took[n]) for n in ("anna", "nobody"))
    say(f"200 wrong passwords each: {'; '.join(text)}; medians {100 * abs(known - unknown) / known:.1f} % apart")


def main():
    if not shutil.which("wrk"):
        return say("no wrk here")
    load = os.getloadavg()[0]
    say(f"{len(CORES)} cores, load {load:.1f}" + (": not a quiet machine, its times say little" if load > 0.5 else ""))
    a = Agent()
    time.sleep(3)
    before = cpu_s(a.pid)
    time.sleep(5)
    idle = (cpu_s(a.pid) - before) / 5
    say(f"polling 24 drives each second alone: {100 * idle:.2f} % of a core")
    compare(a, idle)
    mixed(a)
    metrics(a)
    a.stop()
    start_up()
    series()
    passwords()


main()
