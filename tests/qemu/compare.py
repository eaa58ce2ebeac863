#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compare.py DIR: judges what guest.sh sent back; prints "pass TITLE" or "fail TITLE: why", one line each."""
import json
import os
import re
import sys

DIR = sys.argv[1]


def load(name):
    try:
        with open(os.path.join(DIR, name), encoding="utf-8") as f:
            return json.load(f)
    except (OSError, ValueError):
        return None


def say(title, why):
    """`why` is a list of differences; none is a pass."""
    print(f"pass {title}" if not why else f"fail {title}: {'; '.join(map(str, why[:4]))}")


def bays(name):
    return {b["bay"]: b for b in (load(name) or {}).get("bays", [])}


def statuses():
    out = {}
    with open(os.path.join(DIR, "status"), encoding="utf-8") as f:
        for line in f:
            word, _, value = line.strip().rpartition(" ")
            out.setdefault(word, []).append(value)
    return out


def number(v):
    return None if v is None else int(v)


def differ(what, ours, theirs):
    return [] if ours == theirs else [f"{what} is {ours!r}, they say {theirs!r}"]


def same_as_nvme_cli(b, j):
    w, h, who = b["wear"], b["health"], b["drive"]["controller"]
    spare = (j["avail_spare"], j["spare_thresh"]) != (0, 0)          # 0 of 0: not reported
    units = lambda n: int(n) * 512000 or None                        # 0: not reported
    kelvin = lambda k: k - 273 if 0 < k < 65535 else None
    words = ["spare", "temperature", "reliability", "read-only", "backup", "pmr"]
    sensors = [kelvin(j.get(f"temperature_sensor_{i}", 0)) for i in range(1, 9)]
    while sensors and sensors[-1] is None:
        sensors.pop()
    ours = list(b["sensors_celsius"])
    while ours and ours[-1] is None:
        ours.pop()
    return [f"{who} {d}" for d in (
        differ("percent_used", w["percent_used"], j["percent_used"])
        + differ("spare", w["available_spare_percent"], j["avail_spare"] if spare else None)
        + differ("threshold", w["spare_threshold_percent"], j["spare_thresh"] if spare else None)
        + differ("bytes_written", number(w["bytes_written"]), units(j["data_units_written"]))
        + differ("bytes_read", number(w["bytes_read"]), units(j["data_units_read"]))
        + differ("temperature", b["temperature_celsius"], kelvin(j["temperature"]))
        + differ("sensors", ours, sensors)
        + differ("critical_warning", h["critical_warning"],
                 [x for i, x in enumerate(words) if j["critical_warning"] >> i & 1])
        + differ("busy minutes", number(h["controller_busy_minutes"]), int(j["controller_busy_time"]))
        + differ("power_cycles", number(h["power_cycles"]), int(j["power_cycles"]))
        + differ("power_on_hours", number(h["power_on_hours"]), int(j["power_on_hours"]))
        + differ("unsafe_shutdowns", number(h["unsafe_shutdowns"]), int(j["unsafe_shutdowns"]))
        + differ("media_errors", number(h["media_errors"]), int(j["media_errors"]))
        + differ("error_log_entries", number(h["error_log_entries"]), int(j["num_err_log_entries"])))]


def same_as_smartctl(b, j):
    s, w, h = j["nvme_smart_health_information_log"], b["wear"], b["health"]
    return [f"{b['drive']['controller']} {d}" for d in (
        differ("serial", b["drive"]["serial"], j["serial_number"])
        + differ("model", b["drive"]["model"], j["model_name"])
        + differ("firmware", b["drive"]["firmware"], j["firmware_version"])
        + differ("percent_used", w["percent_used"], s["percentage_used"])
        + differ("temperature", b["temperature_celsius"], s["temperature"])
        + differ("power_on_hours", number(h["power_on_hours"]), s["power_on_hours"])
        + differ("media_errors", number(h["media_errors"]), s["media_errors"]))]


def same_as_lspci(all_bays, text):
    seen, why = 0, []
    for block in re.split(r"\n(?=\S)", text):
        m = re.match(r"(\S+) (?:Non-Volatile memory controller|Class 0108)", block)
        b = next((b for b in all_bays.values() if m and b["drive"]["pci_address"].endswith(m[1])), None)
        cap = re.search(r"LnkCap:.*Speed ([0-9.]+)GT/s, Width x(\d+)", block)
        sta = re.search(r"LnkSta:\s*Speed ([0-9.]+)GT/s.*?Width x(\d+)", block)
        if not (b and cap and sta):
            continue
        seen += 1
        link = b["link"]
        why += differ(f"bay {b['bay']} link", (link["speed_gts"], link["width"]), (float(sta[1]), int(sta[2])))
        why += differ(f"bay {b['bay']} maximum", (link["max_speed_gts"], link["max_width"]), (float(cap[1]), int(cap[2])))
    return why if seen else ["no drive was found in both"]


