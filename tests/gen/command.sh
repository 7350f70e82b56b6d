#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# command.sh TAV-GEN: the same options give the same bytes, and what cannot be done is said with status 2.
set -u
gen=$1
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
failed=0

fail() {
	echo "FAIL: $*"
	failed=1
}

refuses() { # TEXT ARGUMENT...: status 2, and TEXT in the message
	text=$1
	shift
	"$gen" "$@" >"$dir/out" 2>"$dir/err"
	[ $? = 2 ] || fail "status of $*"
	grep -q -e "$text" "$dir/err" || fail "$*: no \"$text\" in: $(cat "$dir/err")"
}

"$gen" --events 5000 --overlaps 9 --gz -o "$dir/a" || fail "first run"
"$gen" --events 5000 --overlaps 9 --gz >"$dir/b" || fail "second run"
cmp "$dir/a" "$dir/b" || fail "two runs differ"
"$gen" --events 5000 --overlaps 9 --seed 2 --gz -o "$dir/b" && cmp -s "$dir/a" "$dir/b" && fail "the seed changes nothing"
gzip -t "$dir/a" || fail "gzip does not take it"
"$gen" --events 5000 --gz --defect bad-crc | gzip -t 2>/dev/null && fail "bad-crc is good"
"$gen" --events 5000 --gz --defect cut-gz | gzip -t 2>/dev/null && fail "cut-gz is whole"
for defect in $("$gen" --help | sed -n '/--defect KIND/,/--fault KIND/s/^      \([a-z0-9-]*\) .*/\1/p'); do
	"$gen" --events 500 --gz --defect "$defect" -o "$dir/b" || fail "defect $defect"
	"$gen" --events 500 --gz -o "$dir/a" && cmp -s "$dir/a" "$dir/b" && fail "defect $defect changes nothing"
done
for fault in $("$gen" --help | sed -n '/--fault KIND/,$s/^      \([a-z0-9-]*\) .*/\1/p'); do
	"$gen" --events 5000 --fault "$fault" -o "$dir/b" || fail "fault $fault"
	"$gen" --events 5000 -o "$dir/a" && cmp -s "$dir/a" "$dir/b" && fail "fault $fault changes nothing"
done
"$gen" --help >"$dir/help" && grep -q -e --device-share "$dir/help" || fail "help"

refuses "not a whole number" --events 12x
refuses "not a whole number" --device-share 101
refuses "none of object array lines" --form tree
refuses "is not expected" extra
refuses "needs --gz" --defect bad-crc
refuses "is unknown" --defect surprise
refuses "there are 20" --events 250 --overlaps 100
refuses "no known answer" --nested --overlaps 1
refuses "cannot write $dir/none/x" -o "$dir/none/x"
if [ -w /dev/full ]; then
	refuses "No space left" -o /dev/full
	refuses "cannot write /dev/full" -o "$dir/a" --answers /dev/full
fi
exit $failed
