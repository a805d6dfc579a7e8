#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What simcc promises about programs that would be wrong without a word: a kernel that dies says so, host memory is out
# of its reach, -run checks, and code for the lockstep of old GPUs gets it.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

PATH=${BIN:-$root/bin}:$PATH
programs=$BATS_TEST_DIRNAME/simcc

has_checkers() {
    if [ "${SANITIZE-}" = thread ]; then skip "no checkers beside ThreadSanitizer"; fi
}

# says CASE TEXT LINE: ./unasked CASE prints TEXT, and the pattern LINE is the one line on standard error.
says() {
    capture ./unasked "$1"
    expect_status 0 && expect_output "$2" || return
    [[ $errors =~ ^$3$ ]] && [ "$(wc -l <<<"$errors")" -eq 1 ] || complain "$1: expected one line like: $3"
}

is_quiet() {
    capture ./unasked "$1"
    expect_status 0 && expect_output "$2" && expect_no_errors
}

@test "a kernel that dies says which, where and why in one line, though the program never asks" {
    capture once unasked simcc "$programs/unasked.cu" -o unasked
    expect_status 0
    expect_no_errors
    local host='access to host memory at 0x[0-9a-f]+, which a GPU cannot reach; give kernels memory of cudaMalloc or cudaMallocManaged'
    SIMCC_THREADS=1 says null -1 'simcc: kernel store, block \(0,0,0\): illegal memory access at 0; simcc -G says in which line'
    for case in heap stack static; do
        says $case -1 "simcc: kernel load, block \\(0,0,0\\): $host" || return
    done
}

@test "a launch that was refused is told at the end if nothing asked why, and only then" {
    capture once unasked simcc "$programs/unasked.cu" -o unasked
    says refused -1 'simcc: kernel store<<<\(1,1,1\), \(2048,1,1\)>>> did not run, and nothing asked why \(cudaGetLastError\): cudaErrorInvalidConfiguration, invalid configuration argument'
    is_quiet asked "cudaErrorInvalidConfiguration
-1"
}

@test "pointers to host memory that no kernel follows, registered memory and memory of a kernel's new are right" {
    capture once unasked simcc "$programs/unasked.cu" -o unasked
    is_quiet unused 0
    is_quiet registered 15
    is_quiet none -1
    capture once made simcc "$programs/made_by_kernel.cu" -o made
    capture ./made
    expect_output 42 && expect_no_errors
}

@test "-run checks, -no-check does not, and neither looks like -G to the program" {
    has_checkers
    cat >beyond.cu <<'CU'
__global__ void k(char* p) { p[threadIdx.x] = 1; }
int main() {
    char* p;
    cudaMalloc(&p, 99);
    k<<<1, 100>>>(p);
#ifdef __CUDACC_DEBUG__
    return 7;
#endif
    return cudaDeviceSynchronize();
}
CU
    capture simcc -run beyond.cu
    expect_status 86
    expect_errors_like 'Invalid __global__ write of size 1 byte.*at k\(char\*\)\+0x[0-9a-f]+ in beyond.cu:1'
    capture simcc -run -no-check beyond.cu
    expect_status 0
    expect_no_errors
    try simcc -no-check beyond.cu
    expect_status 2
    try simcc -no-check -G -run beyond.cu
    expect_status 2
    need clang++
    CXX=clang++ capture simcc -run beyond.cu  # which cannot check
    expect_status 0
    expect_no_errors
}

@test "warps that depend on lockstep are right with --schedule lockstep, and by themselves before sm_70" {
    has_checkers
    capture once independent simcc "$programs/warp_steps.cu" -o independent
    expect_status 0
    expect_errors_like 'warp_steps.cu:7:5: warning: this depends on the lockstep of warps before Volta: add __syncwarp'
    capture ./independent
    expect_output_like '^wrong, '
    capture once lockstep simcc --schedule lockstep "$programs/warp_steps.cu" -o lockstep
    expect_status 0
    expect_no_errors
    capture ./lockstep
    expect_status 0
    expect_output "right, 496, 1520"
    expect_no_errors
    SIMCC_SCHEDULE=independent capture ./lockstep
    expect_output_like '^wrong, '
    capture once old simcc -arch=sm_60 "$programs/warp_steps.cu" -o old
    expect_status 0
    [[ $errors =~ ^[^:]*warp_steps.cu:7:5:\ warning:\ this\ depends\ on\ the\ lockstep\ of\ warps\ before\ Volta\ \(-arch\ sm_60\):\ compiled\ as\ with\ --schedule\ lockstep$ ]] ||
        complain "expected one line"
    capture ./old
    expect_output "right, 496, 1520"
    expect_no_errors
    capture once chosen simcc -arch=sm_60 -schedule independent "$programs/warp_steps.cu" -o chosen
    expect_status 0
    expect_no_errors
    capture ./chosen
    expect_output_like '^wrong, '
    try simcc -schedule random "$programs/warp_steps.cu"
    expect_status 2
}

