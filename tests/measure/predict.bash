#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How far predictions for four GPUs, from times of one and of two, are from the measured times. Goal: within 10 %.
#
#   tests/measure/predict.bash [DEVICE]     0,1,2,3 by default; sim tries the script out
#
# First the costs of NCCL's operations by the model's terms, and how far these are from the times; then a row for each
# problem, large and small, with the share of time in exchanges, and the predicted efficiency of 1024 GPUs.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")/../.."
PATH=$PWD/bin:$PATH
device=${1-0,1,2,3} small=64Ki medium=16Mi large=1Gi fit=1,1Ki,64Ki,4Mi,64Mi
if [ "$device" = sim ]; then
    export SIMCC_DEVICES=${SIMCC_DEVICES-4}
    small=1Ki medium=16Ki large=256Ki fit=1,64,4Ki
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

echo "what operations cost, fitted to gangs of two and four:"
collective -q -d "$device" --fit -n "$fit" --csv |
    awk -F , 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i
                        printf "%-16s %10s %10s %10s %8s %8s\n", "operation", "start us", "step us", "GB/s", "error %", "at most"; next }
              { printf "%-16s %10.2f %10.2f %10.1f %8.1f %8.1f\n", $at["kernel"], $at["start_ns"] / 1000, $at["latency_ns"] / 1000,
                    $at["gbyte_per_s"], $at["median_error_percent"], $at["worst_error_percent"] }'

echo
printf '%-28s %12s %12s %12s %10s %8s  %-14s %s\n' problem measured predicted "exchanges" "error %" goal "" "efficiency of 1024"
# problem PROGRAM SIZE KERNEL [OPTION]...
problem() {
    local program=$1 n=$2 kernel=$3
    shift 3
    "$program" -q -d "$device" --gang --csv -n "$n" -k "$kernel" --predict 4,1024 "$@" >"$scratch/rows"
    awk -F , -v what="$program $n $*" '
        NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i; next }
        $at["gang"] == 4 && $at["timer"] != "model" { measured = $at["median_ns"] }
        $at["gang"] == 4 && $at["timer"] == "model" { predicted = $at["median_ns"]; exchange = $at["exchange_ns"]; error = $at["prediction_error_percent"] }
        $at["gang"] == 1024 { efficiency = $at["efficiency"] }
        END { met = error <= 10 && error >= -10 ? "met" : "NOT MET"
              printf "%-28s %9.2f us %9.2f us %9.2f us %10.2f %8s  %-14s %.3f\n", what, measured / 1000, predicted / 1000, exchange / 1000, error, "10", met, efficiency }' "$scratch/rows"
}
for n in $small $medium $large; do
    problem vecadd "$n" vector4
    problem vecadd "$n" vector4 --weak
    problem reduce "$n" tagged
    problem reduce "$n" tagged --weak
done
