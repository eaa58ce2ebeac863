# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# 24 real NVMe controllers of a virtual machine against nvme-cli, smartctl and lspci, with hotplug
shared=${LANEWATCH_SHARED-$srcdir/../shared}
vm=$shared/qemu-nvme

vm_ready() {
	[ -x "$vm/run.sh" ] || {
		skip "drives of a virtual machine" "the test machine is not here (../shared, or LANEWATCH_SHARED)"
		return 1
	}
	for program in qemu-system-x86_64 busybox cpio nvme smartctl lspci setpriv python3 "${CC:-gcc}"; do
		need "$program" "drives of a virtual machine" || return 1
	done
	LW_CACHE=${LW_CACHE:-$work/qemu/cache}
	export LW_CACHE
	[ -d "$LW_CACHE/kernel-cloud" ] || "$vm/get-deps.sh" || {
		skip "drives of a virtual machine" "no kernel for it could be had"
		return 1
	}
}

# The steps of guest.sh stand in the stage's output, so that a machine that stands still says where.
# A lanewatch that hangs inside is ended by guest.sh after a minute and fails the comparison.
vm_run() {
	rm -rf "$work/qemu/out" "$work/qemu/pages"
	mkdir -p "$work/qemu/out" "$work/qemu/pages"
	python3 "$srcdir/tests/qemu/pages.py" "$work/qemu/pages" 24 || return 1
	make -C "$builddir" tests/bench/local_sweep || return 1
	"${CC:-gcc}" -shared -fPIC -o "$work/qemu/shim.so" "$vm/nvme-shim.c" -ldl || return 1
	"$vm/run.sh" --timeout 240 --log "$work/qemu/console" --module aer_inject \
		--drives '8*port=16x4;4*port=16x4,cap=16x4,link=8x4;4*port=8x4,cap=16x4;4*port=16x2,cap=16x4;4*port=16x4,cap=8x2' \
		--add "$builddir/lanewatch" --add "$builddir/tests/bench/local_sweep" --add nvme --add smartctl --add lspci --add setpriv --add dd \
		--add "$work/qemu/shim.so:/lw/shim.so" --add "$work/qemu/pages:/lw/pages" \
		--add "$srcdir/tests/qemu/guest.sh:/lw/guest.sh" -- sh /lw/guest.sh >"$work/qemu/out.tar" || return
	tar -C "$work/qemu/out" -xf "$work/qemu/out.tar" || return 1
	# what was captured inside is read outside
	tar -C "$work/qemu/out" -xzf "$work/qemu/out/captured.tar.gz" &&
		"$builddir/lanewatch" inventory --recording "$work/qemu/out/captured" -o json >"$work/qemu/out/captured.json"
	return 0
}

# An emulated machine once stood still for minutes where it needs half of one: 124 and 126 are
# run.sh's words for a machine that did not end, and that is tried once more, aloud.
twice() {
	"$@" && return
	case $? in
	124 | 126) echo "The machine did not come to its end; its console is above. Once more." ;;
	*) return 1 ;;
	esac
	"$@"
}

verdicts() { # FILE
	while read -r word title; do
		case $word in
		pass) pass "$title" ;;
		*) fail "$title" ;;
		esac
	done <"$1"
}

# Eight drives with images of their own, each read at 40 MB/s at most, the third at 10, the last four together at 40.
throttled() {
	for n in 1 2 3 4 5 6 7 8; do
		group=$n
		rate=40000000
		[ "$n" = 3 ] && rate=10000000
		[ "$n" -gt 5 ] && group=5
		[ "$group" = "$n" ] && printf '%s\n' -object "throttle-group,id=tg$n,x-bps-read=$rate"
		printf '%s\n' -blockdev "driver=raw,node-name=img$n,file.driver=file,file.filename=$work/qemu/images/$n" \
			-blockdev "driver=throttle,node-name=thr$n,throttle-group=tg$group,file=img$n" \
			-device "nvme,id=nv$n,bus=rp$n,serial=LW000$n,drive=thr$n"
	done
}

vm_measure() {
	rm -rf "$work/qemu/measured" "$work/qemu/images"
	mkdir -p "$work/qemu/measured" "$work/qemu/images"
	for n in 1 2 3 4 5 6 7 8; do
		head -c 8388608 /dev/urandom >"$work/qemu/images/$n"
	done
	(cd "$work/qemu/images" && sha256sum ./* >../images.sha256)
	set --
	for word in $(throttled); do
		set -- "$@" --qemu-arg "$word"
	done
	"$vm/run.sh" --timeout 180 --log "$work/qemu/console" --drives '8*port=2.5x1,empty=1' "$@" \
		--add "$builddir/lanewatch" --add nvme --add setpriv --add "$(command -v fio):/usr/bin/fio" \
		--add "$srcdir/tests/qemu/measure.sh:/lw/measure.sh" -- sh /lw/measure.sh >"$work/qemu/measured.tar" || return
	tar -C "$work/qemu/measured" -xf "$work/qemu/measured.tar"
}


images_kept() (
	cd "$work/qemu/images" && sha256sum --quiet -c ../images.sha256
)

if vm_ready; then
	mkdir -p "$work/qemu"
	if twice vm_run; then
		python3 "$srcdir/tests/qemu/compare.py" "$work/qemu/out" >"$work/qemu/verdicts" || fail "the comparison ran"
		verdicts "$work/qemu/verdicts"
	else
		fail "the virtual machine ran to its end"
	fi
	if need fio "drives that are throttled"; then
		if twice vm_measure; then
			python3 "$srcdir/tests/qemu/measure.py" "$work/qemu/measured" >"$work/qemu/verdicts" || fail "the figures were judged"
			verdicts "$work/qemu/verdicts"
			try "the images are the same to the last bit" images_kept
		else
			fail "the virtual machine with throttled drives ran to its end"
		fi
	fi
fi
