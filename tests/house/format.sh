#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# format.sh CHECKOUT: every C and C++ file is as clang-format sets it. Other major versions set some things otherwise.
wanted=14
version=$(clang-format --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')
if [ "$version" != $wanted ]; then
	echo "skipped: clang-format $wanted is the judge, here is ${version:-none}"
	exit 77
fi
cd "$1" || exit 1
find core dialects plugins tools tests -name '*.[ch]' -o -name '*.cpp' | sort >"${TMPDIR:-/tmp}/tav-format.$$"
xargs clang-format --dry-run --Werror <"${TMPDIR:-/tmp}/tav-format.$$"
status=$?
rm -f "${TMPDIR:-/tmp}/tav-format.$$"
[ $status = 0 ] || echo "run: clang-format -i FILE..."
exit $status
