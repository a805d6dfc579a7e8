#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What matmul reaches on a GPU with 8-bit floats: ours against cuBLASLt's fastest algorithm, with samples in turns, first
# with sums that are added up in f32 now and then, which is cuBLASLt's default, then with fast accumulation.
#     tests/measure/matmul_fp8.bash [DEVICE]        a few minutes; TYPES, SIZES, SHAPES and TILES=1 may be set
# A row per kind of sums, type and shape: GFLOP/s of both, cuBLASLt's time over ours, and the errors of both, in millionths
# of the results. The goal is a ratio of 1.00 at 4096 and 8192. cuBLASLt has no product of e5m2 and e5m2, so it has no
# ratio. TILES=1 prints the rows of all our tiles, without a peer. If one does not run, standard error says why.
set -euo pipefail

device=${1-gpu}
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH=$root/bin:$PATH
# shellcheck source=tests/measure/cells.bash disable=SC1091
source "$root/tests/measure/cells.bash"
read -ra types <<<"${TYPES:-e4m3 e5m2}"
sizes=${SIZES:-4096,8192,1024,2048,3072,6144,16384}
shapes=${SHAPES:-8192x4096x1024,4096x14336x4096,2048x8192x28672,128x8192x8192}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# runs OURS TYPE SHAPE [OPTION]...: the table of one shape; fails if the variant does not run.
runs() {
    local ours=$1 type=$2 shape=$3
    shift 3
    matmul -q -d "$device" -t "$type" -n "$shape" -k "$ours" "$@" --csv >"$work/table" 2>"$work/errors"
}

if [ "${TILES-}" = 1 ]; then
    for ours in hopper hopper-fast-accum; do
        for type in "${types[@]}"; do
            runs "$ours" "$type" "$sizes,$shapes" --tile all || { cat "$work/errors" >&2 && continue; }
            cells kernel dtype p_m p_n p_k p_tile smem_bytes median_ns gflop_per_s p_error_ppm <"$work/table"
        done
    done | aligned
    exit
fi

# ratio OURS PEER TYPE SHAPE
ratio() {
    local ours=$1 peer=$2 type=$3 shape=$4
    if runs "$peer" "$type" "$shape" -w 0 -r 1; then
        runs "$ours,$peer" "$type" "$shape" --versus "$peer" --max-ci 0 || { cat "$work/errors" >&2 && return; }
        cells kernel p_tile gflop_per_s p_error_ppm versus_ratio <"$work/table"
    else
        runs "$ours" "$type" "$shape" || { cat "$work/errors" >&2 && return; }
        cells kernel p_tile gflop_per_s p_error_ppm <"$work/table"
    fi | awk -v ours="$ours" -v type="$type" -v shape="$shape" '
        $1 == ours { tile = $2; rate = $3; error = $4; ratio = NF > 4 ? $5 : "-" }
        $1 != ours { peer_rate = $3; peer_error = $4 }
        END {
            if (!rate) exit
            goal = shape == "4096" || shape == "8192" ? (ratio == "-" ? "no-peer" : ratio + 0 >= 1 ? "met" : "NOT-MET") : "-"
            print ours, type, shape, tile, rate, (peer_rate ? peer_rate : "-"), ratio, goal, error, (peer_error ? peer_error : "-")
        }'
}

{
    echo "kernel type shape tile gflop_per_s of_cublaslt ratio goal_1.00 error_ppm of_cublaslt"
    for type in "${types[@]}"; do
        for shape in ${sizes//,/ } ${shapes//,/ }; do
            ratio hopper cublaslt "$type" "$shape"
            ratio hopper-fast-accum cublaslt-fast-accum "$type" "$shape"
        done
    done
} | aligned
