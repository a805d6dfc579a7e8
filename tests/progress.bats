#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the simulator's watchdog promises: it ends kernels that hang, and no others, however long they take and however
# busy the machine is.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

PATH=${BIN:-$root/bin}:$PATH
programs=$BATS_TEST_DIRNAME/progress

builds() { capture once "$1" simcc "${@:2}" "$programs/$1.cu" -o "$1" && expect_status 0 && expect_no_errors; }

# ends_well CASE...: all threads of the kernel finish, although it takes far longer than SIMCC_TIMEOUT.
ends_well() {
    local case
    for case; do
        capture ./kernels "$case"
        [[ $status -eq 0 && $output == *" cudaSuccess" && $output != "0 "* ]] || complain "$case" || return
        [ -z "$(grep -v '= ERROR SUMMARY: 0 errors' <<<"$errors")" ] || complain "$case" || return
    done
}

@test "kernels that make progress are not ended: locks, long work, barriers, a kernel that another one waits for" {
    export SIMCC_TIMEOUT=0.1
    builds kernels
    SIMCC_THREADS=1 ends_well play
    SIMCC_THREADS=2 ends_well take-turns run-alone run-one-by-one play pass-barriers wait-for-another-kernel
    SIMCC_TIMEOUT=0.03 SIMCC_THREADS=2 ends_well take-turns-and-meet
}

@test "kernels that make progress are not ended with checkers either, and more worker threads than processors" {
    export SIMCC_TIMEOUT=0.1
    builds kernels -G
    SIMCC_THREADS=24 ends_well take-turns play wait-for-another-kernel
}

@test "kernels that wait or run forever are ended, and the message says which" {
    export SIMCC_TIMEOUT=0.03 SIMCC_THREADS=2
    builds kernels
    capture timeout 60 ./kernels wait-for-ever
    expect_output "0 cudaErrorLaunchTimeout"
    expect_errors_like 'no progress for SIMCC_TIMEOUT=0.03 seconds.*32 threads wait in a loop that polls'
    capture timeout 60 ./kernels run-for-ever
    expect_output "0 cudaErrorLaunchTimeout"
    expect_errors_like 'ended after 0.3 seconds of processor time.*a thread is in a loop that neither ends nor waits'
    capture timeout 60 ./kernels take-turns-for-ever
    expect_output "0 cudaErrorLaunchTimeout"
    expect_errors_like '^simcc: kernel take_turns_for_ever'
}

@test "time counts only if every worker has given all its blocks a turn and nothing has happened" {
    capture "${CXX:-g++}" -std=c++20 -O0 -I"$root" "$programs/launch_watch.cpp" \
        "$root/common/simt/exec/launch_watch.cpp" -o launch_watch
    expect_status 0
    capture ./launch_watch
    expect_status 0
    expect_output "both look again: waited 9.90, worked 3.00
one has no processor: waited 0.00, worked 0.00
none has a processor: waited 0.00, worked 0.00
one works: waited 0.00, worked 9.00
one takes locks: waited 0.00, worked 3.00
a lane takes its first lock in the middle: waited 0.00, worked 1.50
a lane ends in the middle: waited 5.00, worked 1.50
one has left: waited 9.90, worked 3.00
one has a processor now and then: waited 0.00, worked 1.00
stopped for an hour: waited 10.00, worked 3.00
another launch goes on, then has no processor: waited 0.90, worked 3.00"
}

@test "a long run says once which kernel is running, and how far it is" {
    builds kernels
    export SIMCC_THREADS=1
    SIMCC_PROGRESS=0.1 capture ./kernels play
    expect_status 0
    [ "$(grep -c '^simcc: after 0.1 s of kernels, in launch [0-9]* of this run, play has begun [0-9]* of its [0-9]* blocks ' <<<"$errors")" -eq 1 ]
    capture ./kernels play
    expect_no_errors
}
