# SPDX-License-Identifier: MIT
#
# ansi2svg.awk: what a terminal showed, as a picture that scales: colours and bold of SGR
# sequences, UTF-8, nothing else.  Run with LC_ALL=C; docs/img/verify.sh calls it.

function columns(s) { gsub(/[\200-\277]/, "", s); return length(s) }

function escaped(s)
{
	gsub(/&/, "\\&amp;", s)
	gsub(/</, "\\&lt;", s)
	gsub(/>/, "\\&gt;", s)
	return s
}

# one piece of text in one style; runs of blanks are not drawn, so that no font can shift them
function draw(s, piece, blanks)
{
	while (s != "") {
		match(s, /^ */)
		at += RLENGTH
		s = substr(s, RLENGTH + 1)
		blanks = match(s, /  +/)
		piece = blanks ? substr(s, 1, RSTART - 1) : s
		s = blanks ? substr(s, RSTART) : ""
		sub(/ +$/, "", piece)
		if (piece != "")
			body[++pieces] = sprintf("<text x=\"%.1f\" y=\"%d\"", left + at * cell, top + NR * line) \
				style ">" escaped(piece) "</text>"
		at += columns(piece)
	}
}

function set_style(codes, list, n, i)
{
	n = split(codes, list, ";")
	if (!n) style = ""
	for (i = 1; i <= n; i++) {
		if (list[i] + 0 == 0) style = ""
		else if (list[i] + 0 == 1) style = style " font-weight=\"bold\""
		else if (list[i] + 0 == 31) style = style " fill=\"#ff7b72\""
		else if (list[i] + 0 == 32) style = style " fill=\"#7ee787\""
		else if (list[i] + 0 == 33) style = style " fill=\"#f2cc60\""
		else if (list[i] + 0 == 36) style = style " fill=\"#79c0ff\""
	}
}

BEGIN { cell = 7.8; line = 18; left = 16; top = 14; width = 0; style = "" }

{
	sub(/\r$/, "")
	sub(/^.*\r/, "")	# a progress line that was overwritten
	rest = $0
	at = 0
	while (match(rest, /\033\[[0-9;]*[A-Za-z]/)) {
		trail = substr(rest, 1, RSTART - 1)
		code = substr(rest, RSTART, RLENGTH)
		rest = substr(rest, RSTART + RLENGTH)
		before = at
		draw(trail)
		at = before + columns(trail)
		if (code ~ /m$/) set_style(substr(code, 3, length(code) - 3))
	}
	before = at
	draw(rest)
	at = before + columns(rest)
	if (at > width) width = at
}

END {
	w = 2 * left + width * cell
	h = 2 * top + NR * line
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\"", w, h, w, h
	printf " font-family=\"ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace\" font-size=\"13\" fill=\"#e6edf3\">\n"
	printf "<title>lanewatch verify on a server with 24 bays</title>\n"
	printf "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#0d1117\"/>\n", w, h
	for (i = 1; i <= pieces; i++) print body[i]
	print "</svg>"
}
