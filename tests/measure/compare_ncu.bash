#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compares the counters of the checked simulator with Nsight Compute's, for every kernel that both can run.
#
#   tests/measure/compare_ncu.bash [FOLDER]            measure on this machine's GPU, then compare
#   tests/measure/compare_ncu.bash --record FOLDER     only measure: one `ncu --csv` run per program, into FOLDER/PROGRAM.csv
#   tests/measure/compare_ncu.bash --compare FOLDER    only compare with what was recorded, perhaps on another machine
#
# Prints a row per kernel and figure: both values, and whether they are equal to three digits; at the end, how many are.
# A difference is not a failure: nvcc may vectorize, unroll or predicate the code.
#
# The figures are ratios, since the sizes of grids depend on the device:
#   sectors per request of global loads and stores
#   shared wavefronts per instruction of shared loads and stores
#   branch efficiency in percent: branches in which all lanes went the same way
#
# ncu counts shared wavefronts in two places. l1tex__data_pipe_lsu_wavefronts_mem_shared_op_* is a hardware counter. It
# includes extra wavefronts of requests that lost the arbitration for the data stage to another warp (on an H200 0.03 to
# 0.07 per store in matmul's tiles, never in a kernel of one warp), and counts atomic operations on shared memory as
# loads. The metrics of the same name with smsp__sass_ are attributed to the instruction. These are compared; the excess
# of the hardware counter is printed as "noise".
#
# The code that nvcc generates explains the other differences:
#   shared loads of matmul tiled-*, register-*, async: loads of neighboring words become one of 16 bytes, which takes
#       2 wavefronts where 4 broadcasts take 4
#   branches of reduce: short bodies of an `if` are predicated, leaving a kernel is no branch, loops are unrolled: there
#       are fewer branches, and mostly the divergent ones disappear
#   reduce tagged, matmul fastest: another shape or another kernel is chosen for another device
#   matmul async: asynchronous copies store into shared memory without a store instruction
# If ncu has seen no branch at all, there is nothing to compare.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
bin=${BIN:-$here/../../bin}
programs=(vecadd reduce matmul)
declare -A sizes=([vecadd]=256Ki [reduce]=256Ki [matmul]=256)

metrics=(
    l1tex__t_requests_pipe_lsu_mem_global_op_{ld,st}
    l1tex__t_sectors_pipe_lsu_mem_global_op_{ld,st}
    smsp__sass_inst_executed_op_shared_{ld,st}
    smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}
    l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}
    smsp__sass_branch_targets
    smsp__sass_branch_targets_threads_uniform
)
columns=kernel,gld_requests,gld_sectors_per_request,gst_requests,gst_sectors_per_request
columns+=,sld_requests,sld_wavefronts_per_request,sst_requests,sst_wavefronts_per_request,branches,branch_efficiency

# The NVTX range around a launch is named after its variant; launches outside a range are ignored.
record() {
    local program list
    list=$(printf '%s.sum,' "${metrics[@]}")
    for program in "${programs[@]}"; do
        ncu --clock-control none --csv --page raw --nvtx --print-units base --metrics "${list%,}" \
            "$bin/$program" -d gpu --profile -n "${sizes[$program]}" >"$1/$program.log"
        grep '^"' "$1/$program.log" >"$1/$program.csv"
    done
}

# The simulator's figures of one program: kernel, then one figure per column.
simulate() {
    "$bin/$1" -d sim --counters --csv --no-verify -n "${sizes[$1]}" |
        mlr --icsv --otsv cut -o -f "$columns"
}

