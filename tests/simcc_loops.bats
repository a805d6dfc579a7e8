#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# simcc -lanes: kernels whose barriers the whole block reaches run their threads in loops, with the results that threads
# with stacks of their own have.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

PATH=${BIN:-$root/bin}:$PATH

# Writes standard input to the file NAME.
file() { cat >"$1"; }

# same_both_ways FILE.cu [OPTION]...: builds the program with loops and with stacks; both print the same.
same_both_ways() {
    local source=$1
    shift
    simcc "$@" -lanes loops "$source" -o in_loops && simcc "$@" -lanes stacks "$source" -o on_stacks
    # (On one worker, so that sums of floating-point numbers over several blocks have one order.)
    SIMCC_THREADS=1 ./on_stacks >expected
    SIMCC_THREADS=1 ./in_loops >seen
    [ -s expected ] || complain "the program printed nothing"
    diff expected seen >&2 || complain "loops and stacks differ (above: < stacks, > loops)"
}

@test "threads in loops compute what threads with stacks compute" {
    same_both_ways "$root/tests/simcc/loops.cu" -O0
    simcc -O3 -lanes loops "$root/tests/simcc/loops.cu" -o in_loops
    SIMCC_THREADS=1 ./in_loops | diff expected - >&2 || complain "optimized loops find something else"
    SIMCC_THREADS=3 ./in_loops | diff expected - >&2 || complain "three workers find something else"
}

@test "cooperative groups of whole blocks and warps are no obstacle" {
    same_both_ways "$root/tests/simcc/whole_groups.cu" -O1
    [ "$(<seen)" = "no error: 2259 2340 2269 2331; 9801 9604 0; 49249249 3 7 24 49249249 1 27 44; no error: 28 92 156 220 284 348 412 476 504" ] ||
        complain "$(<seen)"
    capture simcc -lanes explain -cuda "$root/tests/simcc/whole_groups.cu" -o groups.ii
    [ "$(grep -c 'run in loops' <<<"$errors")" = 2 ] || complain "expected loops in the kernels sums and reversed"
}

@test "variables that change through references, pointers and constructors keep their values across barriers" {
    same_both_ways "$root/tests/simcc/kept_values.cu" -O1
    first=$(head -n 1 seen)
    [ "$first" = "parentheses: cudaSuccess, 2 3 35, 91520" ] || complain "$first"
    capture simcc -O0 -v -lanes loops -c "$root/tests/simcc/kept_values.cu" -o kept.o
    ! grep 'without loops over threads' <<<"$errors" || complain "the loops did not compile"
}

