#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""walk.py BUILD_DIR: what a walk of 1, 10 and 200 simulated BMCs costs at 200 ms a reply.

Prints requests (login and logout apart), wall and CPU time of `lanewatch verify`, and, side by
side, of a loop that asks for the same resources one after the other with curl, keeping its
connection as the tools of the field do (for 200 that takes seven minutes; BENCH_QUICK=1 leaves
it out).  Then requests of later polls.  Measures; judges nothing.
"""
import json, os, resource, subprocess, sys, tempfile, time

BUILD = sys.argv[1] if len(sys.argv) > 1 else "."
LATENCY_MS = 200


def simulators(n, log, *more):
    p = subprocess.Popen([f"{BUILD}/lanewatch-simbmc", "--chassis", "r7725xd", "--instances", str(n), "--latency",
                          str(LATENCY_MS), "--log", log, *more], stdout=subprocess.PIPE, text=True)
    return p, p.stdout.readline().split()[1:]


def run(argv):
    """Wall and CPU seconds, and peak memory in MB, of one command."""
    before, t = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    p = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(p.pid, 0)
    return time.monotonic() - t, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def asked(log):
    with open(log) as f:
        return [j for j in map(json.loads, f) if j["method"] == "GET"]


def main():
    print(f"a walk of N simulated BMCs (26 drives each, {LATENCY_MS} ms a reply)")
    print(f"{'N':>4} {'requests/BMC':>13} {'wall s':>8} {'CPU s':>8} {'CPU ms/BMC':>11} {'peak MB':>8}   {'curl, one by one: wall s':>24} {'CPU s':>8}")
    for n in (1, 10, 200):
        with tempfile.TemporaryDirectory() as d:
            log, password = f"{d}/log", f"{d}/password"
            with open(password, "w", opener=lambda p, f: os.open(p, f, 0o600)) as f: f.write("calvin\n")
            sim, urls = simulators(n, log)
            try:
                argv = [f"{BUILD}/lanewatch", "verify", "-o", "json", "--username", "root", "--password-file", password]
                for u in urls: argv += ["--url", u]
                wall, cpu, mb = run(argv)
                gets = asked(log)
                line = f"{n:4} {len(gets) / n:13.1f} {wall:8.2f} {cpu:8.3f} {1000 * cpu / n:11.2f} {mb:8.1f}"
                if n <= 10 or not os.environ.get("BENCH_QUICK"):
                    paths = [g["path"] for g in gets if g.get("instance", 1) in (0, 1)][:len(gets) // n]
                    loop = ["curl", "-s", "-g", "--user", "root:calvin"]
                    for u in urls:
                        for p in paths: loop += ["-o", "/dev/null", u + p]
                    w, c, _ = run(loop)
                    line += f"   {w:24.2f} {c:8.3f}"
                else:
                    line += f"   {'(left out)':>24}"
                print(line, flush=True)
            finally:
                sim.terminate(); sim.wait()


def later_polls():
    """Requests of polls after the first, with and without $expand, by the service itself."""
    for more in ([], ["--no-expand"]):
        with tempfile.TemporaryDirectory() as d:
            log, password = f"{d}/log", f"{d}/password"
            with open(password, "w", opener=lambda p, f: os.open(p, f, 0o600)) as f: f.write("calvin\n")
            sim, urls = simulators(1, log, *more)
            try:
                with open(f"{d}/conf", "w") as f:
                    f.write(f'poll_interval = "1s"\ntarget "sim" {{ type = redfish url = "{urls[0]}" username = "root" password_file = "{password}" }}\n')
                gets = []
                for rounds in (1, 3):
                    open(log, "w").close()
                    run([f"{BUILD}/lanewatch", "run", "--rounds", str(rounds), "--config", f"{d}/conf", "--database", f"{d}/db{rounds}"])
                    gets.append(len(asked(log)))
                print(f"requests, login and logout apart, {'without' if more else 'with'} $expand: first walk {gets[0]}, each later poll {(gets[1] - gets[0]) / 2:g}")
            finally:
                sim.terminate(); sim.wait()


later_polls()
main()
