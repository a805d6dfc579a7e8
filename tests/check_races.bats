#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What racecheck and synccheck promise: every defect of the programs in tests/check is found at its line, and the same
# kernels with the missing synchronization give no finding.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

PATH=${BIN:-$root/bin}:$PATH
programs=$BATS_TEST_DIRNAME/check
export SIMCC_TIMEOUT=3

# cases PROGRAM: the names of its table of cases, of which there is at least one.
cases() {
    grep -o '{ *"[a-z0-9-]*"' "$programs/$1.cu" | tr -d '{" ' | grep . || complain "$1.cu: expected a table of cases"
}

builds() { capture once "$1" simcc -G -O2 "$programs/$1.cu" -o "$1" && expect_status 0 && expect_no_errors; }

# finds PROGRAM CASE: the finding that the source announces, with every line that it marks.
finds() {
    local title line
    title=$(sed -n "s/.*@$2 \([A-Z].*\)/\1/p" "$programs/$1.cu" | head -1)
    [ -n "$title" ] || complain "$1.cu: no line is marked @$2 with a title" || return
    capture "./$1" "$2"
    [[ $errors == *"========= $title"* ]] || complain "expected a finding that begins with: $title" || return
    case $title in Info*) ;; *) expect_status 86 || return ;; esac
    for line in $(grep -n "@$2\>" "$programs/$1.cu" | cut -d : -f 1); do
        expect_errors_like "$1.cu:$line([^0-9]|$)" || return
    done
}

# is_clean PROGRAM CASE: nothing is wrong with the corrected kernels.
is_clean() {
    capture "./$1" "$2" fixed
    expect_status 0 && [ "$errors" = "========= ERROR SUMMARY: 0 errors" ] || complain "$1 $2: expected no finding"
}

finds_all() {
    local case names
    builds "$1" || return
    names=$(cases "$1") || return
    for case in $names; do finds "$1" "$case" || { echo "case: $case" >&2; return 1; }; done
}

all_clean() {
    local case names
    builds "$1" || return
    names=$(cases "$1") || return
    for case in $names; do is_clean "$1" "$case" || return; done
}

@test "races in shared memory are found at both lines" { finds_all race_shared; }
@test "ordered accesses to shared memory are no races" { all_clean race_shared; }
@test "races in global memory, between blocks, launches and streams, are found at both lines" { finds_all race_global; }
@test "fences, locks, flags, grid barriers, events and synchronization order accesses to global memory" {
    all_clean race_global
}
@test "the order that a kernel learns from a flag holds for later kernels, copies and the host" {
    local threads
    export SIMCC_DEVICES=2
    for threads in 1 3; do
        SIMCC_THREADS=$threads all_clean race_learned || return
    done
    finds_all race_learned
}
@test "copies and fills of variables beside kernels that use them are found" { finds_all race_variables; }
@test "copies and fills of variables that are ordered, or touch other elements, are no races" { all_clean race_variables; }
@test "nodes of a graph are ordered by its edges alone" {
    all_clean race_graphs && finds_all race_graphs
}
@test "races on parts of words are found, also with copies and fills" { finds_all race_parts; }
@test "bytes and halves that are ordered, or lie side by side, are no races" { all_clean race_parts; }
@test "a report names a thread that made the access, or its warp if no more is known" {
    builds race_parts
    capture ./race_parts copy-of-bytes
    expect_errors_like ' by thread \(0,0,0\) in block \(0,0,0\)'
    capture ./race_parts two-readers
    expect_errors_like ' by a thread of warp 1 in block \(0,0,0\)'
    capture ./race_parts reader-of-last-warp
    expect_errors_like 'Read access by a thread of warp 2 in block \(0,0,0\)'
}
@test "barriers and warp functions that not all threads reach are found" { finds_all sync; }
@test "threads that reach a kernel's end without passing a barrier or a warp function are found" { finds_all sync_exits; }
@test "threads that leave a kernel by an early return give no finding" { all_clean sync_exits; }
@test "a report says which threads wait where" {
    builds sync
    capture ./sync never-comes
    expect_errors_like ' 31 threads wait for lanes of their warp \(__syncwarp\), [^ ]*sync\.cu:[0-9]+, first \(0,0,0\)'
}

@test "correct barriers, masks and shuffles give no finding" { all_clean sync; }

@test "random schedules find the same races, and none in correct kernels" {
    local seed case
    builds race_shared
    builds race_global
    for seed in 1 2; do
        export SIMCC_SCHEDULE=random:$seed
        for case in missing-barrier tile-reuse counter partial-mask; do finds race_shared "$case" || return; done
        all_clean race_shared
        all_clean race_global
    done
}

