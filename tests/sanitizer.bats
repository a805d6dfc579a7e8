#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Every program under the four tools of compute-sanitizer, on a GPU: its kernels are not right by accident.

# Tests side by side

# Takes long: run.bash begins with it.

load helpers

setup() {
    if on_simulator; then skip "compute-sanitizer needs a GPU"; fi
    need compute-sanitizer
}

teardown() { :; }

# workloads PROGRAM TOOL: the options of its runs, one run per line. Every variant is launched once, and verified,
# except kernels that launch kernels, which only memcheck supports.
workloads() {
    local chosen=
    case $1,$2 in
        *,memcheck) ;;
        # What waits for a flag or a lock in shared memory: racecheck knows barriers, not flags, and reports a hazard.
        diverge,racecheck) chosen="-k $(diverge -q -d gpu --list --csv --no-header | cut -d , -f 1 |
            grep -v -e handshake -e lock | paste -s -d ,)" ;;
        nested,*) return ;;
        reduce,*) chosen="-k $(reduce -q -d gpu --list --csv --no-header | cut -d , -f 1 | grep -v nested | paste -s -d ,)" ;;
    esac
    case $1 in
        devquery) echo "--csv" ;;
        threads) echo "--grid 3x2 --block 40x3 --by block" ;;
        memcheckdemo) echo "--fixed oob-shared" ;;  # all twins: memcheckdemo.bats
        reduce) printf '%s\n' "--profile -n 1000,1048577 $chosen" "--profile -n 1000,1048577 --offset 1 $chosen" ;;
        vecadd) printf '%s\n' "--profile -n 1000,1048577" "--profile -n 1000,1048577 --offset 1" "--profile -n 1000 --memory all" ;;
        matmul)  # the larger shapes: several waves of large tiles, the last one shared or filled, or few in many shares
            printf '%s\n' "--profile -n 33,100" "--profile -t f32 -k fastest -n 1400x4607x190" \
                "--profile -t f32 -k fastest -n 10x301x9001,70x290x3000,1000x5x3000" \
                "--profile -t f32 -k cpu-parallel,tf32x3* -n 1400x4607x190" \
                "--profile -t tf32 -k cpu-parallel,hopper* -n 1400x4608x190" \
                "--profile -t tf32 -k fastest -n 10x301x9001,70x290x3000" \
                "--profile -t bf16 -k fastest -n 1000x1000x1032,2000x3000x136,1300x200x8008,16x512x4096,10x61x9001" \
                "--profile -t f16 -k thin --tile all -n 900x1x77,33x67x45,70x66x34,99x130x9,301x5x77,37x2x3333" \
                "--profile -t f64 -k thin --tile all -n 900x1x77,33x67x45,70x66x34,99x130x9,301x5x77,37x2x3333" \
                "--profile -t tf32 -k thin --tile all -n 900x1x77,33x67x45,70x66x34,99x130x9,301x5x77,37x2x3333" \
                "--profile -t f64 -k direct -n 97x75x301" \
                "--profile -t f32 -k direct --tile 32x128x32/3 -n 97x75x301" \
                "--profile -t tf32 -k direct --tile 64x64x32 -n 97x75x301,33x1x65,33x65x1" \
                "--profile -t f16 -k direct --tile 32x32x64 -n 33x3x65,33x65x3" \
                "--profile -t f16 -k direct --tile 64x64x64/5 -n 66x34x1402,97x75x301" \
                "--profile -t bf16 -k direct --tile 32x32x64/128 -n 56x22x14066" \
                "--profile -t bf16 -k direct --tile 32x32x64/32 -n 31x91x3001" \
                "--profile -t f32 -k hopper --tile 64x256x32:stream-k -n 70x271x75" \
                "--profile -t tf32 -k hopper --tile 64x64x32:stream-k -n 70x271x75" \
                "--profile -t f64 -k hopper --tile 64x64x16:stream-k -n 70x271x75" \
                "--profile -t f32 -k hopper --tile 64x64x32:stream-k@16 -n 70x100x301" \
                "--profile -t tf32 -k hopper --tile 64x64x32:stream-k@16 -n 70x101x301" \
                "--profile -t f64 -k hopper --tile 64x64x16:stream-k@16 -n 70x100x150" \
                "--profile -t bf16 -k hopper --tile 64x128x64:stream-k@16 -n 70x200x600" \
                "--profile -t bf16 -k hopper --tile 64x128x64:stream-k:cluster-2x1@8 -n 130x100x600" \
                "--profile -t bf16 -k hopper --tile 128x128x64:cluster-2x2,256x160x64:cluster-1x2 -n 600x328x584" \
                "--profile -t bf16 -k hopper --tile 80x128x64:cluster-2x2,256x160x64:cluster-1x2 --transpose b -n 330x328x584 --batch 10" \
                "--profile -t bf16 -k hopper --tile 96x64x64/4,88x64x64,128x128x64:stream-k@12 --transpose b -n 130x200x600" \
                "--profile -t f16 -k hopper --tile 208x192x64:cluster-1x2,160x256x64,176x192x64:cluster-2x1 -n 430x408x328" \
                "--profile -t tf32 -k hopper --tile 256x128x32:stream-k:cluster-1x2 -n 300x260x100" \
                "--profile -t tf32 -k hopper --tile 192x128x32:cluster-1x2 -n 300x260x100" \
                "--profile -k hopper --tile 64x64x32:groups -n 300x261x100" \
                "--profile -t f64 -k hopper --tile 32x64x16:groups -n 300x261x100" \
                "--profile -t tf32 -k hopper --tile 128x128x32:stream-k:cluster-1x2@16 -n 130x260x520" \
                "--profile -t f32 -k fastest --batch 3 --transpose a -n 33,190x70x301" \
                "--profile -t bf16 -k fastest --batch 5 --transpose b -n 100,61x200x1001" \
                "--profile -t bf16 -k hopper --transpose a,b -n 300x298x190,130x264x520" \
                "--profile -t tf32 -k hopper --transpose a -n 300x520x264 --batch 3" \
                "--profile -t tf32 -k hopper --transpose b -n 130x298x190" \
                "--profile -t tf32 -k hopper --transpose a,b -n 131x298x190" \
                "--profile -t f64 -k hopper --transpose a -n 65x130x98 --batch 3" \
                "--profile -t f64 -k hopper --transpose b -n 67x131x97" \
                "--profile -t f64 -k hopper --transpose a,b -n 67x131x97" \
                "--profile -t f32 -k hopper --transpose a,b -n 64x96x72 --batch 3" \
                "--profile -t e4m3 -k cpu-parallel,hopper* -n 2436x2944x192,100x48x4096" \
                "--profile -t bf16 -k cpu-parallel,hopper* -n 2436x2936x190" ;;  # the last wave filled
        # Loops that these run for their timing would take minutes with every access recorded.
        banks) echo "--profile -n 33" ;;
        diverge) echo "--profile -n 33,100 --rounds 1 $chosen" ;;
        latency) echo "--profile -n 1Ki --steps 16" ;;
        streams) echo "--profile -n 1000 --work 1" ;;
        *) echo "--profile -n 33,100" ;;
    esac
}

