#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# missing-packages.sh CHECKOUT: where nothing can be installed, tools/run names what is missing and ends with 2.
bin=$(mktemp -d) || exit 1
trap 'rm -rf "$bin"' EXIT
for tool in sh dirname sed grep mktemp id getconf cat; do
	ln -s "$(command -v $tool)" "$bin/$tool" || exit 1
done
said=$(env -i PATH="$bin" HOME=/nonexistent TAV_BUILD="$bin/build" "$bin/sh" "$1/tools/run" 2>&1)
status=$?
printf '%s\n' "$said"
[ $status -eq 2 ] || {
	echo "status $status, wanted 2"
	exit 1
}
for package in cmake gcc pkg-config libjson-c-dev libyaml-dev libisal-dev libxxhash-dev; do
	case $said in
	*" $package"*) ;;
	*)
		echo "$package is not named"
		exit 1
		;;
	esac
done
[ ! -e "$bin/build" ]
