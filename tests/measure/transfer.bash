#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Whether transfer's copies are as fast as they should be, on this machine's GPU: a row per goal.
#
#   tests/measure/transfer.bash [BYTES]     256Mi by default
#
# Pinned and peer copies are compared with the figures published for one H200, staged ones with cudaMemcpy from and to
# pageable memory, with samples in turns. Then the settings of staged copies, and the sizes from which they pay.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
PATH=$PWD/bin:$PATH
bytes=${1-256Mi}
table=$(mktemp)
trap 'rm -f "$table"' EXIT

# field NAME KERNEL: the cell in the kernel's row.
field() {
    awk -F , -v name="$1" -v kernel="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i }
                                          $at["kernel"] == kernel { print $at[name] }' "$table"
}

# goal KERNEL PEER RATIO GOAL
goal() {
    [ -n "$3" ] || return 0
    awk -v kernel="$1" -v ours="$(field gbyte_per_s "$1")" -v peer="$2" -v ratio="$3" -v goal="$4" 'BEGIN {
        printf "%-22s %8.1f %-26s %6.2f %6.2f  %s\n", kernel, ours, peer, ratio, goal, (ratio >= goal ? "met" : "NOT MET") }'
}
against_published() {
    local ours
    ours=$(field gbyte_per_s "$1")
    [ -n "$ours" ] || return 0
    goal "$1" "published: $2" "$(awk -v a="$ours" -v b="$2" 'BEGIN { print a / b }')" 0.99
}

printf '%-22s %8s %-26s %6s %6s\n' kernel GB/s peer ratio goal
transfer -d gpu -q -n "$bytes" -k 'pinned-*,peer-*' --csv >"$table"
against_published pinned-h2d 55.2
against_published pinned-d2h 55.3
against_published pinned-both 96
against_published peer-engine 396
for direction in h2d:4 d2h:2.5; do
    way=${direction%:*}
    transfer -d gpu -q -n "$bytes" -k "staged-$way" --versus "pageable-$way" --csv >"$table"
    goal "staged-$way" "pageable-$way: $(field gbyte_per_s "pageable-$way")" "$(field versus_ratio "staged-$way")" "${direction#*:}"
done

printf '\nstaged copies of %s in GB/s, by threads and slot:\n' "$bytes"
for way in h2d d2h; do
    transfer -d gpu -q -n "$bytes" -k "staged-$way" --threads 1,2,4,6,8,12,16 --slot 512Ki,1Mi,2Mi,4Mi,8Mi,32Mi -r 10 --csv |
        awk -F , -v way="$way" 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
            { printf "%s %3d threads %6d KiB %7.1f\n", way, $at["p_threads"], $at["p_slot_bytes"] / 1024, $at["gbyte_per_s"] }'
done

printf '\n'
transfer -d gpu -q --break-even -n 64Ki:1Gi:x2 -f human
transfer -d gpu -q --matrix -n "$bytes" -f human
