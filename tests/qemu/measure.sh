#!/bin/sh
# SPDX-License-Identifier: MIT
#
# measure.sh: `ceiling --measure` inside a virtual machine (tests/stages/qemu.sh) with eight drives that QEMU
# throttles: bay 3 to a quarter of its neighbours, bays 5 to 8 together to what one of them may.  What it
# prints goes back as a tar archive on standard output; measure.py judges it outside.
out=/tmp/out
mkdir -p $out

counters() { # NAME: what each drive says that it was written, and what the kernel counted
	for c in /dev/nvme?; do
		nvme smart-log "$c" -o json >"$out/$1-${c#/dev/}.json" 2>/dev/null
		cat "/sys/block/${c#/dev/}n1/stat" >"$out/$1-${c#/dev/}.stat"
	done
}

measure() { # NAME ARG...
	name=$1
	shift
	lanewatch ceiling --local --measure "$@" -o json >"$out/$name.json" 2>"$out/$name.err"
	echo "$name $?" >>$out/status
}

reading() { # waits until fio reads, one device if named
	i=0
	while [ $i -lt 200 ]; do
		for p in /proc/[0-9]*; do
			tr '\0' ' ' <"$p/cmdline" 2>/dev/null | grep -q "^/usr/bin/fio.*${1:-}" && return
		done
		usleep 50000
		i=$((i + 1))
	done
}

echo "counters" >&2
counters before
echo "each alone and together" >&2
measure neighbours --seconds 1 --drives nvme0,nvme1,nvme2,nvme3
measure shared --seconds 2 --drives nvme4,nvme5,nvme6,nvme7
lanewatch ceiling --local --measure --seconds 1 --drives nvme0,nvme1 -o html >$out/report.html 2>/dev/null
echo "report $?" >>$out/status

echo "without the right to read" >&2
/lw/bin/setpriv --reuid=65534 --regid=65534 --clear-groups lanewatch ceiling --local --measure >/dev/null 2>$out/nobody.err
echo "nobody $?" >>$out/status

echo "stopped" >&2
lanewatch ceiling --local --measure --seconds 30 --drives nvme0,nvme1 -o json >$out/stopped.json 2>$out/stopped.err &
it=$!
reading nvme0n1
before=$(cut -d. -f1 /proc/uptime)
kill -INT $it
wait $it
echo "stopped $?" >>$out/status
echo "seconds $(($(cut -d. -f1 /proc/uptime) - before))" >>$out/status
pidof fio >>$out/left-behind
counters after

echo "a drive that vanishes" >&2
lanewatch ceiling --local --measure --seconds 4 --drives nvme0,nvme1 -o json >$out/vanished.json 2>$out/vanished.err &
it=$!
reading nvme1n1
lw-host yank 2 >/dev/null 2>&1
wait $it
echo "vanished $?" >>$out/status
pidof fio >>$out/left-behind

tar -C $out -cf - .
