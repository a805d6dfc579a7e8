#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Products of matrices by a warp (WMMA, and mma in PTX), and inline PTX.
# shellcheck disable=SC2154  # helpers.bash sets $root and $scratch

# Needs no GPU

load helpers

programs=$BATS_TEST_DIRNAME/simcc

# file NAME: writes standard input to it.
file() { cat >"$1"; }

# prints_expected PROGRAM: it prints its .txt, without and with checks, and nothing is found. (-O3 takes three times as long.)
prints_expected() {
    local flags
    for flags in -O1 "-G -O1"; do
        # shellcheck disable=SC2086  # words
        capture simcc $flags "$programs/$1.cu" -o "$1"
        expect_status 0 && expect_no_errors || return
        "./$1" >printed 2>said || complain "$1 $flags ended with status $?: $(cat said)" || return
        diff "$programs/$1.txt" printed >&2 || complain "$1 $flags: not what is expected (above: < expected, > printed)" || return
        [ "$flags" = -O1 ] || grep -q 'ERROR SUMMARY: 0 errors' said || complain "$(cat said)" || return
    done
}

@test "WMMA and mma give each lane its elements, and exact results" { prints_expected wmma; }

@test "instructions of inline PTX give the results that PTX defines" { prints_expected ptx; }

@test "mma.h needs no other header" {
    echo '#include <mma.h>' >only.cu
    echo '__global__ void k(float* p) { *p = nvcuda::wmma::__float_to_tf32(*p); } int main() {}' >>only.cu
    capture simcc only.cu -o only
    expect_status 0
    expect_no_errors
}

