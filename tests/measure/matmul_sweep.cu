// Times every tile of matmul's fast variants, and cuBLAS, in one process: far more rows than matmul_regret.py in the
// same time, but with less care (few samples, on their own). Some constants of the cost models are fitted to such rows.
//     make bin/matmul
//     nvcc -std=c++17 -O1 -I. -DBACKEND=gpu -gencode arch=compute_90a,code=sm_90a tests/measure/matmul_sweep.cu
//         build/gpu/cuda-unit.o build/gpu/gang-unit.o build/libgridutils.a build/libsimt.a build/libgridutils.a
//         -Xlinker --gc-sections -lcublas -lfmt -lz -lpthread -ldl -lrt -lbacktrace -o matmul_sweep
//     ./matmul_sweep <SHAPES >ROWS       on a Hopper GPU with 20 GB of memory; it takes three minutes to build
// Build it in the top folder. A line of SHAPES is a type and m, n and k: "tf32 2044 2044 2044". A row has the type, m,
// n, k, the variant, the tile's key, the cycles that the model estimates, and the median time in us, the caches cold. The
// models leave out the launch: an estimate is (cycles + 3170) / 1980 us. A kernel's first launch loads its code, so that
// a shape's first rows may be disturbed.
#include "common/cuda/passes.hpp"
#include "tools/matmul/variants.cuh"

#if HOST_PASS
#include <cublas_v2.h>

#include <iostream>

#include "common/cuda/device.cuh"
#include "tools/matmul/choice.cuh"
#endif

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace BACKEND {

// Reads more than the L2 cache holds.
__global__ void read_through(const float4* data, size_t count, float* never_written) {
    float sum = 0;
    for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x)
        sum += __ldcg(data + i).x;
    if (sum == 12345.0f) *never_written = sum;
}

// Numbers between -1 and 1.
template <typename T>
__global__ void fill_matrix(T* data, size_t count, unsigned seed) {
    for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x) {
        unsigned hash = static_cast<unsigned>(i) * 2654435761u + seed;
        hash = (hash ^ hash >> 15) * 2246822519u;
        data[i] = T(float((hash ^ hash >> 13) % 2048) / 1024.0f - 1.0f);
    }
}

#if HOST_PASS
struct Sweep {
    static constexpr size_t matrix_bytes = size_t{3} << 30, flushed_bytes = size_t{110} << 20;
    static constexpr unsigned blocks = 1024, threads = 256;

    DeviceBuffer<unsigned char> d_a{matrix_bytes}, d_b{matrix_bytes}, d_c{matrix_bytes}, d_workspace{2 * matrix_bytes},
        d_partials{size_t{256} << 20}, d_flushed{flushed_bytes};
    cudaEvent_t before, after;
    cublasHandle_t cublas;

    Sweep() {
        CHECK(cudaMemset(d_partials.data(), 0, size_t{256} << 20));
        CHECK(cudaMemset(d_flushed.data(), 0, flushed_bytes));
        CHECK(cudaEventCreate(&before));
        CHECK(cudaEventCreate(&after));
        if (cublasCreate(&cublas) != CUBLAS_STATUS_SUCCESS) fail(Exit::cuda_error, "cuBLAS does not start");
    }

    template <typename T>
    void fill_with() {
        constexpr size_t count = size_t{1} << 28;
        fill_matrix<<<blocks, threads>>>(reinterpret_cast<T*>(d_a.data()), count, 1u);
        fill_matrix<<<blocks, threads>>>(reinterpret_cast<T*>(d_b.data()), count, 7u);
    }

    // The median time of a launch in us, after one that does not count.
    template <typename Launch>
    double time_of(const ProductShape& shape, const Launch& launch) {
        const int samples = shape.flop() > 6e9 ? 3 : 5;
        std::vector<float> times;
        for (int sample = -1; sample < samples; ++sample) {
            read_through<<<blocks, threads>>>(reinterpret_cast<const float4*>(d_flushed.data()),
                                              flushed_bytes / sizeof(float4),
                                              reinterpret_cast<float*>(d_flushed.data()));
            CHECK(cudaEventRecord(before));
            launch();
            CHECK(cudaEventRecord(after));
            CHECK(cudaEventSynchronize(after));
            float ms = 0;
            CHECK(cudaEventElapsedTime(&ms, before, after));
            if (sample >= 0) times.push_back(ms * 1e3f);
        }
        std::nth_element(times.begin(), times.begin() + samples / 2, times.end());
        return times[size_t(samples) / 2];
    }

