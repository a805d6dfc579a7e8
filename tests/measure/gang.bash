#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How much of each device's speed is left when two, four or more work on one problem: by --gang, with and without --weak.
#
#   tests/measure/gang.bash [DEVICES]     0,1 for two of more GPUs; all by default; sim tries the script out
#
# First the gain of transpose from sending a matrix in pieces, which determines its default (tools/transpose/shares.cuh).
# Then a short table: a row per program, scaling and number of devices, with the efficiency beside its goal. The GPUs
# should be idle, and have 24 GiB each; the host needs 48 GiB.
# shellcheck disable=SC2016  # awk's fields are not the shell's variables
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
PATH=$PWD/bin:$PATH
device=${1-all} samples=50
# Elements of f32: 1 GiB, 4 GiB and 16 GiB.
gi1=256Mi gi4=1Gi gi16=4Gi side=16384 large_side=32768
if [ "$device" = sim ]; then
    export SIMCC_DEVICES=4
    samples=3 gi1=1Ki gi4=4Ki gi16=16Ki side=64 large_side=128
fi
table=$(mktemp)
trap 'rm -f "$table"' EXIT

# measured PROGRAM [OPTION]...: its table, with 2, 4, ... devices between one and all.
measured() {
    local program=$1
    shift
    "$program" -q -d "$device" --gang --ladder -r $samples --csv "$@" >"$table"
}

# rows AWK [OPTION]...: runs these statements for each row of the table, with the fields at["NAME"].
rows() {
    awk -F , "${@:2}" "NR == 1 { for (i = 1; i <= NF; ++i) at[\$i] = i; next } { $1 }" "$table"
}

echo "transpose of $large_side x $large_side f32 in pieces:"
for pieces in 1 2 4 8 16 0; do
    measured transpose -n $large_side --pieces $pieces -k fastest
    rows 'if ($at["gang"] > 1) printf "%2d GPUs, %2d pieces %12.1f us\n", $at["gang"], pieces, $at["median_ns"] / 1000' \
        -v pieces=$pieces
done | sort -s -n -k 1,1 | sed 's/ 0 pieces/by default/'

# A row: label, devices, the medians, the total rate, the efficiency, its goal if there is one, and whether it is met.
line='%-34s %5s %12s %12s %9s %10s %7s  %s\n'
echo
# shellcheck disable=SC2059  # it is a format
printf "$line" "f32" devices "one, us" "all, us" GB/s efficiency goal ""
# scaling WHAT GOAL PROGRAM [OPTION]...
scaling() {
    local what=$1 goal=$2
    shift 2
    measured "$@"
    rows 'if ($at["gang"] == 1) alone = $at["median_ns"]
          else printf line, what, $at["gang"], sprintf("%.1f", alone / 1000), sprintf("%.1f", $at["median_ns"] / 1000),
                      sprintf("%.0f", $at["gbyte_per_s"]), sprintf("%.3f", $at["efficiency"]), goal ? goal : "-",
                      goal ? ($at["efficiency"] >= goal ? "met" : "NOT MET") : ""' \
        -v what="$what" -v goal="$goal" -v line="$line"
}
scaling "vecadd, 1 GiB a vector each" 0.99 vecadd -k vector4 -n $gi1 --weak
scaling "vecadd, 4 GiB a vector" 0.99 vecadd -k vector4 -n $gi4
scaling "reduce, 4 GiB each" 0.98 reduce -k tagged -n $gi4 --weak
scaling "reduce, 16 GiB" 0.95 reduce -k tagged -n $gi16
scaling "conv1d of width 17, 1 GiB each" "" conv1d -k fastest --width 17 -n $gi1 --weak
scaling "conv1d of width 17, 4 GiB" "" conv1d -k fastest --width 17 -n $gi4
scaling "transpose, 1 GiB each" "" transpose -k fastest -n $side --weak
scaling "transpose, 4 GiB" "" transpose -k fastest -n $large_side
scaling "its bound, copy, 4 GiB" "" transpose -k copy -n $large_side
