#!/bin/sh
# SPDX-License-Identifier: MIT
#
# demo.sh BUILD: starts a simulated server with faults on a free port of loopback, verifies its
# bays as one would a real one, makes up a year of its past, and runs the agent with its page until
# Ctrl-C.  Fails where verify does not find the faults.  Called by ./quickstart demo; needs no
# privileges.  DEMO_SECONDS=N ends it by itself, for tests; with CI set it does after a second.
set -eu
build=${1:-build}
here=$(dirname "$0")
simbmc='' agent=''
tmp=$(mktemp -d "${TMPDIR:-/tmp}/lanewatch-demo.XXXXXX")

finish() {
	for pid in $agent $simbmc; do
		if kill "$pid" 2>/dev/null; then
			wait "$pid" 2>/dev/null || :
		fi
	done
	rm -rf "$tmp"
}
trap finish EXIT
trap 'echo; exit 130' INT
trap 'exit 143' TERM

for program in lanewatch lanewatch-simbmc; do
	[ -x "$build/$program" ] || { echo "demo: $build/$program is not built" >&2; exit 69; }
done

# The first line that a program wrote and that begins so, without that; empty if it ended before.
wait_for() { # PID FILE BEGINNING
	tries=0
	while [ "$tries" -lt 200 ] && kill -0 "$1" 2>/dev/null && ! grep -q "^$3" "$2"; do
		sleep 0.1
		tries=$((tries + 1))
	done
	sed -n "s/^$3//p" "$2" | head -n 1
}

password=$tmp/password
(umask 077 && echo calvin >"$password")

echo
echo "  \$ $build/lanewatch-simbmc --chassis r7725xd --port 0 --password-file $password \\"
echo "        --fault 'bay 7 width 2' --fault 'bay 15 speed 16' --fault 'bay 3 absent' --fault 'bay 5 wear 83'"
: >"$tmp/ready"
"$build/lanewatch-simbmc" --chassis r7725xd --license --port 0 --password-file "$password" \
	--fault 'bay 7 width 2' --fault 'bay 15 speed 16' --fault 'bay 3 absent' --fault 'bay 5 wear 83' \
	>"$tmp/ready" 2>"$tmp/simbmc.err" </dev/null &
simbmc=$!
url=$(wait_for "$simbmc" "$tmp/ready" 'ready ')
if [ -z "$url" ]; then
	echo "demo: the simulated server did not start:" >&2
	sed 's/^/    /' "$tmp/simbmc.err" >&2
	exit 1
fi

echo "  \$ $build/lanewatch verify --url $url --username root --password-file $password --expect 'gen5 x4'"
echo
status=0
ask() { "$build/lanewatch" "$@" --url "$url" --username root --password-file "$password"; }
ask verify --expect 'gen5 x4' || status=$?
echo
case $status in
2) echo "Exit status 2: a bay is degraded. 0 would mean that every bay has what it should have." ;;
*)
	echo "demo: verify ended with $status; with these faults it should be 2" >&2
	exit 1
	;;
esac

# ---- a year of history, played through the whole agent ----
began=$(date +%s)
cat >"$tmp/demo.conf" <<END
listen = "127.0.0.1:${DEMO_PORT:-0}"
poll_interval = 5s
target "demo" { type = redfish  url = "$url"  username = "root"  password_file = "$password" }
policy "front" { bays = "0-23"  expect = "gen5 x4"  require_present = true }
END
ask wear -o csv >"$tmp/wear.csv" || :
ask verify -o csv >"$tmp/verify.csv" || :
steps=$(awk -v count_only=1 -f "$here/demo_year.awk" /dev/null)
awk -v n="$steps" -v dir="$tmp/year" 'BEGIN { for (k = 0; k < n; k++) printf "%s/%04d/demo\n", dir, k }' | xargs mkdir -p
awk -v now="$began" -v dir="$tmp/year" -f "$here/demo_year.awk" "$tmp/wear.csv" "$tmp/verify.csv"
# so many steps at once take and give back much memory: let the C library keep it
MALLOC_TRIM_THRESHOLD_=1000000000 MALLOC_MMAP_THRESHOLD_=1000000000 \
	"$build/lanewatch" replay "$tmp/year" --config "$tmp/demo.conf" --database "$tmp/demo.db" -o table >/dev/null
rm -rf "$tmp/year"
echo "A made-up year of its past was played: $steps steps in $(($(date +%s) - began)) s."

# ---- the agent ----
echo
: >"$tmp/agent.err"
"$build/lanewatch" run -v --config "$tmp/demo.conf" --database "$tmp/demo.db" 2>"$tmp/agent.err" </dev/null &
agent=$!
port=$(wait_for "$agent" "$tmp/agent.err" '.*listening on port ')
if [ -z "$port" ]; then
	echo "demo: the agent did not start:" >&2
	sed 's/^/    /' "$tmp/agent.err" >&2
	exit 1
fi
echo "  http://127.0.0.1:$port/ shows it; Ctrl-C ends it."
seconds=${DEMO_SECONDS:-${CI:+1}}
if [ -n "$seconds" ]; then
	sleep "$seconds"
else
	wait "$agent"
fi
