#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh CMAKE BUILD-FOLDER CHECKOUT WORK-FOLDER GENERATOR: installs tav, moves the installed tree elsewhere, builds
# plugins against it as a stranger would (pkg-config and make, find_package(tav), gcc and clang, C and C++), and runs them.
set -u
cmake=$1 build=$2 top=$3 work=$4 generator=$5
here=$top/tests/out-of-tree
unset TAV_PLUGIN_PATH CFLAGS CXXFLAGS MAKEFLAGS DESTDIR

die() {
	echo "out-of-tree: $*"
	exit 1
}
# expect STATUS PATTERN COMMAND...
expect() {
	"$top/tests/expect.sh" "$@" >"$work/said" || {
		cat "$work/said"
		exit 1
	}
}
quietly() {
	"$@" >"$work/log" 2>&1 || {
		cat "$work/log"
		die "failed: $*"
	}
}

rm -rf "$work"
mkdir -p "$work/first" "$work/moved" || exit 1
quietly "$cmake" --install "$build" --prefix "$work/first/tree"
mv "$work/first/tree" "$work/moved/tree" && rmdir "$work/first" || exit 1
tree="$work/moved/tree"
run="$tree/bin/tav-run"
pc=$(find "$tree" -name tav.pc) && [ -n "$pc" ] || die "no tav.pc was installed"
PKG_CONFIG_PATH=$(dirname "$pc")
export PKG_CONFIG_PATH
for file in bin/tav-run bin/tav-gen include/tav/plugin.h include/tav/kit.h include/tav/results.h include/tav/overlap.h share/doc/tav/LICENSE; do
	[ -f "$tree/$file" ] || die "$file was not installed"
done
for file in "$top"/config/*.yaml "$top"/config/*.json; do
	[ ! -f "$file" ] || [ -f "$tree/share/tav/${file##*/}" ] || die "$file was not installed"
done
plugindir=$(pkg-config --variable=plugindir tav)
[ -f "$plugindir/torch.so" ] && [ -f "$plugindir/overlap-verify.so" ] || die "no plugins in $plugindir"
! grep -rIl "$work/first" "$tree" || die "the files above name the place of the installation"

# The moved tree finds its plugins and pipelines by itself, from any folder, also through a link.
cd / || exit 1
expect 0 overlap-verify "$run" --list
expect 0 pass "$run" -c verify "$top/tests/plugins/trace.json"
ln -s "$run" "$work/link"
expect 0 pass "$work/link" -c verify "$top/tests/plugins/trace.json"

try() { # FOLDER: the plugins acme, busy and moved in it work
	expect 0 'acme' "$run" --plugin-dir "$1" --list
	expect 0 'pass' "$run" --plugin-dir "$1" "$here/clean.json"
	expect 1 'fail' "$run" --plugin-dir "$1" "$here/overlap.json"
	expect 0 'pass' "$run" --plugin-dir "$1" -s busy --report "json=$work/report.json" "$here/clean.json"
	grep -Eq '"busy_ns": ?20000\b' "$work/report.json" || die "busy_ns is not 20000 in $work/report.json"
	expect 0 'pass' "$run" --plugin-dir "$1" -s busy --set busy.ignore_below=100us --set busy.traits=memcpy \
		--report "json=$work/report.json" "$here/clean.json"
	grep -Eq '"busy_ns": ?5000\b' "$work/report.json" || die "busy_ns is not 5000 in $work/report.json"
	expect 0 'pass' "$run" --plugin-dir "$1" -s busy -s moved "$here/clean.json" "$here/less.json"
	expect 0 'it moved 100 bytes, another one 4096' "$run" --plugin-dir "$1" -v -s busy -s moved "$here/clean.json" \
		"$here/less.json"
	expect 2 'busy' "$run" --plugin-dir "$1" -s moved "$here/clean.json"
	expect 2 'sevice' "$run" --plugin-dir "$1" -s busy --set busy.traits=sevice "$here/clean.json"
	for plugin in acme busy moved; do
		expect 0 . "$run" --check-plugin "$1/$plugin.so"
		[ "$(nm -D --defined-only "$1/$plugin.so" | sed 's/.* //')" = tav_plugin ] || die "$plugin.so exports more"
	done
}
tried=0
for compiler in gcc clang; do
	command -v $compiler >/dev/null || {
		echo "no $compiler here"
		continue
	}
	cp -r "$top/plugins/example" "$work/make-$compiler"
	quietly make -C "$work/make-$compiler" CC=$compiler CFLAGS="-O1 -Wall -Wextra -Wpedantic -Wshadow -Werror"
	try "$work/make-$compiler"
	cp -r "$top/plugins/example" "$work/cmake-$compiler"
	quietly "$cmake" -G "$generator" -S "$work/cmake-$compiler" -B "$work/cmake-$compiler/build" \
		-DCMAKE_C_COMPILER=$compiler -DCMAKE_PREFIX_PATH="$tree" \
		-DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Werror"
	quietly "$cmake" --build "$work/cmake-$compiler/build"
	try "$work/cmake-$compiler/build"
	tried=$((tried + 1))
