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
        expect_status 0 && expect_no_errors
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
