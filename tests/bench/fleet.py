#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What one agent costs with many BMCs: simulated r7725xd over TLS, 24 drives each, 200 ms a reply.

fleet.py [--minutes M] [--bmcs N,N,...]; run from the build folder.  Prints a line for each N: CPU, memory, how late
polls began, requests and connections a poll, and the cost of a drive and poll.  Nothing can fail.
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

DRIVES, INTERVAL_S = 24, 60


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


def measure(n, minutes):
    sim = rig.Sim("--chassis", "r7725xd", "--instances", str(n), "--latency", "200", "--tls", "--cert-out", str(rig.fresh("pem")))
    cores = sorted(os.sched_getaffinity(0))
    pin(sim.process.pid, cores[0])
    conf, state, said = rig.fresh("conf"), rig.fresh("state"), rig.fresh("said")
    state.mkdir()
    conf.write_text(f'poll_interval = "{INTERVAL_S}s"\nlisten = "127.0.0.1:0"\n' + "".join(
        rig.target_text(f"bmc-{i:04d}", u, sim.password_file, "tls_verify = false") for i, u in enumerate(sim.urls)))
    with open(said, "w") as err:
        agent = subprocess.Popen([rig.LANEWATCH, "run", "--config", str(conf), "--database", str(rig.fresh("db"))],
                                 stdin=subprocess.DEVNULL, stderr=err, env=rig.environment(state))
    pin(agent.pid, cores[-1])
    time.sleep(max(INTERVAL_S * 1.5, n * 0.3))  # the first walk is another matter, and all find their moment after it
    cpu, began, lines = cpu_s(agent.pid), time.monotonic(), len(sim.requests())
    most = 0.0
    while time.monotonic() - began < minutes * 60:
        time.sleep(1)
        most = max(most, rss_mb(agent.pid))
    took, cpu = time.monotonic() - began, cpu_s(agent.pid) - cpu
    log = sim.requests()
    agent.send_signal(signal.SIGUSR1)
    time.sleep(2)
    text = said.read_text()
    late = re.search(r"at most (\d+) ms late", text)
    polls = sum(int(m) for m in re.findall(r"asked (\d+) times", text)) or 1
    part = [r for r in log[lines:]]
    done = took / INTERVAL_S * n
    conns = len({(r.get("instance"), r.get("conn")) for r in log})
    print(f"fleet: {n:5d} BMCs x {DRIVES} drives, {took / 60:.1f} min: CPU {100 * cpu / took:.1f} % of a core, "
          f"{1e6 * cpu / done / DRIVES:.1f} us a drive and poll, RSS {most:.0f} MB, polls at most {late[1] if late else '?'} ms late, "
          f"{len(part) / done:.1f} requests a poll, {conns / n:.2f} connections a BMC since the start, {polls / n:.1f} polls a BMC", flush=True)
    agent.terminate()
    try:
        agent.wait(30)
    except subprocess.TimeoutExpired:
        agent.kill()
    print(f"fleet: {n:5d} BMCs: sessions left {sum({r['instance']: r['sessions'] for r in sim.requests() if 'instance' in r}.values())}", flush=True)
    sim.stop()


def main():
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    p = argparse.ArgumentParser()
    p.add_argument("--minutes", type=float, help="10 for 1000 BMCs, 2 for any other number")
    p.add_argument("--bmcs", default="1,10,100,1000,2000")
    a = p.parse_args()
    for n in map(int, a.bmcs.split(",")):
        measure(n, a.minutes or (10 if n == 1000 else 2))


main()
