// SPDX-License-Identifier: MIT
// How a variant multiplies matrices of one shape and type on one device.
#pragma once

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
#include "kernels/matmul/arguments.cuh"
#include "tools/matmul/element.hpp"
#include "tools/matmul/product_cost.cuh"
#include "tools/matmul/shape.hpp"

namespace BACKEND {

class Cublas;
class CublasLt;

// Libraries that methods call, loaded once for all shapes: loading one takes longer than most products.
struct ProductLibraries {
    std::shared_ptr<Cublas> cublas;  // nullptr until a method asks for it
    std::shared_ptr<CublasLt> cublaslt;
};

struct ProductProblem {
    const DeviceInfo* device = nullptr;
    bool hopper = false;          // whether the device and this build run kernels for sm_90a
    ClusterCounts clusters = {};  // of a Hopper GPU
    DType dtype = DType::f32;
    ProductShape shape = {};
    ProductForm form = {};
    std::string forced_tile = {};  // --tile; "" leaves it to the cost model
    std::shared_ptr<ProductLibraries> libraries = std::make_shared<ProductLibraries>();
};

inline DeviceModel model_of(const ProductProblem& problem) {
    return {unsigned(problem.device->multiprocessors), memory_speed(*problem.device), problem.clusters};
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

// No launch: the variant does not exist there.
struct ProductMethod {
    std::function<LaunchShape(const MatmulArguments<void>&)> launch = {};
    std::string tile = "none";
    size_t workspace_bytes = 0;                          // beside A, B and C
    const char* variant = "";                            // the one whose method `fastest` uses
    bool by_cost_model = false;                          // whether the cost model chose the tile
    double cycles = 0;                                   // as it estimates; 0 if there is no model
    bool takes_batch = false, takes_transposed = false;  // in one launch, without copies
    bool stores_transposed = false;                      // C
    bool one_by_one = false;                             // a launch for each product of a batch
    Sums sums = Sums::of_type;                           // of 8-bit floats: how it adds them up
    std::string copied = {};                             // matrices that other kernels transpose, as "A, C"
};

// Failure(usage): --tile names none of the tiles that can compute the product.
[[noreturn]] inline void fail_without_tile(const ProductProblem& problem, const std::vector<std::string>& keys) {
    std::string list;
    for (const std::string& key : keys) list += (list.empty() ? "" : ", ") + key;
    fail(Exit::usage, "--tile {}: no such tile computes {} in {}; there are {}", problem.forced_tile,
         problem.shape.name(), name_of(problem.dtype), list);
}

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

// Whether a kernel's type says that it takes a batch, or transposed operands.
template <typename Tile, typename = void>
constexpr bool takes_batch = false;
template <typename Tile>
constexpr bool takes_batch<Tile, std::void_t<decltype(Tile::takes_batch)>> = Tile::takes_batch;
template <typename Tile, typename = void>
constexpr bool takes_transposed = false;
template <typename Tile>
constexpr bool takes_transposed<Tile, std::void_t<decltype(Tile::takes_transposed)>> = Tile::takes_transposed;

// Kernels count tiles and blocks in 32 bits.
constexpr double most_tiles = 2147483648.0;

// The method of a kernel with one tile size: see kernels/matmul/arguments.cuh.
template <typename Tile>
ProductMethod method_of() {
    ProductMethod method;
    method.launch = [](const MatmulArguments<void>& arguments) {
        return Tile::enqueue(arguments.as<typename Tile::Element>());
    };
    method.tile = tile_name(Tile::tile);
    method.takes_batch = takes_batch<Tile>;
    method.takes_transposed = takes_transposed<Tile>;
    return method;
}

}  // namespace BACKEND
