// The tables of reduce: what each variant is, and how it is launched for an element type and an operation.
#pragma once

#include <string>

#include "common/measure/parallel.hpp"
#include "common/cli/program.hpp"
#include "common/cli/sizes.hpp"
#include "kernels/reduce/launch.cuh"
#include "common/io/text.hpp"
#include "kernels/reduce/atomic.cuh"
#include "kernels/reduce/grid_stride.cuh"
#include "kernels/reduce/in_place.cuh"
#include "kernels/reduce/in_place_unrolled.cuh"
#include "kernels/reduce/shared.cuh"
#include "kernels/reduce/shared_unrolled.cuh"
#include "kernels/reduce/single_pass.cuh"
#include "kernels/reduce/tagged.cuh"
#ifndef __SIMCC__
#include "kernels/reduce/cub.cuh"
#endif

enum class ReduceOperation { sum, min, max, mean };
constexpr Choice<ReduceOperation> reduce_operations[] = {{"sum", ReduceOperation::sum},
                                                         {"min", ReduceOperation::min},
                                                         {"max", ReduceOperation::max},
                                                         {"mean", ReduceOperation::mean}};

inline const char* name_of(ReduceOperation operation) { return reduce_operations[static_cast<int>(operation)].word; }

struct ReduceOptions {
    ReduceOperation operation = ReduceOperation::sum;
    std::size_t offset = 0;

    void add_options(OptionTable& table) {
        table.choice("--op", "OPERATION", "", operation, reduce_operations);
        table.whole("--offset", "N", "begin the input N elements past an aligned address", offset, 0, largest_offset);
    }
};

