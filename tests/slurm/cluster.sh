#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# cluster.sh TAV-RUN TAV-GEN SOURCE: a Slurm cluster of two nodes on this machine, of its own, in a scratch folder. An
# array of four parts of which one task is killed in the middle; the gap is named; the same command again fills it; the
# combined report is that of one process. Stops only what it started. 77: Slurm is not installed, or this is not root.
set -u
tav_run=$1
tav_gen=$2
source=$3
skip() {
	echo "skipped: $*"
	exit 77
}
for program in munged slurmctld slurmd sbatch scancel squeue; do
	command -v "$program" >/dev/null || skip "there is no $program (slurmctld slurmd slurm-client munge)"
done
[ "$(id -u)" = 0 ] || skip "the daemons of a cluster are started by root"
[ -r /etc/munge/munge.key ] || skip "munge has no key (/etc/munge/munge.key)"

scratch=$(mktemp -d)
chmod 755 "$scratch"
pids=()
# The daemons are stopped by their numbers, last first; what a step of a job left goes with its slurmd.
finish() {
	local i
	[ ! -s "$scratch/slurm.conf" ] || scancel --full --name=tav >/dev/null 2>&1
	for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
		kill "${pids[i]}" 2>/dev/null
	done
	for ((i = ${#pids[@]} - 1; i >= 0; i--)); do
		wait "${pids[i]}" 2>/dev/null
	done
	rm -rf "$scratch"
}
trap finish EXIT
fail() {
	echo "FAILED: $*"
	for log in "$scratch"/*.log "$scratch"/said "$scratch"/out/*.log "$scratch"/out/report.txt; do
		[ -f "$log" ] && { echo "--- $log"; tail -n 15 "$log"; }
	done
	exit 1
}
until_true() { # SECONDS COMMAND...
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.2
	done
}
free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# ---- the cluster
mkdir -p "$scratch/state" "$scratch/n1" "$scratch/n2" "$scratch/munge"
owner=$(stat -c %U /etc/munge/munge.key)
chown "$owner" "$scratch/munge"
run_as=(setpriv --reuid "$owner" --regid "$(id -g "$owner")" --clear-groups)
"${run_as[@]}" munged --foreground --socket="$scratch/munge/socket" --pid-file="$scratch/munge/pid" \
	--log-file="$scratch/munge/log" --seed-file="$scratch/munge/seed" >"$scratch/munged.log" 2>&1 &
pids+=($!)
until_true 10 test -S "$scratch/munge/socket" || fail "munged did not start"
host=$(hostname -s)
cat >"$scratch/slurm.conf" <<END
ClusterName=tav
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$scratch/munge/socket
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/%n
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/%n.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) CPUs=2
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$(free_port) CPUs=2
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$scratch/slurm.conf
slurmctld -D -f "$SLURM_CONF" >"$scratch/slurmctld.out.log" 2>&1 &
pids+=($!)
for node in n1 n2; do
	slurmd -D -f "$SLURM_CONF" -N "$node" >"$scratch/$node.out.log" 2>&1 &
	pids+=($!)
done
is_up() {
	[ "$(sinfo -h -N -o '%N %T' | grep -c ' idle')" = 2 ]
}
until_true 30 is_up || fail "the two nodes did not come up: $(sinfo 2>&1)"

# ---- twelve ranks
mkdir "$scratch/traces"
for i in $(seq 1 12); do
	"$tav_gen" --events $((2000 + 100 * i)) --streams 2 --seed "$i" --output "$scratch/traces/rank$i.json" || fail "tav-gen"
done
# The first time a task starts it waits for the file `go`, so that one can be killed in the middle of its work.
cat >"$scratch/tav-run" <<END
#!/bin/sh
case " \$* " in
*" --part 3/4 "*) [ -e "$scratch/go" ] || { : >"$scratch/waits"; sleep 60; } ;;
esac
exec "$tav_run" "\$@"
END
chmod +x "$scratch/tav-run"
cd "$scratch" || exit 1
all_done() {
	[ -z "$(squeue -h)" ]
}
submit() {
	TAV_RUN=$scratch/tav-run "$source/tools/tav-slurm" -c verify --parts 4 --out "$scratch/out" "$scratch/traces" >said 2>&1 ||
		fail "tav-slurm: $(cat said)"
	cat said
}
submit
until_true 30 test -e waits || fail "part 3 did not start: $(squeue 2>&1)"
job=$(sed -n 's/.*: job \([0-9]*\),.*/\1/p' said)
scancel "${job}_3" || fail "scancel"
until_true 60 all_done || fail "the jobs did not end: $(squeue 2>&1)"
[ ! -e out/part-3.json ] || fail "the killed part left a report"
until_true 10 grep -q 'part 3 is missing' out/report.txt || fail "the gap is not named"
first=$(stat -c %i out/part-1.json)

: >go
submit
until_true 60 all_done || fail "the jobs did not end: $(squeue 2>&1)"
[ "$first" = "$(stat -c %i out/part-1.json)" ] || fail "part 1 was done again"
"$tav_run" -c verify --files-from out/list --report json=one.json >one.txt
[ $? -lt 2 ] || fail "one process could not do it"
until_true 10 cmp one.txt out/report.txt || fail "the combined text is not that of one process"
python3 - one.json out/report.json <<'END' || fail "the combined report is not that of one process"
import json
import sys

one, combined = (json.load(open(path)) for path in sys.argv[1:])
one.pop("run", None)
combined.pop("run", None)
sys.exit(one != combined)
END
echo "four parts on two nodes, one killed and done again: the same report"
