// SPDX-License-Identifier: MIT
// Processes a stream of parts in several threads: each is taken in order, worked on at any time, and finished in order.
// So a filter reads, computes and writes at once, in the memory of a few slots, and its result does not depend on the
// number of threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "common/io/machine.hpp"

struct PipelineStages {
    // One at a time, in order: claims the next part for a slot; false if there is none left. Input that must be read in
    // order, as from a pipe, is read here.
    std::function<bool(std::size_t slot)> take;
    // Several at a time, each with its own slot: the work that takes time.
    std::function<void(std::size_t slot)> work;
    // One at a time, in order: adds to the result, or writes. The slot is then free.
    std::function<void(std::size_t slot)> finish;
};

// More threads would take more memory and gain nothing.
constexpr unsigned most_pipeline_threads = 32;

struct PipelineShape {
    unsigned threads = std::min(usable_cores(), most_pipeline_threads);
    unsigned slots_per_thread = 1;  // more than 1: for slots that a device still reads after they are finished
    unsigned slots() const { return threads * slots_per_thread; }
};

// On the host. The system copies smaller pieces no faster, and larger ones, beyond the fast caches, more slowly.
constexpr std::size_t host_piece_bytes = std::size_t{1} << 20;

// Runs until take() returns false. The calling thread is one of the threads; if the system has no more for this
// process, there are fewer. Slots are numbers below shape.slots(): a thread uses its own in turn. An exception in a
// stage ends the pipeline, and is rethrown here once all earlier parts are finished.
void run_pipeline(const PipelineShape& shape, const PipelineStages& stages);
