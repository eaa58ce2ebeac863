# SPDX-License-Identifier: MIT
#
# banned.awk: functions that are not used here, each with what is used instead, and notes to
# oneself that should have been done or filed.  Prints "FILE:LINE: why".  Used with code.awk.

BEGIN {
	instead["strcpy"] = instead["strcat"] = instead["stpcpy"] = instead["strncat"] = "snprintf, or struct buf"
	instead["sprintf"] = instead["vsprintf"] = "snprintf"
	instead["strtok"] = "strcspn and lengths"
	instead["atoi"] = instead["atol"] = instead["atoll"] = instead["atof"] = "str_to_*, which knows a range"
	instead["gets"] = "fgets or getline"
	instead["popen"] = instead["system"] = "an argument vector and no shell"
	instead["alloca"] = "struct buf"
	instead["localtime"] = instead["localtime_r"] = instead["ctime"] = instead["asctime"] = instead["gmtime"] = "clock_text: UTC"
	instead["mktemp"] = instead["tmpnam"] = instead["tempnam"] = "mkstemp or O_TMPFILE"
	instead["usleep"] = instead["sleep"] = instead["nanosleep"] = "a timer of the loop"
	instead["json_dumps"] = instead["json_dumpb"] = "jtext_print, whose text free() takes"
}

FNR == 1 { code_start() }

{
	raw = $0
	text = code(raw)
	if (raw ~ /(^|[^A-Za-z0-9])(TODO|FIXME|XXX)([^A-Za-z0-9]|$)/)
		wrong("do it, or file an issue")
	if (raw ~ /scanf[ \t]*\(.*%s/)
		wrong("%s without a width writes past the end")
	if (text !~ /[(]/) next
	rest = text
	while (match(rest, /[A-Za-z_][A-Za-z0-9_]*[ \t]*\(/)) {
		name = substr(rest, RSTART, RLENGTH - 1)
		sub(/[ \t]+$/, "", name)
		# a member or a prototype of the same name would be odd, and is refused as well
		if (name in instead && !(FILENAME ~ /^tests\// && name ~ /sleep$|^json_/))
			wrong(name " is not used here: " instead[name])
		rest = substr(rest, RSTART + RLENGTH)
	}
}

function wrong(why) { print FILENAME ":" FNR ": " why; found = 1 }

END { exit found }
