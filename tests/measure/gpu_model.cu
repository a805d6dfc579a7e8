// SPDX-License-Identifier: MIT
// Measures a GPU as the simulator's predictions see it, and prints its model: the file that --predict FILE reads.
//     make gpu-model >mine.gpu
// Each figure is the best of several runs of a small kernel that needs nothing else; the comment beside it says which.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

#define CHECK(call)                                                                        \
    do {                                                                                   \
        const cudaError_t error = call;                                                    \
        if (error != cudaSuccess) {                                                        \
            std::fprintf(stderr, "gpu_model: %s: %s\n", #call, cudaGetErrorString(error)); \
            std::exit(3);                                                                  \
        }                                                                                  \
    } while (0)

cudaDeviceProp device;
double clock_mhz = 0;  // under load

// Keeps the stream busy until the host has enqueued what is to be timed.
__global__ void hold_stream() {
    const long long begin = clock64();
    while (clock64() - begin < 100'000) continue;
}

// The least time of a launch, in nanoseconds.
double best_ns(const std::function<void()>& launch, int runs = 15) {
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    double best = 1e30;
    for (int run = 0; run < runs; ++run) {
        hold_stream<<<1, 1>>>();
        CHECK(cudaEventRecord(begin));
        launch();
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        float ms = 0;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        best = std::min(best, double(ms) * 1e6);
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    return best;
}

// The time that the second of two launches takes longer than the first, which does less of the same.
double more_ns(const std::function<void(int)>& launch, int few, int many) {
    return best_ns([&] { launch(many); }) - best_ns([&] { launch(few); });
}

// ---- kernels

__global__ void nothing() {}
__global__ void nothing_much(int* sink, int never) {
    if (never) *sink = threadIdx.x;
}

__global__ void read_all(const float4* data, size_t n, size_t passes, float* sink) {
    float sum = 0;
    for (size_t pass = 0; pass < passes; ++pass)
        for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
            const float4 four = __ldcg(data + i);
            sum += four.x + four.y + four.z + four.w;
        }
    if (sum == 1.0f) *sink = sum;
}

// Each lane stores one word into a line of its own.
__global__ void store_words(float* data, size_t lines, int rounds) {
    size_t line = (blockIdx.x * size_t(blockDim.x) + threadIdx.x) % lines;
    for (int round = 0; round < rounds; ++round) {
        data[line * 32] = float(round);
        line = (line + 12289) % lines;
    }
}

// Loads that hit L1, a word per lane.
__global__ void read_cached(const float* words, int rounds, float* sink) {
    float sum = 0;
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int i = 0; i < 16; ++i) sum += __ldca(words + (threadIdx.x + 32 * (i + round)) % 1024);
    if (sum == 1.0f) *sink = sum;
}

// Each lane reads a bank and a line of its own; 32 lines in all.
__global__ void read_scattered(const float* words, int rounds, float* sink) {
    float sum = 0;
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int i = 0; i < 16; ++i) sum += __ldca(words + threadIdx.x % 32 * 32 + (threadIdx.x + i + round) % 32);
    if (sum == 1.0f) *sink = sum;
}

__global__ void read_shared(int rounds, float* sink) {
    __shared__ volatile float words[1024];
    words[threadIdx.x] = 0;
    __syncthreads();
    float sum = 0;
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int i = 0; i < 16; ++i) sum += words[(threadIdx.x + 32 * i) % 1024];
    if (sum == 1.0f) *sink = sum;
}

__global__ void update_shared(int rounds, float* sink) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    for (int round = 0; round < rounds; ++round) atomicAdd(&sum, 1.0f);
    __syncthreads();
    if (sum == -1.0f) *sink = sum;
}

__global__ void fetch_texels(cudaTextureObject_t texture, int rounds, float* sink) {
    float sum = 0;
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int i = 0; i < 8; ++i) sum += tex2D<float>(texture, threadIdx.x % 32 + i, threadIdx.x / 32 + round % 8);
    if (sum == 1.0f) *sink = sum;
}

// Each lane fetches from a sector of its own.
__global__ void fetch_scattered(cudaTextureObject_t texture, int rounds, float* sink) {
    float sum = 0;
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int i = 0; i < 8; ++i)
            sum += tex2D<float>(texture, threadIdx.x % 32 * 8 + i, threadIdx.x / 32 + round % 8);
    if (sum == 1.0f) *sink = sum;
}

