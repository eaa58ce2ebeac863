# SPDX-License-Identifier: MIT
#
# code.awk: code(line) is a line of C without its comments and without what stands in quotes.
# Feed it every line of a file in order, and call code_start() at the top of each file.

function code_start() { in_comment = 0 }

function code(line, out, c, at, rest)
{
	out = ""
	while (line != "") {
		if (in_comment) {
			at = index(line, "*/")
			if (!at) return out
			line = substr(line, at + 2)
			in_comment = 0
			out = out " "
			continue
		}
		if (!match(line, /\/\*|\/\/|["']/)) return out line
		c = substr(line, RSTART, RLENGTH)
		out = out substr(line, 1, RSTART - 1)
		rest = substr(line, RSTART + RLENGTH)
		if (c == "//") return out
		if (c == "/*") in_comment = 1
		else {
			rest = after_quote(rest, c)
			out = out c c
		}
		line = rest
	}
	return out
}

function after_quote(s, quote, i, c)
{
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		if (c == "\\") i++
		else if (c == quote) return substr(s, i + 1)
	}
	return ""
}
