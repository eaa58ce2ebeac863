# SPDX-License-Identifier: MIT
"""What tests of the Redfish collector share: simulated BMCs, a trap, lanewatch runs, TAP.

Standard library only, loopback only. A run keeps its state in a folder of its own, so
nothing of the person who tests is read or written.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import secrets
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import time
import traceback

SRC = pathlib.Path(os.environ.get("srcdir", ".")).resolve()
BUILD = pathlib.Path.cwd() if pathlib.Path("config.h").exists() else SRC / "build"
SHARED = pathlib.Path(os.environ.get("LANEWATCH_SHARED", SRC.parent / "shared"))
LANEWATCH = str(BUILD / "lanewatch")
SIMBMC = str(BUILD / "lanewatch-simbmc")
TIME = shutil.which("time")  # tells a child's memory; without it that is not held
SANITIZED = b"__asan_init" in pathlib.Path(LANEWATCH).read_bytes()
SLOWER = int(os.environ.get("LANEWATCH_SLOWER", "6" if SANITIZED else "1"))  # what a sanitizer, or valgrind, may cost
_folder = tempfile.TemporaryDirectory(prefix="lanewatch-rig.")
TMP = pathlib.Path(_folder.name)
_count = iter(range(1 << 30))


def fresh(kind):
    return TMP / f"{next(_count)}.{kind}"


def secret_file(text=None):
    """A password of its own and the file it is in; no two runs share one."""
    text = text or "pw" + secrets.token_hex(12)
    path = fresh("pass")
    path.write_text(text + "\n")
    path.chmod(0o600)
    return text, path


class Sim:
    """One lanewatch-simbmc.  stop() gives its exit status: 3 if anything tried to write."""

    def __init__(self, *args, rules=None, password=None, keep_log=True):
        self.password, self.password_file = secret_file(password)
        self.log_file = fresh("log") if keep_log else None
        command = [SIMBMC, *args, "--strict", "--password-file", str(self.password_file)]
        if keep_log:
            command += ["--log", str(self.log_file)]
        if rules is not None:
            path = fresh("rules")
            path.write_text(json.dumps(rules))
            command += ["--rules", str(path)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE if "--stdin" in args else None,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        line = self.process.stdout.readline().decode()
        if not line.startswith("ready "):
            raise AssertionError("simbmc: " + self.process.stderr.read().decode())
        self.urls = line.split()[1:]
        self.url = self.urls[0]

    def requests(self):
        """Every request, as simbmc logged it."""
        lines = self.log_file.read_text().split("\n") if self.log_file.exists() else []
        return [r for r in map(json.loads, lines[:-1]) if "method" in r]  # the last is empty, or under way

    def sessions(self):
        log = self.requests()
        return log[-1]["sessions"] if log else 0

    def now(self, fault):
        """Something happens to a drive, with --stdin: "bay 3 absent"."""
        self.process.stdin.write(fault.encode() + b"\n")
        self.process.stdin.flush()

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        if self.process.stdin:
            self.process.stdin.close()
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.wait()


class Listener:
    """A server of the test's own: calls serve(socket, n) for the n-th connection, in a thread."""

    def __init__(self, serve, host="127.0.0.1"):
        outer = self
        self.n = 0
        self.over = threading.Event()

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                outer.n += 1
                try:
                    serve(self.request, outer.n, outer.over)
                except OSError:
                    pass

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True

        self.server = Server((host, 0), Handler)
        self.host, self.port = self.server.server_address
        self.url = f"http://{self.host}:{self.port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def stop(self):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()


class Trap(Listener):
    """Somewhere that nobody may be led to. `caught` holds what came: nothing, if all is well."""

    def __init__(self, host):
        self.caught = []
        super().__init__(self.take, host)

    def take(self, s, n, over):
        self.caught.append(f"connection {n}")
        s.settimeout(2)
        self.caught.append(s.recv(65536).decode("latin-1"))


