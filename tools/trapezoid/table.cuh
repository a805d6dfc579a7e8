// SPDX-License-Identifier: MIT
// The tables of trapezoid: what each variant is, how it is launched, and how many additions wait for one another.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "common/cli/program.hpp"
#include "common/measure/parallel.hpp"
#include "common/measure/variant_table.cuh"
#include "kernels/trapezoid/launch.cuh"
#include "tools/trapezoid/columns.hpp"
#include "tools/trapezoid/options.hpp"
#include "tools/trapezoid/reference.hpp"
#ifndef __SIMCC__
#include "kernels/trapezoid/cub.cuh"
#endif

namespace BACKEND {

// What a variant on the host adds up.
template <typename T>
struct HostWork {
    const Integral& integral;
    HostRule rule;
};

template <typename T>
T add_share(const HostWork<T>& work, size_t begin, size_t end) {
    if (!work.integral.known) return sum_in_type<T>(work.integral.function, work.rule, begin, end);
    const Trapezoids<T> rule{work.rule.n, T(work.rule.from), T(work.rule.to), T(work.rule.step)};
    return apply_built_in<T>(static_cast<BuiltIn>(*work.integral.known), [&](const auto& f) {
        T sum = 0;
        for (size_t i = begin; i < end; ++i) sum += height(rule, f, i);
        return sum;
    });
}

template <typename T>
T add_on_one_core(const HostWork<T>& work) {
    return add_share(work, 0, work.rule.n);
}

template <typename T>
T add_on_all_cores(const HostWork<T>& work) {
    return parallel_reduce(
        work.rule.n, T(0), [&](size_t begin, size_t end) { return add_share(work, begin, end); },
        [](T a, T b) { return a + b; });
}

// Each returns the dependent additions (Steps) for n trapezoids.
inline size_t log2_up(size_t n) {
    size_t log = 0;
    while ((size_t{1} << log) < n) ++log;
    return log;
}

inline Steps steps_of_one_core(size_t n, const LaunchShape&) { return {0, n}; }

inline Steps steps_of_all_cores(size_t n, const LaunchShape&) {
    const size_t cores = worker_count(n);
    return {0, divide_up(n, cores) + cores};
}

inline Steps steps_of_atomics(size_t n, const LaunchShape& shape) { return {std::min<size_t>(n, shape.block.x), n}; }

inline Steps steps_of_threads(size_t n, const LaunchShape& shape) {
    const size_t threads = std::min<size_t>(n, size_t{shape.grid.x} * shape.block.x);
    const size_t of_thread = threads == 0 ? 0 : divide_up(n, threads);
    return {of_thread + std::min<size_t>(threads, shape.block.x), of_thread + threads};
}

inline Steps steps_of_warps(size_t n, const LaunchShape& shape) {
    const size_t in_warp = log2_up(std::min<size_t>(n, lanes_per_warp)), warps = divide_up(n, lanes_per_warp);
    return {in_warp + std::min<size_t>(warps, shape.block.x / lanes_per_warp), in_warp + warps};
}

inline Steps steps_of_blocks(size_t n, const LaunchShape& shape) {
    const size_t in_block = log2_up(std::min<size_t>(n, shape.block.x));
    return {in_block + 1, in_block + shape.grid.x};
}

inline Steps steps_of_tree(size_t n, const LaunchShape& shape) {
    const size_t block = shape.block.x, in_block = log2_up(std::min(n, block));
    size_t in_all = in_block + 1;
    while ((n = divide_up(n, block)) > 1) in_all += log2_up(std::min(n, block));
    return {in_block, in_all};
}

inline Steps steps_of_grid_stride(size_t n, const LaunchShape& shape) {
    const size_t block = shape.block.x, grid = shape.grid.x, in_tree = log2_up(std::min(n, block));
    const size_t in_block = divide_up(n, grid * block) + in_tree;
    return {in_block, grid == 1 ? in_block : in_block + divide_up(grid - 1, block) + in_tree};
}

// Unknown for a library; certainly no more than this.
inline Steps steps_unknown(size_t n, const LaunchShape&) { return {0, n}; }

// All on f32 and f64.
template <typename T>
using AddOnDevice = LaunchShape(const TrapezoidArguments<T>&);
template <typename T>
using AddOnHost = T(const HostWork<T>&);
template <typename T>
using WorkspaceBytes = size_t(const TrapezoidArguments<T>&);
template <template <typename> class Signature>
using ForBothTypes = FunctionSet<Signature, float, double>;

struct TrapezoidVariant : Variant {
    Steps (*steps)(size_t n, const LaunchShape& shape) = nullptr;
    ForBothTypes<AddOnDevice> launch = {};
    ForBothTypes<WorkspaceBytes> workspace = {};  // none: it needs no workspace
    ForBothTypes<AddOnHost> on_host = {};         // of those that need the host
    bool takes_grid = false;                      // any number of blocks will do: --grid
    bool only_default = false;                    // it takes only the default function and fewer than 2^32 trapezoids
};

inline const TrapezoidVariant trapezoid_variants[] = {
    {{"cpu", "one core, one running total", Needs::host}, steps_of_one_core, {}, {}, ON_ARGUMENTS(add_on_one_core)},
    {{"cpu-parallel", "all cores, a share each", Needs::host},
     steps_of_all_cores,
     {},
     {},
     ON_ARGUMENTS(add_on_all_cores)},
    {{"atomic", "every thread adds its trapezoid to one total: n additions, one after another"},
     steps_of_atomics,
     ON_ARGUMENTS(launch_trapezoid_atomic)},
    {{"per-thread", "each thread adds a share first: one atomic per thread; sequential with one thread"},
     steps_of_threads,
     ON_ARGUMENTS(launch_trapezoid_per_thread),
     {},
     {},
     true},
    {{"shuffle", "a warp adds by shuffles, in 5 steps: one atomic per warp"},
     steps_of_warps,
     ON_ARGUMENTS(launch_trapezoid_shuffle)},
    {{"shuffle-xor", "the same by exchanges: every lane of the warp has the sum"},
     steps_of_warps,
     ON_ARGUMENTS(launch_trapezoid_shuffle_xor)},
    {{"dissemination", "the same steps through shared memory, for hardware without shuffles"},
     steps_of_warps,
     ON_ARGUMENTS(launch_trapezoid_dissemination)},
    {{"block", "one warp adds the sums of all warps of its block: one atomic per block"},
     steps_of_blocks,
     ON_ARGUMENTS(launch_trapezoid_block)},
    {{"tree", "the blocks' sums are the leaves of the next launch's trees: log2(n) + 1 steps; repeatable"},
     steps_of_tree,
     ON_ARGUMENTS(launch_trapezoid_tree),
     ON_ARGUMENTS(tree_workspace)},
    {{"grid-stride", "a resident grid strides over the trapezoids, tagged sums, no atomics; repeatable"},
     steps_of_grid_stride,
     ON_ARGUMENTS(launch_trapezoid_grid_stride),
     ON_ARGUMENTS(grid_stride_workspace),
     {},
     true},
    {{"cub", "the peer: CUB's DeviceReduce over counted indices, for the parabola", Needs::gpu, "", true},
     steps_unknown,
#if HAVE_CUB_TRANSFORM_REDUCE
     ON_ARGUMENTS(launch_trapezoid_cub),
     ON_ARGUMENTS(trapezoid_cub_workspace),
#else
     {},
     {},
#endif
     {},
     false,
     true},
};

inline std::vector<std::string> trapezoid_words(const std::string& option) {
    std::vector<std::string> words;
    if (option == "--function")
        for (const KnownFunction& known : known_functions()) words.push_back(known.name);
    return words;
}

inline const Program trapezoid_program = {
    .name = "trapezoid",
    .summary = "Integrates a function by the trapezoidal rule: a benchmark of ways to add many numbers up.",
    .examples = {"trapezoid -k atomic,shuffle,block", "trapezoid --function 'exp(-x*x)' --to 2"},
    .dtypes = {DType::f32, DType::f64},
    .unit = "trapezoids",
    .sizes = "1Mi,64Mi",
    .simulator_sizes = "64Ki",
    .variants = variants_of(trapezoid_variants),
    .lectures = &lectures,
    .options = own_options<TrapezoidOptions>,
    .columns = trapezoid_columns(),
    .words = trapezoid_words,
    .shows_steps = true,
};

}  // namespace BACKEND
