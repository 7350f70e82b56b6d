#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# licence.sh CHECKOUT: every source names its licence in one of its first lines.
cd "$1" || exit 1
list=$(find core dialects plugins tools tests .ci -type f \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.py' -o -name '*.sh' \
	-o -name run -o -name test \) | sort)
[ -n "$list" ] || exit 1
status=0
for file in $list; do
	head -n 3 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || {
		echo "$file: no SPDX-License-Identifier"
		status=1
	}
done
exit $status
