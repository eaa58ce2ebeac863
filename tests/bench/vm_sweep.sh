#!/bin/sh
# SPDX-License-Identifier: MIT
#
# vm_sweep.sh BUILD_DIR: what a sweep over 24 NVMe controllers of a virtual machine costs beside nvme-cli
# and smartctl, which ask the same ones (tests/bench/local_sweep.c --host).  Needs the test machine of
# ../shared/qemu-nvme; says so where it is missing.  Prints; judges nothing.
srcdir=$(cd "$(dirname "$0")/../.." && pwd)
vm=${LANEWATCH_SHARED-$srcdir/../shared}/qemu-nvme

[ -x "$vm/run.sh" ] || {
	echo "local sweep in a virtual machine: not measured, the test machine is not here (../shared, or LANEWATCH_SHARED)"
	exit 0
}
for program in qemu-system-x86_64 busybox cpio nvme smartctl; do
	command -v "$program" >/dev/null || {
		echo "local sweep in a virtual machine: not measured, no $program here"
		exit 0
	}
done
LW_CACHE=${LW_CACHE:-$1/stages/qemu/cache}
export LW_CACHE
[ -d "$LW_CACHE/kernel-cloud" ] || "$vm/get-deps.sh" >/dev/null || exit 0
echo "in a virtual machine (its processor is emulated, so only the ratios mean something):"
"$vm/run.sh" --timeout 180 --drives '24*port=16x4' --add nvme --add smartctl -- "$1/tests/bench/local_sweep" --host
