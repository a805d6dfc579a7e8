#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What accuracy costs on a GPU: the accurate and the exact sum against the plain one, with samples in turns.
#     tests/measure/accurate.bash [DEVICE]
# A row per type, size, numbers and method: the medians of the plain sum and of the method in microseconds, the ratio of
# the second to the first, the goal, and whether it is met. From 2^24 numbers on, the goals are 1.05 for accurate sums of
# f32, 1.15 for those of f64, and 2 for exact ones; below there are none. Then the cost of all operations in one pass.
set -euo pipefail

device=${1-gpu}
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH=$root/bin:$PATH

# rows TYPE VALUES
rows() {
    reduce -q -d "$device" -t "$1" --values "$2" -n 1Mi,16Mi,256Mi -k tagged,accurate,exact --versus tagged \
        --max-ci 0 --csv |
        awk -F , -v type="$1" -v values="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) field[$i] = i; next }
            $field["kernel"] == "tagged" { plain = $field["median_ns"]; next }
            {
                method = $field["kernel"]; n = $field["n"]; ratio = 1 / $field["versus_ratio"]
                goal = n < 2 ^ 24 ? 0 : method == "exact" ? 2 : type == "f32" ? 1.05 : 1.15
                printf "%s %d %s %s %.2f %.2f %.3f %s %s %s\n", type, n, values, method, plain / 1e3,
                    $field["median_ns"] / 1e3, ratio, goal ? goal : "-", goal ? ratio <= goal ? "yes" : "NO" : "-",
                    $field["p_error_ulp"]
            }'
}

{
    echo "type n numbers method plain_us us ratio goal met error_ulp"
    for type in f32 f64; do
        for values in coarse wide; do rows $type $values; done
    done
    echo "type n numbers method plain_us us ratio goal met error_ulp (statistics: sum+min+max+var in one pass)"
    for type in f32 f64 i32 i64; do
        for operations in sum sum,min,max,var; do
            reduce -q -d "$device" -t $type --op $operations -n 1Mi,16Mi,256Mi -k tagged,statistics --csv |
                awk -F , 'NR == 1 { for (i = 1; i <= NF; ++i) field[$i] = i; next }
                    $field["kernel"] == "tagged" && $field["p_op"] == "sum" { plain[$field["n"]] = $field["median_ns"] }
                    $field["kernel"] == "statistics" && ($field["p_op"] ~ /[+]/ || operations == "sum") {
                        n = $field["n"]
                        printf "%s %d default %s %.2f %.2f %.3f - - %s\n", $field["dtype"], n, $field["p_op"],
                            plain[n] / 1e3, $field["median_ns"] / 1e3, $field["median_ns"] / plain[n],
                            $field["p_error_ulp"]
                    }' operations=$operations
        done
    done
}
