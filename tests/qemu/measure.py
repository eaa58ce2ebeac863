#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""measure.py DIR: judges what measure.sh sent back; prints "pass TITLE" or "fail TITLE: why", one line each."""
import json
import os
import sys

DIR = sys.argv[1]


def text(name):
    try:
        with open(os.path.join(DIR, name), encoding="utf-8") as f:
            return f.read()
    except OSError:
        return ""


def load(name):
    try:
        return json.loads(text(name))
    except ValueError:
        return {}


def say(title, why):
    print(f"pass {title}" if not why else f"fail {title}: {'; '.join(map(str, why[:4]))}")


def differ(what, ours, theirs):
    return [] if ours == theirs else [f"{what} is {ours!r}, not {theirs!r}"]


def measured(name):
    return load(name + ".json").get("measured") or {}


def findings(m):
    return [(f["code"], f["bay"]) for f in m.get("findings", [])]


def rates(m, key="alone_bytes_per_second"):
    return {d["bay"]: d[key] or 0 for d in m.get("drives", [])}


def written():
    why = []
    for n in range(8):
        before, after = load(f"before-nvme{n}.json"), load(f"after-nvme{n}.json")
        if "host_write_commands" not in before:
            why.append(f"nvme{n} gave no page")
        why += [f"nvme{n} {k}: {before.get(k)} and {after.get(k)}" for k in ("host_write_commands", "data_units_written")
                if before.get(k) != after.get(k)]
        kernel = [text(f"{when}-nvme{n}.stat").split()[4:7:2] for when in ("before", "after")]
        why += differ(f"nvme{n} as the kernel counts", kernel[1], kernel[0])
        if not int(after.get("host_read_commands", 0)) > int(before.get("host_read_commands", 0)):
            why.append(f"nvme{n} was not read either")
    return why


def main():
    status = dict(line.split() for line in text("status").splitlines())
    m = measured("neighbours")
    r = rates(m)
    say("a throttled drive is named, and no other", differ("findings", findings(m), [("slow-bay", "3")]) + differ("status", status.get("neighbours"), "0"))
    say("it was read at its limit, its neighbours at theirs",
        [f"bay {n} at {v}" for n, v in r.items() if not (7e6 if n == "3" else 28e6) < v < (16e6 if n == "3" else 60e6)] + differ("bays", sorted(r), list("1234")))
    m = measured("shared")
    say("drives that are quick alone and slow together are said to be",
        differ("findings", findings(m), [("slow-together", None)])
        + ([] if (m.get("together_bytes_per_second") or 1e12) < 0.5 * (m.get("alone_bytes_per_second") or 0) else [f"{m.get('together_bytes_per_second')}"]))
    page = text("report.html")
    say("the commissioning report has the figures", differ("status", status.get("report"), "0")
        + [f"no {w}" for w in ("<h2>Measured</h2>", "LW0001", "nothing was written") if w not in page])
    say("LW-S5: without the right to read it is refused in words",
        differ("status", status.get("nobody"), "3") + ([] if "may not be read: Permission denied" in text("nobody.err") else [text("nobody.err")[:200]]))
    m = measured("stopped")
    say("an interrupt ends it with what was measured", differ("status", status.get("stopped"), "3") + differ("stopped", m.get("stopped"), True)
        + ([] if int(status.get("seconds", 99)) <= 8 else [f"it took {status['seconds']} s"]))
    say("nothing was ever written, by the drives' own counters and the kernel's", written())
    m = measured("vanished")
    say("a drive that vanishes while it is read ends it in order", differ("status", status.get("vanished"), "3")
        + differ("findings", findings(m), [("vanished", "2")]) + ([] if rates(m).get("1") else ["bay 1 was not read"]))
    say("no fio is left behind", text("left-behind").split())


main()
