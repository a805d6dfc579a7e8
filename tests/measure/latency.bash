#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whether latency on this machine's GPU agrees with the figures published for an H200: a row per figure.
#
#   tests/measure/latency.bash
#
# Then all plateaus, the levels of address translation (large strides), and all other figures.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
PATH=$PWD/bin:$PATH
table=$(mktemp)
trap 'rm -f "$table"' EXIT
# (By whole warps, as in the published benchmark.)
latency -d gpu -q -k global,l2-parts --lanes 32 --csv >"$table"

# cycles LEVEL and bytes LEVEL: the cells of its first row.
field() {
    awk -F , -v name="$2" -v level="$1" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
                                         $at["p_level"] == level { print $at[name]; exit }' "$table"
}
# figure LEVEL PUBLISHED: the cycles of a level, within 3 %.
figure() {
    awk -v level="$1" -v ours="$(field "$1" p_cycles)" -v published="$2" 'BEGIN {
        ratio = ours / published
        printf "%-10s %8.1f %9.1f %6.3f  %s\n", level, ours, published, ratio, (ratio >= 0.97 && ratio <= 1.03 ? "met" : "NOT MET") }'
}
printf '%-10s %8s %9s %6s  within 3 %%\n' level cycles published ratio
figure l1 34
figure l2 283
printf 'near and far lines of L2, one lane: %s and %s cycles; published: 223 and 283\n' "$(field l2-near p_cycles)" \
    "$(field l2-far p_cycles)"
printf 'L1 up to %s bytes; published: 201 KiB (205824)\n\n' "$(field l1 p_bytes)"

latency -d gpu -q -f human
printf '\naddress translation: a line per 2 MiB\n'
latency -d gpu -q -k uncached --stride 2Mi -n 2Mi:64Gi:x2 --sweep --csv |
    awk -F , 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
              { printf "%8d MiB %8.1f cycles\n", $at["p_bytes"] / 1048576, $at["p_cycles"] }'
