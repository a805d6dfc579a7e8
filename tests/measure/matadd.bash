#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What matadd reaches on a GPU: whether its occupancy is CUDA's for 500 random launches, the published block shapes, and
# the fastest against cuBLAS's geam and against vecadd's streaming sum of as many elements, in turns.
#     tests/measure/matadd.bash [BIN]      about two minutes; SIZE (16384) and ROUNDS (5) may be set
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH=${1:-$root/bin}:$PATH
# shellcheck source=tests/measure/cells.bash disable=SC1091
source "$root/tests/measure/cells.bash"
side=${SIZE:-16384} rounds=${ROUNDS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

row() { printf '%-26s %12s %12s %8s %6s  %s\n' "$@"; }
verdict() { awk -v ratio="$1" -v goal="$2" 'BEGIN { print (ratio >= goal ? "met" : "NOT MET") }'; }
median() { sort -n | awk '{ of[NR] = $1 } END { print of[int((NR + 1) / 2)] }'; }

echo "-- occupancy: 500 random launches, beside CUDA's"
different=$(matadd -q -d gpu --against-cuda 500 --csv |
    cells blocks_per_multiprocessor cuda_blocks_per_multiprocessor | awk '$1 != $2 { ++n } END { print n + 0 }') || true
row "launches" 500 "$different differ" - 0 "$([ "$different" = 0 ] && echo met || echo 'NOT MET')"

echo "-- blocks: ms, GB/s, occupancy, limiter, efficiency of loads"
matadd -q -d gpu -n "$side" -k '*-major' --csv |
    cells kernel block median_ns gbyte_per_s p_registers p_occupancy_percent p_occupancy_limit p_efficiency_percent |
    awk '{ printf "%-13s %-6s %8.3f %8.0f %3d %7s %-20s %s\n", $1, $2, $3 / 1e6, $4, $5, $6, $7, $8 }'

echo "-- the fastest and slowest of all shapes, row by row: block, ms, occupancy"
matadd -q -d gpu -n "$side" -k row-major --blocks all -r 10 --no-verify --csv |
    cells median_ns block p_occupancy_percent p_efficiency_percent | sort -n >"$work/shapes"
head -5 "$work/shapes" && echo ... && tail -3 "$work/shapes"

echo "-- peers"
row "" "ours GB/s" "peer GB/s" ratio goal ""
for dtype in f32 f64; do
    if line=$(matadd -q -d gpu -n "$side" -t $dtype -k streaming,geam --versus geam --max-ci 0 --csv 2>/dev/null |
        cells kernel gbyte_per_s versus_ratio | grep streaming); then
        read -r _ ours ratio <<<"$line"
        row "streaming / geam $dtype" "$ours" "$(awk "BEGIN { printf \"%.1f\", $ours / $ratio }")" "$ratio" - ""
    fi
    : >"$work/ratios"
    for ((i = 0; i < rounds; ++i)); do
        ours=$(matadd -q -d gpu -n "$side" -t $dtype -k streaming --csv | cells gbyte_per_s)
        peer=$(vecadd -q -d gpu -n "$((side * side))" -t $dtype -k streaming --csv | cells gbyte_per_s)
        awk "BEGIN { printf \"%.4f %s %s\\n\", $ours / $peer, $ours, $peer }" >>"$work/ratios"
    done
    ratio=$(median <"$work/ratios")
    read -r _ ours peer < <(grep -F "$ratio" "$work/ratios" | head -1)
    row "streaming / vecadd $dtype" "$ours" "$peer" "$ratio" 1.00 "$(verdict "$ratio" 0.995) (0.5 % for two processes)"
done