@test "lanes of a warp that wait for each other hang in lockstep, and only there: both places are named" {
    local case
    builds schedules
    for case in lane-spinlock lane-handshake lane-function; do
        SIMCC_SCHEDULE=independent is_clean schedules $case || return
        SIMCC_SCHEDULE=independent capture ./schedules $case
        expect_status 0 && expect_errors_like "ERROR SUMMARY: 0 errors" || return
        # A tenth of SIMCC_TIMEOUT is enough.
        export SIMCC_SCHEDULE=lockstep
        is_clean schedules $case || return
        finds schedules $case || return
        expect_errors_like 'threads wait in a loop that polls, [^ ]*schedules\.cu:[0-9]+' || return
        expect_errors_like 'held back by lanes of the same warp that wait, schedules\.cu:[0-9]+, first' || return
        expect_errors_like "With the schedule 'independent', as on a GPU since Volta, they go on" || return
    done
    capture ./schedules lane-handshake
    expect_errors_like ' 32 threads are held back .*, first \(1,0,0\)'
    # Without checks, nothing else would report it.
    SIMCC_CHECK=none capture ./schedules lane-handshake
    expect_errors_like '^simcc: kernel handshake<false>, block \(0,0,0\): deadlock, .* which lockstep holds back'
    [[ $errors != *SUMMARY* ]]
}

@test "a program without checks refuses a schedule that it would ignore" {
    once fast simcc -O1 "$programs/schedules.cu" -o fast
    SIMCC_SCHEDULE=lockstep capture ./fast sum
    expect_status 3
    expect_errors_like '^fast: SIMCC_SCHEDULE=lockstep: this program was built without --check'
    SIMCC_SCHEDULE=independent capture ./fast sum
    expect_status 0
    expect_output 10000
}

@test "every schedule computes the same results" {
    local schedule
    builds schedules
    for schedule in independent lockstep random:1 random:2 random:3; do
        export SIMCC_SCHEDULE=$schedule
        capture ./schedules sum
        expect_status 0
        expect_output 10000
        finds schedules reset || return
        is_clean schedules reset || return
    done
}

# races PROGRAM CASE: its reported races, without the names of threads and the number of occurrences.
races() {
    capture "./$1" "$2"
    grep -A 1 -E '^=+ (Error|Warning|Info)' <<<"$errors" | sed -E 's/ \[.* hazards?\]//; /by (a )?thread/d' | sort
}

@test "every run reports the same races, on any number of worker threads" {
    local schedule program case expected found threads
    builds schedules
    builds race_global
    builds race_shared
    export SIMCC_SCHEDULE
    while read -r schedule program case; do
        SIMCC_SCHEDULE=$schedule
        expected=$(SIMCC_THREADS=1 races "$program" "$case")
        for threads in 2 2 3 8; do
            SIMCC_THREADS=$threads
            export SIMCC_THREADS
            found=$(races "$program" "$case")
            if [ "$found" != "$expected" ]; then
                printf '%s, %s, %s threads:\n%s\n--- with one thread:\n%s\n' "$case" "$schedule" "$threads" "$found" "$expected"
                return 1
            fi
        done
    done <<-'CASES'
	random:3 schedules reset
	random:3 schedules reset
	random:3 race_global two-streams
	random:3 race_global counter
	random:3 race_global early-look
	independent race_global look-back
	independent race_global store-after-fence
	independent race_shared no-wait
CASES
    # Whether the memory still exists when the kernel touches it is also a matter of chance.
    for threads in 1 4; do
        SIMCC_THREADS=$threads capture ./race_global after-free
        expect_errors_like 'cudaErrorLaunchFailure \(error 719\)' || return
    done
}

