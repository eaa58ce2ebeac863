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
	"${CC:-gcc}" -shared -fPIC -o "$work/qemu/shim.so" "$vm/nvme-shim.c" -ldl || return 1
	"$vm/run.sh" --timeout 180 --log "$work/qemu/console" --module aer_inject \
		--drives '8*port=16x4;4*port=16x4,cap=16x4,link=8x4;4*port=8x4,cap=16x4;4*port=16x2,cap=16x4;4*port=16x4,cap=8x2' \
		--add "$builddir/lanewatch" --add nvme --add smartctl --add lspci --add setpriv --add dd \
		--add "$work/qemu/shim.so:/lw/shim.so" --add "$work/qemu/pages:/lw/pages" \
		--add "$srcdir/tests/qemu/guest.sh:/lw/guest.sh" -- sh /lw/guest.sh >"$work/qemu/out.tar" || return
	tar -C "$work/qemu/out" -xf "$work/qemu/out.tar"
}

# An emulated machine once stood still for minutes where it needs half of one: 124 and 126 are
# run.sh's words for a machine that did not end, and that is tried once more, aloud.
vm_run_twice() {
	vm_run && return
	case $? in
	124 | 126) echo "The machine did not come to its end; its console is above. Once more." ;;
	*) return 1 ;;
	esac
	vm_run
}

if vm_ready; then
	mkdir -p "$work/qemu"
	if vm_run_twice; then
		python3 "$srcdir/tests/qemu/compare.py" "$work/qemu/out" >"$work/qemu/verdicts" || fail "the comparison ran"
		while read -r word title; do
			case $word in
			pass) pass "$title" ;;
			*) fail "$title" ;;
			esac
		done <"$work/qemu/verdicts"
	else
		fail "the virtual machine ran to its end"
	fi
fi