namespace BACKEND {

inline const Variant reduce_variants[] = {
    {"cpu", "one core, one running total", Needs::host},
    {"cpu-parallel", "all cores, a share each", Needs::host},
    {"atomic-global", "every thread updates one total in global memory", Needs::nothing, "tutorial"},
    {"atomic-shared", "a total per block in shared memory first: n/block global atomics", Needs::nothing, "tutorial"},
    {"shared-tree", "pairwise combining in shared memory: log2(block) steps, no shared atomics", Needs::nothing, "tutorial"},
    {"shuffle-tree", "registers move from lane to lane: no shared memory, one barrier", Needs::nothing, "tutorial"},
    {"interleaved-divergent", "neighbours first: half of every warp idles at each step", Needs::nothing, "course"},
    {"interleaved-conflicts", "consecutive threads work, but their operands share banks", Needs::nothing, "course"},
    {"sequential", "operands side by side: no bank conflicts", Needs::nothing, "course"},
    {"first-add", "two elements combined while loading: no idle half", Needs::nothing, "course"},
    {"unrolled-warp", "below 64 values one warp works alone, without barriers", Needs::nothing, "course"},
    {"unrolled-block", "the block size is a template argument: no loop left", Needs::nothing, "course"},
    {"multiple-elements", "a fixed grid strides over the input: the tree is climbed once for many elements", Needs::nothing,
     "course"},
    {"neighbored", "a tree inside the input array: half of every warp idles", Needs::nothing, "in-place"},
    {"neighbored-dense", "consecutive threads take the pairs: whole warps retire", Needs::nothing, "in-place"},
    {"interleaved-pairs", "pairs half a block apart: neighbouring lanes touch neighbouring words", Needs::nothing, "in-place"},
    {"unroll2", "each block folds a second block's data in first", Needs::nothing, "in-place"},
    {"unroll8", "eight loads in flight per thread", Needs::nothing, "in-place"},
    {"unroll8-warp", "the last warp unrolled", Needs::nothing, "in-place"},
    {"unroll8-complete", "the loop unrolled, block size tested at run time", Needs::nothing, "in-place"},
    {"unroll8-complete-static", "the same, block size tested at compile time", Needs::nothing, "in-place"},
    {"grid-stride", "a resident grid strides over the input, one shuffle tree per block"},
    {"single-pass", "16-byte loads, one launch, the last block adds the partials in order: repeatable"},
    {"tagged", "partials travel with a tag that says they have arrived: no fence, no ticket; repeatable"},
    {"cub", "the peer: CUB's DeviceReduce", Needs::gpu},
    };

inline const Program reduce_program = {
    .name = "reduce",
    .summary = "Reduces numbers to their sum, minimum, maximum or mean: a benchmark of every method, or a filter over FILE or - .",
    .operands = "[FILE]",
    .most_operands = 1,
    .dtypes = {DType::f32, DType::f64, DType::i32, DType::i64},
    .sizes = "16Mi",
    .variants = variants_of(reduce_variants),
    .options = own_options<ReduceOptions>,
    .columns = {{"p_op"}, {"p_offset"}},
};

// References and partial results on the host are kept wider than the elements.
template <typename T> using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;

// What no elements reduce to: the identity of T's operation, not of Wide<T>'s. The smallest of no i32 is the largest i32.
template <typename T, template <typename> class Operator>
Wide<T> reduce_on_host(const T* input, size_t begin, size_t end) {
    Wide<T> total = Operator<T>::identity();
    for (size_t i = begin; i < end; ++i) total = Operator<Wide<T>>::combine(total, static_cast<Wide<T>>(input[i]));
    return total;
}

inline size_t no_workspace(size_t, unsigned, unsigned) { return 0; }

// How a device variant of the table runs for one element type and operation.
template <typename T>
struct Method {
    const char* name;
    LaunchShape (*launch)(const ReduceArguments<T>&);
    size_t (*workspace)(size_t n, unsigned block_size, unsigned multiprocessors) = no_workspace;
    bool destroys_input = false;
};

// The device method of that name.
template <typename T, typename Operator>
const Method<T>& method_named(const std::string& name) {
    static const Method<T> methods[] = {
        {"atomic-global", launch_reduce_atomic_global<T, Operator>},
        {"atomic-shared", launch_reduce_atomic_shared<T, Operator>},
        {"shared-tree", launch_reduce_shared_tree<T, Operator>},
        {"shuffle-tree", launch_reduce_shuffle_tree<T, Operator>},
        {"interleaved-divergent", launch_reduce_interleaved_divergent<T, Operator>, reduce_shared_workspace<T, Operator>},
        {"interleaved-conflicts", launch_reduce_interleaved_conflicts<T, Operator>, reduce_shared_workspace<T, Operator>},
        {"sequential", launch_reduce_sequential<T, Operator>, reduce_shared_workspace<T, Operator>},
        {"first-add", launch_reduce_first_add<T, Operator>, reduce_shared_workspace<T, Operator>},
        {"unrolled-warp", launch_reduce_unrolled_warp<T, Operator>, reduce_shared_unrolled_workspace<T, Operator>},
        {"unrolled-block", launch_reduce_unrolled_block<T, Operator>, reduce_shared_unrolled_workspace<T, Operator>},
        {"multiple-elements", launch_reduce_multiple_elements<T, Operator>, reduce_shared_unrolled_workspace<T, Operator>},
        {"neighbored", launch_reduce_neighbored<T, Operator>, reduce_in_place_workspace<T, Operator>,
         reduce_in_place_destroys_input},
        {"neighbored-dense", launch_reduce_neighbored_dense<T, Operator>, reduce_in_place_workspace<T, Operator>,
         reduce_in_place_destroys_input},
        {"interleaved-pairs", launch_reduce_interleaved_pairs<T, Operator>, reduce_in_place_workspace<T, Operator>,
         reduce_in_place_destroys_input},
        {"unroll2", launch_reduce_unroll2<T, Operator>, reduce_in_place_unrolled_workspace<T, Operator>,
         reduce_in_place_destroys_input},
        {"unroll8", launch_reduce_unroll8<T, Operator>, reduce_in_place_unrolled_workspace<T, Operator>,
         reduce_in_place_destroys_input},
        {"unroll8-warp", launch_reduce_unroll8_warp<T, Operator>, reduce_in_place_unrolled_workspace<T, Operator>,
         reduce_in_place_destroys_input},
        {"unroll8-complete", launch_reduce_unroll8_complete<T, Operator>, reduce_in_place_unrolled_workspace<T, Operator>,
         reduce_in_place_destroys_input},
        {"unroll8-complete-static", launch_reduce_unroll8_complete_static<T, Operator>,
         reduce_in_place_unrolled_workspace<T, Operator>, reduce_in_place_destroys_input},
        {"grid-stride", launch_reduce_grid_stride<T, Operator>},
        {"single-pass", launch_reduce_single_pass<T, Operator>, reduce_single_pass_workspace<T, Operator>},
        {"tagged", launch_reduce_tagged<T, Operator>, reduce_tagged_workspace<T, Operator>},
#ifndef __SIMCC__
        {"cub", launch_reduce_cub<T, Operator>, reduce_cub_workspace<T, Operator>},
#endif
    };
    for (const Method<T>& method : methods)
        if (name == method.name) return method;
    fail(Exit::usage, "{} runs on the host; choose a kernel for the device", name);
}

// An operation of --op on elements of type T. Only this is compiled for each of them; the rest of the program is not.
template <typename T>
struct Operation {
    bool adds;
    Wide<T> identity;  // of T's operation
    Wide<T> (*combine)(Wide<T>, Wide<T>);
    Wide<T> (*reduce_on_host)(const T* input, size_t begin, size_t end);
    const Method<T>& (*method_named)(const std::string& name);

    Wide<T> reduce_on_all_cores(const T* input, size_t n) const {
        return parallel_reduce(
            n, identity, [=](size_t begin, size_t end) { return reduce_on_host(input, begin, end); }, combine);
    }
};

template <typename T, template <typename> class Operator>
Operation<T> make_operation(bool adds) {
    return {adds, Operator<T>::identity(), Operator<Wide<T>>::combine, reduce_on_host<T, Operator>, method_named<T, Operator<T>>};
}

// The mean is a sum, divided at the end.
template <typename T>
Operation<T> operation_on(ReduceOperation operation) {
    switch (operation) {
        case ReduceOperation::min: return make_operation<T, Min>(false);
        case ReduceOperation::max: return make_operation<T, Max>(false);
        default: return make_operation<T, Sum>(true);
    }
}

}  // namespace BACKEND