@test "all races of three accesses are found, whichever comes first" {
    local case count order expected found
    # Where a kernel is inlined, the simulator's function for the launch statement is no frame of the user's.
    simcc -G -O2 "$programs/race_orders.cu" -o inlined
    capture ./inlined stores 012
    expect_errors_like 'Device Frame: void accesses<Stores>'
    [[ $errors != *'Device Frame: _Z'* && $errors != *'Device Frame: decltype'* ]] || complain "not the user's frame"
    builds race_orders
    export SIMCC_THREADS=1
    while read -r case count; do
        expected=
        for order in 012 120 201; do
            if [[ $case == *-of-a-block && $order == 201 ]]; then continue; fi
            capture ./race_orders "$case" $order
            found=$(grep -c ': Race reported' <<<"$errors" || true)
            [ "$found" -eq "$count" ] || complain "$case, turns $order: expected $count races" || return
            found=$(grep -o 'race_orders.cu:[0-9]*$\|race_orders.cu:[0-9]* \[\|SUMMARY' <<<"$errors" | tr -dc '0-9\n' | paste - - | sort)
            [ "$found" = "${expected:=$found}" ] || complain "$case, turns $order: expected the lines $expected" || return
        done
    done < <(grep -o '@[a-z-]* [0-9]*$' "$programs/race_orders.cu" | tr -d @)
    [ -n "$expected" ]
}

@test "no race is lost when blocks use a word at the same moment" {
    local run
    builds race_orders
    for run in 1 2 3 4 5 6; do
        SIMCC_THREADS=$((run + 1)) capture ./race_orders at-once
        found=$(grep -o '[0-9,]* hazards' <<<"$errors" | tr -dc '0-9\n')
        [ "${found:-0}" -ge 2000 ] || complain "run $run: expected 2000 hazards or more, found ${found:-none}" || return
    done
}

@test "a launch that the watchdog ends leaves nothing locked, whatever its threads were doing" {
    local flags
    for flags in "-G -O2" "-O2"; do
        # shellcheck disable=SC2086
        simcc $flags "$programs/abandoned.cu" -o abandoned
        SIMCC_TIMEOUT=0.01 SIMCC_THREADS=4 capture timeout 120 ./abandoned
        [ "$(sort <<<"$output" | uniq -c | tr -s ' ')" = " 6 cudaErrorLaunchTimeout" ] || complain "simcc $flags: it hangs" ||
            return
    done
}

# hundredths COMMAND...: sets $hundredths to the processor time that it took, in hundredths of a second.
hundredths() {
    local TIMEFORMAT='%U'
    { time "$@" >/dev/null 2>&1 || true; } 2>took
    hundredths=$(tr -d . <took | sed 's/^0*\(.\)/\1/; s/.$//')
}

@test "order that threads establish through many variables is tracked quickly, whatever their turns" {
    simcc -G -O2 "$BATS_TEST_DIRNAME/simcc/cxx_atomics.cu" -o cxx_atomics
    export SIMCC_THREADS=1 SIMCC_SCHEDULE=random:1
    capture ./cxx_atomics
    expect_status 0
    hundredths ./cxx_atomics
    local most=300
    [ -z "${QEMU_LD_PREFIX-}" ] || most=3000 # an emulator takes several times as long
    [ "$hundredths" -lt $most ] || complain "it took $hundredths hundredths of a second"
}

@test "a mistake of every thread of a large grid is reported once, within the time of a few correct runs" {
    [ "${SANITIZE-}" != address ] || skip "a sanitizer costs time"
    local case names faulty=0 correct=0
    finds_all every_thread
    all_clean every_thread
    names=$(cases every_thread)
    export SIMCC_THREADS=2  # with many, processor time depends on how they meet
    for case in $names; do
        hundredths ./every_thread "$case"
        faulty=$((faulty + hundredths))
        hundredths ./every_thread "$case" fixed
        correct=$((correct + hundredths))
    done
    [ "$faulty" -lt $((3 * correct + 80)) ] || complain "the defects took $faulty hundredths of a second, correct kernels $correct"
}

@test "after 4 billion blocks racecheck says what it has forgotten, and goes on" {
    cat >many.cu <<'END'
#include <cstdio>
#include <cstdlib>
__global__ void end_at_once() { __trap(); }
__global__ void racy(int* word) { *word = static_cast<int>(threadIdx.x); }
int main(int, char** arguments) {
    for (int i = 0; i < std::atoi(arguments[1]); ++i) {
        end_at_once<<<1 << 30, 1>>>();
        cudaDeviceSynchronize();
        cudaDeviceReset();
    }
    int* word = nullptr;
    cudaMalloc(&word, sizeof *word);
    racy<<<1, 32>>>(word);
    std::printf("%d\n", cudaDeviceSynchronize());
}
END
    simcc -G many.cu -o many
    local launches
    for launches in 3 4; do
        capture ./many $launches
        expect_errors_like 'Race reported between Write access at racy' || return
        [ "$(grep -c 'simcc: racecheck: 4 billion blocks have run' stderr)" -eq $((launches - 3)) ] ||
            complain "$launches launches" || return
    done
}