@test "kernels that call objects or constructors with barriers keep their stacks" {
    file called.cu <<'CU'
#include <cstdio>
struct Sum {
    __device__ int operator()(int v) const {
        for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(~0u, v, d);
        return v;
    }
};
struct Meeting {
    __device__ Meeting() { __syncthreads(); }
};
template <typename Op>
__device__ int apply(int v, Op op) {
    return op(v);
}
__global__ void k(int* out) {
    __shared__ int s[64];
    s[threadIdx.x] = apply(threadIdx.x, Sum());
    Meeting all;
    const int v = s[63 - threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = v;
}
int main() {
    int* out;
    cudaMallocManaged(&out, 256);
    k<<<1, 64>>>(out);
    const cudaError_t end = cudaDeviceSynchronize();
    printf("%s %d %d\n", cudaGetErrorName(end), out[0], out[63]);
}
CU
    capture simcc called.cu -o called
    expect_status 0
    expect_no_errors
    capture ./called
    expect_output "cudaSuccess 1520 496"
}

@test "-lanes explain says which kernels run in loops, and why others do not" {
    capture simcc -lanes explain -cuda "$root/tests/simcc/loops.cu" -o loops.ii
    expect_status 0
    [ "$(grep -c "note: between barriers, this kernel's threads run in loops" <<<"$errors")" -eq 9 ] ||
        complain "not all 9 kernels run in loops"
    file some.cu <<'CU'
__global__ void some(int* p) {
    int n = threadIdx.x;
    while (n > 1) {
        __syncthreads();
        n /= 2;
    }
}
CU
    capture simcc -lanes explain -c some.cu
    expect_status 0
    expect_errors_like "some.cu:2:13: note: this kernel's threads have stacks of their own: a barrier depends on 'threadIdx', which may differ between threads"
    capture simcc -c some.cu
    expect_no_errors
    capture simcc -lanes both some.cu
    expect_status 2
    expect_errors_like "simcc: -lanes: expected loops, stacks or explain, not 'both'"
}

@test "where the loops do not compile, the threads have stacks" {
    file large.cu <<'CU'
#include <cstdio>
struct Large { int of[8]; };
__device__ int sum(Large large) {
    int all = 0;
    for (int i = 0; i < 8; ++i) all += __shfl_xor_sync(~0u, large.of[i], 1);
    return all;
}
__global__ void k(int* out) {
    Large large = {{1, 2, 3, int(threadIdx.x)}};
    int all = sum(large);
    out[threadIdx.x] = all;
}
int main() {
    int* out;
    cudaMallocManaged(&out, 128);
    k<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    printf("%d %d\n", out[0], out[31]);
}
CU
    capture simcc -v large.cu -o large
    expect_status 0
    grep -q 'without loops over threads' <<<"$errors" || complain "the loops did compile"
    capture simcc large.cu -o large
    expect_no_errors
    capture ./large
    expect_output "7 36"
}

@test "errors in kernels that run in loops are on the user's line, once" {
    file wrong.cu <<'CU'
__global__ void k(int* p) {
    p[threadIdx.x] = 1;
    __syncthreads();
    p[0] = missing;
}
CU
    capture simcc -c wrong.cu
    expect_status 1
    [ "$(grep -c 'wrong.cu:4:12: error:' <<<"$errors")" -eq 1 ] || complain "not one error on line 4"
    file unused.cu <<'CU'
__global__ void k(int* p) {
    int unused, used = p[threadIdx.x];
    __syncthreads();
    p[0] = used;
}
CU
    capture simcc -Xcompiler -Wall -c unused.cu
    expect_status 0
    [ "$(grep -c "unused.cu:2:9: warning: unused variable 'unused'" <<<"${errors//[‘’]/\'}")" -eq 1 ] ||
        complain "not one warning on line 2"
    [ "$(grep -c 'warning' <<<"$errors")" -eq 1 ] || complain "there are more warnings"
}

@test "threads in loops that fail end their launch as others do" {
    file fails.cu <<'CU'
#include <cassert>
#include <cstdio>
#include <cstdlib>
__global__ void k(int* p, int how) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int other = s[63 - threadIdx.x];
    __syncthreads();
    assert(how != 1 || other != 40);
    if (how == 2 && other == 3) __trap();
    if (how == 3 && other == 3) *(volatile int*)nullptr = 1;
    __syncthreads();
    p[threadIdx.x] = other;
}
int main(int, char** arguments) {
    int* p;
    cudaMallocManaged(&p, 256);
    k<<<2, 64>>>(p, atoi(arguments[1]));
    cudaError_t error = cudaDeviceSynchronize();
    printf("%s %d\n", cudaGetErrorName(error), p[1]);
}
CU
    simcc fails.cu -o fails
    capture ./fails 0
    expect_output "cudaSuccess 62"
    capture ./fails 1
    expect_output "cudaErrorAssert 0"
    grep -q 'thread: \[23,0,0\] Assertion' <<<"$errors" || complain "not thread 23"
    capture ./fails 2
    expect_output "cudaErrorLaunchFailure 0"
    capture ./fails 3
    expect_output "cudaErrorIllegalAddress 0"
}

@test "static shared memory counts once, whatever the threads run on" {
    file shared.cu <<'CU'
#include <cstdio>
__device__ int first(int v) {
    __shared__ int all[32];
    all[threadIdx.x] = v;
    __syncthreads();
    return all[0];
}
__global__ void k(int* p) {
    __shared__ float own[100];
    own[threadIdx.x] = 1;
    int v = first(threadIdx.x + 3);
    p[threadIdx.x] = v + own[5];
}
int main() {
    cudaFuncAttributes facts;
    cudaFuncGetAttributes(&facts, k);
    int* p;
    cudaMallocManaged(&p, 128);
    k<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    printf("%zu %d %d\n", facts.sharedSizeBytes, p[0], p[31]);
}
CU
    capture simcc -run shared.cu
    expect_output "528 4 4"
    capture simcc -lanes stacks -run shared.cu
    expect_output "528 4 4"
}

@test "random kernels compute the same in loops and with stacks" {
    need python3
    python3 "$root/tests/fuzz/lane_loops.py" 1 6 >random.cu
    same_both_ways random.cu -O1 -w
    [ "$(simcc -lanes explain -cuda random.cu -o random.ii 2>&1 | grep -c 'run in loops')" -ge 4 ] || complain "too few kernels run in loops"
}

@test "pointers and references to a thread's variables lead to them behind a barrier, however they got there" {
    local kernel
    for kernel in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
        simcc -O1 "-DKERNEL=$kernel" "$root/tests/simcc/kept_addresses.cu" -o kept_addresses
        capture ./kept_addresses
        expect_output "0 wrong" || complain "kernel $kernel" || return
    done
}

@test "warp functions that name threads at another place are an error in loops, and wait on stacks" {
    simcc "$root/tests/simcc/masks.cu" -o in_loops
    simcc -lanes stacks "$root/tests/simcc/masks.cu" -o on_stacks
    local kernel
    for kernel in 1 2; do diff <(./on_stacks $kernel) <(./in_loops $kernel) >&2 || complain "kernel $kernel" || return; done
    capture ./on_stacks 0
    expect_output "cudaSuccess -529789040"
    for kernel in 0 3; do
        capture ./in_loops $kernel
        expect_output "cudaErrorLaunchFailure 0"
        expect_errors_like "a warp function names threads that come to another one, or to a barrier; with simcc -lanes stacks they wait" || return
    done
}
