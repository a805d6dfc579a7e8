#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Measures conv1d's goals on a GPU: as fast as a copy while memory is the limit, and at least four times as fast as
# PyTorch's conv1d; and where FFTs win. Prints a short table: ours, peer, ratio, goal, met.
#     bash tests/measure/conv1d.bash [PROGRAM]     some minutes; PROGRAM is bin/conv1d unless it is given
# PyTorch runs in python3, in turns with ours, each in its own process; without it its rows are left out. SIZE (2^26),
# ROUNDS (5) and PYTHON (python3) may be set. The GPU should be idle.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
program=${1:-$root/bin/conv1d}
size=${SIZE:-$((1 << 26))} rounds=${ROUNDS:-5} python=${PYTHON:-python3}

"$program" -d gpu -k copy -n 1Ki --csv >/dev/null || { echo "conv1d.bash: no GPU to measure on" >&2 && exit 77; }

# verdict RATIO GOAL
verdict() { awk -v ratio="$1" -v goal="$2" 'BEGIN { print (ratio >= goal ? "met" : "NOT MET") }'; }
row() { printf '%-34s %10s %10s %8s %6s  %s\n' "$@"; }

# field NAME: the cell in the only row of a CSV table on standard input.
field() {
    awk -F , -v name="$1" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) wanted = i } NR == 2 { print $wanted }'
}

row "n = $size" "ours GB/s" peer ratio goal ""

# ---- against the copy: the bench takes samples of both in turns

beside() { # KERNEL PEER WIDTH TYPE GOAL
    local table
    table=$("$program" -d gpu -q -k "$1" --versus "$2" --width "$3" -t "$4" -n "$size" --csv | awk -F , -v name="$1" 'NR == 1 || $3 == name')
    local ours ratio
    ours=$(field gbyte_per_s <<<"$table") ratio=$(field versus_ratio <<<"$table")
    row "$1 $4 width $3 / $2" "$ours" "$(awk "BEGIN { printf \"%.1f\", $ours / $ratio }")" "$ratio" "${5:--}" \
        "$([ -z "${5-}" ] || verdict "$ratio" "$5")"
}

for dtype in f32 f64; do
    for width in 2 3 5 7 9 11 13 15 17; do beside fastest copy $width $dtype 0.95; done
done
# Which of its two kernels suits the widths around the switch from one to the other.
for width in 7 9 11 17; do
    beside fastest register-tile $width f32
    beside fastest register-tile $width f64
done
for width in 31 63 127; do beside fastest copy $width f32; done

# ---- PyTorch, in turns

torch() { # WIDTH: GB/s of input and output, by CUDA events with a cold cache, the median of 30; with TF32 if that is faster
    "$python" - "$1" "$size" <<'PYTHON'
import sys, torch
width, n = int(sys.argv[1]), int(sys.argv[2])
torch.backends.cudnn.benchmark = True
signal = torch.rand(1, 1, n, device="cuda") * 2 - 1
weights = torch.rand(1, 1, width, device="cuda") * 2 - 1
flush = torch.empty(1 << 26, dtype=torch.int32, device="cuda")

def median_ms():
    times = []
    for i in range(33):
        flush.sum()
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        torch.nn.functional.conv1d(signal, weights, padding=width // 2)
        stop.record()
        torch.cuda.synchronize()
        if i >= 3:
            times.append(start.elapsed_time(stop))
    return sorted(times)[len(times) // 2]

best = float("inf")
with torch.no_grad():
    for tf32 in False, True:
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = tf32
        best = min(best, median_ms())
print(f"{2 * n * 4 / best / 1e6:.1f}")
PYTHON
}

median() { sort -n | awk '{ value[NR] = $1 } END { print NR % 2 ? value[(NR + 1) / 2] : (value[NR / 2] + value[NR / 2 + 1]) / 2 }'; }

if "$python" -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
    for width in 3 17 63; do
        ours=() theirs=() ratios=()
        for ((round = 0; round < rounds; ++round)); do
            # Which one goes first alternates.
            if ((round % 2)); then theirs+=("$(torch $width)"); fi
            ours+=("$("$program" -d gpu -q -k fastest --width $width -n "$size" --csv | field gbyte_per_s)")
            if ((round % 2 == 0)); then theirs+=("$(torch $width)"); fi
            ratios+=("$(awk "BEGIN { printf \"%.3f\", ${ours[-1]} / ${theirs[-1]} }")")
        done
        ratio=$(printf '%s\n' "${ratios[@]}" | median)
        row "fastest f32 width $width / PyTorch" "$(printf '%s\n' "${ours[@]}" | median)" \
            "$(printf '%s\n' "${theirs[@]}" | median)" "$ratio" 4 "$(verdict "$ratio" 4)"
    done
else
    echo "PyTorch with a GPU is not in $python: its rows are left out" >&2
fi

# ---- where FFTs win

for dtype in f32 f64; do
    for width in 31 47 63 95 127 255 1023 4095; do beside overlap-save fastest $width $dtype; done
done
for width in 63 1023; do beside overlap-save copy $width f32; done
if "$program" -d gpu -q -k cufft -n 1Ki --csv >/dev/null 2>&1; then
    for dtype in f32 f64; do
        for width in 63 255 1023 2047 4095; do beside overlap-save cufft $width $dtype; done
    done
else
    echo "cuFFT is not found: its rows are left out" >&2
fi