def by_controller(name):
    return {b["drive"]["controller"]: b for b in bays(name).values() if b["drive"]}


def differ_but_names(live, again):
    """All of the bays but serial numbers, what says when and by whom they were read, and what else the machine does with them."""
    def bare(x):
        if isinstance(x, dict):
            return {k: bare(v) for k, v in x.items()
                    if k not in ("observed_at", "target", "host", "sources", "id", "serial", "busy", "bytes_read", "temperature_celsius",
                                 "uses", "throughput", "write_amplification")}
        return [bare(v) for v in x] if isinstance(x, list) else x
    serials = {b["drive"]["serial"] for b in again.values() if b["drive"]}
    def where(a, b, path):
        """The first value that is not the same."""
        if isinstance(a, dict) and isinstance(b, dict):
            return next((where(a.get(k), b.get(k), f"{path}.{k}") for k in {**a, **b} if a.get(k) != b.get(k)), None)
        return f"{path} is {a!r}, in the recording {b!r}"[:200]
    return ([where(bare(live[n]), bare(again.get(n)), f"bay {n}") for n in live if bare(live[n]) != bare(again.get(n))]
            + differ("different serial numbers", len(serials), len(live))
            + [f"serial {s} was not replaced" for s in serials if not re.fullmatch("LW[0-9A-F]{10}", s or "")])


def process(name):
    with open(os.path.join(DIR, name), encoding="utf-8") as f:
        return dict(line.split(":\t", 1) for line in f.read().splitlines() if ":\t" in line)


