#!/bin/sh
# SPDX-License-Identifier: MIT
# embed.sh FILE...: writes the page's files as a C table in the order of their paths on standard output (web/assets.inc).
# index.html is the shell of every page and is found under the name of each.
set -e
pages="index machine bay drives alerts events targets wall pools ceiling"
type_of() {
	case $1 in
	*.html) echo 'text/html; charset=utf-8' ;;
	*.css) echo 'text/css; charset=utf-8' ;;
	*.js) echo 'text/javascript; charset=utf-8' ;;
	*.svg) echo 'image/svg+xml' ;;
	*.json) echo 'application/json' ;;
	*) echo 'application/octet-stream' ;;
	esac
}
paths_of() {
	case $1 in
	index.html)
		echo /
		for page in $pages; do echo "/$page.html"; done
		;;
	openapi.json | *.schema.json) echo "/api/v1/$1" ;;
	*) echo "/$1" ;;
	esac
}
echo '/* made by web/embed.sh: do not edit */'
n=0
for f in "$@"; do
	n=$((n + 1))
	printf 'static const unsigned char asset_%d[] = {\n' $n
	od -An -v -tx1 "$f" | sed 's/ \([0-9a-f][0-9a-f]\)/0x\1,/g'
	printf '};\n'
done
echo 'static const struct asset table[] = {'
n=0
for f in "$@"; do
	n=$((n + 1))
	name=${f##*/}
	for path in $(paths_of "$name"); do
		printf '\t{"%s", "%s", "%s", asset_%d, sizeof asset_%d},\n' "$path" "$name" "$(type_of "$name")" $n $n
	done
done | LC_ALL=C sort
printf '};\n'
