// SPDX-License-Identifier: MIT
// cuRAND: the integers and uniform numbers of each generator bit for bit, on the device, on the host and in kernels;
// normal, log-normal and Poisson numbers by their means.
#include <cuda_runtime.h>
#include <curand.h>
#include <curand_kernel.h>

#include <cstdio>
#include <cstring>
#include <vector>

template <typename T>
static unsigned long long hash_of(const std::vector<T>& values) {
    unsigned long long hash = 14695981039346656037ull;
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    for (size_t i = 0; i < values.size() * sizeof(T); ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
    return hash;
}

struct Generator {
    curandRngType_t type;
    const char* name;
    int ordering;  // 0: that of a new generator
    unsigned dimensions;
};
static const Generator generators[] = {
    {CURAND_RNG_PSEUDO_XORWOW, "xorwow", 0, 0},
    {CURAND_RNG_PSEUDO_XORWOW, "xorwow legacy", CURAND_ORDERING_PSEUDO_LEGACY, 0},
    {CURAND_RNG_PSEUDO_MRG32K3A, "mrg32k3a", 0, 0},
    {CURAND_RNG_PSEUDO_MRG32K3A, "mrg32k3a legacy", CURAND_ORDERING_PSEUDO_LEGACY, 0},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, "philox", 0, 0},
    {CURAND_RNG_QUASI_SOBOL32, "sobol32", 0, 20},
};

template <typename T, typename Request>
static std::vector<T> filled(bool on_device, size_t n, Request request) {
    std::vector<T> values(n);
    T* out = values.data();
    if (on_device) cudaMalloc(&out, n * sizeof(T));
    const int error = request(out);
    if (error) std::printf("error %d\n", error);
    if (on_device) {
        cudaMemcpy(values.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost);
        cudaFree(out);
    }
    return values;
}

template <typename T>
static double mean_of(const std::vector<T>& values) {
    double sum = 0;
    for (const T value : values) sum += double(value);
    return sum / double(values.size());
}

static void show(const Generator& of, bool on_device) {
    curandGenerator_t g;
    if (on_device) curandCreateGenerator(&g, of.type);
    else curandCreateGeneratorHost(&g, of.type);
    if (of.ordering) curandSetGeneratorOrdering(g, static_cast<curandOrdering_t>(of.ordering));
    if (of.dimensions) curandSetQuasiRandomGeneratorDimensions(g, of.dimensions);
    else curandSetPseudoRandomGeneratorSeed(g, 1234);
    curandSetGeneratorOffset(g, 7);
    const size_t n = 100000;
    const auto bits = filled<unsigned>(on_device, n, [&](unsigned* out) { return curandGenerate(g, out, n); });
    const auto more = filled<unsigned>(on_device, n, [&](unsigned* out) { return curandGenerate(g, out, n); });
    const auto uniform = filled<float>(on_device, n, [&](float* out) { return curandGenerateUniform(g, out, n); });
    curandSetGeneratorOffset(g, 0);
    const auto doubles = filled<double>(on_device, n, [&](double* out) { return curandGenerateUniformDouble(g, out, n); });
    std::printf("%s on the %s: %08x %016llx %016llx %016llx %016llx\n", of.name, on_device ? "device" : "host", bits[0],
                hash_of(bits), hash_of(more), hash_of(uniform), hash_of(doubles));
    curandSetGeneratorOffset(g, 0);
    const auto normal = filled<float>(on_device, n, [&](float* out) { return curandGenerateNormal(g, out, n, 1, 2); });
    const auto wide = filled<double>(on_device, n, [&](double* out) { return curandGenerateNormalDouble(g, out, n, 1, 2); });
    const auto logs = filled<float>(on_device, n, [&](float* out) { return curandGenerateLogNormal(g, out, n, 0, .25f); });
    const auto few = filled<unsigned>(on_device, n, [&](unsigned* out) { return curandGeneratePoisson(g, out, n, 5); });
    const auto many = filled<unsigned>(on_device, n, [&](unsigned* out) { return curandGeneratePoisson(g, out, n, 500); });
    std::vector<double> squares;
    for (const double value : wide) squares.push_back((value - 1) * (value - 1));
    std::printf("  means %.1f %.1f %.1f %.1f %.1f, variance %.1f\n", mean_of(normal), mean_of(wide), mean_of(logs),
                mean_of(few), mean_of(many) / 100, mean_of(squares));
    curandDestroyGenerator(g);
}

template <typename State>
static __global__ void draw(unsigned* out, float* uniform, double* doubles, float* normal) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    State state;
    curand_init(1234ull + (1ull << 40), thread, 5ull * thread, &state);
    for (int i = 0; i < 3; ++i) out[3 * thread + i] = curand(&state);
    uniform[thread] = curand_uniform(&state);
    doubles[thread] = curand_uniform_double(&state);
    normal[thread] = curand_normal(&state) + curand_log_normal(&state, 0, 1) + float(curand_normal_double(&state));
    skipahead(1000ull, &state);
    skipahead_sequence(3ull, &state);
    out[3 * thread] ^= curand(&state);
    const unsigned some = curand_poisson(&state, 4.0);
    if (some > 60) out[3 * thread] = 0;
}

template <typename State>
static void show_kernel(const char* name) {
    const size_t n = 96;
    unsigned* out;
    float* uniform;
    double* doubles;
    float* normal;
    cudaMallocManaged(&out, 3 * n * sizeof(unsigned));
    cudaMallocManaged(&uniform, n * sizeof(float));
    cudaMallocManaged(&doubles, n * sizeof(double));
    cudaMallocManaged(&normal, n * sizeof(float));
    draw<State><<<3, 32>>>(out, uniform, doubles, normal);
    if (const int error = cudaDeviceSynchronize()) std::printf("error %d\n", error);
    std::printf("%s in a kernel: %08x %016llx %016llx %016llx, normal %.2f\n", name, out[3],
                hash_of(std::vector<unsigned>(out, out + 3 * n)), hash_of(std::vector<float>(uniform, uniform + n)),
                hash_of(std::vector<double>(doubles, doubles + n)), normal[5]);
    cudaFree(out), cudaFree(uniform), cudaFree(doubles), cudaFree(normal);
}

static __global__ void draw_four(uint4* out, float4* uniform) {
    curandStatePhilox4_32_10_t state;
    curand_init(99, threadIdx.x, 2, &state);
    out[threadIdx.x] = curand4(&state);
    curand(&state);
    uniform[threadIdx.x] = curand_uniform4(&state);
}

int main() {
    for (const Generator& generator : generators) {
        for (const bool on_device : {true, false}) show(generator, on_device);
    }
    show_kernel<curandState>("xorwow");
    show_kernel<curandStateMRG32k3a>("mrg32k3a");
    show_kernel<curandStatePhilox4_32_10_t>("philox");
    uint4* out;
    float4* uniform;
    cudaMallocManaged(&out, 32 * sizeof(uint4));
    cudaMallocManaged(&uniform, 32 * sizeof(float4));
    draw_four<<<1, 32>>>(out, uniform);
    cudaDeviceSynchronize();
    std::printf("philox, four at once: %016llx %016llx\n", hash_of(std::vector<uint4>(out, out + 32)),
                hash_of(std::vector<float4>(uniform, uniform + 32)));
}
