#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the checked simulator's tests again and again with 1 to 32 worker threads: results must not depend on the number
# of threads, nor on how the machine schedules them.
#
#     tests/long/stress.bash [-n RUNS] [-j JOBS] [-s SECONDS] [-k PATTERN] [FOLDER]
#
# Runs each program of tests/check (with its defect, and corrected), each program of tests/simcc built by simcc -G, and
# each benchmark with --check RUNS (50) times; JOBS (1) at once, and no new ones after SECONDS (540). Every run has
# another number of threads. PATTERN, a regular expression, selects tests by name.
#
# A corrected case must be clean; a defect must be found with the title in its source; all others must have the same exit
# status, output and findings as with one thread, in any order of lines. The output of wrong runs is kept in FOLDER. The
# table at the end has a row for each test that was wrong, and for the slowest ones; the last line counts all runs. Exits
# 1 if any run was wrong.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
export root PATH=$root/bin:$PATH LC_ALL=C SIMCC_TIMEOUT=${SIMCC_TIMEOUT-3}

runs=50 jobs=1 seconds=540 pattern=.
while getopts n:j:s:k: option; do
    case $option in
        n) runs=$OPTARG ;;
        j) jobs=$OPTARG ;;
        s) seconds=$OPTARG ;;
        k) pattern=$OPTARG ;;
        *) sed -n '5s/^# *//p' "$0" >&2; exit 2 ;;
    esac
done
shift $((OPTIND - 1))
logs=${1-$(mktemp -d)}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$logs" || exit
export logs scratch

# ---- the tests: NAME, then how to run it

build() { simcc -G -O2 "$root/tests/$1.cu" -o "$scratch/$(basename "$1")"; }
export -f build

# The single-file programs of a folder of tests.
programs_of() {
    local file
    for file in "$root/tests/$1"/*.cu; do
        grep -q '\bmain(' "$file" && ! grep -q -e separate -e events_client "$file" && echo "$1/$(basename "$file" .cu)"
    done
}

list_tests() {
    local program name case
    for program in $(programs_of check); do
        name=${program#*/}
        case $name in own_operators | count_* | ending | abandoned | memory_host) continue ;; esac
        # (Only these take an argument for the corrected case.)
        grep -q cases.cuh "$root/tests/$program.cu" || continue
        for case in $(grep -o '{"[a-z0-9-]*"' "$root/tests/$program.cu" | tr -d '{"' | sort -u); do
            grep -q "@$case [A-Z]" "$root/tests/$program.cu" && echo "$name $case"
            echo "$name $case fixed"
        done
    done
    for program in $(programs_of simcc); do echo "${program#*/}"; done
    echo "reduce -n 64Ki"
    echo "vecadd -n 65537"
    echo "matmul -n 65"
    echo "streams"
}

# ---- one run

# The findings, without parts that may differ between runs: threads, numbers of hazards, addresses.
findings() { grep -E '^=+ (Error|Warning|Info|[A-Z][a-z]+ .*rror|Invalid|Uninit|Malloc)' "$1" | sed -E 's/\[[0-9]+ hazards?\]//; s/0x[0-9a-f]+//g' | sort -u; }

# The output, sorted: threads of different blocks print in no order.
lines_of() { sort "$1"; }

# is_right NAME CASE FIXED STATUS OUTPUT ERRORS EXPECTED
is_right() {
    local title
    if [ "$3" = fixed ]; then
        [ "$4" -eq 0 ] && [ "$(cat "$6")" = "========= ERROR SUMMARY: 0 errors" ]
    elif [ -f "$root/tests/check/$1.cu" ]; then
        title=$(sed -n "s/.*@$2 \([A-Z].*\)/\1/p" "$root/tests/check/$1.cu" | head -1)
        [ "$1 ${SIMCC_SCHEDULE-}" = "schedules " ] || grep -qF -- "========= $title" "$6"
    else
        [ "$4" -eq "$(cat "$7.status")" ] && [ "$(lines_of "$5")" = "$(lines_of "$7.out")" ] && [ "$(findings "$6")" = "$(findings "$7.err")" ]
    fi
}

