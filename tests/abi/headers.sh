#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# headers.sh COMPILER LANGUAGE STANDARD INCLUDE-DIR: each public header compiles alone, without a word.
compiler=$1 language=$2 standard=$3 include=$4
command -v "$compiler" >/dev/null || {
	echo "no $compiler here"
	exit 77
}
count=0
for header in "$include"/tav/*.h; do
	name=${header##*/}
	said=$(printf '#include <tav/%s>\n#include <tav/%s>\n' "$name" "$name" |
		"$compiler" -x "$language" "-std=$standard" -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wpadded \
			-fsyntax-only -I "$include" - 2>&1)
	if [ $? -ne 0 ] || [ -n "$said" ]; then
		printf '%s\n%s: not silent with %s -std=%s\n' "$said" "$name" "$compiler" "$standard"
		exit 1
	fi
	count=$((count + 1))
done
[ "$count" -gt 0 ]
