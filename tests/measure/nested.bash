#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What launches by kernels cost on this machine's GPU, and what they save.
#     tests/measure/nested.bash [BIN]
# First nanoseconds per launch, by launcher and number; then the cost of a level of depth, as the slope between the
# shallowest and the deepest chain; then images by squares against pixel by pixel, integrals of peaks, and the recursive
# reductions against the same tree launched by the host.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH=${1:-$root/bin}:$PATH

echo "kernel launches ns_per_launch"
nested -q -d gpu -k 'host,null-stream,fire-and-forget,tail-launch,per-block,per-thread' -n 64,256,1Ki,4Ki --csv |
    mlr --icsv --onidx cut -o -f kernel,n,p_ns_per_launch

echo
echo "kernel depth median_ns ns_per_level"
nested -q -d gpu -k '*chain' --depth 0,1,2,4,8,16,23,24 --csv |
    mlr --icsv --onidx cut -o -f kernel,n,median_ns |
    awk '!($1 in first) { first[$1] = $3 } { print $0, $2 ? ($3 - first[$1]) / $2 : "-" }'

echo
echo "side steps pixels_ns squares_ns speed_up launches depth differing"
for side in 1024 2048 4096 8192; do
    for steps in 128 512 2048; do
        nested -q -d gpu -k pixels,squares --side $side --steps $steps --csv |
            mlr --icsv --onidx cut -o -f median_ns,p_launches,p_depth,p_differing |
            tr '\n' ' ' | awk -v side=$side -v steps=$steps '{ print side, steps, $1, $5, $1 / $5, $6, $7, $8 }'
    done
done

echo
echo "sharpness even_ns rounds_ns intervals_ns even_over_intervals tried even_tried depth"
nested -q -d gpu -k even,rounds,intervals --sharpness 1Ki,64Ki,1Mi,16Mi,64Mi,256Mi --csv |
    mlr --icsv --onidx cut -o -f kernel,n,median_ns,p_intervals,p_depth |
    awk '{ ns[$1] = $3; tried[$1] = $4 } $1 == "intervals" {
        print $2, ns["even"], ns["rounds"], ns[$1], ns["even"] / ns[$1], tried[$1], tried["even"], $5 }'

echo
echo "kernel n median_ns"
reduce -q -d gpu -k 'neighbored,nested*,single-pass' -n 1Mi,16Mi --csv | mlr --icsv --onidx cut -o -f kernel,n,median_ns
