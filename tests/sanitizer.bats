#!/usr/bin/env bats
# Every program under the four tools of compute-sanitizer, on a GPU: its kernels are right, and not by accident.

# Tests side by side

load helpers

setup() {
    if on_simulator; then skip "compute-sanitizer needs a GPU"; fi
    need compute-sanitizer
}

teardown() { :; }

# workloads PROGRAM: the options of its runs, a line each. Every variant is launched once, and verified.
workloads() {
    case $1 in
        devquery) echo "--csv" ;;
        threads) echo "--grid 3x2 --block 40x3 --by block" ;;
        memcheckdemo) echo "--fixed oob-shared" ;;  # all twins: memcheckdemo.bats
        reduce) printf '%s\n' "--profile -n 1000,1048577" "--profile -n 1000,1048577 --offset 1" ;;
        vecadd) printf '%s\n' "--profile -n 1000,1048577" "--profile -n 1000,1048577 --offset 1" "--profile -n 1000 --memory all" ;;
        matmul)  # the larger shapes: several waves of large tiles, the last one shared or filled, or few in many shares
            printf '%s\n' "--profile -n 33,100" "--profile -t f32 -k fastest -n 1400x4607x190" \
                "--profile -t f32 -k fastest -n 10x301x9001,70x290x3000,1000x5x3000" \
                "--profile -t f32 -k cpu-parallel,tf32x3* -n 1400x4607x190" \
                "--profile -t tf32 -k cpu-parallel,hopper* -n 1400x4608x190" \
                "--profile -t tf32 -k fastest -n 10x301x9001,70x290x3000" \
                "--profile -t bf16 -k fastest -n 1000x1000x1032,2000x3000x136,1300x200x8008,16x512x4096,10x61x9001" \
                "--profile -t f32 -k fastest --batch 3 --transpose a -n 33,190x70x301" \
                "--profile -t bf16 -k fastest --batch 5 --transpose b -n 100,61x200x1001" \
                "--profile -t e4m3 -k cpu-parallel,hopper* -n 2436x2944x192,100x48x4096" \
                "--profile -t bf16 -k cpu-parallel,hopper* -n 2436x2936x190" ;;  # the last wave filled
        *) echo "--profile -n 33,100" ;;
    esac
}

# all_clean_under TOOL SUMMARY: every run of every program ends with this summary.
all_clean_under() {
    local program options
    for program in $(programs); do
        while read -r options; do
            # shellcheck disable=SC2086  # one word per option
            run compute-sanitizer --tool "$1" --error-exitcode 86 "$root/bin/$program" -d gpu $options </dev/null
            if [ "$status" -ne 0 ] || [[ $output != *"$2"* ]]; then
                printf '%s %s under %s: exit status %s\n%s\n' "$program" "$options" "$1" "$status" "$output" | head -60 >&2
                return 1
            fi
        done < <(workloads "$program")
    done
}

@test "every variant of every program is clean under memcheck" { all_clean_under memcheck "ERROR SUMMARY: 0 errors"; }
@test "every variant of every program is clean under racecheck" { all_clean_under racecheck "RACECHECK SUMMARY: 0 hazards displayed"; }
@test "every variant of every program is clean under initcheck" { all_clean_under initcheck "ERROR SUMMARY: 0 errors"; }
@test "every variant of every program is clean under synccheck" { all_clean_under synccheck "ERROR SUMMARY: 0 errors"; }
