#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What matmul reaches on a GPU with batches and transposed operands: the fastest against cuBLAS (for a batch, its strided
# batched product), with samples in turns.
#     tests/measure/matmul_batch.bash [DEVICE] [BATCH]        a few minutes; TYPES and SIZES may be set
# (tests/matmul.bats verifies the results: here that would take minutes of processor time.)
# First a table of all, then a row per type: batches of 1000 squares of 32 to 512, cuBLAS's time over ours, which should
# be 1.00 or more. Without cuBLAS, and in the simulator, only ours are timed.
set -euo pipefail

device=${1-gpu}
batch=${2-1000}
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH=$root/bin:$PATH
# shellcheck source=tests/measure/cells.bash disable=SC1091
source "$root/tests/measure/cells.bash"
read -ra types <<<"${TYPES:-f32 f64 tf32 bf16 f16}"
sizes=${SIZES:-32,64,96,128,192,256,384,512}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ratios LABEL TYPE SIZES OPTION...: label, type, m, batch, tile, GFLOP/s and the ratio, from the rows of fastest.
ratios() {
    local label=$1 type=$2 of=$3 versus
    shift 3
    versus=(-k "fastest,cublas" --versus cublas --max-ci 0)
    matmul -q -d "$device" -t "$type" -n "$of" "$@" -k cublas -w 0 -r 1 --no-verify --csv >/dev/null 2>&1 || versus=(-k fastest)
    matmul -q -d "$device" -t "$type" -n "$of" "$@" "${versus[@]}" --no-verify --csv >"$work/table" || return 0
    {
        if [ "${#versus[@]}" -gt 2 ]; then cells kernel p_m p_batch p_tile gflop_per_s versus_ratio <"$work/table"
        else cells kernel p_m p_batch p_tile gflop_per_s <"$work/table" | sed 's/$/ -/'; fi
    } | awk -v label="$label" -v type="$type" '$1 == "fastest" { print label, type, $2, $3, $4, $5, $6 }'
}

for type in "${types[@]}"; do
    ratios batch "$type" "$sizes" --batch "$batch"
    ratios batch-a,b "$type" "$sizes" --batch "$batch" --transpose a,b
    for transposed in a b a,b; do ratios "one-$transposed" "$type" "${SIZES:-1000,2048,4096}" --transpose "$transposed"; done
done | tee "$work/rows"

echo
echo "type: cuBLAS's time over ours, batch of $batch, by size, and the least; the goal is 1.00"
awk '$1 == "batch" { row[$2] = row[$2] " " $3 ":" $7; if (!($2 in least) || $7 + 0 < least[$2] + 0) least[$2] = $7 }
    END {
        for (type in row) {
            verdict = least[type] == "-" ? "no peer" : least[type] + 0 >= 1 ? "met" : "NOT MET"
            print type row[type], "least", least[type], verdict
        }
    }' "$work/rows" | sort
