// SPDX-License-Identifier: MIT
// The tables of reduce: what each variant is, and how it is launched for an element type.
#pragma once

#include <cstdint>
#include <cstring>

#include "common/cli/program.hpp"
#include "common/gang/join.hpp"
#include "common/measure/variant_table.cuh"
#include "kernels/reduce/accurate.cuh"
#include "kernels/reduce/exact.cuh"
#include "kernels/reduce/grid_sync.cuh"
#include "kernels/reduce/ladders.cuh"
#include "kernels/reduce/launch.cuh"
#include "kernels/reduce/nested_launches.cuh"
#include "kernels/reduce/single_pass.cuh"
#include "kernels/reduce/statistics.cuh"
#include "kernels/reduce/tagged.cuh"
#include "tools/reduce/host.cuh"
#include "tools/reduce/options.hpp"
#include "tools/reduce/results.cuh"
#ifndef __SIMCC__
#include "kernels/reduce/cub.cuh"
#endif

namespace BACKEND {

template <typename T>
using ReduceOnDevice = LaunchShape(const ReduceArguments<T>&);
template <typename T>
using WorkspaceBytes = size_t(const ReduceArguments<T>&);
template <typename T>
using ReduceOnHost = Found<T>(const HostInput<T>&);
template <template <typename> class Signature>
using ForReduceTypes = FunctionSet<Signature, float, double, std::int32_t, std::int64_t>;

// What a variant's launch leaves: an element in d_result, or what has been found in d_found, and then how it adds.
enum class Leaves { element, summary, exact_sum };

struct ReduceVariant : Variant {
    ForReduceTypes<ReduceOnDevice> launch = {};
    ForReduceTypes<WorkspaceBytes> workspace = {};  // none: it needs no workspace
    bool destroys_input = false;
    ForReduceTypes<ReduceOnHost> on_host = {};  // of those that need the host
    Leaves leaves = Leaves::element;
    bool takes_grid = false;  // any number of blocks will do: --grid

    // Whether it knows the operations. The host knows all.
    bool knows(const ReduceOperations& operations) const {
        return needs == Needs::host || leaves != Leaves::element || is_combination(operations);
    }

    // Whether its blocks combine elements with each other: then there are steps to show.
    bool has_steps() const {
        return needs == Needs::nothing && leaves == Leaves::element && std::strcmp(ladder, "nested") != 0;
    }

    // The accuracy of its floating-point sums. The host's is what is asked for.
    Accuracy accuracy(Accuracy asked) const {
        if (needs == Needs::host) return asked;
        return leaves == Leaves::element   ? Accuracy::plain
               : leaves == Leaves::summary ? Accuracy::accurate
                                           : Accuracy::exact;
    }

