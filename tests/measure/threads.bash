#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What threads shows on a GPU: whether a multiprocessor holds as many blocks at once as matadd's occupancy calculator
# says, for blocks of several sizes, and how the first blocks are distributed.
#     tests/measure/threads.bash [BIN]      a few seconds
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH=${1:-$root/bin}:$PATH
# shellcheck source=tests/measure/cells.bash disable=SC1091
source "$root/tests/measure/cells.bash"

multiprocessors=$(threads -q -d gpu --list --csv | cells multiprocessors | head -1)
registers=${REGISTERS:-24}  # of the kernel, as cuobjdump -res-usage says

echo "-- blocks at once on a multiprocessor, $registers registers per thread: seen, calculated"
for block in 32 64 128 192 256 384 512 768 1024; do
    seen=$(threads -q -d gpu -g $((40 * multiprocessors)) -b $block --by multiprocessor --csv |
        cells most_blocks_at_once | sort -n | tail -1)
    calculated=$(matadd -q -d gpu --occupancy registers="$registers",block=$block --csv |
        cells asked blocks_per_multiprocessor limiter | awk '$1 == 1 { print $2, $3 }')
    read -r blocks limiter <<<"$calculated"
    verdict=DIFFERS
    if [ "$seen" -eq "$blocks" ]; then verdict=met; fi
    # If warps are left over, a block begins once enough warps of an ending block are done, while its last ones still run.
    if [ "$seen" -eq $((blocks + 1)) ] && [ $((2048 % block)) -gt 0 ]; then verdict="met, and one that begins while one ends"; fi
    printf '%5d %3d %3d  %-18s %s\n' $block "$seen" "$blocks" "$limiter" "$verdict"
done

echo "-- where the first blocks of 1024 threads run: block:multiprocessor"
threads -q -d gpu -g $((2 * multiprocessors)) -b 1024 --by block --csv | cells block multiprocessor |
    awk '{ printf "%s%s:%s", (NR % 12 == 1 ? (NR > 1 ? "\n" : "") : " "), $1, $2 } END { print "" }' | head -12

echo "-- the tail: two and a quarter waves of blocks of 1024 threads"
threads -q -d gpu -g $((9 * multiprocessors / 2)) -b 1024 --by multiprocessor --timeline -f human | tail -20
