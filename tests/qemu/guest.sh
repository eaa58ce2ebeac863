#!/bin/sh
# SPDX-License-Identifier: MIT
#
# guest.sh: what happens inside the virtual machine (tests/stages/qemu.sh).  Asks lanewatch, nvme-cli,
# smartctl and lspci the same things, makes hardware events happen, and sends all answers back as a
# tar archive on standard output; compare.py judges them outside.
out=/tmp/out
mkdir -p $out

step() { # WHAT: where it stands if the machine doesn't come to its end
	echo "$(cut -d' ' -f1 /proc/uptime) $*" >&2
}

# An event in the hardware.  The serial line to the host was seen to lose what was said there: then it is
# asked for once more, which a drive that is gone or there already refuses.
hardware() { # ACTION...
	timeout 30 lw-host "$@" >/dev/null && return
	step "once more: $*"
	rmdir /run/lw-host.lock 2>/dev/null
	timeout 30 lw-host "$@" >/dev/null
}

inventory() { # NAME
	step "inventory $1"
	timeout 60 lanewatch inventory --local -o json >"$out/$1.json" 2>"$out/$1.err"
	echo "$1 $?" >>$out/status
}

drive_in() { # SLOT: its controller
	address=$(cat "/sys/bus/pci/slots/$1/address")
	for c in /sys/class/nvme/nvme*; do
		case $(cat "$c/address" 2>/dev/null) in
		"$address".*) echo "${c##*/}" ;;
		esac
	done
}

# the drives as the machine has them, with the reader under its filter
inventory plain
step capture
timeout 60 lanewatch capture --local --output /tmp/captured >/dev/null 2>"$out/capture.err"
echo "capture $?" >>$out/status
tar -C /tmp -czf $out/captured.tar.gz captured
step lspci
/lw/bin/lspci -vv >$out/lspci.txt 2>/dev/null
step "nvme-cli"
for n in 0 1 2; do
	nvme smart-log /dev/nvme$n -o json >$out/plain-nvme$n.json 2>/dev/null
	nvme id-ctrl /dev/nvme$n -o json >$out/plain-id$n.json 2>/dev/null
done

