#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# smoke.sh FOLDER: makes the Debian package in FOLDER, installs it where nothing else is (a bare Debian of the same
# release, in FOLDER/root), runs it there on traces, and takes it away again.
# 77: this machine cannot (no root, or no tools for it).
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd -P)
folder=$1
for tool in cpack mmdebstrap dpkg-shlibdeps chroot; do
	command -v $tool >/dev/null || { echo "skipped: there is no $tool"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: installing a package wants root"; exit 77; }

rm -rf "$folder/root" "$folder"/*.deb
mkdir -p "$folder"
# As a user installs it: optimized, no tests.
make_package() {
	cmake -S "$top" -B "$folder/build" -DCMAKE_BUILD_TYPE=Release -DTAV_TESTS=OFF -DTAV_WERROR=ON &&
		cmake --build "$folder/build" --parallel 2 &&
		cd "$folder/build" && cpack -G DEB -B "$folder"
}
(make_package) >"$folder/log" 2>&1 || { tail -n 40 "$folder/log"; exit 1; }
package=$(echo "$folder"/*.deb)
dpkg-deb --info "$package"

# shellcheck disable=SC1091
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mmdebstrap --quiet --variant=minbase --include="$package" --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount \
	"$release" "$folder/root" >>"$folder/log" 2>&1 || { tail -n 40 "$folder/log"; exit 1; }

inside() {
	chroot "$folder/root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"
}
# shellcheck disable=SC2016
inside sh -euc '
	cd /tmp
	tav-run --version
	tav-gen --events 3000 --gz -o good.json.gz
	tav-gen --events 3000 --overlaps 3 -o bad.json
	tav-run -c verify good.json.gz --report json=report.json --report html=page.html
	status=0
	tav-run -q -c verify bad.json || status=$?
	[ $status = 1 ] || { echo "overlaps: status $status, wanted 1"; exit 1; }
	for pipeline in $(grep -l "^stages:" /usr/share/tav/*.yaml); do
		name=$(basename "$pipeline" .yaml)
		tav-run -c "$name" --print-config >/dev/null || [ $? = 1 ] || { echo "$name: cannot be used"; exit 1; }
	done
	tav-run --list | grep -q torch
	grep -q "tav-report/2" report.json && grep -q "Content-Security-Policy" page.html
	dpkg -L tav | grep -q "man1/tav-run.1" && dpkg -L tav | grep -q "man7/tav-plugin.7"
	[ -e /usr/include/tav/plugin.h ] && [ -e /usr/share/bash-completion/completions/tav-run ]
'
inside dpkg --purge tav >/dev/null
[ ! -e "$folder/root/usr/bin/tav-run" ] && [ ! -e "$folder/root/usr/lib/tav" ]
rm -rf "$folder/root"
echo "the package works in a bare $release"
