# SPDX-License-Identifier: MIT
"""What tests of the running service share: lanewatch run as a child, asked over HTTP, heard line by line.

Standard library only, loopback only.
"""
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import threading
import time
import urllib.request

import rig
from ports import free_port

LONG = 20 * rig.SLOWER  # what a loaded machine may take


def wait_for(what, why, seconds=LONG):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            value = what()
            if value:
                return value
        except OSError:
            pass
        time.sleep(0.05)
    raise AssertionError(why() if callable(why) else why)


class Agent:
    """lanewatch run; what it says on standard error is kept line by line."""

    def __init__(self, text, interval="1s", database=None, env=None, limits=None):
        self.port, self.conf, self.text = free_port(), rig.fresh("conf"), None
        self.interval, self.said = interval, []
        self.write(text)
        self.state = rig.fresh("state")
        self.state.mkdir()
        self.database = database or rig.fresh("db")
        self.process = subprocess.Popen([rig.LANEWATCH, "run", "--config", str(self.conf), "--database", str(self.database)],
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                        env={**rig.environment(self.state), **(env or {})},
                                        preexec_fn=lambda: [resource.setrlimit(k, (v, v)) for k, v in (limits or {}).items()])
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            self.said.append(line.rstrip("\n"))

    def write(self, text):
        new = rig.fresh("new")
        new.write_text(f'poll_interval = "{self.interval}"\nlisten = "127.0.0.1:{self.port}"\n{text}')
        os.replace(new, self.conf)  # whoever reads sees the one or the other

    def get(self, what):
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://127.0.0.1:{self.port}/api/v1/{what}", timeout=5) as f:
            return json.load(f)

    def targets(self):
        return {t["name"]: t for t in self.get("targets")["targets"]}

    def rounds(self):
        return self.get("status")["rounds"]

    def signal(self, number):
        self.process.send_signal(number)

    def heard(self, pattern, n=1):
        return sum(bool(re.search(pattern, line)) for line in self.said) >= n

    def wait_said(self, pattern, n=1):
        wait_for(lambda: self.heard(pattern, n), lambda: f"never said {pattern!r}: {self.said[-20:]}")

    def reload(self, text, n=[0]):
        """Writes the file and waits until it is in force, or refused."""
        before = len([x for x in self.said if "reloaded" in x])
        self.write(text)
        self.signal(signal.SIGHUP)
        return before

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def memory_kb(self):
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.process.pid}/status").read_text())[1])

    def events(self):
        r = rig.run(["events", "--database", self.database, "-o", "json"])
        return json.loads(r.out)["events"]

    def stop(self, limit_s=5 * rig.SLOWER):
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
            try:
                self.process.wait(limit_s)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"still there {limit_s} s after SIGTERM")
        self.reader.join(5)
        text = "\n".join(self.said)
        assert "Sanitizer" not in text, text[-3000:]
        return self.process.returncode


def target(sim, name="bmc", more=""):
    return rig.target_text(name, sim.url, sim.password_file, more)


def logins(sim):
    return sum(r["method"] == "POST" and r["status"] == 201 for r in sim.requests())


def answers(agent, *names):
    t = agent.targets()
    return all(n in t and t[n]["verdict"] == "ok" for n in names)
