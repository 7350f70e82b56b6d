#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stand-in.sh TAV-RUN SOURCE: tav-slurm from the list to the combined report, with names that want quotes, a task that
# never runs, and the same command again.
set -eu
tav_run=$1
source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
here=$(cd "$(dirname "$0")" && pwd)
export PATH="$here:$PATH" TAV_RUN="$tav_run" SBATCH_CALLS="$scratch/calls"
out="$scratch/it's [out]"
mkdir "$scratch/traces"
for i in 1 2 3 4 5; do
	sed "s/\"rank\": *[0-9]*/\"rank\": $i/; s/\"dur\": 20/\"dur\": 2$i/" "$source/tests/data/overlap.json" \
		>"$scratch/traces/rank $i.json"
done
cd "$scratch"

expect() { # STATUS COMMAND...
	wanted=$1
	shift
	status=0
	"$@" >said 2>&1 || status=$?
	[ "$status" = "$wanted" ] || {
		echo "status $status, wanted $wanted: $*"
		cat said
		exit 1
	}
}
holds() { # PATTERN FILE
	grep -q -e "$1" "$2" || {
		echo "no '$1' in $2:"
		cat "$2"
		exit 1
	}
}

slurm="$source/tools/tav-slurm"
expect 2 "$slurm" --parts 3 traces
expect 2 "$slurm" --parts 0 --out o traces
expect 2 "$slurm" --parts 2 --out o no-such-folder.json
expect 0 "$slurm" --dry-run --parts 3 --out "$out" traces
[ ! -e "$out" ]
holds '--array=1-3' said

SKIP_TASK=2 expect 0 "$slurm" --parts 3 --out "$out" --sbatch --partition=x traces
holds 'part 2 is missing' "$out/report.txt"
holds '^1 2$' calls # the combined run could not be done: status 2
holds '--dependency=afterany:4711 .*--partition=x' calls
[ "$(wc -l <"$out/list")" = 5 ]

before=$(stat -c %Y.%i "$out/part-1.json")
expect 0 "$slurm" --parts 3 --out "$out" traces
[ "$before" = "$(stat -c %Y.%i "$out/part-1.json")" ] || {
	echo "part 1 was done again"
	exit 1
}
"$tav_run" --files-from "$out/list" --report json=one.json >one.txt || [ $? = 1 ]
cmp one.txt "$out/report.txt"
python3 - one.json "$out/report.json" <<'END'
import json
import sys

reports = [json.load(open(path)) for path in sys.argv[1:]]
for report in reports:
    report.pop("run", None)
sys.exit(reports[0] != reports[1] and "the combined report is not that of one run")
END
# More parts than traces, another list: nothing of the old parts is left.
rm "traces/rank 5.json"
expect 0 "$slurm" --parts 9 --out "$out" traces
holds '--array=1-4' calls
[ ! -e "$out/part-5.json" ]
echo "tav-slurm: fine with the stand-in"