    // By columns, the product is C' = B' A'.
    void multiply_by_cublas(DType dtype, const ProductShape& shape) {
        const int m = int(shape.m), n = int(shape.n), k = int(shape.k);
        const float one = 1, zero = 0;
        const double one_f64 = 1, zero_f64 = 0;
        const cudaDataType type = dtype == DType::f64    ? CUDA_R_64F
                                  : dtype == DType::bf16 ? CUDA_R_16BF
                                  : dtype == DType::f16  ? CUDA_R_16F
                                                         : CUDA_R_32F;
        const bool is_f64 = dtype == DType::f64;
        const cublasComputeType_t compute = is_f64                 ? CUBLAS_COMPUTE_64F
                                            : dtype == DType::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                                   : CUBLAS_COMPUTE_32F;
        const void *alpha = is_f64 ? static_cast<const void*>(&one_f64) : &one,
                   *beta = is_f64 ? static_cast<const void*>(&zero_f64) : &zero;
        if (cublasGemmEx(cublas, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, alpha, d_b.data(), type, n, d_a.data(), type, k,
                         beta, d_c.data(), type, n, compute, CUBLAS_GEMM_DEFAULT) != CUBLAS_STATUS_SUCCESS)
            fail(Exit::cuda_error, "cuBLAS refuses {}", shape.name());
    }

    void time_tiles(const ProductProblem& problem) {
        const ProductShape& shape = problem.shape;
        const std::string product = text("{},{},{},{}", name_of(problem.dtype), shape.m, shape.n, shape.k);
        std::printf("%s,cublas,,0,%.2f\n", product.c_str(),
                    time_of(shape, [&] { multiply_by_cublas(problem.dtype, shape); }));
        const auto time_all = [&](const char* variant, const std::vector<std::string>& keys, const auto& method_of) {
            for (const std::string& key : keys) {
                ProductProblem with_tile = problem;
                with_tile.forced_tile = key;
                const ProductMethod method = method_of(with_tile);
                MatmulArguments<void> arguments;
                arguments.d_a = d_a.data();
                arguments.d_b = d_b.data();
                arguments.d_c = d_c.data();
                arguments.m = shape.m;
                arguments.n = shape.n;
                arguments.k = shape.k;
                arguments.d_workspace = d_workspace.data();
                arguments.d_partials = d_partials.data();
                arguments.multiprocessors = unsigned(problem.device->multiprocessors);
                std::printf("%s,%s,%s,%.0f,%.2f\n", product.c_str(), variant, key.c_str(), method.cycles,
                            time_of(shape, [&] { method.launch(arguments); }));
            }
        };
        time_all("thin", thin_keys(problem), thin_method);
        time_all("direct", direct_keys(problem), direct_method);
        time_all("hopper", keys_of(hopper_tiles(problem.dtype), problem), hopper_method);
        std::fflush(stdout);
    }
};

void sweep(std::istream& shapes) {
    const Probe probe = probe_devices();
    if (probe.status != Probe::found) fail(Exit::unavailable, "there is no GPU");
    ProductProblem problem;
    problem.device = &probe.devices.front();
    problem.hopper = hopper_kernels_run(problem.device->compute_capability);
    if (!problem.hopper) fail(Exit::unavailable, "the first GPU is not of compute capability 9.0");
    problem.clusters = cluster_counts();
    Sweep sweep;
    std::string type, filled_type;
    ProductShape shape;
    while (shapes >> type >> shape.m >> shape.n >> shape.k) {
        problem.dtype = parse_dtype(type, {DType::f64, DType::f32, DType::tf32, DType::f16, DType::bf16});
        problem.shape = shape;
        if (std::max({shape.m * shape.k, shape.k * shape.n, shape.m * shape.n}) > size_t{1} << 28)
            fail(Exit::usage, "{}: a matrix of more than 2^28 elements", shape.name());
        if (type != filled_type) {
            switch (problem.dtype) {
                case DType::f64: sweep.fill_with<double>(); break;
                case DType::f16: sweep.fill_with<__half>(); break;
                case DType::bf16: sweep.fill_with<__nv_bfloat16>(); break;
                default: sweep.fill_with<float>();
            }
            filled_type = type;
        }
        sweep.time_tiles(problem);
    }
}
#endif

}  // namespace BACKEND

#if HOST_PASS
int main() {
    try {
        BACKEND::sweep(std::cin);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "matmul_sweep: %s\n", error.what());
        return 1;
    }
}
#endif
