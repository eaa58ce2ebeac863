#!/bin/sh
# SPDX-License-Identifier: MIT
#
# demo.sh BUILD: starts a simulated server with three faults on a free port of loopback, verifies
# its bays as one would a real one, and ends it.  Fails where verify does not find the faults.
# Called by ./quickstart demo; needs no privileges.
set -eu
build=${1:-build}
simbmc=
tmp=$(mktemp -d "${TMPDIR:-/tmp}/lanewatch-demo.XXXXXX")

finish() {
	if [ -n "$simbmc" ] && kill "$simbmc" 2>/dev/null; then
		wait "$simbmc" 2>/dev/null || :
	fi
	rm -rf "$tmp"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

for program in lanewatch lanewatch-simbmc; do
	[ -x "$build/$program" ] || { echo "demo: $build/$program is not built" >&2; exit 69; }
done

password=$tmp/password
(umask 077 && echo calvin >"$password")

echo
echo "  \$ $build/lanewatch-simbmc --chassis r7725xd --port 0 --password-file $password \\"
echo "        --fault 'bay 7 width 2' --fault 'bay 15 speed 16' --fault 'bay 3 absent'"
: >"$tmp/ready"
"$build/lanewatch-simbmc" --chassis r7725xd --port 0 --password-file "$password" \
	--fault 'bay 7 width 2' --fault 'bay 15 speed 16' --fault 'bay 3 absent' \
	>"$tmp/ready" 2>"$tmp/simbmc.err" </dev/null &
simbmc=$!

url=
tries=0
while [ -z "$url" ] && [ "$tries" -lt 200 ] && kill -0 "$simbmc" 2>/dev/null; do
	sleep 0.1
	tries=$((tries + 1))
	url=$(sed -n 's/^ready //p' "$tmp/ready" | head -n 1)
done
if [ -z "$url" ]; then
	echo "demo: the simulated server did not start:" >&2
	sed 's/^/    /' "$tmp/simbmc.err" >&2
	exit 1
fi

echo "  \$ $build/lanewatch verify --url $url --username root --password-file $password --expect 'gen5 x4'"
echo
status=0
"$build/lanewatch" verify --url "$url" --username root --password-file "$password" \
	--expect 'gen5 x4' || status=$?
echo
case $status in
2) echo "Exit status 2: a bay is degraded. 0 would mean that every bay has what it should have." ;;
*)
	echo "demo: verify ended with $status; with these faults it should be 2" >&2
	exit 1
	;;
esac