# compare PROGRAM CSV: the table's rows of one program.
compare() {
    simulate "$1" >"$scratch/simulated"
    awk -v program="$1" '
        function ratio(part, whole) { return whole > 0 ? part / whole : 0 }
        function three_digits(value) { return sprintf("%.3g", value) + 0 }
        # A row, if both sides have a count.
        function row(kernel, figure, hardware, whole, simulated, simulated_whole, noise) {
            if (whole == 0 && simulated_whole == 0) return
            if (whole == 0 || simulated_whole == 0) verdict = "one side only"
            else verdict = three_digits(hardware) == three_digits(simulated) ? "equal" : "different"
            printf("%-32s %-28s %10s %10s  %-14s %s\n", kernel, figure,
                whole == 0 ? "none" : sprintf("%.4g", hardware),
                simulated_whole == 0 ? "none" : sprintf("%.4g", simulated), verdict,
                noise > 0 ? "noise " sprintf("%.3g", noise) : "")
        }
        function sum(kernel, metric) { return sums[kernel, metric ".sum"] }
        BEGIN { FS = "\t" }
        # The simulator: kernels in the order of the table.
        FNR == NR {
            if (FNR > 1) { kernels[++count] = $1; for (i = 2; i <= NF; ++i) simulated[$1, i] = $i }
            next
        }
        # ncu: every field is quoted, numbers with commas between thousands.
        { gsub(/^"|"$/, ""); fields = split($0, field, /","/) }
        FNR == 1 {
            for (i = 1; i <= fields; ++i) { name[i] = field[i]; if (field[i] ~ /Push\/Pop_Range/) range = i }
            next
        }
        FNR == 2 { next }
        {
            kernel = ""
            for (i = 1; i <= count; ++i) if (index(field[range], ":" kernels[i] ":")) kernel = kernels[i]
            if (kernel == "") next
            seen[kernel] = 1
            for (i = 1; i <= fields; ++i) {
                if (name[i] !~ /\.sum$/) continue
                gsub(/,/, "", field[i])
                sums[kernel, name[i]] += field[i]
            }
        }
        END {
            for (k = 1; k <= count; ++k) {
                kernel = kernels[k]
                if (!seen[kernel]) continue
                label = program " " kernel
                split("ld st", operation, " ")
                for (o = 1; o <= 2; ++o) {
                    op = operation[o]
                    requests = sum(kernel, "l1tex__t_requests_pipe_lsu_mem_global_op_" op)
                    sectors = sum(kernel, "l1tex__t_sectors_pipe_lsu_mem_global_op_" op)
                    row(label, "global " op " sectors/request", ratio(sectors, requests), requests,
                        simulated[kernel, 2 * o + 1], simulated[kernel, 2 * o], 0)
                }
                for (o = 1; o <= 2; ++o) {
                    op = operation[o]
                    instructions = sum(kernel, "smsp__sass_inst_executed_op_shared_" op)
                    wavefronts = sum(kernel, "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_" op)
                    counted = sum(kernel, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" op)
                    row(label, "shared " op " wavefronts/request", ratio(wavefronts, instructions), instructions,
                        simulated[kernel, 2 * o + 5], simulated[kernel, 2 * o + 4],
                        ratio(counted - wavefronts, instructions))
                }
                branches = sum(kernel, "smsp__sass_branch_targets")
                if (branches > 0) {
                    uniform = sum(kernel, "smsp__sass_branch_targets_threads_uniform")
                    row(label, "branch efficiency %", 100 * ratio(uniform, branches), branches,
                        simulated[kernel, 10] > 0 ? 100 * simulated[kernel, 11] : 100, 1, 0)
                }
            }
        }' "$scratch/simulated" "$2"
}

folder=
todo=both
case ${1-} in
    --record | --compare) todo=${1#--}; folder=${2?"a folder"} ;;
    -*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    *) folder=${1-} ;;
esac
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=${folder:-$scratch}
mkdir -p "$folder"
if [ "$todo" != compare ]; then record "$folder"; fi
if [ "$todo" = record ]; then exit; fi

printf '%-32s %-28s %10s %10s  %s\n' kernel figure ncu simulator verdict
for program in "${programs[@]}"; do compare "$program" "$folder/$program.csv"; done | tee "$scratch/rows"
awk '{ verdict = $0 ~ /  equal/ ? "equal" : $0 ~ /  different/ ? "different" : "only on one side"; ++count[verdict] }
    END {
        printf "%d equal, %d different, %d only on one side\n",
            count["equal"], count["different"], count["only on one side"]
    }' "$scratch/rows"
