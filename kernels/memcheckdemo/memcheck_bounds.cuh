// Accesses outside their arrays: memcheck's first subject. Each plant of memcheckdemo is a kernel with
// its corrected twin beside it and a host function that runs either.
//
// Reports print the names of kernels and host functions. So in all of these files a name says what the code computes,
// and never what is wrong with it: tables and reports of --mystery give nothing away.
#pragma once

#include "kernels/memcheckdemo/plant.cuh"

namespace BACKEND {

// The guard lets one thread too many through.
__global__ void count_up(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) out[i] = i;
}
constexpr Place count_up_place{__FILE__, __LINE__ - 2};

__global__ void count_up_fixed(int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = i;
}

inline Outcome run_count_up(bool fixed) {
    constexpr int n = 1000;
    const DeviceBuffer<int> out(n);
    const auto kernel = fixed ? count_up_fixed : count_up;
    kernel<<<4, 256>>>(out.data(), n);
    return outcome_of(out, numbers(n, 0));
}

// The first element has no left neighbour.
__global__ void differences(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] - in[i - 1];
}
constexpr Place differences_place{__FILE__, __LINE__ - 2};

__global__ void differences_fixed(const int* in, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] - (i > 0 ? in[i - 1] : 0);
}

inline Outcome run_differences(bool fixed) {
    constexpr int n = 1000;
    const DeviceBuffer<int> in = on_device(numbers(n)), out(n);
    const auto kernel = fixed ? differences_fixed : differences;
    kernel<<<4, 256>>>(in.data(), out.data(), n);
    std::vector<int> expected(n, 1);
    expected[0] = 100;
    return outcome_of(out, expected);
}

// Two arrays of 512 bytes usually lie end to end: the memory after the first belongs to the second, so writing
// there is no error.
__global__ void set_all(int* out, int value, int n) {
    const int i = threadIdx.x;
    if (i <= n) out[i] = value;
}
constexpr Place set_all_place{__FILE__, __LINE__ - 2};

__global__ void set_all_fixed(int* out, int value, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = value;
}

inline Outcome run_set_all(bool fixed) {
    constexpr int n = 128;
    const DeviceBuffer<int> first(n), second = on_device(std::vector<int>(n, 2));
    const auto kernel = fixed ? set_all_fixed : set_all;
    kernel<<<1, 256>>>(first.data(), 1, n);
    return outcome_of(second, std::vector<int>(n, 2));
}

// A position in a ring of n elements. From row 46341 on the product does not fit in an int and becomes negative;
// volatile keeps the compiler from multiplying in 64 bits by itself.
__global__ void into_ring(int* ring, int first_row, int pitch, int n) {
    const int row = first_row + static_cast<int>(threadIdx.x);
    volatile int position = static_cast<int>(static_cast<unsigned>(row) * pitch);
    ring[position % n] = row;
}
constexpr Place into_ring_place{__FILE__, __LINE__ - 2};

__global__ void into_ring_fixed(int* ring, int first_row, int pitch, int n) {
    const int row = first_row + static_cast<int>(threadIdx.x);
    const long long position = static_cast<long long>(row) * pitch;
    ring[position % n] = row;
}

inline Outcome run_into_ring(bool fixed) {
    constexpr int n = 1000, first_row = 50000, pitch = 50001;  // pitch mod n is 1: the rows go to neighbouring elements
    std::vector<int> expected(n, -1);
    for (int row = first_row; row < first_row + 32; ++row) expected[1LL * row * pitch % n] = row;
    const DeviceBuffer<int> ring = on_device(std::vector<int>(n, -1));
    const auto kernel = fixed ? into_ring_fixed : into_ring;
    kernel<<<1, 32>>>(ring.data(), first_row, pitch, n);
    return outcome_of(ring, expected);
}

// Each thread takes the element to its left from shared memory. Slots 1 to 256 are written, slots 0 to 255 exist.
__global__ void shift_right(const int* in, int* out) {
    __shared__ int tile[256];
    const int t = threadIdx.x;
    tile[t + 1] = in[t];
    __syncthreads();
    out[t] = t > 0 ? tile[t] : 0;
}
constexpr Place shift_right_place{__FILE__, __LINE__ - 4};

__global__ void shift_right_fixed(const int* in, int* out) {
    __shared__ int tile[256 + 1];
    const int t = threadIdx.x;
    tile[t + 1] = in[t];
    __syncthreads();
    out[t] = t > 0 ? tile[t] : 0;
}

inline Outcome run_shift_right(bool fixed) {
    constexpr int n = 256;
    const DeviceBuffer<int> in = on_device(numbers(n)), out(n);
    const auto kernel = fixed ? shift_right_fixed : shift_right;
    kernel<<<1, n>>>(in.data(), out.data());
    std::vector<int> expected = numbers(n, 99);
    expected[0] = 0;
    return outcome_of(out, expected);
}

// A histogram in the thread's own memory. What lies behind it in the structure absorbs a small overrun.
struct LocalBins {
    int count[64];
    int reserve[64];
};

__global__ void spread(const int* bins, int* out) {
    LocalBins local = {};
    local.count[bins[threadIdx.x]] = 1;
    int filled = 0;
    for (int bin = 0; bin < 64; ++bin) filled += local.count[bin];
    out[threadIdx.x] = filled;
}
constexpr Place spread_place{__FILE__, __LINE__ - 5};

__global__ void spread_fixed(const int* bins, int* out) {
    LocalBins local = {};
    const int bin_of_thread = bins[threadIdx.x];
    if (bin_of_thread < 64) local.count[bin_of_thread] = 1;
    int filled = 0;
    for (int bin = 0; bin < 64; ++bin) filled += local.count[bin];
    out[threadIdx.x] = filled;
}

// compute-sanitizer knows where the thread's frame ends, not where an array in it does: on a GPU one value is beyond
// the frame. The simulator's threads have their frames on the host's stacks, and there it stays inside.
inline Outcome run_spread(bool fixed) {
    constexpr int n = 32;
    std::vector<int> bins = numbers(n, 0), expected(n, 1);
    bins[n - 1] = simulated ? 64 : 128;
    expected[n - 1] = 0;
    const DeviceBuffer<int> in = on_device(bins), out(n);
    const auto kernel = fixed ? spread_fixed : spread;
    kernel<<<1, n>>>(in.data(), out.data());
    return outcome_of(out, expected);
}

}  // namespace BACKEND
