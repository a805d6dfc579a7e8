#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What transpose reaches on a GPU: the fastest against a copy of the same bytes and against cuBLAS's geam, with samples
# in turns.
#     tests/measure/transpose.bash [DEVICE]
# A row per size and type with the medians of both ratios, their time over ours: the copy's should be 0.97 or more from
# 4096 on, and geam's 1.05 or more at every size.
set -euo pipefail

device=${1-gpu}
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH=$root/bin:$PATH

# ratios PEER TYPE SIZES: size, type, GB/s and ratio of each row of the fastest.
ratios() {
    transpose -q -d "$device" -t "$2" -n "$3" -k "fastest,$1" --versus "$1" --max-ci 0 --csv |
        awk -F , 'NR == 1 { for (i = 1; i <= NF; ++i) field[$i] = i; next }
            $field["kernel"] == "fastest" {
                printf "%s %s %.0f %s\n", $field["p_rows"], $field["dtype"], $field["gbyte_per_s"], $field["versus_ratio"]
            }'
}

sizes=512,1024,2048,4096,8192,16384
echo "size type GB/s of_copy of_geam"
for type in f32 f64; do
    paste -d ' ' <(ratios copy $type $sizes) <(ratios geam $type $sizes | cut -d ' ' -f 4)
done
for type in f16 i8; do ratios copy $type $sizes,32768 | sed 's/$/ -/'; done
# Shapes with unaligned rows.
ratios copy f32 4097,5000x3001 | sed 's/$/ -/'