    template <typename T>
    size_t workspace_bytes(const ReduceArguments<T>& arguments) const {
        const auto bytes_for = workspace.get<T>();
        return bytes_for ? bytes_for(arguments) : 0;
    }
};

// The tutorial's blocks end in an atomic. Harris' and the book's leave partials to further launches, and the
// book's work in place.
template <typename Launch>
ReduceVariant tutorial_step(const char* name, const char* idea, Launch launch) {
    return {{name, idea, Needs::nothing, "tutorial"}, launch};
}
template <typename Launch>
ReduceVariant harris_step(const char* name, const char* idea, Launch launch) {
    return {{name, idea, Needs::nothing, "harris"}, launch, ON_ARGUMENTS(passes_workspace)};
}
template <typename Launch>
ReduceVariant in_place_step(const char* name, const char* idea, Launch launch) {
    return {{name, idea, Needs::nothing, "in-place"}, launch, ON_ARGUMENTS(passes_workspace), true};
}

template <typename Launch>
ReduceVariant nested_step(const char* name, const char* idea, Launch launch) {
    return {{name, idea, Needs::nothing, "nested"}, launch, ON_ARGUMENTS(nested_workspace), true};
}

inline ReduceVariant taking_grid(ReduceVariant variant) {
    variant.takes_grid = true;
    return variant;
}

inline const ReduceVariant reduce_variants[] = {
    {{"cpu", "one core, one running total", Needs::host}, {}, {}, false, ON_ARGUMENTS(reduce_on_one_core)},
    {{"cpu-parallel", "all cores, a share each", Needs::host}, {}, {}, false, ON_ARGUMENTS(reduce_on_all_cores)},

    tutorial_step("atomic-global", "every thread updates one total in global memory",
                  ON_ARGUMENTS(launch_reduce_atomic_global)),
    tutorial_step("atomic-shared", "a total per block in shared memory first: n/block global atomics",
                  ON_ARGUMENTS(launch_reduce_atomic_shared)),
    tutorial_step("shared-tree", "pairwise combining in shared memory: log2(block) steps, no shared atomics",
                  ON_ARGUMENTS(launch_reduce_shared_tree)),
    tutorial_step("shared-shuffle", "the tree ends at 32 values, which the first warp's lanes exchange in registers",
                  ON_ARGUMENTS(launch_reduce_shared_shuffle)),

    harris_step("interleaved-divergent", "neighbors first: half of every warp idles at each step",
                ON_ARGUMENTS(launch_reduce_interleaved_divergent)),
    harris_step("interleaved-conflicts", "consecutive threads work, but their operands share banks",
                ON_ARGUMENTS(launch_reduce_interleaved_conflicts)),
    harris_step("sequential", "operands side by side: no bank conflicts", ON_ARGUMENTS(launch_reduce_sequential)),
    harris_step("first-add", "two elements combined while loading: no idle half",
                ON_ARGUMENTS(launch_reduce_first_add)),
    harris_step("unrolled-warp", "below 64 values one warp works alone, without barriers",
                ON_ARGUMENTS(launch_reduce_unrolled_warp)),
    harris_step("unrolled-block", "the block size is a template argument: no loop left",
                ON_ARGUMENTS(launch_reduce_unrolled_block)),
    taking_grid(harris_step("multiple-elements",
                            "a fixed grid strides over the input: the tree is climbed once for many elements",
                            ON_ARGUMENTS(launch_reduce_multiple_elements))),

    in_place_step("neighbored", "a tree inside the input array: half of every warp idles",
                  ON_ARGUMENTS(launch_reduce_neighbored)),
    in_place_step("neighbored-dense", "consecutive threads take the pairs: whole warps retire",
                  ON_ARGUMENTS(launch_reduce_neighbored_dense)),
    in_place_step("interleaved-pairs", "pairs half a block apart: neighboring lanes touch neighboring words",
                  ON_ARGUMENTS(launch_reduce_interleaved_pairs)),
    in_place_step("unroll2", "each block folds a second block's data in first", ON_ARGUMENTS(launch_reduce_unroll<2>)),
    in_place_step("unroll8", "eight loads in flight per thread", ON_ARGUMENTS(launch_reduce_unroll<8>)),
    in_place_step("unroll8-warp", "the last warp unrolled", ON_ARGUMENTS(launch_reduce_unroll8_warp)),
    in_place_step("unroll8-complete", "the loop unrolled, block size tested at run time",
                  ON_ARGUMENTS(launch_reduce_unroll8_complete)),
    in_place_step("unroll8-complete-static", "the same, block size tested at compile time",
                  ON_ARGUMENTS(launch_reduce_unroll8_complete_static)),

    nested_step("nested", "the book's recursion: blocks launch a child, and a tail launch for when it has ended",
                [](const auto& arguments) { return launch_reduce_nested(arguments, true); }),
    nested_step("nested-nosync", "nothing comes after the child: a launch per block and level",
                [](const auto& arguments) { return launch_reduce_nested(arguments, false); }),
    nested_step("nested2", "one tail launch per level, for all blocks", ON_ARGUMENTS(launch_reduce_nested_together)),

    {{"shuffle-tree", "every warp exchanges registers: one value per warp in shared memory, one barrier"},
     ON_ARGUMENTS(launch_reduce_shuffle_tree)},
    {{"grid-stride", "a resident grid strides over the input, one shuffle tree per block"},
     ON_ARGUMENTS(launch_reduce_grid_stride),
     {},
     false,
     {},
     Leaves::element,
     true},
    {{"grid-sync", "one launch: behind a barrier of the whole grid, the first block adds the partials; repeatable"},
     ON_ARGUMENTS(launch_reduce_grid_sync),
     ON_ARGUMENTS(grid_sync_workspace),
     false,
     {},
     Leaves::element,
     true},
    {{"single-pass", "16-byte loads, one launch, the last block adds the partials in order: repeatable"},
     ON_ARGUMENTS(launch_reduce_single_pass),
     ON_ARGUMENTS(reduce_single_pass_workspace)},
    {{"tagged", "partials travel with a tag that says they have arrived: no fence, no ticket; repeatable"},
     ON_ARGUMENTS(launch_reduce_tagged),
     ON_ARGUMENTS(reduce_tagged_workspace)},
    {{"cub", "the peer: CUB's DeviceReduce", Needs::gpu, "", true},
#ifndef __SIMCC__
     ON_ARGUMENTS(launch_reduce_cub),
     ON_ARGUMENTS(reduce_cub_workspace)
#endif
    },

    {{"statistics", "all operations in one pass: sum, spread, extremes and their places"},
     ON_ARGUMENTS(launch_reduce_statistics),
     ON_ARGUMENTS(reduce_statistics_workspace),
     false,
     {},
     Leaves::summary},
    {{"accurate", "the tagged sum in f64, for f64 in two of them that hold what roundings lose"},
     ON_ARGUMENTS(launch_reduce_accurate),
     ON_ARGUMENTS(reduce_accurate_workspace),
     false,
     {},
     Leaves::summary},
    {{"exact", "the correctly rounded sum: a fixed-point number per thread, as long as the type's range"},
     ON_ARGUMENTS(launch_reduce_exact),
     ON_ARGUMENTS(reduce_exact_workspace),
     false,
     {},
     Leaves::exact_sum},
};

// What the program's own cells are taken from.
struct ReduceRow {
    const ReduceOptions& asked;
    ReduceOperations operations;
    double error;  // not a number: unknown
};

inline const ColumnOf<ReduceRow> reduce_columns[] = {
    {{"p_op"}, [](const ReduceRow& of) -> Cell { return names_of(of.operations, "+"); }},
    {{"p_offset"}, [](const ReduceRow& of) -> Cell { return whole(of.asked.offset); }},
    {{"p_error_ulp", "error ulp", 1, 3, 0, 3}, [](const ReduceRow& of) -> Cell { return computed(of.error, 3); }},
};

inline const Program reduce_program = {
    .name = "reduce",
    .summary =
        "Reduces numbers to their sum, extremes, mean, variance and more: a benchmark of every method, or a filter "
        "over FILE or - .",
    .operands = "[FILE]",
    .examples = {"reduce --ladder", "seq 10 | reduce --op mean -"},
    .most_operands = 1,
    .dtypes = {DType::f32, DType::f64, DType::i32, DType::i64},
    .sizes = "16Mi",
    .variants = variants_of(reduce_variants),
    .lectures = &lectures,
    .options = own_options<ReduceOptions>,
    .columns = columns_of(reduce_columns),
    .shows_steps = true,
    .gangs = Gangs::on_request,
    .join = join_process_team,
};

}  // namespace BACKEND
