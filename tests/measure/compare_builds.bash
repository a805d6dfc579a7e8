#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares the speed of two builds of the simulator, kernel by kernel, on a machine that may be busy.
#
#   tests/measure/compare_builds.bash OLD_BIN NEW_BIN [ROUNDS]
#
# OLD_BIN and NEW_BIN are folders of programs (bin/ of two source trees). In each of ROUNDS (default 20) every kernel runs
# in both builds, one right after the other, in alternating order. The measure is the user CPU time of the process, which
# does not grow while another process has the core, with enough launches that reading the input hardly matters.
# Prints a row per kernel and mode as CSV: the least and the median of each build in milliseconds, their ratios new over
# old, and the median of the rounds' ratios, in which slowdowns of both builds cancel. The last line is the geometric mean
# of these medians.
#
# MODES chooses "fast", "checked" (all four checks) or both (the default); KERNELS a regular expression. One thread each.
set -euo pipefail

if [ $# -lt 2 ] || [ $# -gt 3 ]; then
    echo "Usage: tests/measure/compare_builds.bash OLD_BIN NEW_BIN [ROUNDS]" >&2
    exit 2
fi
old=$1 new=$2 rounds=${3-20}
export SIMCC_THREADS=1

# A line for each measurement: mode, name, program and its options. Checked ones are smaller, since they are much slower.
measurements() {
    cat <<'END'
fast vecadd vecadd -k one-per-thread -n 16Mi -r 30
fast sum-atomic reduce -t i32 -k atomic-global -n 16Mi -r 30
fast sum-shared-tree reduce -t i32 -k shared-tree -n 16Mi -r 1
fast sum-shuffle reduce -t i32 -k shuffle-tree -n 16Mi -r 1
fast matmul-naive matmul -k naive -n 512 -r 4
fast matmul-tiled matmul -k tiled-16 -n 512 -r 4
checked vecadd vecadd -k one-per-thread -n 1Mi -r 4 --check
checked sum-atomic reduce -t i32 -k atomic-global -n 256Ki -r 4 --check
checked sum-shared-tree reduce -t i32 -k shared-tree -n 1Mi -r 1 --check
checked sum-shuffle reduce -t i32 -k shuffle-tree -n 1Mi -r 1 --check
checked matmul-naive matmul -k naive -n 128 -r 4 --check
checked matmul-tiled matmul -k tiled-16 -n 128 -r 8 --check
END
}

# sample BIN PROGRAM OPTION...: seconds of user CPU time.
sample() {
    local bin=$1 program=$2 TIMEFORMAT=%3U
    shift 2
    { time "$bin/$program" -d sim "$@" --csv --no-verify --warmup 0 --max-ci 0 --timeout 10000 --cache warm >/dev/null 2>&3; } 3>&2 2>&1
}

report() {
    sort -t, -k1,1 -k2,2 -s | awk -F, '
        function median(values, count,    i, j, swap) {
            for (i = 2; i <= count; ++i)
                for (j = i; j > 1 && values[j] < values[j - 1]; --j) {
                    swap = values[j]; values[j] = values[j - 1]; values[j - 1] = swap
                }
            return count % 2 ? values[(count + 1) / 2] : (values[count / 2] + values[count / 2 + 1]) / 2
        }
        function close_row() {
            if (count == 0) return
            for (i = 1; i <= count; ++i) ratios[i] = after[i] / before[i]
            ratio = median(ratios, count); old = median(before, count); fresh = median(after, count)
            printf "%s,%.2f,%.2f,%.3f,%.2f,%.2f,%.3f,%.3f\n", key, before[1], after[1], after[1] / before[1], old, fresh,
                fresh / old, ratio
            logarithms += log(ratio); ++rows; count = 0
        }
        BEGIN { print "mode,kernel,old_min_ms,new_min_ms,min_ratio,old_median_ms,new_median_ms,median_ratio,ratio_median" }
        $1 "," $2 != key { close_row(); key = $1 "," $2 }
        { ++count; before[count] = $3 * 1000; after[count] = $4 * 1000 }
        END { close_row(); printf "# geometric mean of %d ratios: %.3f\n", rows, exp(logarithms / rows) }'
}

for ((round = 0; round < rounds; ++round)); do
    measurements | while read -r mode name program options; do
        [[ " ${MODES-fast checked} " == *" $mode "* && $name =~ ${KERNELS-.} ]] || continue
        read -ra arguments <<<"$options"
        if ((round % 2)); then
            after=$(sample "$new" "$program" "${arguments[@]}")
            before=$(sample "$old" "$program" "${arguments[@]}")
        else
            before=$(sample "$old" "$program" "${arguments[@]}")
            after=$(sample "$new" "$program" "${arguments[@]}")
        fi
        echo "$mode,$name,$before,$after"
    done
done | report
