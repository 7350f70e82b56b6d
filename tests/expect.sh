#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# expect.sh STATUS PATTERN COMMAND...: passes when the command ends with STATUS and what it says on either stream holds
# a match of PATTERN (an extended regular expression, letter case aside).
status=$1
pattern=$2
shift 2
said=$("$@" 2>&1 </dev/null)
got=$?
printf '%s\n' "$said"
if [ "$got" != "$status" ]; then
	echo "expect.sh: status $got, wanted $status: $*"
	exit 1
fi
if ! printf '%s\n' "$said" | grep -qiE -e "$pattern"; then
	echo "expect.sh: it does not say /$pattern/: $*"
	exit 1
fi
