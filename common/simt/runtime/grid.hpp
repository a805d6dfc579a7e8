// SPDX-License-Identifier: MIT
// A grid and the operations that its threads start: kernels, copies and fills, in streams of the grid (CUDA's dynamic
// parallelism).
//
// The operations begin when all blocks of the grid have ended. CUDA lets them begin earlier, but no program may rely on
// that: a grid's threads can neither wait for a child nor see what it writes. Then they run concurrently, as far as
// their streams allow; those in the tail launch stream run after all others, one by one. A grid is complete when its
// last operation is; a kernel is complete when the child's grid is.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/simt/exec/running_launch.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/handle_table.hpp"

namespace simt {

class Grid;

/// An operation of a grid.
struct GridTask {
    Grid* grid = nullptr;
    std::unique_ptr<Grid> child;  ///< the grid of a kernel, until it is complete
    Work work;                    ///< of a copy or fill; null: only waits for others
    ClientNote note;
    unsigned awaited = 0;                          ///< how many operations before it have not ended
    std::vector<std::shared_ptr<GridTask>> after;  ///< operations that wait for it
};
using TaskPointer = std::shared_ptr<GridTask>;

/// A stream of a grid: its last operation.
struct GridStream {
    uint64_t id = 0, length = 0;
    TaskPointer last;
};

/// An event of a grid: the operation after which it occurs; null: not recorded, or before all operations.
struct GridEvent {
    TaskPointer task;
};

/// A grid that the host has launched, with all its descendants.
struct GridTree {
    explicit GridTree(Device& device_) : device(device_) {}

    Device& device;
    std::mutex mutex;  ///< guards the tree's state and the operations of its grids
    std::condition_variable completed;
    bool is_complete = false;
    int error = 0;  ///< of the first grid or operation that has failed: nothing starts after it

    bool has_failed() {
        const std::lock_guard lock(mutex);
        return error != 0;
    }
};

class Grid final : public LaunchOwner {
public:
    /// Runs a launch of the host, including everything that it launches. Returns the first error, as execute() does.
    static int run(const Launch& launch, LaunchObserver* observer, Device& device);

    /// The grid whose lane runs on the calling thread; null on the host's threads.
    static Grid* running();

    Device& device() const { return tree_->device; }

    // ---- for the running lane; the results are cudaError_t values The launch must be valid.

    /// cudaErrorLaunchMaxDepthExceeded: nested too deeply; cudaErrorLaunchPendingCountExceeded: too many launches have
    /// not ended yet.
    cudaError_t launch(Launch&& launch, const void* stream);
    cudaError_t submit(Work work, const void* stream);
    void* create_stream();
    bool destroy_stream(const void* stream) { return streams_.remove(stream) != nullptr; }
    void* create_event();  ///< null if there are too many
    bool destroy_event(const void* event);
    cudaError_t record(const void* event, const void* stream);
    cudaError_t wait(const void* stream, const void* event);

    /// The last error of the running lane.
    void set_error(cudaError_t error);
    cudaError_t error() const;

    Grid(Launch&& launch, Grid& parent, GridTask& task);
    ~Grid() override;

private:
    using RunningPointer = std::unique_ptr<RunningLaunch, void (*)(RunningLaunch*)>;

    explicit Grid(std::shared_ptr<GridTree> tree);

    // Operations that the calling thread must start, and complete grids that it must destroy, without the tree's mutex.
    struct Next {
        std::deque<TaskPointer> tasks;
        std::vector<std::unique_ptr<Grid>> complete;
    };

    std::shared_ptr<GridStream> make_stream();
    std::shared_ptr<GridStream> find_stream(const void* handle);
    cudaError_t append(TaskPointer task, const void* stream_handle, const GridEvent* event = nullptr);
    void blocks_ended() override;
    void end_blocks(Next& next);
    void end_task(GridTask& task, Next& next);
    void go_on(Next& next);
    static void start_all(GridTree& tree, Next& next);
    static int perform(GridTask& task);
    RunningLaunch* start();
    std::pair<uint64_t, unsigned> running_lane() const;
    size_t most_pending_launches() const;

    const std::shared_ptr<GridTree> tree_;
    Grid* const parent_ = nullptr;  // of a child, with its operation there
    GridTask* const task_ = nullptr;
    const unsigned depth_ = 0;
    Launch launch_;  // of a child only: the host's launches live elsewhere
    std::shared_ptr<LaunchObserver> observer_;
    RunningPointer blocks_{nullptr, nullptr};

    // Guarded by the tree's mutex:
    std::map<uint64_t, std::shared_ptr<GridStream>> null_streams_;  // of each block
    std::vector<TaskPointer> tasks_;                                // all but the rest of the tail
    std::deque<TaskPointer> tail_;
    std::shared_ptr<GridStream> tail_stream_;
    size_t unfinished_ = 0;  // of tasks_
    uint64_t stream_ids_ = 0;

    HandleTable<GridStream> streams_;
    HandleTable<GridEvent> events_;
    std::atomic<size_t> event_count_{0};
    mutable std::mutex errors_mutex_;
    std::map<std::pair<uint64_t, unsigned>, cudaError_t> errors_;  // by block and lane
    std::atomic<bool> has_errors_{false};
};

}  // namespace simt
