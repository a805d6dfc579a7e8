// Parts of an endless row of work on several threads: each is taken in order, worked on at any time, and finished in
// order. With that a filter reads, computes and writes at once, in the memory of a few slots, and its result does not
// depend on how many threads there are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "common/io/machine.hpp"

struct PipelineStages {
    // One at a time, in order: claims the next part for a slot; false if there is none left. What must be read in order,
    // as from a pipe, is read here.
    std::function<bool(std::size_t slot)> take;
    // Several at a time, each with a slot of its own: what takes time.
    std::function<void(std::size_t slot)> work;
    // One at a time, in order: adds to the result, or writes. The slot is then free.
    std::function<void(std::size_t slot)> finish;
};

// More threads than these would take more memory, and not get more out of it.
constexpr unsigned most_pipeline_threads = 32;

struct PipelineShape {
    unsigned threads = std::min(usable_cores(), most_pipeline_threads);
    unsigned slots_per_thread = 1;  // more: for slots that a device still reads after they are finished
    unsigned slots() const { return threads * slots_per_thread; }
};

// Of data on the host: the kernel copies less into fast caches at a time no faster, and more slower.
constexpr std::size_t host_piece_bytes = std::size_t{1} << 20;

// Runs until take() says that there is no more. The caller's thread is one of the threads; where the system has no more
// for this process, there are fewer. Slots are numbers below shape.slots(): a thread uses its own in turn. What a stage
// throws ends the pipeline, and is thrown here once all earlier parts are finished.
void run_pipeline(const PipelineShape& shape, const PipelineStages& stages);
