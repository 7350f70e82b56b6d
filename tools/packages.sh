# shellcheck shell=sh disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# What the scripts share; to be sourced by a POSIX shell, with `top` (the checkout) and
# `program` (for messages) set. The one list of packages.
#
# Each line: kind of need, how to see that it is met, the Debian package that meets it.
#   build  tav itself      test  the tests too      ci  the tests of .ci/run beyond those of tools/test
needs='
build | have cmake                    | cmake
build | have ninja || have make       | ninja-build
build | have cc || have gcc           | gcc
build | compiles "#include <stdio.h>" | libc6-dev
build | have pkg-config               | pkg-config
build | pkg-config --exists json-c    | libjson-c-dev
build | pkg-config --exists yaml-0.1  | libyaml-dev
build | pkg-config --exists libisal   | libisal-dev
build | pkg-config --exists libxxhash | libxxhash-dev
test  | have make                     | make
test  | have g++                      | g++
test  | pkg-config --exists cunit     | libcunit1-dev
test  | pkg-config --exists yajl      | libyajl-dev
test  | have python3                  | python3
test  | python_has jsonschema         | python3-jsonschema
test  | python_has yaml               | python3-yaml
test  | have xmllint                  | libxml2-utils
test  | have clang-format             | clang-format
ci    | have clang                    | clang
ci    | links_fuzzer                  | libclang-rt-dev
ci    | have valgrind                 | valgrind
ci    | have dpkg-shlibdeps           | dpkg-dev
ci    | have mmdebstrap               | mmdebstrap
ci    | have shellcheck               | shellcheck
ci    | have npm                      | npm
ci    | have chromium                 | chromium
ci    | have /usr/sbin/slurmctld      | slurmctld
ci    | have /usr/sbin/slurmd         | slurmd
ci    | have sbatch                   | slurm-client
ci    | have /usr/sbin/munged         | munge
'

say() {
	printf '%s: %s\n' "$program" "$*" >&2
}
have() {
	command -v "$1" >/dev/null 2>&1
}
compiles() {
	echo "$1" | ${CC:-cc} -E - >/dev/null
}
links_fuzzer() {
	echo 'int LLVMFuzzerTestOneInput(const char *d, long n) { return d && n == -1; }' |
		clang -fsanitize=fuzzer,address -x c - -o /dev/null
}
python_has() { # the tests take the system's Python where the first one lacks a module
	python3 -c "import $1" || /usr/bin/python3 -c "import $1"
}
# Packages of the given kinds whose need is not met.
missing() {
	echo "$needs" | while IFS= read -r line; do
		case " $* " in
		*" ${line%% *} "*) ;;
		*) continue ;;
		esac
		test=${line#*|}
		package=${line##*| }
		(eval "${test% |*}") >/dev/null 2>&1 </dev/null || printf '%s ' "$package"
	done
}
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo -n "$@"
	fi
}
# Sees to it that the needs of the given kinds are met; returns 2 when that cannot be done here.
install_missing() {
	packages=$(missing "$@")
	packages=${packages% }
	[ -n "$packages" ] || return 0
	if ! have apt-get || ! as_root true 2>/dev/null; then
		say "these packages are missing (names as in Debian): $packages"
		say "install them (as root: apt-get install $packages) and run this again"
		return 2
	fi
	say "installing $packages"
	log=$(mktemp) || return 2
	# A source list that cannot be reached does no harm as long as the packages can be had from the others.
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 update >"$log" 2>&1 </dev/null ||
		say "apt-get update reported errors; going on"
	# shellcheck disable=SC2086
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 \
		install --no-install-recommends $packages >>"$log" 2>&1 </dev/null || {
		tail -n 20 "$log" >&2
		rm -f "$log"
		say "apt-get could not install $packages"
		return 2
	}
	rm -f "$log"
	packages=$(missing "$@")
	[ -z "$packages" ] && return 0
	# A test that lacks something says that it was skipped; without what builds tav nothing goes on.
	say "still not usable after the installation: $packages"
	[ -z "$(missing build)" ] || return 2
}

jobs=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)

# A build folder that was made for another place, with another generator or a compiler that is gone starts anew.
is_usable_cache() {
	[ -f "$1/CMakeCache.txt" ] || return 1
	grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$top" "$1/CMakeCache.txt" || return 1
	cached_compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$1/CMakeCache.txt")
	[ -n "$cached_compiler" ] && have "$cached_compiler" || return 1
	cached_tool=$(sed -n 's/^CMAKE_MAKE_PROGRAM:[A-Z]*=//p' "$1/CMakeCache.txt")
	[ -n "$cached_tool" ] && have "$cached_tool"
}
# build_in FOLDER [CMAKE ARGUMENT...]: what it prints is kept in FOLDER.log, and shown when it fails.
build_in() {
	folder=$1
	shift
	mkdir -p "$folder" 2>/dev/null
	if ! [ -w "$folder" ]; then
		say "cannot write to $folder; remove it, or name another folder with TAV_BUILD=FOLDER"
		return 2
	fi
	if ! is_usable_cache "$folder"; then
		rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles"
		if have ninja; then
			set -- -G Ninja "$@"
		else
			set -- -G "Unix Makefiles" "$@"
		fi
	fi
	log=$folder/tools.log
	if ! cmake -S "$top" -B "$folder" "$@" >"$log" 2>&1 </dev/null ||
		! cmake --build "$folder" --parallel "$jobs" >>"$log" 2>&1 </dev/null; then
		grep -E -A 12 'error|Error|FAILED' "$log" | head -n 60 >&2
		say "the build failed; all of its output: $log"
		return 2
	fi
}
