// SPDX-License-Identifier: MIT
// The tables of vecadd: what each variant is, and how it is launched for an element type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/cli/program.hpp"
#include "common/cli/sizes.hpp"
#include "common/gang/join.hpp"
#include "common/measure/parallel.hpp"
#include "common/measure/variant_table.cuh"
#include "kernels/vecadd/textbook.cuh"
#include "tools/vecadd/memory.cuh"
#ifndef __SIMCC__
#include "kernels/vecadd/cub.cuh"
#endif

struct VecaddOptions {
    std::vector<std::string> memory = {"device"};  // names of memory kinds
    std::size_t offset = 0;

    void add_options(OptionTable& table) {
        std::vector<std::string> words = BACKEND::memory_kind_names();
        words.push_back("all");
        table.read("--memory", "LIST", list_text(words, "or"), memory.front(), memory, BACKEND::parse_memory_kinds)
            .for_benchmarks();
        table.whole("--offset", "N", "begin the vectors N elements past an aligned address", offset, 0, largest_offset)
            .for_benchmarks();
    }
};

namespace BACKEND {

// Both on the element types of vecadd.
template <typename T>
using AddOnDevice = LaunchShape(const VecaddArguments<T>&);
template <typename T>
using AddOnHost = void(const Vectors<T>&);
template <template <typename> class Signature>
using ForVecaddTypes = FunctionSet<Signature, float, double, std::int32_t, std::int64_t>;

template <typename T>
void add_share(const Vectors<T>& vectors, size_t begin, size_t end) {
    const T *a = vectors.h_a(), *b = vectors.h_b();
    T* c = vectors.h_c();
    for (size_t i = begin; i < end; ++i) c[i] = a[i] + b[i];
}

template <typename T>
void add_on_one_core(const Vectors<T>& vectors) {
    add_share(vectors, 0, vectors.size());
}

template <typename T>
void add_on_all_cores(const Vectors<T>& vectors) {
    parallel_for(vectors.size(), [&](size_t begin, size_t end) { add_share(vectors, begin, end); });
}

struct VecaddVariant : Variant {
    ForVecaddTypes<AddOnDevice> launch = {};  // none where the build's toolkit lacks it
    ForVecaddTypes<AddOnHost> on_host = {};   // of those that need the host
};

inline const VecaddVariant vecadd_variants[] = {
    {{"cpu", "one core", Needs::host}, {}, ON_ARGUMENTS(add_on_one_core)},
    {{"cpu-parallel", "all cores, a share each", Needs::host}, {}, ON_ARGUMENTS(add_on_all_cores)},
    {{"one-per-thread", "a thread per element and a test for the threads beyond the end"},
     ON_ARGUMENTS(launch_vecadd_one_per_thread)},
    {{"grid-stride", "a resident grid strides over the elements: few blocks to launch"},
     ON_ARGUMENTS(launch_vecadd_grid_stride)},
    {{"unroll4", "eight loads in flight per thread before the first addition"}, ON_ARGUMENTS(launch_vecadd_unroll4)},
    {{"vector4", "16 bytes per load and store: a quarter of the instructions"}, ON_ARGUMENTS(launch_vecadd_vector4)},
    {{"streaming", "the fastest: chosen by size, with cache hints"}, ON_ARGUMENTS(launch_vecadd_streaming)},
    {{"cub", "the peer: CUB's DeviceTransform", Needs::gpu, "", true},
#if HAVE_CUB_TRANSFORM
     ON_ARGUMENTS(launch_vecadd_cub)
#endif
    },
};

// What the program's own columns say about a measurement.
struct VecaddCells {
    const char* memory;
    size_t offset;
    StageCosts costs;
};

// A stage that was not measured, as on the host, does not apply.
inline Cell stage_cell(double ns) { return ns > 0 ? Fixed{ns, 1} : absent(1); }

// clang-format off
inline const ColumnOf<VecaddCells> vecadd_columns[] = {
    {{"p_memory", "memory", 1, 0, 8, 7}, [](const VecaddCells& of) -> Cell { return of.memory; }},
    {{"p_offset"}, [](const VecaddCells& of) -> Cell { return whole(of.offset); }},
    {{"p_alloc_ns", "alloc us", 1e-3, 1, 9, 8}, [](const VecaddCells& of) { return stage_cell(of.costs.allocate); }},
    {{"p_h2d_ns", "h2d us", 1e-3, 1, 9, 8}, [](const VecaddCells& of) { return stage_cell(of.costs.h2d); }},
    {{"p_kernel_ns", "kernel us", 1e-3, 1, 9, 8}, [](const VecaddCells& of) { return stage_cell(of.costs.kernel); }},
    {{"p_d2h_ns", "d2h us", 1e-3, 1, 9, 8}, [](const VecaddCells& of) { return stage_cell(of.costs.d2h); }},
    {{"p_total_ns", "total us", 1e-3, 1, 10, 8}, [](const VecaddCells& of) { return stage_cell(of.costs.total); }},
};
// clang-format on

inline const Program vecadd_program = {
    .name = "vecadd",
    .summary =
        "Adds two vectors: a benchmark of variants and kinds of memory, or a filter over A and B (files, or - for "
        "one of them).",
    .operands = "[A B]",
    .examples = {"vecadd -n 1Mi", "seq 3 | vecadd - <(seq 10 10 30)"},
    .most_operands = 2,
    .dtypes = {DType::f32, DType::f64, DType::i32, DType::i64},
    .sizes = "16Mi",
    .variants = variants_of(vecadd_variants),
    .lectures = &lectures,
    .options = own_options<VecaddOptions>,
    .columns = columns_of(vecadd_columns),
    .gangs = Gangs::on_request,
    .join = join_process_team,
};

}  // namespace BACKEND
