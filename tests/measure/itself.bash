#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How reliable the timing is: variants compared with themselves, and processes with each other.
#     tests/measure/itself.bash [DEVICE] [REPETITIONS]
# First, per program and size, how many of REPETITIONS (100) comparisons of a variant with itself have 1 in their 95 %
# interval, and the largest error of the ratio. Then the largest distance between the medians of five processes.
# shellcheck disable=SC2016  # mlr's fields are not the shell's variables
set -euo pipefail

device=${1:-gpu} repetitions=${2:-100}
root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH=$root/bin:$PATH

# repeated SIZE: a list that repeats the size for each comparison
repeated() { yes "$1" | head -n "$repetitions" | paste -sd ,; }

measured() { "$1" --quiet --device "$device" -k "$2" --csv "${@:3}"; }

declare -A variant=([reduce]=tagged [vecadd]=streaming)
sizes="4Ki 1Mi 64Mi"
if [ "$device" = sim ]; then variant=([reduce]=cpu [vecadd]=cpu) sizes="16Ki 256Ki"; fi

echo "program size with_1 of worst_error_%"
for size in $sizes; do
    for program in reduce vecadd; do
        measured $program "${variant[$program]}" --versus "${variant[$program]}" -n "$(repeated "$size")" |
            mlr --icsv --onidx put -q '
                @of += 1;
                @within += $versus_low <= 1 && $versus_high >= 1 ? 1 : 0;
                @worst = max(@worst, abs($versus_ratio - 1));
                end { print @within . " " . @of . " " . fmtnum(100 * @worst, "%.2f") }' | sed "s/^/$program $size /"
    done
done

echo
echo "program size medians_apart_%"
for program in reduce vecadd; do
    for size in $sizes; do
        for _ in 1 2 3 4 5; do measured $program "${variant[$program]}" -n "$size" --no-header | cut -d , -f 19; done |
            datamash min 1 max 1 | awk -v of="$program $size" '{ printf "%s %.2f\n", of, 100 * ($2 / $1 - 1) }'
    done
done
