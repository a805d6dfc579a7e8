#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What simcc refuses, with its place, because CUDA forbids it; and what it must not refuse.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

programs=$BATS_TEST_DIRNAME/simcc

# forbids PATTERN: simcc refuses the program on standard input with a message that matches.
forbids() {
    cat >wrong.cu
    capture simcc wrong.cu
    expect_status 1 && expect_output "" && expect_errors_like "$1" || return
    [ ! -e a.out ] || complain "expected no program"
}

@test "operators in template arguments and bounds, computed kernels and reused names are valid CUDA" {
    capture simcc -Wall -Wextra "$programs/operators.cu" -o operators
    expect_status 0
    expect_no_errors
    capture ./operators
    expect_status 0 && expect_output "comparisons 8
shifts 13
types 12
shared 17
table 4
computed 10
names 267
found 1
j 0 calls 1"
}

@test "a kernel that is not declared is the compiler's own error at the user's line and column" {
    forbids 'wrong.cu:3:5: error: .missing. was not declared in this scope' <<'CU'
int main() {
    int n = 1;
    missing<<<n,
        1>>>(n);
}
CU
    forbids 'wrong.cu:3:12: error: .missing. was not declared in this scope' <<'CU'
template <class T> __global__ void k(T) {}
template <class T> void f(T t) {
    t = t; missing<T, 3><<<1, 1>>>(t);
}
CU
    forbids 'wrong.cu:2:16: error: .kernels. was not declared in this scope' <<'CU'
int main() {
    int i = 0; kernels[i++]<<<1, 1>>>();
}
CU
}

@test "launch brackets are refused if a blank follows their first character, and only then" {
    local launch
    for launch in 'k< <<1, 1>>>(1)' 'k< < <1, 1>>>(1)' 't<3>< <<1, 1>>>(1)' 'k<<<1, 1> >>(1)' 'k<<<1, 1> > >(1)'; do
        forbids '^wrong.cu:3:[0-9]+: error: write .(<<<|>>>). without a blank after its first character' <<-CU || return
		__global__ void k(int) {}
		template <int N> __global__ void t(int) {}
		int main() { $launch; }
		CU
    done
    for launch in 'k << <1, 1>> >(1)' 't<3><< < 1, 1>>>(1)'; do
        capture simcc -x cu -o allowed - <<-CU
		__global__ void k(int) {}
		template <int N> __global__ void t(int) {}
		int main() { $launch; }
		CU
        expect_status 0 || return
    done
}

@test "a kernel that returns a value is refused" {
    forbids '^wrong.cu:1:12: error: a __global__ function returns void' <<<'__global__ int k() { return 1; }'
    forbids '^wrong.cu:2:2: error: a __global__ function returns void' <<'CU'
template <class T> __global__
T* k(T* p) { return p; }
int main() {}
CU
}

@test "a kernel that is called like a function is refused at its line, also in a header" {
    forbids '^wrong.cu:4:5: error: the kernel .k. is called without <<<grid, block>>>' <<'CU'
#include <cstdio>
__global__ void k(int n) { printf("%d", n); }
int main() {
    k(1);
}
CU
    printf '#pragma once\ninline void start(int* p) {\n    typed<int>(p); }\n' >start.h
    forbids 'start.h:3:5: error: the kernel .typed. is called without' <<'CU'
template <class T> __global__ void typed(T* p) {}
#include "start.h"
int main() {}
CU
}

@test "a device function called on the host is refused at its line" {
    forbids '^wrong.cu:5:12: error: the __device__ function .d. is called on the host' <<'CU'
#include <vector>
__device__ int d(int x) { return x; }
#define CALL d(3)
int main() {
    return CALL;
}
CU
}

@test "built-in variables in host code are refused at their line" {
    forbids '^wrong.cu:3:17: error: .threadIdx. is known to kernels and __device__ functions only' <<'CU'
__global__ void k(int* p) { *p = threadIdx.x; }
int main() {
    int x = 1 + threadIdx.x;
    return x + [] { return gridDim.x; }();
}
CU
    expect_errors_like 'wrong.cu:4:28: error: .gridDim. is known'
}

@test "programs that look almost like these are valid, and device code does not count as host code" {
    capture simcc "$programs/allowed.cu" -o allowed
    expect_status 0
    expect_no_errors
    capture ./allowed
    expect_status 0 && expect_output "41 3 no error
1 2 3 4 6 7 9 5 10"
}

@test "code that only the device compiler sees is accepted, code that the host compiler also sees is not" {
    forbids '^wrong.cu:10:23: error: the __device__ function .d. is called on the host' <<'CU'
__device__ int d(int x) { return x; }
int f(int x) {
#ifdef __CUDA_ARCH__
    return d(x) + threadIdx.x;
#else
    x = 3 + d(x);
    return x;
#endif
}
int g(int x) { return d(x); }
int main() {}
CU
}

@test "a wait in device code is refused at its line, and ends the kernel if only the run shows it" {
    forbids '^wrong.cu:5:9: error: calling a __host__ function\("cudaDeviceSynchronize"\) .* cudaStreamTailLaunch' <<'CU'
__global__ void child(int* p) { *p = 1; }
__global__ void parent(int* p) {
    if (p) {
        child<<<1, 1>>>(p);
        cudaDeviceSynchronize();
    }
    cudaMemcpy(p, p + 1, 4, cudaMemcpyDeviceToDevice);
}
int main() {}
CU
    expect_errors_like 'wrong.cu:7:5: error: calling a __host__ function\("cudaMemcpy"\) .*; call it on the host'
    cat >either.cu <<'CU'
#include <cstdio>
__global__ void child(int* p) { *p += 1; }
__host__ __device__ void either(int* p) {
    child<<<1, 1>>>(p);
    cudaDeviceSynchronize();
}
__global__ void parent(int* p) { either(p); }
int main() {
    int* p;
    cudaMallocManaged(&p, sizeof *p);
    either(p);
    printf("%d\n", *p);
    parent<<<1, 1>>>(p);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
    for flags in -O1 "-G -O0"; do
        # shellcheck disable=SC2086
        capture simcc $flags either.cu -o either
        expect_status 0
        expect_no_errors
        capture ./either
        expect_output "1
cudaErrorLaunchFailure" && expect_errors_like "kernel parent, .*: a function .* was called that kernels cannot call"
    done
}