# execute BASE TEST...: leaves BASE.out, BASE.err and BASE.status.
execute() {
    local base=$1 name=$2 status=0
    shift 2
    if [ -x "$scratch/$name" ]; then
        (
            cd "$scratch" || exit
            case ${1-} in *-devices) export SIMCC_DEVICES=2 ;; esac
            timeout -k 5 120 "./$name" "$@"
        ) >"$base.out" 2>"$base.err" || status=$?
    else
        # (Its rows contain times, which differ between runs.)
        timeout -k 5 120 "$root/bin/$name" --check "$@" >/dev/null 2>"$base.err" || status=$?
        : >"$base.out"
    fi
    echo "$status" >"$base.status"
}

# one_run NUMBER THREADS TEST: a line "TEST<tab>THREADS<tab>ok or wrong<tab>SECONDS" in results.
one_run() {
    local number=$1 threads=$2 test=$3 base verdict=ok begin=${EPOCHREALTIME/./} name case fixed
    [ "$(date +%s)" -lt "$deadline" ] || return 0
    base=$scratch/run.$number
    read -r name case fixed <<<"$test"
    export SIMCC_THREADS=$threads
    # shellcheck disable=SC2086
    execute "$base" $test
    is_right "$name" "$case" "$fixed" "$(cat "$base.status")" "$base.out" "$base.err" "$scratch/expected.${test// /.}" || verdict=wrong
    printf '%s\t%s\t%s\t%s\n' "$test" "$threads" "$verdict" $(((${EPOCHREALTIME/./} - begin) / 1000)) >>"$scratch/results"
    if [ "$verdict" = wrong ]; then
        for part in out err status; do cp "$base.$part" "$logs/${test// /.}.$threads.$number.$part"; done
        echo "wrong: SIMCC_THREADS=$threads $test: status $(cat "$base.status"), $(grep -m 1 -E '^=+ |^simcc' "$base.err" | cut -c-140)"
    fi
    rm -f "$base".*
}
export -f one_run execute is_right findings lines_of

# ---- all of them

list_tests | grep -E -- "$pattern" >"$scratch/tests"
{ programs_of check; programs_of simcc; } | while read -r program; do
    grep -q "^$(basename "$program")\b" "$scratch/tests" && echo "$program"
done | xargs -P "$(nproc)" -n 1 bash -c 'build "$@"' build
while read -r test; do
    name=${test%% *}
    [ -f "$root/tests/check/$name.cu" ] && continue
    export SIMCC_THREADS=1
    # shellcheck disable=SC2086
    execute "$scratch/expected.${test// /.}" $test
done <"$scratch/tests"

deadline=$(($(date +%s) + seconds))
export deadline
: >"$scratch/results"
number=0
for ((run = 0; run < runs; ++run)); do
    while read -r test; do
        number=$((number + 1))
        # Every test runs with every number of threads, most often with those around the number of processors.
        threads=$(((run * 7 + number) % 32 + 1))
        [ $((run % 3)) -ne 0 ] || threads=$(($(nproc) / 2 + number % $(nproc) + 1))
        printf '%s\0%s\0%s\0' "$number" "$threads" "$test"
    done <"$scratch/tests"
done | xargs -0 -n 3 -P "$jobs" bash -c 'one_run "$@"' one_run

# Wrong tests first, then the slowest of the others.
rows() {
    awk -F '\t' '
        { ++runs[$1]; sum[$1] += $4; if ($4 > most[$1]) most[$1] = $4 }
        $3 == "wrong" { ++wrong[$1]; if (!seen[$1, $2]++) threads[$1] = threads[$1] " " $2 }
        END { for (test in runs) {
            order = (wrong[test] ? 1000000000 : 0) + most[test]
            printf "%d\t%-40s %6d %6d %8d %8d %s\n", order, test, runs[test], wrong[test], sum[test] / runs[test], most[test], threads[test]
        } }' "$scratch/results" | sort -n -r
}

wrong=$(grep -c "$(printf '\twrong\t')" "$scratch/results")
printf '\n%-40s %6s %6s %8s %8s  %s\n' test runs wrong mean_ms max_ms "threads of wrong runs"
rows | awk -F '\t' '$1 >= 1000000000 || ++others <= 12 { print $2 }'
echo "$(wc -l <"$scratch/results") runs of $(wc -l <"$scratch/tests") tests on $(nproc) processors, $wrong wrong"
[ "$wrong" -eq 0 ]
