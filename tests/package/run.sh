#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the build in the given folder, moves the result elsewhere, builds the program beside this
# file against it, and lets that diagnose a report.
#
#   tests/package/run.sh BUILD_FOLDER
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$1" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
if grep -rnF -e "$root" -e "$work" "$work/moved/lib"*/cmake "$work/moved"/lib*/*/cmake 2>/dev/null; then
  echo "the installed package names a folder of the build" >&2
  exit 1
fi

cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/moved" >/dev/null
cmake --build "$work/build"

captures=("$root"/examples/*.ncu-rep*)
output=$("$work/build/consumer" "${captures[0]}")
echo "$output"
[[ $output =~ ^[1-9][0-9]*\ launches,\ [1-9][0-9]*\ kernels\ in\ [1-9][0-9]*\ bytes ]]
"$work/moved/bin/proofline" --version
