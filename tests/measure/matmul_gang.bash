#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How much of several GPUs' speed matmul --gang keeps, by rows and by tiles, and how it compares with cuBLASXt.
#
#     tests/measure/matmul_gang.bash [DEVICES]     all by default, or a list such as 0,1; about ten minutes
#
# TYPES and SIZES may be set; `DEVICES` sim tries the script out on four simulated ones. First a row per product: one GPU,
# then all. Last a short table: the rate on all GPUs over that on one times their number, as measured and at the same
# clocks (goal: at least 0.93), and for f32 the rate over cuBLASXt's (goal: more than 1).
set -euo pipefail
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH=$root/bin:$PATH
# shellcheck source=tests/measure/cells.bash disable=SC1091
source "$root/tests/measure/cells.bash"
devices=${1-all}
read -ra types <<<"${TYPES:-bf16 f32}"
sizes=${SIZES:-16384 32768}
if [ "$devices" = sim ]; then
    export SIMCC_DEVICES=${SIMCC_DEVICES:-4}
    types=(f32) sizes=${SIZES:-64 96}
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each run has one size, so that a device has room for it and cuBLASXt's matrices.
for type in "${types[@]}"; do
    for n in $sizes; do
        for split in rows tiles; do
            kernels=fastest
            if [ "$type $split" = "f32 rows" ] && [ "$devices" != sim ]; then kernels=fastest,cublasxt; fi
            matmul -q -d "$devices" --gang --split "$split" -t "$type" -n "$n" -k "$kernels" \
                -w 2 -r 12 --max-ci 0 --timeout 10 --csv |
                cells kernel dtype p_n gang gflop_per_s sm_clock_mhz efficiency verify | sed "s/^/$split /"
        done
    done
done | tee "$work/rows" | awk '
    BEGIN { print "split kernel type n gang TFLOP/s MHz efficiency verified" }
    { printf "%s %s %s %s %s %.1f %s %s %s\n", $1, $2, $3, $4, $5, $6 / 1000, $7, $8, $9; fflush() }' | aligned

echo
awk '
    function met(is) { return is ? "met" : "missed" }
    $5 == 1 { alone[$1, $2, $3, $4] = $6; clock[$1, $2, $3, $4] = $7; next }
    $2 == "cublasxt" { peer[$3, $4] = $6; next }
    { rate[$3, $4, $1] = $6; gang = $5; order[++count] = $3 SUBSEP $4 SUBSEP $1
      kept[$3, $4, $1] = $6 / ($5 * alone[$1, $2, $3, $4])
      slower = $7 > 0 && clock[$1, $2, $3, $4] > 0 ? clock[$1, $2, $3, $4] / $7 : 1
      same_clocks[$3, $4, $1] = kept[$3, $4, $1] * slower }
    END {
        print "type n split GPUs TFLOP/s efficiency at_same_clocks goal over_cuBLASXt goal"
        for (i = 1; i <= count; ++i) {
            split(order[i], key, SUBSEP)
            over = ahead = "-"
            if (peer[key[1], key[2]] > 0) {
                ratio = rate[order[i]] / peer[key[1], key[2]]
                over = sprintf("%.3f", ratio)
                ahead = met(ratio > 1)
            }
            kept_by = met(same_clocks[order[i]] >= 0.93)
            printf "%s %s %s %s %.1f %.4f %.4f %s %s %s\n", key[1], key[2], key[3], gang, rate[order[i]] / 1000,
                kept[order[i]], same_clocks[order[i]], kept_by, over, ahead
        }
    }' "$work/rows" | aligned
