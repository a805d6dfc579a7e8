#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Holds predicted times against a GPU's. Each argument is a command and the CSV table that it printed on a GPU:
#     tests/measure/predict_times.bash 'reduce -n 64Ki,1Mi,16Mi=reduce.csv' 'banks=banks.csv'
# The table is that of compare --prediction --summary, or with ROWS=1 without --summary. PREDICT=FILE is another GPU's
# model. Needs no GPU: of each kernel, a sample of the blocks runs.
set -euo pipefail
bin=$(cd "$(dirname "$0")/../../bin" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for pair; do
    read -r -a command <<<"${pair%=*}"
    # The forecast itself: its sizes are a GPU's.
    GRIDUTILS_FORECAST=${PREDICT-h200} SIMCC_TIMEOUT=1 "$bin/${command[0]}" "${command[@]:1}" </dev/null >>"$scratch/predicted.csv"
    cat "${pair##*=}" >>"$scratch/measured.csv"
done
how=(--summary)
[ -z "${ROWS-}" ] || how=()
"$bin/compare" -f human --prediction "${how[@]}" "$scratch/measured.csv" "$scratch/predicted.csv"
