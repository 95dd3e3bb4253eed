#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Installs the build in the given folder, moves the result elsewhere, and uses it as a stranger
# would: the public headers each alone, the programs of examples/, of which each must print what
# expected/ says, and a benchmark that links the measurement library. --update writes expected/ anew.
#
#   tests/package/run.sh BUILD_FOLDER [--update]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(cd "$1" && pwd)
update=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
if grep -rnF -e "$root" -e "$work" "$work/moved/lib"*/cmake "$work/moved"/lib*/*/cmake 2>/dev/null; then
  echo "the installed package names a folder of the build" >&2
  exit 1
fi
for internal in readers tools store cli base/propagate.h; do
  if [[ -e $work/moved/include/proofline/$internal ]]; then
    echo "src/$internal is nobody's but ours, and is installed" >&2
    exit 1
  fi
done

# compile NAME SOURCE_FOLDER [CMAKE_OPTION...]
compile() {
  cmake -S "$2" -B "$work/$1" -G Ninja -DCMAKE_PREFIX_PATH="$work/moved" "${@:3}" >/dev/null
  cmake --build "$work/$1" | tail -n 1
}
compile headers "$here"
compile examples "$root/examples"

# example NAME[-CASE] ARGUMENT...: files by their paths below the root; `fails` before it where the
# exit code is to be 1
cd "$root"
wrong=0 code=0
fails() {
  code=1
  "$@"
  code=0
}
example() {
  local expected=$here/expected/$1.txt status=0
  "$work/examples/${1%%-*}" "${@:2}" >"$work/$1.txt" || status=$?
  [[ $status == "$code" ]] || { echo "example $1 ended with $status" >&2; wrong=1; }
  if [[ $update == --update ]]; then cp "$work/$1.txt" "$expected"; fi
  diff -u "$expected" "$work/$1.txt" || wrong=1
}
report=examples/h200-kernels.ncu-rep.gz
fixtures=tests/fixtures
example load "$report" $fixtures/sass/copies.sm_90a.cubin.gz examples/before.json \
  $fixtures/timeline/healthy.pt.trace.json.gz $fixtures/sanitizer/leak.log
example facts "$report" roof.level stall.barrier.share dram__bytes_read.sum no.such.fact
example diagnose "$report"
example code $fixtures/cubin/kernels.sm_90a.cubin.gz
example compare-profiles $fixtures/ncu_rep/h200-memory.ncu-rep.gz \
  $fixtures/ncu_rep/h200-detailed.ncu-rep.gz
example compare-code $fixtures/sass/copies.sm_80.cubin.gz $fixtures/sass/copies.sm_90a.cubin.gz
example decide examples/before.json examples/after.json
example render "$report" csv
example timeline $fixtures/timeline/host_bound.pt.trace.json.gz
fails example sanitizer $fixtures/sanitizer/out-of-bounds.log.gz $fixtures/sanitizer/shared-race.log
fails example check $fixtures/playbooks/transpose.toml "$report"
# Two programs that leave known results; the run's folder is made where we are.
cd "$work"
for side in before after; do
  printf '#!/bin/sh\ncp "%s" "$PROOFLINE_BENCH_OUT"\n' "$root/examples/$side.json" >$side
  chmod +x $side
done
example measure ./before ./after
[[ $wrong == 0 ]]

if [[ -e $work/moved/include/proofline/bench.h ]]; then
  cuda=$(sed -n 's/^PROOFLINE_CUDA_INCLUDE:PATH=//p' "$build/CMakeCache.txt")
  compile bench "$here/bench" -DPROGRAMS="$root/tests/programs" -DCUDA_INCLUDE="$cuda"
fi
"$work/moved/bin/proofline" --version
