// SPDX-License-Identifier: MIT
// The tables of collective: its variants, and its own columns.
#pragma once

#include <cstdint>

#include "common/cli/program.hpp"
#include "common/gang/join.hpp"
#include "common/gang/operations.hpp"
#include "common/measure/variant_table.cuh"
#include "kernels/collective/methods.cuh"
#include "tools/collective/options.hpp"

namespace BACKEND {

template <typename T>
using FindMethod = AllReduceMethod<T>(const AllReduceArguments<T>&);

// A variant without a method is NCCL's.
struct CollectiveVariant : Variant {
    Collective operation = Collective::all_reduce;
    FunctionSet<FindMethod, float, double, std::int32_t, std::int64_t, __half, __nv_bfloat16> method = {};
    bool by_kernel = false;
};

inline CollectiveVariant of_nccl(Collective operation, const char* idea) {
    return {{name_of(operation), idea, Needs::nothing, name_of(operation), true}, operation};
}
template <typename Method>
CollectiveVariant of_kernel(const char* name, const char* idea, Method method) {
    return {{name, idea, Needs::nothing, "all-reduce"}, Collective::all_reduce, method, true};
}

inline const CollectiveVariant collective_variants[] = {
    of_kernel("all-reduce-two-shot", "each device combines a share of all inputs and stores it into all outputs",
              ON_ARGUMENTS(two_shot_method)),
    of_kernel("all-reduce-one-shot", "each device combines all inputs in full: one meeting of the devices, not two",
              ON_ARGUMENTS(one_shot_method)),
    of_kernel("all-reduce-low-latency",
              "no meeting: inputs are stored into all devices, with tags that say they are there",
              ON_ARGUMENTS(low_latency_method)),
    of_kernel("fastest", "one of these three, by size and number of devices", ON_ARGUMENTS(fastest_method)),
    of_nccl(Collective::all_reduce, "NCCL: all ranks receive the reduction of all inputs"),
    of_nccl(Collective::reduce_scatter, "NCCL: each rank receives its share of that"),
    of_nccl(Collective::all_gather, "NCCL: all ranks receive the shares of all"),
    of_nccl(Collective::broadcast, "NCCL: all ranks receive the root's input"),
    of_nccl(Collective::reduce, "NCCL: the root receives the reduction of all inputs"),
    of_nccl(Collective::all_to_all, "NCCL: each rank receives a share from every other one"),
    of_nccl(Collective::ring, "NCCL: each rank sends to the next one"),
};

// What its own columns are made from.
struct CollectiveCells {
    const CollectiveShape& shape;
    const CollectiveOptions& options;
    const char* method;
    double bytes, median_ns;
    size_t gang;
};

#ifdef __SIMCC__
constexpr const char* bus_heading = "";  // a simulation's rates would look like a GPU's
#else
constexpr const char* bus_heading = "bus GB/s";
#endif

inline const ColumnOf<CollectiveCells> collective_columns[] = {
    {{"p_op", "op"},
     [](const CollectiveCells& of) -> Cell { return of.shape.reduces() ? of.options.op_word() : "none"; }},
    {{"p_root"},
     [](const CollectiveCells& of) -> Cell { return of.shape.has_root() ? Cell(whole(of.shape.root)) : absent(); }},
    {{"p_in_place", "in place"}, [](const CollectiveCells& of) -> Cell { return whole(of.options.in_place); }},
    {{"p_method", "method", 1, 0, 11}, [](const CollectiveCells& of) -> Cell { return of.method; }},
    {{"p_bus_gbyte_per_s", bus_heading, 1, 1, 8},
     [](const CollectiveCells& of) -> Cell {
         return of.bytes > 0 ? computed(of.bytes / of.median_ns * of.shape.bus_factor(), 3) : absent(3);
     }},
    {{"gang", "gang"}, [](const CollectiveCells& of) -> Cell { return whole(of.gang); }},
    {{"ranks"}, [](const CollectiveCells& of) -> Cell { return whole(of.shape.ranks); }},
};

inline const Program collective_program = {
    .name = "collective",
    .summary = "Measures operations of several devices together: reductions, copies to all, exchanges.",
    .examples = {"SIMCC_DEVICES=4 collective -n 64Ki", "collective -k fastest --versus all-reduce -n 1:16Ki:x8"},
    .dtypes = {DType::f32, DType::f64, DType::i32, DType::i64, DType::f16, DType::bf16},
    .sizes = "1,1Ki,16Ki,256Ki,4Mi,64Mi",
    .simulator_sizes = "1,1Ki,16Ki",
    .variants = variants_of(collective_variants),
    .options = own_options<CollectiveOptions>,
    .columns = columns_of(collective_columns),
    .every_device = true,
    .gangs = Gangs::always,
    .join = join_process_team,
};

}  // namespace BACKEND
