# SPDX-License-Identifier: MIT
#
# demo_year.awk: a plausible year for the server that demo.sh shows, as a recording that `replay`
# plays: a step a day, and a step an hour in the last month.  It ends with what the server says now.
#
#   awk -v now=SECONDS -v dir=DIR -f demo_year.awk WEAR.csv VERIFY.csv
#
# The folders DIR/NNNN/demo are there already (their count: -v count_only=1).  Bay 7 lost two lanes
# two days ago, bay 15 half its speed forty days ago.

BEGIN { FS = ","; DAY = 86400; DAYS = 365; HOURS = 720 }

function steps() { return (DAYS - HOURS / 24) + HOURS }

# Seconds since 1970 as RFC 3339 (days to a date: a year begins in March)
function text(t,    days, era, doe, yoe, doy, mp, d, m, y, rest) {
	days = int(t / DAY) + 719468
	era = int(days / 146097)
	doe = days - era * 146097
	yoe = int((doe - int(doe / 1460) + int(doe / 36524) - int(doe / 146096)) / 365)
	doy = doe - (365 * yoe + int(yoe / 4) - int(yoe / 100))
	mp = int((5 * doy + 2) / 153)
	d = doy - int((153 * mp + 2) / 5) + 1
	m = mp < 10 ? mp + 3 : mp - 9
	y = yoe + era * 400 + (m <= 2)
	rest = t % DAY
	return sprintf("%04d-%02d-%02dT%02d:%02d:%02dZ", y, m, d, int(rest / 3600), int(rest % 3600 / 60), rest % 60)
}

function column(name,    i) {
	for (i = 1; i <= NF; i++)
		if ($i == name) return i
	print "demo_year.awk: no column " name > "/dev/stderr"
	failed = 1
	exit 1
}

function number(v) { return v == "" ? "null" : v }

FNR == 1 { file++ }
count_only { exit }
file == 1 && FNR == 1 { c_bay = column("bay"); c_used = column("percent_used"); c_temp = column("temperature_celsius"); next }
file == 1 { used[$c_bay] = $c_used; temp[$c_bay] = $c_temp; next }
file == 2 && FNR == 1 {
	c_bay = column("bay"); c_serial = column("serial"); c_model = column("model"); c_firmware = column("firmware")
	c_speed = column("speed_gts"); c_width = column("width"); c_max = column("max_speed_gts"); c_lanes = column("max_width")
	c_smax = column("slot_max_speed_gts"); c_slanes = column("slot_max_width")
	next
}
file == 2 && $c_serial != "" {
	n++
	bay[n] = $c_bay
	head[n] = sprintf("{\"bay\":\"%s\",\"present\":true,\"role\":\"data\",\"drive\":{\"serial\":\"%s\",\"model\":\"%s\",\"firmware\":\"%s\",\"protocol\":\"NVMe\"}", $c_bay, $c_serial, $c_model, $c_firmware)
	if ($c_bay !~ /^[0-9]+$/) sub(/"role":"data"/, "\"role\":\"boot\"", head[n])
	speed[n] = number($c_speed); width[n] = number($c_width); most[n] = number($c_max); lanes[n] = number($c_lanes)
	slot[n] = $c_smax == "" ? "null" : sprintf("{\"max_speed_gts\":%s,\"max_width\":%s}", $c_smax, $c_slanes)
}

# What bay i said so many seconds ago
function said(i, ago,    s, w, u, c) {
	s = speed[i]; w = width[i]
	if (ago > 2 * DAY) w = lanes[i]
	if (ago > 40 * DAY) s = most[i]
	u = used[bay[i]]; c = temp[bay[i]]
	if (u != "") u = int(u * (1 - 0.45 * ago / (DAYS * DAY)) + 0.5)
	if (c != "") c = int(c + 2 * sin((now - ago) / DAY * 6.2832 + i) + 2 * sin((now - ago) / DAY / 58) + 0.5)
	return sprintf("%s,\"link\":{\"speed_gts\":%s,\"width\":%s,\"max_speed_gts\":%s,\"max_width\":%s,\"slot\":%s},\"wear\":{\"percent_used\":%s,\"available_spare_percent\":100,\"applicable\":true},\"temperature_celsius\":%s}",
		head[i], s, w, most[i], lanes[i], slot[i], number(u), number(c))
}

END {
	if (failed) exit 1
	if (count_only) { print steps(); exit }
	index_file = dir "/recording.json"
	printf "{\"schema\":\"lanewatch/recording/v1\",\"steps\":[" > index_file
	for (k = 0; k < steps(); k++) {
		ago = k < DAYS - HOURS / 24 ? (DAYS - k) * DAY : (steps() - k) * 3600
		name = sprintf("%04d", k)
		printf "%s{\"at\":\"%s\",\"mono_s\":%d,\"path\":\"%s\"}", k ? "," : "", text(now - ago), DAYS * DAY - ago, name > index_file
		out = dir "/" name "/demo/target.json"
		print "{\"kind\":\"replay\",\"host\":\"demo\",\"url\":null,\"error\":null}" > out
		close(out)
		out = dir "/" name "/demo/observation.json"
		for (i = 1; i <= n; i++) print (i == 1 ? "[" : ",") said(i, ago) > out
		print "]" > out
		close(out)
	}
	print "]}" > index_file
}