done
[ $tried -gt 0 ] || die "no compiler"

try_cpp() { # FOLDER
	expect 0 'pass' "$run" --plugin-dir "$1" -s count --report "json=$work/report.json" "$top/tests/plugins/trace.json"
	grep -Eq '"events": ?5\b' "$work/report.json" || die "events is not 5 in $work/report.json"
}
for compiler in g++ clang++; do
	command -v $compiler >/dev/null || {
		echo "no $compiler here"
		continue
	}
	mkdir "$work/by-hand-$compiler" && cd "$work/by-hand-$compiler" || exit 1
	eval "set -- $(pkg-config --cflags tav)"
	quietly $compiler -std=c++20 -Wall -Wextra -Wpedantic -Werror "$@" -fPIC -shared -fvisibility=hidden -o count.so \
		"$here/stage-cpp/count.cpp"
	try_cpp "$work/by-hand-$compiler"
	quietly "$cmake" -G "$generator" -S "$here/stage-cpp" -B "$work/cmake-$compiler" -DCMAKE_CXX_COMPILER=$compiler \
		-DCMAKE_PREFIX_PATH="$tree" -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Werror"
	quietly "$cmake" --build "$work/cmake-$compiler"
	try_cpp "$work/cmake-$compiler"
done

# The dialect and the config printed in the README, as they stand there, work.
mkdir "$work/readme" && cd "$work/readme" || exit 1
readme_block() { # LANGUAGE
	awk -v fence="^\`\`\`$1$" '$0 ~ fence { on = 1; next } /^```$/ { on = 0 } on' "$top/README.md"
}
readme_block c >npu.c
readme_block yaml >config.yaml
[ -s npu.c ] && [ -s config.yaml ] || die "no C code or no YAML in README.md"
expect 0 'nothing wrong' "$run" --check -c config.yaml
expect 0 'pass' "$run" -c config.yaml "$top/tests/plugins/trace.json"
[ -s report.json ] || die "the config of the README wrote no report.json"
eval "set -- $(pkg-config --cflags tav)"
quietly cc -std=c11 -O2 -Wall -Wextra -Werror -fPIC -fvisibility=hidden -shared "$@" -o npu.so npu.c
for trace in clean overlap; do
	sed 's/acme_copy/npu_dma/; s/acme/npu/' "$here/$trace.json" >$trace.json
done
expect 0 . "$run" --check-plugin ./npu.so
expect 0 'pass' "$run" --plugin-dir . --dialect npu clean.json
expect 1 'fail' "$run" --plugin-dir . --dialect npu overlap.json

# Installed beside the built-in ones, they need no option.
for compiler in gcc clang; do
	[ -d "$work/make-$compiler" ] || continue
	quietly make -C "$work/make-$compiler" install
	expect 0 pass "$run" "$here/clean.json"
	rm "$plugindir/acme.so"
	expect 2 'dialect' "$run" "$here/clean.json"
done
echo "all built and run from $tree"
