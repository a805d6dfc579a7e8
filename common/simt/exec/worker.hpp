// SPDX-License-Identifier: MIT
// A thread that runs blocks: new ones, and in turn suspended ones, which wait for other blocks.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/shared_window.hpp"
#include "common/simt/exec/worker_pool.hpp"

namespace simt {

class Worker {
public:
    Worker(WorkerPool& pool, unsigned index) : pool_(pool), index_(index) {}

    void start();
    pthread_t thread() { return thread_.native_handle(); }

private:
    using Block = std::unique_ptr<ResidentBlock>;

    void main();
    void run_unclaimed_blocks(RunningLaunch& launch);
    void run_new_block(RunningLaunch& launch, uint64_t index);
    // What the suspended blocks have done in their turns: the most that any of them did.
    enum class Outcome { waited, changed, stepped };
    Outcome resume_suspended_blocks();
    void leave_finished_launches();
    void run(Block block);
    void end_deadlocked(ResidentBlock& block);
    void report_long_run(const ResidentBlock& block) const;
    void retire(Block block);
    void trim_spare_blocks();
    bool has_suspended_blocks_of(const RunningLaunch& launch) const;
    Block block_with_room_for(unsigned lanes);

    WorkerPool& pool_;
    const unsigned index_;
    std::thread thread_;
    std::optional<SharedWindow> window_;
    std::vector<RunningLaunch*> joined_;
    std::deque<Block> suspended_;
    std::vector<Block> spare_;
    ResidentBlock* window_owner_ = nullptr;  // the suspended block whose shared memory is still in place
};

}  // namespace simt
