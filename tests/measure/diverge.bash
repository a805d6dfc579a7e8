#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What divergence costs on this machine's GPU. Goals: diverging lanes take as long as the formula says, within a tenth,
# once the compiler no longer predicates; and threads of one warp that wait for each other finish.
#     tests/measure/diverge.bash [BIN]
# First a row per length of a body: the slowdown of a branch by thread parity, and the throughput of both kinds of warps.
# The first length that costs half as much again is where predication ends. Then a row per variant and way to diverge;
# then the threads that wait, beside the time of the variant that does not need independent thread scheduling.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH=${1:-$root/bin}:$PATH

rows() {
    diverge -q -d gpu "$@" --csv |
        mlr --icsv --ocsv --headerless-csv-output cut -o -f \
            kernel,p_operations,p_paths,p_expected_slowdown,p_slowdown,p_gop_per_s,median_ns
}

rows -k warp-parity,thread-parity --operations 1:256:x2 | awk -F , '
    $1 == "warp-parity" { agreeing[$2] = $6 }
    $1 == "thread-parity" { slowdown[++count] = $5; length_of[count] = $2; parting[count] = $6 }
    END {
        print "operations slowdown agreeing_gop_per_s parting_gop_per_s"
        for (i = 1; i <= count; ++i) {
            printf "%d %.3f %.0f %.0f\n", length_of[i], slowdown[i], agreeing[length_of[i]], parting[i]
            if (!end && slowdown[i] > 1.5) end = length_of[i]
        }
        print "predication ends before " (end ? end : "none of these") " operations\n"
    }'

echo "variant operations paths expected measured ratio within_a_tenth"
rows -k 'thread-*,nested,switch,loops,exit' --operations 64,256 | awk -F , '
    { printf "%s %d %d %.3f %.3f %.3f %s\n", $1, $2, $3, $4, $5, $5 / $4, ($5 < 0.9 * $4 || $5 > 1.1 * $4 ? "no" : "yes") }'

echo
echo "variant completes microseconds beside_its_pair"
for variant in handshake-warps handshake lock-inside lock; do
    if waiting=$(timeout 60 diverge -q -d gpu -k "$variant" --csv | mlr --icsv --onidx cut -o -f median_ns,p_slowdown); then
        awk -v variant="$variant" '{ printf "%s yes %.1f %s\n", variant, $1 / 1e3, ($2 > 0 ? $2 : "-") }' <<<"$waiting"
    else
        echo "$variant no - -"
    fi
done
