// SPDX-License-Identifier: MIT
// The tables of matadd: what each variant is, how it is launched for an element type, and its columns.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "common/cli/program.hpp"
#include "common/cuda/streaming_sum.cuh"
#include "common/measure/parallel.hpp"
#include "common/measure/variant_table.cuh"
#include "kernels/matadd/mappings.cuh"
#include "tools/matadd/options.hpp"
#include "tools/matadd/sectors.hpp"
#ifndef __SIMCC__
#include "kernels/matadd/geam.cuh"
#endif

namespace BACKEND {

// Matrices on the host, as vectors.
template <typename T>
struct HostMatrices {
    const T* a = nullptr;
    const T* b = nullptr;
    T* c = nullptr;
    size_t n = 0;
};

template <typename T>
using MataddOnDevice = LaunchShape(const MataddArguments<T>&);
template <typename T>
using MataddOnHost = void(const HostMatrices<T>&);
template <template <typename> class Signature>
using ForMataddTypes = FunctionSet<Signature, float, double>;

template <typename T>
void add_share(const HostMatrices<T>& matrices, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) matrices.c[i] = matrices.a[i] + matrices.b[i];
}

template <typename T>
void add_on_one_core(const HostMatrices<T>& matrices) {
    add_share(matrices, 0, matrices.n);
}

template <typename T>
void add_on_all_cores(const HostMatrices<T>& matrices) {
    parallel_for(matrices.n, [&](size_t begin, size_t end) { add_share(matrices, begin, end); });
}

template <typename T>
LaunchShape launch_matadd_streaming(const MataddArguments<T>& arguments) {
    return launch_streaming_sum<T>(
        {arguments.d_a, arguments.d_b, arguments.d_c, arguments.rows * arguments.columns, arguments.stream});
}

// The peer's launch; empty if cuBLAS is not installed.
template <typename T>
std::function<MataddOnDevice<T>> find_geam() {
#ifndef __SIMCC__
    const auto geam = std::make_shared<Geam<T>>();
    if (*geam) return [geam](const MataddArguments<T>& arguments) { return launch_matadd_geam(*geam, arguments); };
#endif
    return nullptr;
}

struct MataddVariant : Variant {
    ForMataddTypes<MataddOnDevice> launch = {};
    std::optional<Mapping> mapping = {};  // of those that take --blocks
    ForMataddTypes<MataddOnHost> on_host = {};

    template <typename T>
    std::function<MataddOnDevice<T>> on_device() const {
        if (peer) return find_geam<T>();
        return launch.get<T>();
    }
};

inline const MataddVariant matadd_variants[] = {
    {{"cpu", "one core", Needs::host}, {}, {}, ON_ARGUMENTS(add_on_one_core)},
    {{"cpu-parallel", "all cores, a share each", Needs::host}, {}, {}, ON_ARGUMENTS(add_on_all_cores)},
    {{"row-major", "threadIdx.x runs along a row: neighboring lanes, neighboring words", Needs::nothing, "shapes"},
     ON_ARGUMENTS(launch_matadd_row_major),
     Mapping::row_major},
    {{"column-major", "threadIdx.x runs down a column: each lane in a row of its own", Needs::nothing, "shapes"},
     ON_ARGUMENTS(launch_matadd_column_major),
     Mapping::column_major},
    {{"streaming", "the fastest: a matrix without gaps is a vector", Needs::nothing, "shapes"},
     ON_ARGUMENTS(launch_matadd_streaming)},
    {{"geam", "the peer: cuBLAS, where it is installed", Needs::gpu, "", true}},
};

// What the program's own columns say about a measurement.
struct MataddCells {
    MatrixShape shape;
    LaunchShape launch;                   // all zero for a library and the host
    unsigned registers = 0;               // per thread; 0: not known
    std::optional<Occupancy> occupancy;   // if the device's capability is known
    std::optional<RequestTraffic> loads;  // of a variant with a mapping
};

// clang-format off
inline const ColumnOf<MataddCells> matadd_columns[] = {
    {{"p_rows", "rows", 1, 0, 5, 9}, [](const MataddCells& of) -> Cell { return whole(of.shape.rows); }},
    {{"p_columns", "columns", 1, 0, 7, 9}, [](const MataddCells& of) -> Cell { return whole(of.shape.columns); }},
    {{"p_block_x"}, [](const MataddCells& of) { return whole_if_any(of.launch.block.x); }},
    {{"p_block_y"}, [](const MataddCells& of) { return whole_if_any(of.launch.block.y); }},
    {{"p_registers", "registers", 1, 0, 0, 8}, [](const MataddCells& of) { return whole_if_any(of.registers); }},
    {{"p_blocks_per_multiprocessor", "blocks/SM", 1, 0, 0, 7},
     [](const MataddCells& of) -> Cell { return of.occupancy ? Cell(whole(of.occupancy->blocks())) : absent(); }},
    {{"p_occupancy_percent", "occupancy %", 1, 1, 0, 3},
     [](const MataddCells& of) -> Cell { return of.occupancy ? Fixed{of.occupancy->percent(), 2} : absent(2); }},
    {{"p_occupancy_limit", "occupancy limit", 1, 0, 14, 4},
     [](const MataddCells& of) -> Cell { return of.occupancy ? of.occupancy->limiter() : "none"; }},
    {{"p_sectors_per_request", "sectors", 1, 1, 0, 5},
     [](const MataddCells& of) -> Cell { return of.loads ? Fixed{of.loads->sectors, 4} : absent(4); }},
    {{"p_efficiency_percent", "useful %", 1, 1, 0, 4},
     [](const MataddCells& of) -> Cell { return of.loads ? Fixed{100 * of.loads->efficiency, 2} : absent(2); }},
};
// clang-format on

inline const Program matadd_program = {
    .name = "matadd",
    .summary =
        "Adds two matrices in blocks of any shape, with the occupancy of each and what limits it; or computes the "
        "occupancy alone.",
    .examples = {"matadd -k '*-major' -n 64", "matadd --occupancy registers=64,smem=16384,block=256,cc=all"},
    .dtypes = {DType::f32, DType::f64},
    .sizes = "256Mi",
    .simulator_sizes = "16Ki",
    .variants = variants_of(matadd_variants),
    .lectures = &lectures,
    .options = own_options<MataddOptions>,
    .columns = columns_of(matadd_columns),
    .counts_in_simulator = true,
    .shown_counters = {{"gld_sectors_per_request", "sectors read"}, {"gld_efficiency_distinct", "of use"}},
};

}  // namespace BACKEND