class Result:
    def __init__(self, status, out, err, seconds, maxrss_kb):
        self.status, self.out, self.err = status, out, err
        self.seconds, self.maxrss_kb = seconds, maxrss_kb
        self.document = None

    def json(self):
        if self.document is None:
            self.document = json.loads(self.out)
        return self.document

    def target(self, name):
        return next(t for t in self.json()["targets"] if t["name"] == name)

    def bays(self, target):
        return {b["bay"]: b for b in self.json()["bays"] if b["target"] == target}


def environment(state):
    env = {k: v for k, v in os.environ.items() if k in ("PATH", "LC_ALL", "ASAN_OPTIONS", "UBSAN_OPTIONS")}
    env.update(HOME=str(state), XDG_STATE_HOME=str(state), TZ="UTC")
    return env


def run(args, limit_s=60 * SLOWER, state=None):
    """Runs lanewatch; a run past its limit is killed and is a failure."""
    state = state or fresh("state")
    state.mkdir(exist_ok=True)
    note = fresh("rss")
    command = [LANEWATCH, *map(str, args)]
    if TIME and SLOWER == 1:
        command = [TIME, "-q", "-f", "%M", "-o", str(note), *command]
    began = time.monotonic()
    p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         env=environment(state), start_new_session=True)
    try:
        out, err = p.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL)
        p.communicate()
        raise AssertionError(f"still running after {limit_s} s")
    seconds = time.monotonic() - began
    maxrss = int(note.read_text().split()[-1]) if note.exists() and note.read_text().split() else None
    return Result(p.returncode, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "surrogateescape"),
                  seconds, maxrss)


def shim(name):
    """tests/system/NAME.c as something to load before a program (LD_PRELOAD); a sanitizer wants to be the first."""
    made = fresh("so")
    subprocess.run([*os.environ.get("CC", "cc").split(), "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", str(made), str(SRC / f"tests/system/{name}.c")], check=True)
    return str(made)


def target_text(name, url, password_file, more=""):
    return (f'target "{name}" {{ type = redfish  url = "{url}"  username = "root"  '
            f'password_file = "{password_file}"  {more} }}\n')


def config(*targets):
    path = fresh("conf")
    path.write_text("".join(targets))
    return path


def equal(got, wanted, what=""):
    if isinstance(got, dict) and isinstance(wanted, dict):  # only what differs
        keys = {k for k in {**got, **wanted} if got.get(k, "missing") != wanted.get(k, "missing")}
        got, wanted = ({k: d.get(k, "missing") for k in sorted(keys)} for d in (got, wanted))
    assert got == wanted, f"{what}: wanted {wanted!r}, got {got!r}"


# ---- TAP -----------------------------------------------------------------------------------

class Skip(Exception):
    pass


def say(text):
    """Lines of output in one write: what tests side by side say does not run together."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


class Plan:
    def __init__(self):
        self.tests = []

    def add(self, title, function):
        self.tests.append((title, function))

    def test(self, title):
        def add(f):
            self.add(title, f)
            return f
        return add

    def run(self, workers=1, at_end=None):
        """Runs all, side by side where asked for, and prints them in order; does not return."""
        chosen = [(t, f) for t, f in self.tests if len(sys.argv) < 2 or any(re.search(a, t) for a in sys.argv[1:])]
        failed = 0
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            ends = [pool.submit(self.one, f) for _, f in chosen]
            for i, ((title, _), end) in enumerate(zip(chosen, ends), 1):
                word, text = end.result()
                failed += word == "not ok"
                say(f"{word} {i} - {title}" + (f" # SKIP {text}" if word == "ok" and text else ""))
                if word == "not ok":
                    say("\n".join(f"#   {line}" for line in text.splitlines()))
        if at_end:
            at_end()
        print(f"1..{len(chosen)}")
        sys.exit(failed > 0)

    @staticmethod
    def one(function):
        try:
            function()
        except Skip as e:
            return "ok", str(e)
        except AssertionError as e:
            return "not ok", str(e)[:4000]
        except Exception:
            return "not ok", traceback.format_exc()[-3000:]
        return "ok", ""


def skip_all(why):
    print(f"1..0 # SKIP {why}")
    sys.exit(0)
