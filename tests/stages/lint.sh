# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154
# cppcheck over the sources, shellcheck over the scripts
sources=$(cd "$srcdir" && find base model document collectors storage web agent tests -name '*.c')
scripts=$(cd "$srcdir" && for f in quickstart .ci/run autogen.sh $(find tests packaging docs web -type f); do
	case $f in *.awk | *.py) continue ;; esac
	case $f in *.sh) echo "$f" ;; *) head -n 1 "$f" | grep -Eq '^#!.*(sh|bash)$' && echo "$f" ;; esac
done)

if need cppcheck "cppcheck"; then
	# shellcheck disable=SC2086 # names without blanks
	(cd "$srcdir" && try "cppcheck finds nothing" cppcheck -q -j "$jobs" --std=c11 --error-exitcode=1 \
		--inline-suppr --enable=warning,performance,portability \
		--suppressions-list=tests/stages/cppcheck.txt --library=posix -I . -D__GNUC__=12 \
		'-Djson_object_foreach(o,k,v)=for(k=0,v=0;k;)' '-Djson_array_foreach(a,i,v)=for(i=0,v=0;v;)' \
		$sources)
fi
if need shellcheck "shellcheck"; then
	for f in $scripts; do
		(cd "$srcdir" && try "shellcheck: $f" shellcheck -x -S warning -e SC1091,SC2034,SC2317 "$f")
	done
fi