template <typename T, int chains>
__global__ void multiply_add(int rounds, T factor, T* sink) {
    T x[chains];
    for (int c = 0; c < chains; ++c) x[c] = T(threadIdx.x + c);
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int i = 0; i < 16; ++i)
#pragma unroll
            for (int c = 0; c < chains; ++c) x[c] = x[c] * factor + factor;
    T sum = 0;
    for (int c = 0; c < chains; ++c) sum += x[c];
    if (sum == T(1)) *sink = sum;
}

// One instruction of the special units.
__device__ float root_of(float x) {
    asm("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x));
    return x;
}

__global__ void take_roots(int rounds, float* sink) {
    float x = threadIdx.x + 2.0f, y = x + 1, z = x + 2, w = x + 3;
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int i = 0; i < 8; ++i) x = root_of(x), y = root_of(y), z = root_of(z), w = root_of(w);
    if (x + y + z + w == 1.0f) *sink = x;
}

// Integer and floating-point instructions together, so that no unit but the schedulers is full.
__global__ void issue(int rounds, int factor, float* sink) {
    float x = threadIdx.x, y = x + 1;
    int a = threadIdx.x, b = a + 1;
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            x = x * 1.0001f + 1.0f, y = y * 1.0001f + 1.0f;
            a = (a ^ factor) + b, b = (b ^ factor) + a;
        }
    if (x + y + float(a + b) == 1.0f) *sink = x;
}

// Follows a chain of indices: the cycles of a step.
__global__ void chase(const unsigned* next, int steps, unsigned first, long long* cycles, unsigned* sink) {
    unsigned at = first;
    for (int i = 0; i < steps; ++i) at = next[at];
    const long long begin = clock64();
    for (int i = 0; i < steps; ++i) at = next[at];
    *cycles = clock64() - begin;
    *sink = at;
}

__global__ void chase_shared(int steps, long long* cycles, unsigned* sink) {
    __shared__ unsigned next[256];
    for (int i = 0; i < 256; ++i) next[i] = (i + 1) % 256;
    unsigned at = 0;
    const long long begin = clock64();
    for (int i = 0; i < steps; ++i) at = next[at];
    *cycles = clock64() - begin;
    *sink = at;
}

__global__ void chain_of_products(int steps, float factor, long long* cycles, float* sink) {
    float x = factor;
    const long long begin = clock64();
#pragma unroll 16
    for (int i = 0; i < steps; ++i) x = x * factor + factor;
    *cycles = clock64() - begin;
    *sink = x;
}

__global__ void chain_of_shuffles(int steps, long long* cycles, int* sink) {
    int x = threadIdx.x;
    const long long begin = clock64();
#pragma unroll 16
    for (int i = 0; i < steps; ++i) x = __shfl_sync(~0u, x, (x + 1) & 31);
    if (threadIdx.x == 0) *cycles = clock64() - begin;
    *sink = x;
}

__global__ void chain_of_barriers(int steps, long long* cycles) {
    const long long begin = clock64();
#pragma unroll 16
    for (int i = 0; i < steps; ++i) __syncthreads();
    if (threadIdx.x == 0) *cycles = clock64() - begin;
}

template <typename T>
__global__ void update_one(T* sum, int rounds) {
    for (int round = 0; round < rounds; ++round)
        if (threadIdx.x % 32 == 0) atomicAdd(sum, T(1));
}

__global__ void read_clocks(long long* values) {
    unsigned long long ns = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    values[0] = clock64();
    values[1] = static_cast<long long>(ns);
}

// ---- figures

void print(const char* name, double value, const char* comment) {
    std::printf("%s = %.5g%*s# measured: %s\n", name, value, int(std::max<size_t>(1, 18 - std::string(name).size())),
                "", comment);
}
void print_known(const char* name, double value) { std::printf("%s = %.0f\n", name, value); }

template <typename T>
struct Managed {
    T* data = nullptr;
    explicit Managed(size_t n) { CHECK(cudaMallocManaged(&data, n * sizeof(T))); }
    ~Managed() { cudaFree(data); }
};

template <typename T>
struct OnDevice {
    T* data = nullptr;
    explicit OnDevice(size_t n) {
        CHECK(cudaMalloc(&data, n * sizeof(T)));
        CHECK(cudaMemset(data, 0, n * sizeof(T)));
    }
    ~OnDevice() { cudaFree(data); }
};