def main():
    plain, pages, st = bays("plain.json"), by_controller("pages.json"), statuses()
    say("all 24 drives are found in their slots", differ("number of bays", len(plain), 24)
        + [f"no bay {n}" for n in range(1, 25) if str(n) not in plain])
    say("links are those of lspci", same_as_lspci(plain, open(os.path.join(DIR, "lspci.txt"), encoding="utf-8").read()))
    for n in range(3):
        j, i = load(f"plain-nvme{n}.json"), load(f"plain-id{n}.json")
        b = next((b for b in plain.values() if b["drive"]["controller"] == f"nvme{n}"), None)
        say(f"under its filter the reader gives what nvme-cli says of nvme{n}",
            (same_as_nvme_cli(b, j) + differ("serial", b["drive"]["serial"], i["sn"].strip())) if b and j and i else ["no answer"])
    say("what is captured in the machine gives the same bays outside", differ("status", st["capture"], ["0"])
        + differ_but_names(plain, bays("captured.json")))
    why, both = [], 0
    for c, b in pages.items():
        j, s = load(f"pages-{c}.json"), load(f"smartctl-{c}.json")
        if not j or not s or "nvme_smart_health_information_log" not in s:
            why.append(f"{c}: nvme-cli or smartctl gave nothing")
            continue
        both += 1
        why += same_as_nvme_cli(b, j) + same_as_smartctl(b, s)
    say("24 drives with full pages read as nvme-cli and smartctl have them", why + differ("drives compared", both, 24))

    hang = bays("hang.json")
    say("a drive that never answers is not-answering, its wear timed out",
        differ("state", hang["5"]["drive"]["state"], "not-answering") + differ("reasons", hang["5"]["wear"]["reasons"], ["timeout"]))
    say("and the others answered", [f"bay {n} has no wear" for n, b in hang.items() if n != "5" and b["wear"]["percent_used"] is None])
    seconds = int(st["seconds"][0])
    say("within the deadline", [] if seconds <= 15 else [f"it took {seconds} s"])

    why, moved = [], bays("moved.json")
    t = (moved.get("7") or {}).get("throughput")
    if t:
        why += differ("bytes read", t["bytes_read"], str(24 << 20)) + differ("bytes written", t["bytes_written"], str(3 << 20))
        why += [f"bay {n} moved {o['throughput']}" for n, o in moved.items()
                if n != "7" and (not o["throughput"] or o["throughput"]["bytes_read"] != "0" or o["throughput"]["bytes_written"] != "0")]
    say("the bytes that a drive moved are exactly those of a known read and write", why if t else ["bay 7 has no throughput"])
    say("its rate is those bytes over the time between the two polls",
        (differ("rate", t["read_bytes_per_second"], round((24 << 20) / t["seconds"]))
         + ([] if 6 < t["seconds"] < 14 else [f"{t['seconds']} s where the polls are 8 s apart"])
         + ([] if t["busy_ratio"] and 0 < t["busy_ratio"] <= 1 else [f"busy {t['busy_ratio']}"])) if t else ["bay 7 has no throughput"])
    series = [p["value"] for p in (load("moved-series.json") or {}).get("points", []) if p["value"] is not None]
    say("and it is kept as a series", differ("points", series, [t["read_bytes_per_second"]]) if t else ["bay 7 has no throughput"])

    with open(os.path.join(DIR, "cost"), encoding="utf-8") as f:
        cost = f.read()
    print(f"# {cost.strip()}", file=sys.stderr)
    times = [int(n) for n in re.findall(r"(\d+) times a sweep", cost)]
    # The aim is 50, which make bench prints (57 to 82 when it was reached); an emulated processor that others use too is no scale.
    say("a sweep is at least 25 times cheaper than 24 runs of nvme-cli and of smartctl",
        ([f"{n} times" for n in times if n < 25] if len(times) == 2 and "24 health pages read" in cost else [cost.strip()]))

    reader, agent = process("reader.status"), process("agent.status")
    say("LW-S6: the reader of real nodes has one capability and a filter, the agent not that one",
        differ("reader's CapEff", reader.get("CapEff"), "0000000000200000") + differ("Seccomp", reader.get("Seccomp"), "2")
        + differ("NoNewPrivs", reader.get("NoNewPrivs"), "1")
        + ([] if int(agent.get("CapEff", "200000"), 16) & 1 << 21 == 0 else ["the agent has it"])
        + ([] if int(agent.get("CapBnd", "200000"), 16) & 1 << 21 == 0 else ["the agent could have it"]))
    died, said = bays("died.json"), open(os.path.join(DIR, "died.err"), encoding="utf-8").read()
    say("LW-S6: a reader that was killed is told, started again, and the drives are read",
        differ("status", st["died"], ["0"]) + ([] if "has died and was started again" in said else ["nothing was said"])
        + differ("bays", len(died), 24)
        + [f"bay {n} has no wear" for n, b in died.items() if b["wear"]["percent_used"] is None or b["stale"]])

    nobody = bays("nobody.json")
    say("LW-S5: nobody sees the links", [f"bay {n}" for n, b in plain.items()
        if {k: nobody[n]["link"][k] for k in ("speed_gts", "width")} != {k: b["link"][k] for k in ("speed_gts", "width")}])
    say("LW-S5: and learns which right is missing",
        [f"bay {n}" for n, b in nobody.items() if b["wear"]["reasons"] != ["permission-denied"]]
        + ([] if "CAP_SYS_ADMIN" in json.dumps(load("nobody.json")["targets"]) else ["no remedy"]))
    say("LW-S5: verify still finds the degraded links", differ("status", st["nobody-verify"], ["2"]))

    changed = bays("changed.json")
    say("a critical warning set from outside appears", differ("reasons", changed["2"]["wear"]["reasons"], ["reliability-degraded"])
        + differ("warning", changed["2"]["health"]["critical_warning"], ["reliability"]))
    say("a link that lost lanes and speed is degraded", differ("verdict", changed["4"]["verdict"], "degraded-both"))
    aer = changed["6"]["link"]["aer"] or {}
    say("an injected AER error is counted", differ("correctable", aer.get("correctable"), 1))
    say("and told by its kind, on the drive's end", differ("kinds", (aer.get("device") or {}).get("kinds"), {"BadTLP": 1}))
    say("polling goes on while a drive is pulled", [f"status {s}" for s in st["polled"] if s not in ("0", "3")]
        + ([] if len(st["polled"]) == 12 else ["a poll is missing"]))
    say("a drive that was pulled is gone", ["bay 3 still has one"] if "3" in bays("gone.json") else [])
    back = bays("back.json")
    say("a new one in its bay is seen with its own serial",
        differ("serial", back["3"]["drive"]["serial"], "NEW0003") if "3" in back else ["bay 3 is empty"])

    swap = bays("swap.json")
    events = (load("swap-events.json") or {}).get("events", [])
    new = swap.get("3") or {}
    say("a running agent sees the new drive with its health page",
        (differ("serial", new["drive"]["serial"], "NEW0003") + differ("stale", new["stale"], False)
         + ([] if new["temperature_celsius"] is not None else ["no temperature"])) if new.get("drive") else ["bay 3 is empty"])
    say("and tells that one went and another came",
        [f"no {what}" for what, types in (("LW0003 that went", ("drive-removed", "drive-replaced")), ("NEW0003 that came", ("drive-added", "drive-replaced")))
         if not any(e["bay"] == "3" and e["type"] in types and what.split()[0] in json.dumps(e) for e in events)]
        + ([] if events else ["no events at all"]))


main()
