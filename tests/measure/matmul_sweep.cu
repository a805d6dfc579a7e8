// SPDX-License-Identifier: MIT
// Times every tile of matmul's fast variants, and cuBLAS, in one process: far more rows than matmul_regret.py in the
// same time, but with less care (few samples, on their own). Some constants of the cost models are fitted to such rows.
//     make bin/matmul
//     nvcc -std=c++17 -O1 -I. -DBACKEND=gpu -gencode arch=compute_90a,code=sm_90a tests/measure/matmul_sweep.cu
//         build/gpu/{cuda,gang}-unit.o build/host/tools/matmul/*.o build/libgridutils.a build/lib/gridutils/libsimt.a
//         -Xlinker --gc-sections -lfmt -lz -lpthread -ldl -lrt -lbacktrace -o matmul_sweep
//     ./matmul_sweep <SHAPES >ROWS       on a Hopper GPU with 20 GB of memory; it takes three minutes to build
// Build it in the top folder. A line of SHAPES is a type and m, n and k: "tf32 2044 2044 2044". A row has the type, m,
// n, k, the variant, the tile's key, the cycles that the model estimates, and the median time in us, the caches cold.
// The models leave out the launch: an estimate is (cycles + 3170) / 1980 us. A kernel's first launch loads its code, so
// that a shape's first rows may be disturbed.
#include "common/cuda/passes.hpp"
#include "tools/matmul/variants.cuh"

#if HOST_PASS
#include <iostream>

#include "common/cuda/device.cuh"
#include "common/measure/statistics.hpp"
#include "common/measure/timing.cuh"
#include "tools/matmul/choice.cuh"
#include "tools/matmul/peers.cuh"
#include "tools/matmul/product.cuh"
#endif

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

namespace BACKEND {

// Numbers between -1 and 1.
__global__ void fill_matrix(void* data, DType dtype, size_t count, unsigned seed) {
    for (size_t i = blockIdx.x * size_t{blockDim.x} + threadIdx.x; i < count; i += size_t{gridDim.x} * blockDim.x) {
        unsigned hash = static_cast<unsigned>(i) * 2654435761u + seed;
        hash = (hash ^ hash >> 15) * 2246822519u;
        const float number = float((hash ^ hash >> 13) % 2048) / 1024.0f - 1.0f;
        switch (dtype) {
            case DType::f64: static_cast<double*>(data)[i] = number; break;
            case DType::f16: static_cast<__half*>(data)[i] = __half(number); break;
            case DType::bf16: static_cast<__nv_bfloat16*>(data)[i] = __nv_bfloat16(number); break;
            default: static_cast<float*>(data)[i] = number;
        }
    }
}

#if HOST_PASS
class Sweep {
public:
    static constexpr size_t most_elements = size_t{1} << 28;  // of a matrix

    explicit Sweep(const DeviceInfo& device)
        : partials_(make_partials(device)),
          stopwatch_(true, device.l2_bytes),
          multiprocessors_(unsigned(device.multiprocessors)) {}

    void fill(DType dtype) {
        fill_matrix<<<1024, 256>>>(a_.data(), dtype, most_elements, 1);
        fill_matrix<<<1024, 256>>>(b_.data(), dtype, most_elements, 7);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }

    // Prints the times of cuBLAS and of every tile.
    void time_tiles(const ProductProblem& problem) {
        print_time(problem, "cublas", "", cublas_method(problem));
        const auto print_all = [&](const char* variant, const std::vector<std::string>& keys, const auto& method_of) {
            for (const std::string& key : keys) {
                ProductProblem with_tile = problem;
                with_tile.forced_tile = key;
                print_time(problem, variant, key, method_of(with_tile));
            }
        };
        print_all("thin", thin_keys(problem), thin_method);
        print_all("direct", direct_keys(problem), direct_method);
        print_all("hopper", keys_of(hopper_tiles(problem.dtype), problem), hopper_method);
        std::fflush(stdout);
    }

private:
    static constexpr size_t matrix_bytes = size_t{3} << 30;

    void print_time(const ProductProblem& problem, const char* variant, const std::string& key,
                    const ProductMethod& method) {
        if (!method.launch) return;  // cuBLAS, where it is not installed
        const ProductShape& shape = problem.shape;
        std::printf("%s,%zu,%zu,%zu,%s,%s,%.0f,%.2f\n", name_of(problem.dtype), shape.m, shape.n, shape.k, variant,
                    key.c_str(), method.cycles, median_us(shape, method));
    }

    // The median time of a launch, after one that does not count.
    double median_us(const ProductShape& shape, const ProductMethod& method) {
        MatmulArguments<void> arguments;
        arguments.d_a = a_.data();
        arguments.d_b = b_.data();
        arguments.d_c = c_.data();
        arguments.m = shape.m;
        arguments.n = shape.n;
        arguments.k = shape.k;
        arguments.d_workspace = workspace_.data();
        arguments.d_partials = partials_.data();
        arguments.multiprocessors = multiprocessors_;
        const size_t samples = shape.flop() > 6e9 ? 3 : 5;
        std::vector<double> times;
        for (size_t sample = 0; sample <= samples; ++sample) {
            const double ns = stopwatch_.time({}, [&](cudaStream_t stream) {
                arguments.stream = stream;
                method.launch(arguments);
            });
            if (sample > 0) times.push_back(ns * 1e-3);
        }
        return summarize(times).median;
    }

    DeviceBuffer<unsigned char> a_{matrix_bytes}, b_{matrix_bytes}, c_{matrix_bytes}, workspace_{2 * matrix_bytes},
        partials_;
    Stopwatch stopwatch_;
    unsigned multiprocessors_;
};

void sweep(std::istream& shapes) {
    const Probe probe = probe_devices();
    if (probe.status != Probe::found) fail(Exit::unavailable, "there is no GPU");
    ProductProblem problem;
    problem.device = &probe.devices.front();
    problem.hopper = hopper_kernels_run(problem.device->compute_capability);
    if (!problem.hopper) fail(Exit::unavailable, "the first GPU is not of compute capability 9.0");
    problem.clusters = cluster_counts();
    Sweep sweep(*problem.device);
    std::string type, filled_type;
    ProductShape shape;
    while (shapes >> type >> shape.m >> shape.n >> shape.k) {
        problem.dtype = parse_dtype(type, {DType::f64, DType::f32, DType::tf32, DType::f16, DType::bf16});
        problem.shape = shape;
        if (std::max({shape.m * shape.k, shape.k * shape.n, shape.m * shape.n}) > Sweep::most_elements)
            fail(Exit::usage, "{}: a matrix of more than 2^28 elements", shape.name());
        if (type != filled_type) {
            sweep.fill(problem.dtype);
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