// Cycles per step in a random ring of `bytes`, a line of 128 bytes per step.
double chase_cycles(size_t bytes, int steps) {
    const unsigned stride = 32, n = unsigned(bytes / 4 / stride);
    std::vector<unsigned> order(n), next(size_t(n) * stride);
    for (unsigned i = 0; i < n; ++i) order[i] = i;
    unsigned long long state = 1;
    for (unsigned i = n - 1; i > 0; --i) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        std::swap(order[i], order[(state >> 33) % i]);
    }
    for (unsigned i = 0; i < n; ++i) next[size_t(order[i]) * stride] = order[(i + 1) % n] * stride;
    OnDevice<unsigned> ring(next.size()), sink(1);
    OnDevice<long long> cycles(1);
    CHECK(cudaMemcpy(ring.data, next.data(), next.size() * 4, cudaMemcpyHostToDevice));
    chase<<<1, 1>>>(ring.data, steps, 0, cycles.data, sink.data);
    long long result = 0;
    CHECK(cudaMemcpy(&result, cycles.data, sizeof result, cudaMemcpyDeviceToHost));
    return double(result) / steps;
}

double cycles_of(const std::function<void(long long*)>& launch, int steps) {
    OnDevice<long long> cycles(1);
    double best = 1e30;
    for (int run = 0; run < 5; ++run) {
        launch(cycles.data);
        long long result = 0;
        CHECK(cudaMemcpy(&result, cycles.data, sizeof result, cudaMemcpyDeviceToHost));
        best = std::min(best, double(result) / steps);
    }
    return best;
}

}  // namespace

