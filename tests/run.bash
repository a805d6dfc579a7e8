#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs all tests on one backend, one file more at a time than there are processors, as some tests wait:
#     tests/run.bash sim|gpu [FILE.bats]...
# The results of a file are printed, in TAP, when it has ended; the failures are listed again at the end. The very last
# line is "N passed, N failed", with ", N skipped" if there are any. Exits 0 only if tests ran and none failed.
# TEST_JOBS sets how many files run at once, TEST_TIMEOUT after how many seconds a file counts as hung.
# On a GPU as many files run at once as half of the processors, at most eight: programs that set up the GPU wait for one
# another. A file with the line "# Alone on a GPU" waits until these have ended; files with the line "# Needs no GPU" run
# beside them, on the other half of the processors. Each test of a file with the line "# Tests side by side", or "# Tests side by side on a
# GPU", counts as a file of its own: such tests take long, on a GPU because every program has to set it up first. With
# one hardware queue for all streams (CUDA_DEVICE_MAX_CONNECTIONS) that takes half the time; files that run alone, and
# those with the line "# Several streams on a GPU", keep CUDA's default.
set -u

case ${1-} in
    sim) jobs=$(($(nproc) + 1)) ;;
    gpu) jobs=$(($(nproc) / 2 < 8 ? ($(nproc) + 1) / 2 : 8)) ;;
    *) echo "Usage: tests/run.bash sim|gpu [FILE.bats]..." >&2; exit 2 ;;
esac
export GRIDUTILS_DEVICE=$1
shift
jobs=${TEST_JOBS:-$jobs} limit=${TEST_TIMEOUT:-900}
command -v bats >/dev/null || { echo "tests/run.bash: bats is missing; install the package bats" >&2; exit 2; }
cd "$(dirname "$0")" || exit
# Without a GPU hardly any test could pass: devquery says what is missing.
if [ "$GRIDUTILS_DEVICE" = gpu ]; then ../bin/devquery -d gpu --prop name --value >/dev/null || exit; fi

results=$(mktemp -d)
seconds=../build/test-seconds/$GRIDUTILS_DEVICE  # what each file took the last time
mkdir -p "$seconds"
trap 'rm -rf "$results"' EXIT
# Background processes do not get Ctrl-C by themselves.
# shellcheck disable=SC2046  # one argument each
trap 'kill $(jobs -p) 2>/dev/null; wait; exit 130' INT TERM

# Bats counts, but prints the counts only in its pretty format: count its TAP lines, and the tests that a crash left
# out.
report() {
    awk -v file="$1" -v took="$2" -v counts="$results/counts" -v failures="$results/failures" '
        BEGIN { print "# tests/" file ", " took " s" }
        { print }
        /^1\.\.[0-9]+/ { planned = substr($0, 4) + 0 }
        /^not ok / { ++failed; sub(/^not ok [0-9]+ /, ""); print "tests/" file ": " $0 >>failures; next }
        /^ok .* # skip/ { ++skipped; next }
        /^ok / { ++passed }
        END {
            lost = planned ? planned - passed - failed - skipped : 1
            if (lost > 0) {
                text = (planned ? lost " tests" : "the file") " did not run to the end"
                print "# " text
                print "tests/" file ": " text >>failures
                failed += lost
            }
            print passed + 0, failed + 0, skipped + 0 >>counts
        }' "$results/$1.tap"
}

# A job is a file, or FILE.N, its Nth test. Runs in the background; its results are printed in one piece.
run_job() {
    local begin=$SECONDS file=${1%.bats*}.bats filter=() bats
    if [ "$file" != "$1" ]; then filter=(--filter "^$(title "$file" "${1##*.}")\$"); fi
    if grep -q '^# Several streams on a GPU' "$file"; then unset CUDA_DEVICE_MAX_CONNECTIONS; fi
    mkdir "$results/$1.files"
    BATS_FILE_TMPDIR=$results/$1.files timeout --kill-after=10 "$limit" bats --tap "${filter[@]}" "$file" >"$results/$1.tap" 2>&1 &
    bats=$!
    trap 'kill "$bats" 2>/dev/null; wait; exit 1' TERM
    wait "$bats"
    if [ $? -eq 124 ]; then echo "# ended after $limit s" >>"$results/$1.tap"; fi
    echo $((SECONDS - begin)) >"$seconds/$1"
    exec 9>"$results/lock"
    flock 9
    report "$1" $((SECONDS - begin))
}

# The title of the Nth test of a file, as a regular expression.
title() {
    grep '^@test "' "$1" | sed -n "$2"'{ s/^@test "//; s/" {.*$//; s/[][(){}.*+?^$|\\]/\\&/g; p }'
}

# run_jobs MOST JOB...
run_jobs() {
    local most=$1 job
    shift
    for job; do
        while [ "$(jobs -rp | wc -l)" -ge "$most" ]; do wait -n; done
        run_job "$job" &
    done
    wait
}

# shellcheck disable=SC2046  # one argument each
in_background() {
    trap 'kill $(jobs -p) 2>/dev/null; wait; exit 1' TERM
    run_jobs "$@"
}

jobs_of() {
    local file
    for file; do
        if grep -q "^# Tests side by side\( on a ${GRIDUTILS_DEVICE^^}\)\?\$" "$file"; then
            seq -f "$file.%g" "$(grep -c '^@test "' "$file")"
        else
            echo "$file"
        fi
    done
}

# An estimate for a job that has not run yet: long for a file with the line "# Takes long", by the number of lines for
# others.
guess() {
    if grep -q '^# Takes long' "$1"; then echo 100; else echo $(($(wc -l <"$1") / 5)); fi
}

# The jobs that took longest the last time come first.
sorted() {
    local job
    for job; do
        echo "$(cat "$seconds/$job" 2>/dev/null || guess "${job%.bats*}.bats") $job"
    done | sort -rn | cut -d ' ' -f 2
}

beside=() alone=() elsewhere=()
if [ $# -eq 0 ]; then set -- *.bats; fi
# shellcheck disable=SC2046  # one argument each
for job in $(sorted $(jobs_of "${@##*/}")); do
    if [ "$GRIDUTILS_DEVICE" = gpu ] && grep -q '^# Alone on a GPU' "${job%.bats*}.bats"; then
        alone+=("$job")
    elif [ "$GRIDUTILS_DEVICE" = gpu ] && grep -q '^# Needs no GPU' "${job%.bats*}.bats"; then
        elsewhere+=("$job")
    else
        beside+=("$job")
    fi
done
in_background "$jobs" "${elsewhere[@]}" &
CUDA_DEVICE_MAX_CONNECTIONS=1 in_background "$jobs" "${beside[@]}" &
wait $!
in_background 1 "${alone[@]}" &
wait

if [ -s "$results/failures" ]; then printf '# Failed:\n' && sed 's/^/#     /' "$results/failures"; fi
awk '{ passed += $1; failed += $2; skipped += $3 }
    END {
        printf "%d passed, %d failed%s\n", passed, failed, skipped ? ", " skipped " skipped" : ""
        exit failed > 0 || passed == 0
    }' "$results/counts"
