#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What one agent costs with many BMCs: simulated r7725xd over TLS, 24 drives each, 200 ms a reply, and what it is held to.

fleet.py [--minutes M] [--bmcs N,N,...] [--polls P]; run from the build folder.  For each N: CPU, memory, how late polls began, requests a
poll and in flight, connections, and the cost of a drive and poll, which must not grow; then P polls of one BMC, one a second, for the
TLS handshakes.  Behind each figure stands its limit, and "met" or "MISSED"; nothing fails.
"""
import argparse
import os
import pathlib
import re
import resource
import signal
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(os.environ.get("srcdir", ".")) / "tests" / "system"))
import rig  # noqa: E402
import subprocess  # noqa: E402

DRIVES, INTERVAL_S, LATENCY_MS = 24, 60, 200


def cpu_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss_mb(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def pin(pid, core):
    try:
        os.sched_setaffinity(pid, {core})
    except OSError:
        pass


def held(text, value, limit, unit=""):
    return f"{text} {value:.4g}{unit} (at most {limit:g}: {'met' if value <= limit else 'MISSED'})"


def in_flight(log):
    """The most requests that any BMC had at a time: each takes as long as the simulator lets it, but for what its clock is off."""
    most, times = 0, {}
    for r in log:
        times.setdefault(r["instance"], []).append(r["t"])
    for of_one in times.values():
        of_one.sort()
        for i, t in enumerate(of_one):
            most = max(most, sum(1 for u in of_one[i:i + 8] if u < t + 0.9 * LATENCY_MS / 1000))
    return most


def start(sim, interval_s):
    conf, state, said = rig.fresh("conf"), rig.fresh("state"), rig.fresh("said")
    state.mkdir()
    conf.write_text(f'poll_interval = "{interval_s}s"\nlisten = "127.0.0.1:0"\n' + "".join(
        rig.target_text(f"bmc-{i:04d}", u, sim.password_file, "tls_verify = false") for i, u in enumerate(sim.urls)))
    with open(said, "w") as err:
        agent = subprocess.Popen([rig.LANEWATCH, "run", "--config", str(conf), "--database", str(rig.fresh("db"))],
                                 stdin=subprocess.DEVNULL, stderr=err, env=rig.environment(state))
    cores = sorted(os.sched_getaffinity(0))
    pin(sim.process.pid, cores[0])
    pin(agent.pid, cores[-1])
    return agent, said


def stop(agent):
    agent.terminate()
    try:
        agent.wait(30)
    except subprocess.TimeoutExpired:
        agent.kill()
        agent.wait()


def measure(n, minutes, cheapest):
    """Prints what n BMCs cost; returns the microseconds of a drive and poll."""
    sim = rig.Sim("--chassis", "r7725xd", "--instances", str(n), "--latency", str(LATENCY_MS), "--tls", "--cert-out", str(rig.fresh("pem")))
    agent, said = start(sim, INTERVAL_S)
    time.sleep(max(INTERVAL_S * 1.5, n * 0.3))  # the first walk is another matter, and all find their moment after it
    cpu, began, lines = cpu_s(agent.pid), time.monotonic(), len(sim.requests())
    kb = []
    while time.monotonic() - began < minutes * 60:
        time.sleep(1)
        kb.append(rss_mb(agent.pid))
    took, cpu = time.monotonic() - began, cpu_s(agent.pid) - cpu
    log = sim.requests()
    agent.send_signal(signal.SIGUSR1)
    time.sleep(2)
    late = re.search(r"at most (\d+) ms late", said.read_text())
    part, done = log[lines:], took / INTERVAL_S * n
    before = {(r["instance"], r["conn"]) for r in log[:lines]}
    new = {(r["instance"], r["conn"]) for r in part} - before
    cost_us = 1e6 * cpu / done / DRIVES
    kb.sort()
    print(f"fleet: {n} BMCs x {DRIVES} drives, {took / 60:.1f} min: " + ", ".join((
        held("CPU", 100 * cpu / took, 15 * max(n / 1000, 0.1), " % of a core"),
        held("a drive and poll", cost_us, 1.25 * cheapest if cheapest else cost_us, " us"),
        held("RSS", kb[-1], 32 if n <= 50 else 150, " MiB") + f" and {kb[len(kb) // 4]:.1f} between rounds",
        held("late, the first walk included", int(late[1]) if late else float("inf"), 2000, " ms"),
        held("a poll", len(part) / done, 3, " requests"),
        held("in flight", in_flight(log), 2),
        held("new connections a BMC since the first walk", len(new) / n, 1),
        held("sessions", max((r["sessions"] for r in part), default=0), 1))), flush=True)
    stop(agent)
    left = sum({r["instance"]: r["sessions"] for r in sim.requests()}.values())
    print(f"fleet: {n} BMCs: " + held("sessions left", left, 0), flush=True)
    sim.stop()
    return cost_us


def handshakes(polls):
    sim = rig.Sim("--chassis", "r7725xd", "--tls", "--cert-out", str(rig.fresh("pem")))
    agent, said = start(sim, 1)
    time.sleep(10)
    lines = len(sim.requests())
    time.sleep(polls)
    log = sim.requests()
    new = {r["conn"] for r in log[lines:]} - {r["conn"] for r in log[:lines]}
    print(f"fleet: 1 BMC, {polls} polls in {polls} s after the first walk: " + held("TLS handshakes", len(new), 1), flush=True)
    stop(agent)
    sim.stop()


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    p = argparse.ArgumentParser()
    p.add_argument("--minutes", type=float, help="10 for 1000 BMCs, 2 for any other number")
    p.add_argument("--bmcs", default="1,10,100,1000,2000")
    p.add_argument("--polls", type=int, default=1440)
    a = p.parse_args()
    cheapest = 0
    for n in map(int, filter(None, a.bmcs.split(","))):
        cost = measure(n, a.minutes or (10 if n == 1000 else 2), cheapest)
        cheapest = min(cheapest or cost, cost)
    if a.polls:
        handshakes(a.polls)


main()