int main() {
    CHECK(cudaGetDeviceProperties(&device, 0));
    const int multiprocessors = device.multiProcessorCount, blocks = 2 * multiprocessors;
    OnDevice<float> sink(1);
    float* const out = sink.data;
    const auto per_cycle = [&](double work, double ns) { return work / multiprocessors / (ns * clock_mhz * 1e-3); };

    // The clock under load.
    Managed<long long> clocks(4);
    for (int i = 0; i < 20; ++i) issue<<<blocks, 1024>>>(2000, 3, out);
    read_clocks<<<1, 1>>>(clocks.data);
    for (int i = 0; i < 20; ++i) issue<<<blocks, 1024>>>(2000, 3, out);
    read_clocks<<<1, 1>>>(clocks.data + 2);
    CHECK(cudaDeviceSynchronize());
    // (Both readings may come from different multiprocessors, whose counters begin together.)
    clock_mhz = 1e3 * double(clocks.data[2] - clocks.data[0]) / double(clocks.data[3] - clocks.data[1]);

    std::printf("name = %s\nsource = measured\n", device.name);
    print_known("multiprocessors", multiprocessors);
    print("clock", clock_mhz, "MHz, under load");
    print_known("threads", device.maxThreadsPerMultiProcessor);
    print_known("blocks", device.maxBlocksPerMultiProcessor);
    print_known("registers", device.regsPerMultiprocessor);
    print_known("shared", double(device.sharedMemPerMultiprocessor) / 1024);
    print_known("l1", double(device.sharedMemPerMultiprocessor) / 1024 + 28);
    print_known("l2", double(device.l2CacheSize) / (1 << 20));

    {
        const size_t n = size_t{1} << 26;  // a gibibyte
        OnDevice<float4> data(n);
        const double dram = best_ns([&] { read_all<<<8 * multiprocessors, 256>>>(data.data, n, 1, out); });
        print("dram_bandwidth", double(n) * 16 / dram, "GB/s, a gibibyte read once");
        const size_t in_l2 = size_t{1} << 21;  // 32 MiB
        const double l2 =
            more_ns([&](int passes) { read_all<<<8 * multiprocessors, 256>>>(data.data, in_l2, passes, out); }, 4, 12);
        print("l2_bandwidth", 8.0 * double(in_l2) * 16 / l2, "GB/s, 32 MiB read again and again");
        const double stores = more_ns(
            [&](int rounds) {
                store_words<<<8 * multiprocessors, 256>>>(reinterpret_cast<float*>(data.data), 1 << 16, rounds);
            },
            16, 64);
        print("partial_stores", per_cycle(48.0 * 8 * multiprocessors * 256, stores),
              "per cycle, a word per lane and line");
    }
    const double shared = more_ns([&](int rounds) { read_shared<<<blocks, 1024>>>(rounds, out); }, 100, 500);
    const double wavefronts = per_cycle(400.0 * 16 * blocks * 32, shared);
    print("wavefronts", wavefronts, "per cycle, loads from shared memory");
    {
        cudaArray_t array;
        const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
        CHECK(cudaMallocArray(&array, &format, 256, 64));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaTextureDesc description = {};
        cudaTextureObject_t texture = 0;
        CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
        const double texels =
            more_ns([&](int rounds) { fetch_texels<<<blocks, 1024>>>(texture, rounds, out); }, 20, 100);
        print("texels", per_cycle(80.0 * 8 * blocks * 1024, texels), "per cycle");
        const double scattered =
            more_ns([&](int rounds) { fetch_scattered<<<blocks, 1024>>>(texture, rounds, out); }, 20, 100);
        print("texture_sectors", per_cycle(80.0 * 8 * blocks * 1024, scattered), "per cycle, one for each lane");
        CHECK(cudaDestroyTextureObject(texture));
        CHECK(cudaFreeArray(array));
    }
    const double warps = blocks * 32.0;
    const double both = more_ns([&](int rounds) { issue<<<blocks, 1024>>>(rounds, 3, out); }, 200, 1000);
    print("issue", per_cycle(800.0 * 16 * 6 * warps, both), "instructions of a warp per cycle, of two kinds");
    const double single =
        more_ns([&](int rounds) { multiply_add<float, 4><<<blocks, 1024>>>(rounds, 1.0001f, out); }, 200, 1000);
    print("single", per_cycle(800.0 * 16 * 4 * warps, single), "the same, products and sums of floats");
    OnDevice<double> sink64(1);
    const double twice =
        more_ns([&](int rounds) { multiply_add<double, 4><<<blocks, 1024>>>(rounds, 1.0001, sink64.data); }, 50, 250);
    print("double", per_cycle(200.0 * 16 * 4 * warps, twice), "the same, of doubles");
    const double roots = more_ns([&](int rounds) { take_roots<<<blocks, 1024>>>(rounds, out); }, 50, 250);
    print("special", per_cycle(200.0 * 8 * 4 * warps, roots), "the same, reciprocal roots");

    const double near = chase_cycles(16 << 10, 4096), far = chase_cycles(4 << 20, 32768);
    print("l1_keeps_loads", near < far / 2, "1 or 0: a chain in 16 KiB takes less than half of one in 4 MiB");
    print("l1_latency", near, "cycles, a chain in 16 KiB");
    OnDevice<unsigned> word(1);
    print("shared_latency",
          cycles_of([&](long long* cycles) { chase_shared<<<1, 1>>>(4096, cycles, word.data); }, 4096), "cycles");
    print("l2_latency", far, "cycles, a chain in 4 MiB");
    print("dram_latency", chase_cycles(size_t{1} << 29, 65536), "cycles, a chain in 512 MiB");
    OnDevice<float> words(1024);
    const double cached =
        more_ns([&](int rounds) { read_cached<<<blocks, 1024>>>(words.data, rounds, out); }, 100, 500);
    print("l1_requests", per_cycle(400.0 * 16 * blocks * 32, cached), "per cycle, loads that hit L1");
    const double scattered =
        more_ns([&](int rounds) { read_scattered<<<blocks, 1024>>>(words.data, rounds, out); }, 20, 100);
    print("l1_lines", per_cycle(80.0 * 16 * blocks * 1024, scattered), "per cycle, one for each lane");
    const double update = more_ns([&](int rounds) { update_shared<<<blocks, 1024>>>(rounds, out); }, 4, 20);
    print("shared_update_latency", update * clock_mhz * 1e-3 / (16 * 1024),
          "cycles, additions of a block to one float");
    print("arithmetic_latency",
          cycles_of([&](long long* cycles) { chain_of_products<<<1, 32>>>(4096, 1.0001f, cycles, out); }, 4096),
          "cycles, a product and a sum");
    OnDevice<int> number(1);
    print("exchange_latency",
          cycles_of([&](long long* cycles) { chain_of_shuffles<<<1, 32>>>(4096, cycles, number.data); }, 4096),
          "cycles, a shuffle whose lane depends on the last one");
    print("barrier_latency", cycles_of([&](long long* cycles) { chain_of_barriers<<<1, 256>>>(4096, cycles); }, 4096),
          "cycles, 256 threads");
    const double updates = more_ns([&](int rounds) { update_one<<<blocks, 1024>>>(out, rounds); }, 4, 20);
    print("atomic", updates / (16.0 * warps), "ns between additions to one float");
    const double counts = more_ns([&](int rounds) { update_one<<<blocks, 1024>>>(number.data, rounds); }, 4, 20);
    print("integer_atomic", counts / (16.0 * warps), "the same, to one integer");
    const double empty = best_ns([] { nothing<<<1, 32>>>(); }, 200);
    print("launch", empty, "ns, an empty kernel between events");
    const double eight = best_ns(
        [] {
            for (int i = 0; i < 8; ++i) nothing<<<1, 32>>>();
        },
        200);
    print("next_launch", (eight - empty) / 7, "ns, each of seven more");
    const double many =
        more_ns([&](int thousands) { nothing_much<<<thousands * 1024, 64>>>(number.data, 0); }, 64, 512);
    print("block", many / (448.0 * 1024), "ns, the start of a block of 64 threads");
    return 0;
}
