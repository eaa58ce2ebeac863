# SPDX-License-Identifier: MIT
#
# layers.awk: who may include what (docs/ARCHITECTURE.md, "The tree and its arrows").
# Reads C sources by their paths from the root; prints "FILE:LINE: why" for each violation.
# Used with code.awk, which keeps commented includes and quoted text out of it.

BEGIN {
	# folder: the folders it may include
	may["base"] = "base"
	may["model"] = "model base"
	may["document"] = "document model base"
	may["collectors"] = "collectors document model base"
	may["storage"] = "storage document model base"
	may["web"] = "web storage document model base"
	may["agent"] = "agent web storage collectors document model base"

	# header of a library: the files that may include it; tests may use any
	place["curl/"] = "^base/(http[a-z_]*|mail)[.][ch]$" # mail is SMTP over the same loop
	place["libnvme"] = "^collectors/nvme/ops[.]c$"
	place["sqlite3"] = "^storage/"
	place["microhttpd"] = "^web/|^tests/simbmc/"
	place["confuse"] = "^agent/config[a-z_]*[.]c$"
	place["libsmartcols/"] = "^agent/cli/output_table[a-z_]*[.]c$"
	place["jansson"] = "^(base|document|collectors|storage|web|agent)/|^tests/"
	place["uv.h"] = "^(base|document|collectors|storage|web|agent)/|^tests/"
	place["uv/"] = place["uv.h"]

	# model is arithmetic on values: these headers, and of stdio only what formats text
	split("assert ctype errno float inttypes limits math stdarg stdbool stddef stdint stdio stdlib string strings uthash utlist",
		words, " ")
	for (i in words) pure[words[i] ".h"] = 1
	io = "^(f|fd|p|tmp|re|freo)open$|^(printf|fprintf|dprintf|vprintf|vfprintf|puts|fputs|putc|fputc|putchar|perror|fread|fwrite|fgets|fgetc|getc|getchar|getline|getdelim|scanf|fscanf|fflush|remove|rename|tmpfile|system|getenv|setenv|abort_with|time|clock_gettime|gettimeofday|stdin|stdout|stderr)$"
}

FNR == 1 {
	code_start()
	split(FILENAME, part, "/")
	folder = part[1]
	in_tests = folder == "tests"
	simbmc = FILENAME ~ /^tests\/simbmc\//
}

{ raw = $0; text = code(raw) }

function wrong(why) { print FILENAME ":" FNR ": " why; found = 1 }

text ~ /^[ \t]*#[ \t]*include[ \t]/ {
	name = raw
	sub(/^[ \t]*#[ \t]*include[ \t]*["<]/, "", name)
	sub(/[">].*/, "", name)
	if (raw ~ /include[ \t]*"/) own(name)
	else library(name)
	next
}

folder == "model" {
	gsub(/format[ \t]*\([ \t]*printf/, "format(", text) # the attribute
	n = split(text, word, /[^A-Za-z0-9_]+/)
	for (i = 1; i <= n; i++)
		if (word[i] ~ io && text ~ word[i] "[ \t]*[(,;)]")
			wrong("model does no input or output, and reads no clock: " word[i])
}

function own(name, to, list, n, i)
{
	if (name == "config.h") return
	if (name !~ /\//) {
		if (!in_tests) wrong("\"" name "\": paths start at the root of the tree")
		return
	}
	if (name ~ /(^|\/)\.\.?\//) { wrong("\"" name "\": paths start at the root of the tree"); return }
	to = name
	sub(/\/.*/, "", to)
	if (simbmc) {
		if (to != "base" && name !~ /^tests\/simbmc\//)
			wrong("tests/simbmc stands on base alone, not on " to)
		return
	}
	if (in_tests) return
	n = split(may[folder], list, " ")
	for (i = 1; i <= n; i++) if (list[i] == to) return
	wrong(folder " may not include " to)
}

function library(name, prefix)
{
	if (folder == "model") {
		if (!(name in pure)) wrong("model may not include <" name ">")
		return
	}
	if (in_tests && !simbmc) return
	for (prefix in place)
		if (index(name, prefix) == 1 && FILENAME !~ place[prefix])
			wrong("<" name "> has one place, and this is not it")
}

END { exit found }