@test "steps of a warp are recognized, and loops of one thread, barriers and global arrays are not taken for them" {
    steps() {
        printf '__global__ void k(float* g, int n) {\n__shared__ float s[64];\nint t = threadIdx.x;\n%s\ng[t] = s[t];\n}\nint main() {}\n' "$1" >steps.cu
        capture simcc -arch sm_50 -cuda steps.cu -o steps.ii
        expect_status 0
    }
    local text
    for text in 's[t] += s[t + 2]; s[t] += s[t + 1];' 'if (n > 4) { s[t] += s[t + 2]; }
if (n > 2) { s[t] = s[t] + s[t + 1]; }' 'for (int d = 16; d > 0; d /= 2) s[t] += s[t + d];' 'while (n > 0) { s[t] *= s[t ^ n]; n /= 2; }'; do
        steps "$text" && expect_errors_like 'steps.cu:4:[0-9]+: warning: this depends on the lockstep of warps' || return
    done
    for text in 's[t] += s[t + 2]; __syncthreads(); s[t] += s[t + 1];' 'if (n) s[t] += s[t + 2]; else s[t] += s[t + 1];' \
        'if (t == 0) for (int i = 1; i < 64; ++i) s[i] += s[i - 1];' 'for (int d = 16; d > 0; d /= 2) { s[t] += s[t + d]; __syncwarp(); }' \
        'for (int i = 1; i < 64; ++i) s[0] += s[i];' 's[t] += s[t]; s[t] += 1;' 'g[t] += g[t + 2]; g[t] += g[t + 1];'; do
        steps "$text" && expect_no_errors || return
    done
}

@test "a race of lanes in a warp names lockstep as the remedy" {
    has_checkers
    capture once checked simcc -G "$programs/warp_steps.cu" -o checked
    SIMCC_CHECK=racecheck capture ./checked
    expect_status 86
    expect_errors_like 'in one warp, whose lanes need not advance in lockstep: __syncwarp\(\) orders them, and simcc --schedule lockstep runs them'
}

@test "unsigned indices of shared memory wrap at 32 bits, checked or not" {
    has_checkers
    capture once wrapped simcc -Wall -Wextra "$programs/wrapped_indices.cu" -o wrapped
    expect_status 0
    expect_no_errors
    capture ./wrapped
    expect_output "cudaSuccess
63 59 50 41 32 23 14 5 "
    expect_no_errors
    capture simcc -run "$programs/wrapped_indices.cu"
    expect_status 0 && [ "$errors" = "========= ERROR SUMMARY: 0 errors" ] || complain "expected no finding"
}

@test "a thread may work while it waits for a volatile flag with fences, and may look before an atomic operation" {
    for lanes in loops stacks; do
        SIMCC_THREADS=1 capture timeout 60 simcc -lanes $lanes -no-check -run "$programs/retries.cu"
        expect_status 0 && expect_output "no error: first 1001, last 2" || return
    done
    has_checkers
    capture once waits simcc "$programs/working_waits.cu" -o waits
    expect_status 0
    expect_no_errors
    capture ./waits
    expect_output "cudaSuccess 42 7 1"
    expect_no_errors
    for schedule in independent random:1 random:2; do
        SIMCC_SCHEDULE=$schedule capture simcc -run "$programs/working_waits.cu"
        expect_status 0 && expect_output "cudaSuccess 42 7 1" && expect_errors_like 'ERROR SUMMARY: 0 errors$' || return
        [[ $errors != *Error:* && $errors != *Warning* ]] || complain "expected no finding but information"
    done
}