# clean_under TOOL SUMMARY PROGRAM...: every run of these programs ends with this summary.
clean_under() {
    local tool=$1 summary=$2 program options report
    shift 2
    for program; do
        # (NCCL asks the driver for kernels for other GPUs, and goes on without them.)
        report=()
        [ "$program" != collective ] || report=(--report-api-errors no)
        while read -r options; do
            # shellcheck disable=SC2086  # one word per option
            run compute-sanitizer --tool "$tool" "${report[@]}" --error-exitcode 86 "$root/bin/$program" -d gpu $options </dev/null
            if [ "$status" -ne 0 ] || [[ $output != *"$summary"* ]]; then
                printf '%s %s under %s: exit status %s\n%s\n' "$program" "$options" "$tool" "$status" "$output" | head -60 >&2
                return 1
            fi
        done < <(workloads "$program" "$tool")
    done
}

# (matmul takes as long as all others together.)
others_clean_under() {
    # shellcheck disable=SC2046  # one argument each
    clean_under "$@" $(programs | grep -v -x matmul)
}

no_errors="ERROR SUMMARY: 0 errors" no_hazards="RACECHECK SUMMARY: 0 hazards displayed"

@test "every variant of matmul is clean under memcheck" { clean_under memcheck "$no_errors" matmul; }
@test "every variant of matmul is clean under racecheck" { clean_under racecheck "$no_hazards" matmul; }
@test "every variant of matmul is clean under initcheck" { clean_under initcheck "$no_errors" matmul; }
@test "every variant of matmul is clean under synccheck" { clean_under synccheck "$no_errors" matmul; }
@test "every variant of all other programs is clean under memcheck" { others_clean_under memcheck "$no_errors"; }
@test "every variant of all other programs is clean under racecheck" { others_clean_under racecheck "$no_hazards"; }
@test "every variant of all other programs is clean under initcheck" { others_clean_under initcheck "$no_errors"; }
@test "every variant of all other programs is clean under synccheck" { others_clean_under synccheck "$no_errors"; }
