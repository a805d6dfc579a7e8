#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What access reaches on this machine's GPU, with its goals: coalesced reads get at least 0.91 of the nominal bandwidth
# from 1 GiB on, and every pattern that is bound by sectors moves at most 10 % less than that.
#     tests/measure/access.bash [BIN]
# A row per pattern and word: GB/s requested and moved, the share of the bound, and whether the goal is met. A pattern
# with too few bytes in flight is bound by latency, not by sectors, so its best unrolling counts.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH=${1:-$root/bin}:$PATH
nominal=$(devquery -d gpu --csv | awk -F , '$3 == "peak_memory_gbyte_per_s" { print $4; exit }')

# goals BOUND GOAL: the rows of access with the best unrolling, beside their bound: a number of GB/s moved, or
# "coalesced" for that of the first pattern.
goals() {
    mlr --icsv --ocsv top -n 1 -f p_moved_gbyte_per_s -a -g n,kernel,p_word_bytes,p_op,p_offset,p_stride |
        awk -F , -v bound="$1" -v goal="$2" '
            NR == 1 {
                for (i = 1; i <= NF; ++i) at[$i] = i
                print "kernel n word op offset stride unroll asked_gbyte_per_s moved_gbyte_per_s share met"
                next
            }
            {
                moved = $at["p_moved_gbyte_per_s"]
                if (bound == "coalesced") bound = moved
                met = moved >= goal * bound ? "yes" : "no"
                print $at["kernel"], $at["n"], $at["p_word_bytes"], $at["p_op"], $at["p_offset"], $at["p_stride"],
                    $at["p_unroll"], $at["gbyte_per_s"], moved, sprintf("%.3f", moved / bound), met
            }' | mlr --inidx --ifs ' ' --implicit-csv-header --opprint --headerless-csv-output cat
}

unrolled="-d gpu --csv --unroll 1,2,4,8"

echo "-- coalesced reads of 1 and 4 GiB: 0.91 of the nominal $nominal GB/s"
for word in 4 8 16; do
    # shellcheck disable=SC2086  # options
    access $unrolled -n "$((1024 / word))Mi,$((4096 / word))Mi" -k coalesced --word "$word" | goals "$nominal" 0.91
done

echo "-- every pattern, reads of 256Mi words of 4 bytes: 0.90 of what coalesced ones move"
# shellcheck disable=SC2086
access $unrolled -n 256Mi --stride 2,3,4,5,6,7,8,9,16,32,64 --offset 1,2,4,8,16 | goals coalesced 0.90

for fetch in 32 64 128; do
    echo "-- sparse ones, if the L2 cache fetches at most $fetch bytes"
    # shellcheck disable=SC2086
    access $unrolled -n 256Mi -k 'coalesced,stride,scattered,random' --stride 8,16,32,64 --fetch $fetch |
        goals coalesced 0.90
done

for operation in write both; do
    echo "-- the same, $operation"
    # shellcheck disable=SC2086
    access $unrolled -n 256Mi --op $operation --stride 2,4,8,16,32 | goals coalesced 0.90
done

echo "-- the same in an array of 16 MiB, in the L2 cache"
# shellcheck disable=SC2086
access $unrolled -n 256Mi --footprint 16Mi --cache warm --stride 2,4,8,16,32 | goals coalesced 0.90
