#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `make bench`: runs the standard set on this machine's GPU or in the simulator.
#     tests/measure/bench.bash DEVICE FOLDER [BASE]
# Writes FOLDER/results.jsonl, all rows with their samples, and FOLDER/report.html, the pictures of all runs in a single
# file that loads nothing else. With BASE, the results.jsonl of another run, `compare` says what has changed since.
set -euo pipefail
cd "$(dirname "$0")/../.."
PATH=$PWD/bin:$PATH
device=$1 folder=$2 base=${3-}

give_up() { echo "make bench: $1" >&2 && exit 2; }

# (Checked now rather than after the runs.)
[ -z "$base" ] || [ -f "$base" ] || give_up "BASE=$base is not there: name the results.jsonl of an earlier make bench"
mkdir -p "$folder" || give_up "cannot write to $folder"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

name=$(devquery --quiet --device "$device" --prop name --value) || exit
name=${name%%$'\n'*}
if [ "$name" = "SIMT simulator" ]; then
    # Small, so that all of it takes seconds; times are the simulation's own.
    vector="-n 1Ki:64Ki:x4 -r 20" reduction="-n 1Ki:16Ki:x4 -r 20" product="-n 32,64 -r 20" matrix="-n 32:256:x2 -r 20"
    ladder="-r 20" copies="-r 20" kernels=cpu,cpu-parallel,grid-stride,single-pass,tagged
else
    vector="-n 64Ki:64Mi:x4" reduction="-n 1Ki:64Mi:x4" product="-n 1024,2048,4096" matrix="-n 512:8192:x2"
    ladder="" copies="" kernels='grid-stride,single-pass,tagged,cub*'
    devquery --device "$device" --csv >"$work/device.csv"
fi

escaped() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'; }

{
    cat <<'END'
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>gridutils: the standard set</title>
<style>
body { font: 14px sans-serif; margin: 2em; color: #222; background: #fff; }
svg { max-width: 100%; height: auto; display: block; margin-bottom: 2.5em; }
code, pre { background: #f4f4f4; padding: 2px 4px; }
</style>
</head>
<body>
<h1>gridutils: the standard set</h1>
END
    echo "<p>$(escaped <<<"$name"), $(date -u '+%Y-%m-%d %H:%M') UTC, $(reduce --version | escaped). Under the pointer a point or a bar shows its row.</p>"
} >"$work/report.html"
: >"$work/results.jsonl"

status=0

# picture TITLE COMMAND ARGUMENT...: the section of the report with plot's picture of the command's output.
picture() {
    local title=$1 command=$2
    shift 2
    plot --quiet "$@" -o "$work/picture.svg" || { status=1 && return; }
    {
        echo "<h2>$(escaped <<<"$title")</h2>"
        echo "<p><code>$(escaped <<<"$command")</code></p>"
        cat "$work/picture.svg"
    } >>"$work/report.html"
}

# measure TITLE PROGRAM [ARGUMENT]...: its rows, and their picture. On a GPU, plot takes the limits from devquery.
measure() {
    local title=$1 rows command
    shift
    command=${*//"$work/"/}
    echo "$command" >&2
    rows=$work/$((++runs)).jsonl
    "$1" --quiet --device "$device" "${@:2}" --json -o "$rows" || {
        echo "make bench: $1 ended with exit status $?" >&2 && status=1
        [ -s "$rows" ] || return 0
    }
    cat "$rows" >>"$work/results.jsonl"
    if [ -f "$work/device.csv" ]; then picture "$title" "$command" "$rows" "$work/device.csv"
    else picture "$title" "$command" "$rows"; fi
}

runs=0
# shellcheck disable=SC2086  # options, some of them none
{
    measure "A sum, step by step" reduce --ladder $ladder
    measure "A sum, by size" reduce -k "$kernels" $reduction
    measure "Adding vectors, by size" vecadd $vector
    measure "Products of matrices" matmul $product
    measure "Transposing matrices" transpose $matrix
    measure "Copies between host and device" transfer $copies
    measure "Streams, events and graphs" streams --trace "$work/trace.json" $copies
}
if [ -s "$work/trace.json" ]; then
    for experiment in kernels copy; do
        picture "What overlaps: $experiment" "plot trace.json --where 'timeline=$experiment-*'" "$work/trace.json" \
            --where "timeline=$experiment-*" --title "one run of each"
    done
fi
if [ -n "$base" ]; then
    compared=0
    compare "$base" "$work/results.jsonl" --format human >"$work/compared" || compared=$?
    cat "$work/compared"
    [ "$compared" -eq 0 ] || status=$compared
    { echo "<h2>Since the base</h2><pre>" && escaped <"$work/compared" && echo "</pre>"; } >>"$work/report.html"
fi
echo '</body></html>' >>"$work/report.html"
mv "$work/results.jsonl" "$work/report.html" "$folder"
echo "$folder/results.jsonl: $(wc -l <"$folder/results.jsonl") rows; $folder/report.html: their pictures"
exit "$status"
