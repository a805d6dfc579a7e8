// SPDX-License-Identifier: MIT
// What shared offers: its variants, a ladder for each use of shared memory, and the columns.
#pragma once

#include <cstddef>
#include <limits>

#include "common/cli/program.hpp"
#include "common/measure/lectures.hpp"
#include "common/measure/report.hpp"
#include "common/measure/variant_table.cuh"
#include "kernels/shared/histogram.cuh"
#include "kernels/shared/indexed.cuh"
#include "kernels/shared/offsets.cuh"
#include "kernels/shared/queue.cuh"
#include "kernels/shared/search.cuh"
#include "kernels/shared/spill.cuh"
#include "tools/shared/options.hpp"
#ifndef __SIMCC__
#include "kernels/shared/cub.cuh"
#endif

namespace BACKEND {

struct SharedVariant : Variant {
    SharedLaunch* launch = nullptr;
    SharedLaunch* (*launch_for)(size_t length) = nullptr;  // indexed: for arrays of this length
    size_t (*workspace_bytes)(const SharedArguments&) = nullptr;
    unsigned promised_threads = 0;  // spill: by the launch bounds, on a multiprocessor
    size_t most_words = std::numeric_limits<size_t>::max();

    SharedLaunch* launch_of(size_t length) const { return launch_for ? launch_for(length) : launch; }
};

constexpr Variant step(const char* name, const char* ladder, const char* idea) {
    return {name, idea, Needs::nothing, ladder};
}
// (The simulator neither spills nor predicts what local memory costs.)
constexpr Variant local_step(const char* name, const char* ladder, const char* idea) {
    return {name, idea, Needs::nothing, ladder, false, false, true};
}
constexpr Variant peer(const char* name, const char* ladder, const char* idea) {
    return {name, idea, Needs::gpu, ladder, true};
}

#ifdef __SIMCC__
#define SHARED_PEER(launch, workspace_bytes) nullptr, nullptr, nullptr
#else
#define SHARED_PEER(launch, workspace_bytes) launch, nullptr, workspace_bytes, 0, shared_cub_largest_n
#endif

// clang-format off
inline const SharedVariant shared_variants[] = {
    {step("search-no-flag", "search", "nobody stops: all words are read"), launch_search_no_flag},
    {step("search-flag", "search", "the lecture's loop: a shared flag, two barriers per step"), launch_search_flag},
    {step("search-any", "search", "__any_sync: one lane of a warp writes the flag"), launch_search_any},
    {step("search-vote", "search", "__syncthreads_or: the barrier votes, one per step, no flag"), launch_search_vote},
    {step("search-ballot", "search", "__ballot_sync: one atomicMin for a warp that has found"), launch_search_ballot},
    {step("search-batch", "search", "four words per thread between two votes"), launch_search_batch},
    {step("search-poll", "search", "no barrier in the loop: warps read the place that was found"), launch_search_poll},

    {local_step("indexed-local", "indexed", "a local array: local memory, since registers have no index"), nullptr, launch_indexed<IndexedLocal>},
    {step("indexed-shared-own", "indexed", "in shared memory, thread by thread: bank conflicts"), nullptr, launch_indexed<IndexedShared<OwnLayout>>},
    {step("indexed-shared-padded", "indexed", "one more word per thread: fewer conflicts"), nullptr, launch_indexed<IndexedShared<PaddedLayout>>},
    {step("indexed-shared-strided", "indexed", "element by element: each lane has a bank, no conflicts"), nullptr, launch_indexed<IndexedShared<StridedLayout>>},
    {step("indexed-registers", "indexed", "constant indices: selections among registers, no memory"), nullptr, launch_indexed<IndexedRegisters>},

    {step("offsets-global-atomic", "offsets", "one global counter: an operation per word"), launch_offsets_global_atomic},
    {step("offsets-block-aggregated", "offsets", "the lecture's: a shared counter, one global operation per block"), launch_offsets_block_aggregated},
    {step("offsets-warp-aggregated", "offsets", "ballot and popc: one global operation per warp, no barrier"), launch_offsets_warp_aggregated},
    {step("offsets-block-and-warp", "offsets", "one shared operation per warp, one global one per block"), launch_offsets_block_and_warp},
    {step("offsets-scan", "offsets", "warps' counts are scanned: no shared atomics, a block's order is kept"), launch_offsets_scan},
    {step("offsets-tile", "offsets", "16 words per thread, written side by side"), launch_offsets_tile},
    {peer("offsets-cub", "offsets", "the peer: CUB's DeviceSelect"), SHARED_PEER(launch_offsets_cub, offsets_cub_workspace)},

    {step("histogram-global-atomics", "histogram", "an operation in global memory per word"), launch_histogram_global_atomics},
    {step("histogram-shared-atomics", "histogram", "a histogram of the block in shared memory"), launch_histogram_shared_atomics},
    {step("histogram-per-warp", "histogram", "one for each warp: only its lanes meet"), launch_histogram_per_warp},
    {step("histogram-per-lane", "histogram", "32 copies of each bin in 32 banks: lanes never meet"), launch_histogram_per_lane},
    {step("histogram-vector", "histogram", "16 words per thread in loads of 16 bytes"), launch_histogram_vector},
    {peer("histogram-cub", "histogram", "the peer: CUB's DeviceHistogram"), SHARED_PEER(launch_histogram_cub, histogram_cub_workspace)},

    {step("queue-none", "queue", "a thread per root: its warp waits for the largest tree"), launch_queue_none},
    {step("queue-double-buffer", "queue", "two shared queues: all threads empty one and fill the other"), launch_queue_double_buffer},
    {step("queue-stack", "queue", "the newest items first: a short queue"), launch_queue_stack},
    {step("queue-refill", "queue", "idle threads take new roots; a ballot per push"), launch_queue_refill},

    {local_step("spill-none", "spill", "__launch_bounds__(256): all values in registers"), launch_spill_none, nullptr, nullptr, 256},
    {local_step("spill-little", "spill", "__launch_bounds__(1024): up to 64 registers"), launch_spill_little, nullptr, nullptr, 1024},
    {local_step("spill-much", "spill", "__launch_bounds__(1024, 2): up to 32, spills in local memory"), launch_spill_much, nullptr, nullptr, 2048},
};
// clang-format on

#undef SHARED_PEER

// What the program's own columns say about a measurement. 0 does not apply.
struct SharedCells {
    size_t length = 0, bins = 0, skew = 0;
    bool has_keep = false;
    size_t keep = 0;
    unsigned most_registers = 0;
    int registers = 0, local_bytes = -1;  // on a GPU
};

// clang-format off
inline const ColumnOf<SharedCells> shared_columns[] = {
    {{"p_array", "array", 1, 0, 2, 2}, [](const SharedCells& of) { return whole_if_any(of.length); }},
    {{"p_keep", "kept %", 1, 0, 3, 2}, [](const SharedCells& of) -> Cell { if (!of.has_keep) return absent(); return whole(of.keep); }},
    {{"p_bins", "bins", 1, 0, 5, 2}, [](const SharedCells& of) { return whole_if_any(of.bins); }},
    {{"p_skew", "skew", 1, 0, 2, 2}, [](const SharedCells& of) { return whole_if_any(of.skew); }},
    {{"p_most_registers", "most registers", 1, 0, 3, 3}, [](const SharedCells& of) { return whole_if_any(of.most_registers); }},
    {{"p_registers", "registers", 1, 0, 3, 3}, [](const SharedCells& of) { return whole_if_any(of.registers); }},
    {{"p_local_bytes", "local B", 1, 0, 3, 3}, [](const SharedCells& of) -> Cell { if (of.local_bytes < 0) return absent(); return whole(of.local_bytes); }},
};
// clang-format on

inline const Program shared_program = {
    .name = "shared",
    .summary = "Shows what shared memory is for, from the lecture's kernels to the fastest we know.",
    .examples = {"shared --ladder -k 'histogram-*' --skew 8", "shared --counters -k 'indexed-*' --array 8,32"},
    .dtypes = {},
    .unit = "words",
    .sizes = "4Mi",
    .simulator_sizes = "16Ki",
    .variants = variants_of(shared_variants),
    .lectures = &lectures,
    .options = own_options<SharedOptions>,
    .columns = columns_of(shared_columns),
};

}  // namespace BACKEND