# A program that loads, multiplies and stores 16 x 16 halves with the given lines in its kernel.
tensor_program() {
    file tensor.cu <<CU
#include <mma.h>
#include <cstdio>
using namespace nvcuda::wmma;
__global__ void k(const half* a, const half* b, float* c) {
    __shared__ __align__(32) float tile[256];
    fragment<matrix_a, 16, 16, 16, half, row_major> left;
    fragment<matrix_b, 16, 16, 16, half, col_major> right;
    fragment<accumulator, 16, 16, 16, float> sums;
    fill_fragment(sums, 0.0f);
$1
}
int main() {
    half *a, *b;
    float *c;
    cudaMalloc(&a, 512), cudaMalloc(&b, 512), cudaMalloc(&c, 1024);
    cudaMemset(a, 0, 512), cudaMemset(b, 0, 512), cudaMemset(c, 0, 1024);
    k<<<1, ${2:-32}>>>(a, b, c);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
}

@test "loads and stores of fragments are counted at their lines, as accesses of the lanes that hold the elements" {
    tensor_program '    load_matrix_sync(left, a, 16);
    load_matrix_sync(right, b, 16);
    mma_sync(sums, left, right, sums);
    store_matrix_sync(tile, sums, 16, mem_row_major);
    store_matrix_sync(c, sums, 16, mem_col_major);'
    simcc -G tensor.cu -o tensor
    SIMCC_COUNTERS=csv:counters.csv SIMCC_CHECK=all capture ./tensor
    expect_status 0
    expect_output cudaSuccess
    expect_errors_like 'ERROR SUMMARY: 0 errors'
    counter() { python3 - "$1" "$2" <<'PY'
import csv, sys
print(sum(int(float(row[sys.argv[2]] or 0)) for row in csv.DictReader(open("counters.csv")) if row["line"] == sys.argv[1]))
PY
    }
    # 256 halves in pairs; 256 floats in pairs, and one by one where neighbors are in one column.
    [ "$(counter 10 gld_requests)" -eq 4 ] && [ "$(counter 10 gld_bytes)" -eq 512 ] || complain "$(cat counters.csv)"
    [ "$(counter 11 gld_requests)" -eq 4 ] && [ "$(counter 11 gld_bytes)" -eq 512 ] || complain "$(cat counters.csv)"
    [ "$(counter 13 sst_requests)" -eq 4 ] || complain "$(cat counters.csv)"
    [ "$(counter 14 gst_requests)" -eq 8 ] && [ "$(counter 14 gst_bytes)" -eq 1024 ] || complain "$(cat counters.csv)"
}

@test "races on matrices between warps are found, and accesses behind their end" {
    tensor_program '    if (threadIdx.x < 32) store_matrix_sync(tile, sums, 16, mem_row_major);
    else load_matrix_sync(sums, tile, 16, mem_row_major);
    if (threadIdx.x >= 32) store_matrix_sync(c, sums, 16, mem_row_major);' 64
    simcc -G tensor.cu -o tensor
    capture ./tensor
    expect_status 86 && expect_errors_like 'Error: Race reported' && expect_errors_like 'tensor.cu:10' && expect_errors_like 'tensor.cu:11' || return
    tensor_program '    load_matrix_sync(left, a + 32, 16);
    c[threadIdx.x] = float(left.x[5]);'
    simcc -G tensor.cu -o tensor
    capture ./tensor
    expect_status 86 && expect_errors_like 'Invalid __global__ read of size 4 bytes' && expect_errors_like 'tensor.cu:10'
}

@test "matrices that a GPU could not access end the kernel, and so do warps that are not complete" {
    local line
    for line in 'load_matrix_sync(left, a + 1, 16);' 'load_matrix_sync(left, a, 15);' 'store_matrix_sync(c + 1, sums, 16, mem_row_major);'; do
        tensor_program "$line"
        simcc tensor.cu -o tensor
        capture ./tensor
        expect_output cudaErrorLaunchFailure && expect_errors_like 'kernel k, block \(0,0,0\): a WMMA matrix is not aligned' || return
    done
    # The checked simulator wants the alignment that CUDA requires.
    tensor_program 'load_matrix_sync(left, a + 2, 16);'
    simcc -run -no-check tensor.cu >said && [ "$(cat said)" = cudaSuccess ] || complain "$(cat said)"
    simcc -G tensor.cu -o tensor
    capture ./tensor
    expect_errors_like 'its address must be a multiple of 32 bytes' || return
    tensor_program 'mma_sync(sums, left, right, sums);' 48
    simcc tensor.cu -o tensor
    capture ./tensor
    expect_output cudaErrorLaunchFailure && expect_errors_like 'takes all 32 lanes'
}

@test "a matrix load that some lanes skip is a deadlock or a missing lane, said at its line" {
    tensor_program '    if (threadIdx.x < 16) load_matrix_sync(left, a, 16); else __syncthreads();'
    simcc -G tensor.cu -o tensor
    capture ./tensor
    expect_errors_like 'matrix operation' && expect_errors_like 'tensor.cu:10'
}

# ---- inline PTX that is not simulated

not_simulated='wgmma.fence.sync.aligned;|wgmma.fence.sync.aligned
cp.async.bulk.commit_group;|cp.async.bulk.commit_group
{ tcgen05.fence::before_thread_sync; }|tcgen05.fence::before_thread_sync
membar.gl; mbarrier.init.shared.b64 [%0], 3;|mbarrier.init.shared.b64
ret;|ret
call f;|call
mov.u32 %0, unheard_of;|mov.u32 with the operand unheard_of
add.rn.u33 %0, %0, %0;|add.rn.u33
bra elsewhere;|a branch out of the statement
addc.u32 %0, %0, 1;|addc.u32 after a carry of another asm statement
{ prefetch.global.L1 [%0];|a brace'

@test "PTX that is not simulated is an error at the user's line, where it is compiled" {
    local text name number=1
    while IFS='|' read -r text name; do
        printf '__global__ void other%d(int* p) { asm volatile("%s" ::"l"(p)); }\n' "$number" "$text"
        number=$((number + 1))
    done <<<"$not_simulated" >other.cu
    capture simcc -c other.cu
    expect_status 1
    number=1
    while IFS='|' read -r text name; do
        expect_errors_like "other.cu:$number:[0-9]+: error: .*not simulated: $name" || return
        number=$((number + 1))
    done <<<"$not_simulated"
    [ "$(grep -c error: <<<"$errors")" -eq "$((number - 1))" ] || complain "not one error a line"
    # Code without instances, and branches that a constant excludes, may have anything.
    file excluded.cu <<'CU'
template <int n> __global__ void k() { if constexpr (n > 3) asm("wgmma.fence.sync.aligned;"); }
template <int n> __global__ void unused() { asm("wgmma.fence.sync.aligned;"); }
__device__ inline void never_called() { asm("tcgen05.wait::ld.sync.aligned;"); }
int main() { k<1><<<1, 1>>>(); return cudaDeviceSynchronize(); }
CU
    capture simcc excluded.cu -o excluded
    expect_status 0
    expect_no_errors
    capture ./excluded
    expect_status 0
}

@test "with -any-ptx, PTX that is not simulated ends the kernel that gets there" {
    file other.cu <<'CU'
#include <cstdio>
__global__ void other(int n) {
    if (n > 3) asm volatile("wgmma.fence.sync.aligned;");
}
int main() {
    other<<<1, 1>>>(1);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
    other<<<1, 1>>>(4);
    puts(cudaGetErrorName(cudaDeviceSynchronize()));
}
CU
    capture simcc -any-ptx other.cu -o other
    expect_status 0
    [ "$errors" = "other.cu:3:16: warning: inline PTX is not simulated: wgmma.fence.sync.aligned; the kernel ends with an error when it gets here" ] ||
        complain "$errors"
    capture ./other
    expect_output "cudaSuccess
cudaErrorLaunchFailure"
    expect_errors_like 'kernel other, block \(0,0,0\): wgmma.fence.sync.aligned'
}

@test "threads that wait in PTX let the others run: a spinlock, a flag and a loop of branches" {
    file waits.cu <<'CU'
#include <cstdio>
__global__ void locked(unsigned* lock, unsigned* count) {
    unsigned before;
    do asm volatile("atom.global.acquire.gpu.cas.b32 %0, [%1], 0, 1;" : "=r"(before) : "l"(lock) : "memory");
    while (before != 0);
    ++*count;
    asm volatile("st.release.gpu.global.u32 [%0], 0;" ::"l"(lock) : "memory");
}
__global__ void flags(unsigned* flag) {
    if (threadIdx.x == 0) {
        unsigned seen;
        do asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
        while (seen == 0);
        asm volatile("{ .reg .pred p; .reg .u32 v;\n WAIT: ld.acquire.gpu.u32 v, [%0]; setp.ne.u32 p, v, 2; @p bra WAIT; }" ::"l"(flag + 1) : "memory");
        flag[2] = 5;
    } else if (threadIdx.x == 1) {
        asm volatile("st.volatile.global.u32 [%0], 1; st.release.gpu.u32 [%0 + 4], 2;" ::"l"(flag) : "memory");
    }
}
int main() {
    unsigned* p;
    cudaMallocManaged(&p, 64);
    locked<<<4, 64>>>(p, p + 1);
    cudaDeviceSynchronize();
    printf("%u", p[1]);
    p[0] = p[1] = 0;
    flags<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    printf(" %u %s\n", p[2], cudaGetErrorName(cudaGetLastError()));
}
CU
    local flags
    for flags in -O0 -O3 -G; do
        simcc $flags waits.cu -o waits
        capture ./waits
        expect_status 0 && expect_output "256 5 cudaSuccess" || return
    done
}

@test "accesses of PTX are checked and counted like others" {
    file accesses.cu <<'CU'
__global__ void k(const unsigned* from, unsigned* to) {
    __shared__ unsigned s[32];
    unsigned v;
    asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(v) : "l"(from + threadIdx.x));
    asm volatile("st.shared.u32 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(s + threadIdx.x)), "r"(v) : "memory");
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"((unsigned)__cvta_generic_to_shared(s + (threadIdx.x ^ 1))));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"((unsigned)__cvta_generic_to_shared(s + threadIdx.x)), "l"(from + 32));
    to[threadIdx.x] = v;
}
int main() {
    unsigned *from, *to;
    cudaMalloc(&from, 128), cudaMalloc(&to, 128);
    cudaMemset(from, 0, 128);
    k<<<1, 32>>>(from, to);
    cudaDeviceSynchronize();
}
CU
    simcc -G accesses.cu -o accesses
    SIMCC_COUNTERS=lines capture ./accesses
    expect_errors_like 'accesses.cu:4 +1 +32 +128'
    SIMCC_CHECK=all capture ./accesses
    expect_status 86 && expect_errors_like 'Invalid __global__ read of size 4' && expect_errors_like 'accesses.cu:7' &&
        expect_errors_like 'accesses.cu:6'
}
