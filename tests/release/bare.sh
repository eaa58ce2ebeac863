# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# both quickstart commands in a fresh Debian without any package of ours (needs root and debootstrap)
root=$builddir/release/bare
command -v debootstrap >/dev/null || { echo "no debootstrap here"; exit 69; }
[ "$(id -u)" -eq 0 ] || { echo "needs root"; exit 77; }
trap 'umount "$root/dev/pts" "$root/proc" 2>/dev/null; rm -rf --one-file-system "$root"' EXIT
rm -rf "$root"
debootstrap --variant=minbase "${SUITE:-bookworm}" "$root" ${MIRROR:+"$MIRROR"} || exit
# what reaches the archive on this machine reaches it in there
cp -a /etc/apt/. "$root/etc/apt/"
cp /etc/resolv.conf "$root/etc/" 2>/dev/null
echo "127.0.0.1 localhost" >>"$root/etc/hosts"
mount -t proc proc "$root/proc" || exit
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts" && ln -sf pts/ptmx "$root/dev/ptmx" || exit
mkdir "$root/lanewatch"
git -C "$srcdir" archive HEAD | tar -x -C "$root/lanewatch" || exit
run() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root CI=true "$@"; }
run /lanewatch/quickstart demo || exit
run /lanewatch/quickstart test --quick || exit
began=$(date +%s)
run /lanewatch/quickstart demo || exit
echo "both commands work; the second demo took $(($(date +%s) - began)) s"
