#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Kernels that launch kernels, in programs that simcc builds: the order and visibility that CUDA's programming guide
# promises hold in fast and in checked builds, with any number of threads.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

load helpers

PATH=${BIN:-$root/bin}:$PATH
programs=$BATS_TEST_DIRNAME/simcc

# builds PROGRAM [OPTION]...: compiles tests/simcc/PROGRAM.cu to ./PROGRAM silently.
builds() {
    local program=$1
    shift
    if [ "${SANITIZE-}" = thread ] && [[ " $* " == *" -G "* ]]; then skip "no checkers beside ThreadSanitizer"; fi
    capture once "$program" simcc "$@" "$programs/$program.cu" -o "$program"
    expect_status 0 && expect_no_errors && expect_output ""
}

# The output of device_launches except its last line, the error of a child.
expected="deepest 24, then cudaErrorLaunchMaxDepthExceeded
3 13 23 33
1 11 21 31
2 12 22 32
0 after 8 steps
6 1 1 1 2 2 2 6 1 1 1 2 2 2 
7 10 0x1010101 0
cudaErrorInvalidConfiguration
cudaErrorInvalidConfiguration
cudaSuccess
cudaErrorInvalidValue
cudaErrorInvalidValue
cudaErrorInvalidValue
cudaErrorInvalidValue
cudaErrorInvalidResourceHandle
cudaErrorInvalidValue
cudaSuccess
cudaErrorInvalidValue
cudaSuccess
on the host cudaSuccess
0 1 1024 1 0 43 0
2048 ran, 952 were refused: cudaErrorLaunchPendingCountExceeded
5048 ran, 952 were refused: cudaErrorLaunchPendingCountExceeded
8192 events, no room for 1808, other errors 0 0
26 3 3
12 13
1"

@test "children see writes before their launch, tail launches those of children, and each thread has its own errors" {
    # (nvcc needs these options for it.)
    builds device_launches -Wall -Wextra -rdc=true -arch=sm_90 -lcudadevrt
    local threads
    for threads in 1 2 3 16; do
        capture env SIMCC_THREADS=$threads ./device_launches
        expect_status 0
        expect_errors_like '^simcc: kernel set, block \(0,0,0\): illegal memory access at 0; '
        expect_output "$expected
cudaErrorIllegalAddress"
    done
}

@test "a checked build does the same, and names the place in the child" {
    builds device_launches -G -O1
    local threads
    for threads in 1 3; do
        capture env SIMCC_THREADS=$threads ./device_launches
        expect_status 86
        [ "$(grep -v ==== <<<"$output")" = "$expected
cudaErrorLaunchFailure" ] || complain "expected what the fast build prints"
        expect_errors_like "Invalid __global__ write of size 4 bytes.*at set\(int\*, int\)\+0x[0-9a-f]* in .*device_launches.cu:66"
        expect_errors_like "at kernel launch time.* main in .*device_launches.cu"
        expect_errors_like "ERROR SUMMARY: 2 errors"
    done
}

@test "work in a device stream begins only when the work before it, with all its descendants, has ended" {
    builds device_order
    local threads
    for threads in 1 2 3 16; do
        capture env SIMCC_THREADS=$threads ./device_order 1 60
        expect_status 0
        expect_output "0 wrong"
    done
}

@test "a child that waits forever is ended by name, and all later work with it" {
    cat >waits.cu <<'CU'
#include <cstdio>
__global__ void waits(volatile int* flag) { while (*flag == 0) {} }
__global__ void set(int* p) { *p = 1; }
__global__ void parent(int* p) {
    waits<<<1, 1>>>(p);
    set<<<1, 1>>>(p + 1);
    set<<<1, 1, 0, cudaStreamTailLaunch>>>(p + 2);
}
int main() {
    int* p;
    cudaMallocManaged(&p, 3 * sizeof(int));
    parent<<<1, 1>>>(p);
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s %d %d\n", cudaGetErrorName(error), p[1], p[2]);
}
CU
    capture simcc waits.cu -o waits
    expect_status 0
    capture env SIMCC_TIMEOUT=0.5 SIMCC_THREADS=2 ./waits
    expect_output "cudaErrorLaunchTimeout 0 0"
    expect_errors_like "kernel waits, block \(0,0,0\): no progress"
}

# cases FIRST LAST: the names of the cases of race_children between these two comments of its source.
cases() { sed -n "/^\/\/ ---- $1/,/^\/\/ ---- $2/s/^__global__ void \([a-z_]*\)(int\* p).*/\1/p" check/race_children.cu; }

@test "launches, streams, events and tail launches order accesses of parents, children and siblings: no races" {
    programs=$BATS_TEST_DIRNAME/check builds race_children -G -O1
    ln -s "$BATS_TEST_DIRNAME/check" check
    export SIMCC_CHECK=all
    local threads names
    names=$(cases right wrong)
    [ "$(wc -w <<<"$names")" = 7 ] || complain "cases: $names"
    for threads in 1 2 3 16; do
        # shellcheck disable=SC2086  # names
        capture env SIMCC_THREADS=$threads ./race_children $names
        expect_status 0
        [ "$errors" = "========= ERROR SUMMARY: 0 errors" ] || complain "expected no finding"
    done
    # Neither do random device streams and events give a race.
    builds device_order -G -O1
    capture env SIMCC_THREADS=3 ./device_order 1 5
    expect_status 0
    expect_output "0 wrong"
    [ "$errors" = "========= ERROR SUMMARY: 0 errors" ] || complain "expected no finding"
}

@test "unordered parents and children race, and so do unordered siblings; each finding names its lines" {
    programs=$BATS_TEST_DIRNAME/check builds race_children -G -O1
    ln -s "$BATS_TEST_DIRNAME/check" check
    export SIMCC_CHECK=all
    local name line
    for name in $(cases wrong end); do
        capture ./race_children "$name"
        expect_status 86 || { echo "case: $name" >&2; return 1; }
        case $name in
        *_pointer) expect_errors_like "Pointer to __${name%_pointer}__ memory passed to a kernel" ;;
        *) expect_errors_like "Race reported between" && expect_errors_like "ERROR SUMMARY: 1 error" ;;
        esac
        for line in $(grep -n "@$name\>" check/race_children.cu | cut -d : -f 1); do
            expect_errors_like "race_children.cu:$line([^0-9]|$)" || { echo "case: $name" >&2; return 1; }
        done
    done
}
