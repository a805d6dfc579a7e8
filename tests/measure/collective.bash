#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares collective's all-reduces with NCCL's, and its figures for NCCL with NCCL called directly, on all GPUs.
#
#   tests/measure/collective.bash [DEVICE]     all by default; sim tries the script out
#
# First the times of each all-reduce by size, which give the sizes at which `fastest` changes its method (in
# kernels/collective/methods.cuh), and those of the other operations. Then a short table: our time over NCCL's up to
# 64 KiB (goal: at most 0.6), our bus bandwidth over NCCL's at 1 GiB (goal: at least 1), and NCCL through collective over
# NCCL directly (goal: within 1 %). nvcc and the loader must find NCCL's library and header, or they lie beside nvcc's own.
# shellcheck disable=SC2016  # awk's fields are not the shell's variables
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
PATH=$PWD/bin:$PATH
device=${1-all} sweep=1:64Mi:x4 small=1,4,16,64,256,1Ki,4Ki,16Ki large=256Mi samples=200
compile() { nvcc -std=c++17 -O2 -arch=native "$@" -lnccl; }
if [ "$device" = sim ]; then
    sweep=1:16Ki:x4 large=64Ki samples=5
    compile() { simcc -O2 "$@" -lnccl; }
fi
if [ "$device" != sim ]; then
    toolkit=$(dirname "$(command -v nvcc)")/..
    export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$toolkit/lib64:$toolkit/lib
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
table=$scratch/table

measured() { collective -q -d "$device" --cache warm --csv "$@" >"$table"; }

# rows FORMAT-FOR-AWK: printf of fields at["NAME"], a line per row.
rows() {
    awk -F , 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next } { '"$1"' }' "$table"
}

compile tests/measure/nccl_loop.cu -o "$scratch/nccl_loop"

echo "median us of the all-reduces, by bytes:"
measured -k 'all-reduce*' -n "$sweep" --max-ci 0 -r 30
rows 'printf "%-24s %10d %12.2f us %9.1f GB/s on the bus\n", $at["kernel"], $at["bytes"], $at["median_ns"] / 1000, $at["p_bus_gbyte_per_s"]' |
    sort -s -n -k 2
echo
echo "the other operations:"
measured -k 'reduce-scatter,all-gather,broadcast,reduce,all-to-all,ring' -n "16Ki,$large"
rows 'printf "%-24s %10d %12.2f us %9.1f GB/s on the bus\n", $at["kernel"], $at["bytes"], $at["median_ns"] / 1000, $at["p_bus_gbyte_per_s"]'

echo
printf '%-34s %10s %12s %12s %7s %7s\n' question bytes NCCL ours ratio goal
verdicts='function met(is) { return is ? "met" : "NOT MET" }'
measured -k fastest,all-reduce --versus all-reduce -n "$small" -r $samples --max-ci 0
awk -F , "$verdicts"'
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    $at["kernel"] == "all-reduce" { ns = $at["median_ns"]; bytes = $at["bytes"]
        ratio = ours[bytes] > 0 ? 1 / versus[bytes] : 0
        printf "%-34s %10d %9.2f us %9.2f us %7.3f %7s  %s\n", "time, " method[bytes], bytes, ns / 1000, ours[bytes] / 1000, ratio, "<= 0.6", met(ratio <= 0.6) }
    $at["kernel"] == "fastest" { bytes = $at["bytes"]; ours[bytes] = $at["median_ns"]; versus[bytes] = $at["versus_ratio"]; method[bytes] = $at["p_method"] }' "$table"
measured -k fastest,all-reduce --versus all-reduce -n "$large" -r 50
awk -F , "$verdicts"'
    NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
    $at["kernel"] == "fastest" { ours = $at["p_bus_gbyte_per_s"]; ratio = $at["versus_ratio"]; method = $at["p_method"] }
    $at["kernel"] == "all-reduce" { printf "%-34s %10d %7.1f GB/s %7.1f GB/s %7.3f %7s  %s\n", "bus bandwidth, " method, $at["bytes"], $at["p_bus_gbyte_per_s"], ours, ratio, ">= 1", met(ratio >= 1) }' "$table"

# Both start anew each time, in turns, since two processes are compared.
for n in 1 16Ki "$large"; do
    for _ in 1 2 3; do
        measured -k all-reduce -n "$n" -r $samples --max-ci 0 -w 5
        bytes=$(rows 'print $at["bytes"]')
        "$scratch/nccl_loop" "$bytes" $samples >>"$scratch/direct.$n"
        rows 'print $at["median_ns"] / 1000' >>"$scratch/ours.$n"
    done
    paste -d ' ' "$scratch/direct.$n" "$scratch/ours.$n" | awk "$verdicts"'
        { direct = NR == 1 || $2 < direct ? $2 : direct; row = NR == 1 || $3 < row ? $3 : row; ours = NR == 1 || $4 < ours ? $4 : ours; bytes = $1 }
        END { ratio = ours / direct
              printf "%-34s %10d %9.2f us %9.2f us %7.3f %7s  %s\n", "NCCL directly and through us", bytes, direct, ours, ratio, "1 +- 1%", met(ratio >= 0.99 && ratio <= 1.01)
              printf "%-34s %10d %9.2f us\n", "  directly, one of 20 in a row", bytes, row }'
done
