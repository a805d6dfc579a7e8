// SPDX-License-Identifier: MIT
// A plan: one way to multiply matrices of one shape and type on one device, a kernel with one tile. Variants list the
// plans that they have for a problem (variants.cuh, thin.cuh, hopper/), each with an estimate of its time; choose.cuh
// takes the best of them, and tune.cuh times the best few.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/cuda/device_info.hpp"
#include "common/cuda/launch_shape.cuh"
#include "common/io/dtype.hpp"
#include "common/io/failure.hpp"
#include "common/io/text.hpp"
#include "kernels/matmul/generic/arguments.cuh"
#include "tools/matmul/element.hpp"
#include "tools/matmul/estimate.hpp"
#include "tools/matmul/shape.hpp"
#include "tools/matmul/wisdom.hpp"

namespace BACKEND {

class Cublas;
class CublasLt;

// Libraries that plans call, loaded once for all shapes: loading one takes longer than most products.
struct ProductLibraries {
    std::shared_ptr<Cublas> cublas;  // nullptr until a plan asks for it
    std::shared_ptr<CublasLt> cublaslt;
};

// How many clusters of 1 to most_blocks blocks run at once if a multiprocessor holds 1 to most_resident blocks. The
// groups of multiprocessors, in which a cluster must fit, differ in size, and from card to card.
struct ClusterCounts {
    static constexpr unsigned most_blocks = 16, most_resident = 4;
    unsigned counts[most_resident][most_blocks] = {};
};

struct ProductProblem {
    const DeviceInfo* device = nullptr;
    bool hopper = false;          // whether the device and this build run kernels for sm_90a
    ClusterCounts clusters = {};  // of a Hopper GPU
    DType dtype = DType::f32;
    ProductShape shape = {};
    ProductForm form = {};
    std::string forced_tile = {};  // --tile; "" leaves it to the estimates
    std::shared_ptr<ProductLibraries> libraries = std::make_shared<ProductLibraries>();
    std::shared_ptr<Wisdom> wisdom = {};  // what was measured earlier; none with --no-tune and in the simulator
};

// As a row of the wisdom has it.
inline std::string wisdom_key(const ProductProblem& problem) {
    const ProductForm& form = problem.form;
    return text("{}/{},{},{},{}{},{}", problem.device->name, problem.device->multiprocessors, name_of(problem.dtype),
                form.transposed.name(), form.products(), form.shares_b ? " of one B" : "", problem.shape.name());
}

// The speed of a device's memory; that of an H200 is 1.
inline double memory_speed(const DeviceInfo& device) {
    constexpr double h200_gbyte_per_s = 4815;
    return device.peak_gbyte_per_s > 0 ? device.peak_gbyte_per_s / h200_gbyte_per_s : 1;
}

// Of the device or, for the simulator, which has as many as it has threads, of the GPU that the estimates are from.
inline unsigned estimated_multiprocessors(const ProductProblem& problem) {
    constexpr unsigned of_h200 = 132;
    return problem.device->simulated ? of_h200 : unsigned(problem.device->multiprocessors);
}

// How many blocks of a kernel run at once, in whole clusters, if a multiprocessor holds `resident` of them.
inline unsigned blocks_at_once(const ProductProblem& problem, unsigned cluster, unsigned resident = 1) {
    const auto most = unsigned(problem.device->multiprocessors) * resident;
    if (cluster == 1) return most;
    const unsigned clusters =
        problem.clusters.counts[std::min(resident, ClusterCounts::most_resident) - 1][cluster - 1];
    return std::max(1U, std::min(clusters, most / cluster)) * cluster;
}

// The layout in which every kernel takes operands: by rows; 8-bit floats along k, which is B by columns.
inline Transposes plain_transposes(DType dtype) { return {false, is_float8(dtype)}; }

inline bool is_plain(const ProductProblem& problem) {
    return problem.form.transposed == plain_transposes(problem.dtype);
}

// The same product as C' = B' A': what was stored by rows is now stored transposed.
inline ProductProblem exchanged(ProductProblem problem) {
    const Transposes& given = problem.form.transposed;
    std::swap(problem.shape.m, problem.shape.n);
    problem.form.transposed = {!given.b, !given.a, !given.c};
    return problem;
}

// What a launch needs to know of a product, but for where its matrices and the launch's own memory are.
inline MatmulArguments<void> arguments_of(const ProductShape& shape, const ProductForm& form,
                                          const ProductStrides& strides) {
    MatmulArguments<void> arguments;
    arguments.m = shape.m, arguments.n = shape.n, arguments.k = shape.k;
    arguments.batch = form.products();
    arguments.stride_a = strides.a, arguments.stride_b = strides.b, arguments.stride_c = strides.c;
    arguments.a_transposed = form.transposed.a, arguments.b_transposed = form.transposed.b;
    return arguments;
}

struct Plan {
    std::function<LaunchShape(const MatmulArguments<void>&)> launch = {};  // none: the variant does not exist there
    std::string tile = "none";                                             // as the column p_tile has it
    std::string key = "";  // as --tile names it, different from the variant's other plans; "" if there is no choice
    const char* variant = "";
    double ns = 0;                                       // as estimated; 0 if nobody knows
    Work work = {};                                      // from which it is estimated, by the costs of
    std::string row = "";                                // this row of the coefficients
    size_t workspace_bytes = 0;                          // beside A, B and C
    bool takes_batch = false, takes_transposed = false;  // without copies
    bool stores_transposed = false;                      // C
    Sums sums = Sums::of_type;                           // of 8-bit floats: how it adds them up
    std::string copied = {};                             // matrices that other kernels transpose, as "A+C"
    bool is_exchanged = false;                           // computes C' = B' A'

    // "hopper:128x256x64:stream-k", "thin:rows", "async:64x64x8:copying-A": as the column p_method and the wisdom have
    // it, different from all other plans for the problem.
    std::string name() const {
        std::string name = text("{}:{}{}", variant, key.empty() ? tile : key, is_exchanged ? ":exchanged" : "");
        if (!copied.empty()) name += ":copying-" + copied;
        return name;
    }
};
using Plans = std::vector<Plan>;

// A table of tiles. Tables of different types differ in length.
template <typename Choice>
struct TableOf {
    const Choice *first = nullptr, *last = nullptr;

    TableOf() = default;
    template <size_t count>
    TableOf(const Choice (&tiles)[count]) : first(tiles), last(tiles + count) {}
    const Choice* begin() const { return first; }
    const Choice* end() const { return last; }
};

inline std::string tile_name(const TileSize& tile) {
    return tile.k > 0 ? text("{}x{}x{}", tile.m, tile.n, tile.k) : text("{}x{}", tile.m, tile.n);
}

// Whether a kernel's type says that it takes transposed operands.
template <typename Tile, typename = void>
constexpr bool takes_transposed = false;
template <typename Tile>
constexpr bool takes_transposed<Tile, std::void_t<decltype(Tile::takes_transposed)>> = Tile::takes_transposed;

// Kernels count tiles and blocks in 32 bits.
constexpr double most_tiles = 2147483648.0;

}  // namespace BACKEND
