#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# simcc: what it says of options, kernels and signals.
# shellcheck disable=SC2154  # helpers.bash sets $root

# Needs no GPU

load helpers

@test "an architecture that nvcc does not know is refused" {
    echo 'int main() {}' >x.cu
    local name
    for name in sm60 hopper sm_999 compute-80; do
        capture simcc -arch "$name" -c x.cu
        expect_status 2
        expect_refusal simcc "^simcc: '$name' is not an architecture; example: sm_90"
    done
    for name in sm_60 compute_90a lto_80 native all all-major; do
        capture simcc -arch "$name" -c x.cu
        expect_status 0
        expect_no_errors
    done
}

@test "a kernel that cudaLaunchKernel starts has its name in messages" {
    cat >named.cu <<'CU'
namespace tools { template <typename T> __global__ void add(T* p) { *p = 1; } }
int main() {
    int* p = nullptr;
    void* arguments[] = {&p};
    cudaLaunchKernel((void*)tools::add<int>, dim3(1), dim3(1), arguments, 0, 0);
    return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 1;
}
CU
    simcc -O1 named.cu -o named
    capture ./named
    expect_status 0
    expect_errors_like '^simcc: kernel tools::add<int>, block \(0,0,0\)'
}

@test "a signal to simcc also ends what g++ has started, for one source and for several" {
    mkdir bin
    # A compiler whose child stays behind, as cc1plus does.
    cat >bin/leaves <<'SH'
#!/bin/sh
case "$*" in
    *--version*) echo 'g++ 12'; exit ;;
    *" -E "*) exec g++ "$@" ;;
esac
sleep 300 &
echo $! >>"$CHILDREN"
wait
SH
    chmod +x bin/leaves
    export CHILDREN=$PWD/children CXX=$PWD/bin/leaves
    local sources child
    for sources in "a.cu" "-j 2 a.cu b.cu"; do
        echo 'int main() {}' | tee a.cu >b.cu
        : >children
        # shellcheck disable=SC2086  # several words
        simcc -c $sources 3>&- 2>/dev/null &
        local simcc=$! words=($sources)
        until [ "$(wc -l <children)" -eq $(((${#words[@]} + 1) / 2)) ]; do sleep 0.05; done
        kill -TERM $simcc
        wait $simcc || status=$?
        [ "$status" -eq 143 ] || complain "ended with $status"
        while read -r child; do
            ! kill -0 "$child" 2>/dev/null || complain "$child goes on" || return
        done <children
    done
}

@test "device code that uses the host's variables or functions gets a warning, and nothing that only looks like them" {
    cat >names.cu <<'CU'
#include <cstdio>
int counter;
static float table[4] = {1};
const int fine = 3;
int twice(int x) { return 2 * x; }
static int local(int x) { return x; }
__device__ int own(int x) { return x; }
__host__ __device__ int both(int x) { return x; }
int shadowed;
struct Pair { int twice(int x) const { return x; } };
__global__ void k(int* o) {
    int shadowed = 1;
    o[0] = counter++ + fine + own(1) + both(1) + shadowed + Pair().twice(1);
    o[1] = twice(3);
    o[2] = table[1] + sizeof(counter);
}
__global__ void two(int local) { printf("%d", local); }
int main() { two<<<1, 1>>>(local(counter)); }
CU
    capture simcc -c names.cu
    expect_status 0
    [ "$errors" = "names.cu:13:12: warning: device code uses the host's variable 'counter'; nvcc refuses that
names.cu:15:12: warning: device code uses the host's variable 'table'; nvcc refuses that" ] || complain "$errors"
    sed -i '/struct Pair/d; s/ + Pair().twice(1)//' names.cu
    capture simcc -c names.cu
    expect_errors_like "names.cu:13:12: warning: device code calls the host's function 'twice'; nvcc refuses that"
    capture simcc -w -c names.cu
    expect_no_errors
}