# pages that the machine cannot make: all three ask the same library
(
	export LW_SHIM=/lw/pages LD_PRELOAD=/lw/shim.so LANEWATCH_READER_UNCONFINED=1
	inventory pages
	step "nvme-cli and smartctl with the same pages"
	for c in /sys/class/nvme/nvme*; do
		n=${c##*/}
		nvme smart-log "/dev/$n" -o json >"$out/pages-$n.json" 2>/dev/null
		smartctl -j -a "/dev/$n" >"$out/smartctl-$n.json" 2>/dev/null
	done
	# one drive never answers: the others do, and nobody waits for it longer than the deadline
	echo 60000 >"/lw/pages/$(drive_in 5)/delay-02"
	before=$(cut -d. -f1 /proc/uptime)
	inventory hang
	echo "seconds $(($(cut -d. -f1 /proc/uptime) - before))" >>$out/status
)

# what a drive moves from one poll to the next: 24 MiB read and 3 MiB written past all caches
printf '%s\n' 'target "os" { type = nvme }' 'poll_interval = "8s"' >/tmp/moved.conf
lanewatch run --rounds 2 --config /tmp/moved.conf --database /tmp/moved.db 2>$out/moved.err &
polls=$!
i=0
until lanewatch inventory --database /tmp/moved.db -o json 2>/dev/null | grep -q '"present": 24' || [ $i -gt 100 ]; do
	usleep 100000
	i=$((i + 1))
done
n=$(drive_in 7)n1
/lw/bin/dd if="/dev/$n" of=/dev/null bs=32k count=768 iflag=direct 2>$out/moved.dd
/lw/bin/dd if=/dev/zero of="/dev/$n" bs=1M count=3 oflag=direct 2>>$out/moved.dd
wait $polls
lanewatch inventory --database /tmp/moved.db -o json >$out/moved.json 2>>$out/moved.err
lanewatch history "$(tr -d " " <"/sys/class/nvme/${n%n1}/serial")" read_bytes_per_second --database /tmp/moved.db -o json \
	>$out/moved-series.json 2>>$out/moved.err

# what a sweep costs beside one run of nvme-cli and of smartctl for each of the same drives
step "cost"
timeout 120 local_sweep --host >$out/cost 2>&1

# the reader of a running agent: what it may do, and what becomes of the agent when it is killed
step "reader"
printf '%s\n' 'target "os" { type = nvme }' 'poll_interval = "1s"' >/tmp/died.conf
timeout 60 lanewatch run --rounds 8 --config /tmp/died.conf --database /tmp/died.db 2>$out/died.err &
agent=$!
i=0
until lanewatch inventory --database /tmp/died.db -o json 2>/dev/null | grep -q '"present": 24' || [ $i -gt 100 ]; do
	usleep 100000
	i=$((i + 1))
done
reader=$(grep -l '^Seccomp:.2' /proc/[0-9]*/status 2>/dev/null | sed -n '1s/[^0-9]//gp')
cat "/proc/$reader/status" >$out/reader.status
cat "/proc/$(sed -n 's/^PPid:.//p' "/proc/$(sed -n 's/^PPid:.//p' $out/reader.status)/status")/status" >$out/agent.status
kill -9 "$reader"
wait $agent
echo "died $?" >>$out/status
lanewatch inventory --database /tmp/died.db -o json >$out/died.json 2>>$out/died.err

# without any right: links stay, wear says what it lacks
step nobody
/lw/bin/setpriv --reuid=65534 --regid=65534 --clear-groups lanewatch inventory --local -o json >$out/nobody.json 2>/dev/null
echo "nobody $?" >>$out/status
/lw/bin/setpriv --reuid=65534 --regid=65534 --clear-groups lanewatch verify --local >/dev/null 2>&1
echo "nobody-verify $?" >>$out/status

# events
step events
hardware warn 2 4
hardware link 4 8x2
lw-aer "$(cat /sys/bus/pci/slots/6/address).0" cor 0x40 >/dev/null 2>$out/aer.err || echo "aer failed" >>$out/status
inventory changed

# a running agent, with its descriptors kept from poll to poll, sees a drive go and another come
serial_of_3() { # as the agent stored it
	lanewatch inventory --database /tmp/swap.db -o csv 2>/dev/null | grep -c "$1"
}
until_stored() { # TEXT
	i=0
	until [ "$(serial_of_3 "$1")" -gt 0 ] || [ $i -gt 60 ]; do
		usleep 250000
		i=$((i + 1))
	done
}
printf '%s\n' 'target "os" { type = nvme }' 'poll_interval = "2s"' >/tmp/swap.conf
timeout 150 lanewatch run --config /tmp/swap.conf --database /tmp/swap.db 2>$out/swap.err &
swap=$!
until_stored LW0003

# a drive is pulled while it is polled again and again
(
	i=0
	while [ $i -lt 12 ]; do
		timeout 60 lanewatch inventory --local -o json >/dev/null 2>&1
		echo "polled $?" >>$out/status
		i=$((i + 1))
	done
) &
polls=$!
step "yank 3"
hardware yank 3
step "yanked"
wait $polls
inventory gone
step "add 3"
hardware add 3 serial=NEW0003
i=0
while [ -z "$(drive_in 3)" ] && [ $i -lt 50 ]; do
	usleep 100000
	i=$((i + 1))
done
usleep 500000
inventory back
until_stored NEW0003
kill $swap
wait $swap
lanewatch inventory --database /tmp/swap.db -o json >$out/swap.json 2>>$out/swap.err
lanewatch events --database /tmp/swap.db -o json >$out/swap-events.json 2>>$out/swap.err

step end
tar -C $out -cf - .
