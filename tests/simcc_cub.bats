#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# simcc: CUB without a toolkit.
# shellcheck disable=SC2154  # helpers.bash sets $root

# Needs no GPU

load helpers

# everything_is_ok: all 45 lines of cub.cu.
everything_is_ok() {
    expect_status 0 && expect_no_errors || return
    [ "$(grep -c ' ok$' <<<"$output")" -eq 45 ] && ! grep -v ' ok$' <<<"$output" || complain "$output"
}

# without_toolkit COMMAND...: runs it where the toolkit's folders are empty.
without_toolkit() {
    cat >hidden <<'SH'
for folder in /usr/local/cuda /usr/local/cuda-* /usr/local/include /usr/local/lib64 /usr/lib/cuda; do
    [ ! -d "$folder" ] || mount -t tmpfs none "$folder" || exit
done
unset CUDA_HOME CUDA_PATH LIBRARY_PATH CPATH
PATH=$(dirname "$(command -v simcc)"):/usr/bin:/bin exec "$@"
SH
    unshare -Urm bash hidden "$@"
}
can_hide() { unshare -Urm true 2>/dev/null; }

@test "CUB's collectives, algorithms and graphs give the host's results, without a toolkit" {
    local where=()
    ! can_hide || where=(without_toolkit)
    capture "${where[@]}" simcc -O1 "$root/tests/simcc/cub.cu" -o cub
    expect_status 0
    capture ./cub
    everything_is_ok
}

@test "the checkers find nothing in CUB, but a missing barrier between two uses of its storage" {
    simcc -G -O0 "$root/tests/simcc/cub.cu" -o cub
    capture ./cub
    expect_status 0
    [ "$(grep -c ' ok$' <<<"$output")" -eq 45 ] || complain "$output"
    expect_errors_like "ERROR SUMMARY: 0 errors"
    cat >reuse.cu <<'CU'
#include <cub/block/block_reduce.cuh>
__global__ void k(int* out) {
    using Reduce = cub::BlockReduce<int, 64>;
    __shared__ Reduce::TempStorage storage;
    const int sum = Reduce(storage).Sum(threadIdx.x);
    const int more = Reduce(storage).Sum(threadIdx.x + 1);
    if (threadIdx.x == 0) *out = sum + more;
}
int main() {
    int* out;
    cudaMallocManaged(&out, sizeof *out);
    k<<<1, 64>>>(out);
    return cudaDeviceSynchronize();
}
CU
    simcc -G reuse.cu -o reuse
    capture ./reuse
    grep -q 'hazard' <<<"$output$errors" || complain "$output$errors"
}

@test "names that CUB has given up, types that hide it, and default storage" {
    cat >old.cu <<'CU'
#include <cub/cub.cuh>
#include <cstdio>
using namespace cub;
struct Positive { __host__ __device__ int operator()(int a) const { return a > 0; } };
typedef BlockScan<int, 64> ScanOfBlock;
__global__ void k(int* out) {
    __shared__ ScanOfBlock::TempStorage storage;
    __shared__ int copy[64];
    const int i = threadIdx.x;
    int sum, total;
    copy[63 - i] = i;
    __syncthreads();
    ScanOfBlock(storage).InclusiveSum(copy[i], sum, total);
    for (int round = 0; round < 2; ++round) {
        __syncthreads();
        copy[i] = sum + round;
        __syncthreads();
        sum = copy[(i + 1) % 64];
    }
    out[i] = sum + total;
    const int most = BlockReduce<int, 64>().Reduce(i * 37 % 64, Max());
    if (i == 0) out[64] = most;
}
int main() {
    int* out;
    cudaMallocManaged(&out, 100 * sizeof *out);
    k<<<1, 64>>>(out);
    printf("%s: ", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%d %d %d %d\n", out[0], out[1], out[63], out[64]);
    CachingDeviceAllocator allocator;
    void* storage = nullptr;
    size_t bytes = 0;
    TransformInputIterator<int, Positive, CountingInputIterator<int>> in(CountingInputIterator<int>(-10), Positive());
    KeyValuePair<int, int>* best;
    cudaMallocManaged(&best, sizeof *best);
    for (int call = 0; call < 2; ++call) {
        CubDebugExit(DeviceReduce::ArgMax(storage, bytes, in, best, 30));
        if (call == 0) CubDebugExit(allocator.DeviceAllocate(&storage, bytes));
    }
    CubDebugExit(cudaDeviceSynchronize());
    CubDebugExit(allocator.DeviceFree(storage));
    printf("%d %d\n", best->key, best->value);
    printf("%x\n", Traits<float>::TwiddleIn(0xbf800000));
}
CU
    simcc -O1 old.cu -o old
    capture ./old
    expect_status 0
    expect_no_errors
    expect_output "cudaSuccess: 2203 2263 2142 63
11 1
407fffff"
}

@test "what CUB lacks, and Thrust without a toolkit, is refused on the program's line" {
    printf '#include <cub/cub.cuh>\n__global__ void k() { cub::BlockRunLengthDecode<int, 32, 1, 1>* none; }\n' >lacks.cu
    capture simcc -c lacks.cu
    expect_status 1
    expect_errors_like "lacks.cu:2:[0-9]*: error: .*BlockRunLengthDecode"
    can_hide || skip "this system allows no namespaces"
    printf '\n#include <thrust/device_vector.h>\nint main() {}\n' >thrust.cu
    capture without_toolkit simcc -c thrust.cu
    expect_status 1
    [ "$errors" = "thrust.cu:2:10: error: thrust/device_vector.h comes with a CUDA toolkit, and none is found: set CUDA_HOME to its folder" ] ||
        complain "$errors"
}
