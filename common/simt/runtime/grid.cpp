// SPDX-License-Identifier: MIT
#include "common/simt/runtime/grid.hpp"

#include <algorithm>

#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/run.hpp"
#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/variables.hpp"

namespace simt {
namespace {

bool may_wait_for_events(const void* stream) {
    return stream != cudaStreamFireAndForget && stream != cudaStreamTailLaunch;
}

}  // namespace

Grid::Grid(std::shared_ptr<GridTree> tree) : tree_(std::move(tree)) {}

Grid::Grid(Launch&& launch, Grid& parent, GridTask& task)
    : tree_(parent.tree_), parent_(&parent), task_(&task), depth_(parent.depth_ + 1), launch_(std::move(launch)) {}

Grid::~Grid() { device().events_of_grids -= event_count_; }

Grid* Grid::running() {
    ResidentBlock* const block = ResidentBlock::current();
    return block ? static_cast<Grid*>(block->running_launch().owner) : nullptr;
}

// ---- requests of lanes

std::pair<uint64_t, unsigned> Grid::running_lane() const {
    ResidentBlock& block = *ResidentBlock::current();
    const BlockIdentity& at = block.identity();
    const uint64_t index = at.index_x + uint64_t{at.grid_x} * (at.index_y + uint64_t{at.grid_y} * at.index_z);
    return {index, block.running_launch().launch.running_lane()};
}

void Grid::set_error(cudaError_t error) {
    if (error == cudaSuccess && !has_errors_) return;
    const std::lock_guard lock(errors_mutex_);
    if (error == cudaSuccess) errors_.erase(running_lane());
    else errors_[running_lane()] = error, has_errors_ = true;
}

cudaError_t Grid::error() const {
    if (!has_errors_) return cudaSuccess;
    const std::lock_guard lock(errors_mutex_);
    const auto found = errors_.find(running_lane());
    return found == errors_.end() ? cudaSuccess : found->second;
}

size_t Grid::most_pending_launches() const {
    return device().limit(cudaLimitDevRuntimePendingLaunchCount)->value_or(default_pending_launches);
}

// By the programming guide, there is room for twice as many events as launches.
void* Grid::create_event() {
    if (device().events_of_grids.fetch_add(1) >= 2 * most_pending_launches()) {
        --device().events_of_grids;
        return nullptr;
    }
    ++event_count_;
    return events_.add(std::make_shared<GridEvent>());
}

bool Grid::destroy_event(const void* event) {
    if (!events_.remove(event)) return false;
    --event_count_, --device().events_of_grids;
    return true;
}

void* Grid::create_stream() {
    const std::lock_guard lock(tree_->mutex);
    return streams_.add(make_stream());
}

// Each block has its own null stream. Operations in the fire-and-forget stream have no order. (The tree's mutex must be
// locked.)
std::shared_ptr<GridStream> Grid::find_stream(const void* handle) {
    const bool is_null = !handle || handle == cudaStreamPerThread || handle == cudaStreamLegacy;
    if (!is_null && may_wait_for_events(handle)) return streams_.find(handle);
    if (handle == cudaStreamFireAndForget) return make_stream();
    auto& stream = is_null ? null_streams_[running_lane().first] : tail_stream_;
    if (!stream) stream = make_stream();
    return stream;
}

std::shared_ptr<GridStream> Grid::make_stream() {
    auto stream = std::make_shared<GridStream>();
    stream->id = ++stream_ids_;
    return stream;
}

cudaError_t Grid::append(TaskPointer task, const void* stream_handle, const GridEvent* event) {
    const std::lock_guard lock(tree_->mutex);
    const bool is_tail = stream_handle == cudaStreamTailLaunch;
    const auto stream = find_stream(stream_handle);
    if (!stream) return cudaErrorInvalidResourceHandle;
    std::vector<ClientNote> after;
    for (const TaskPointer& earlier : {stream->last, event ? event->task : nullptr}) {
        if (!earlier) continue;
        after.push_back(earlier->note);
        if (is_tail) continue;
        earlier->after.push_back(task);
        ++task->awaited;
    }
    task->note = events().operation_of_lane({stream->id, ++stream->length, is_tail}, after);
    stream->last = task;
    if (is_tail) tail_.push_back(std::move(task));
    else tasks_.push_back(std::move(task));
    return cudaSuccess;
}

cudaError_t Grid::launch(Launch&& launch, const void* stream) {
    if (depth_ == most_nested_launches) return cudaErrorLaunchMaxDepthExceeded;
    if (device().pending_launches.fetch_add(1) >= most_pending_launches()) {
        --device().pending_launches;
        return cudaErrorLaunchPendingCountExceeded;
    }
    auto observer = events().launch_submitted(launch, stream);
    auto task = std::make_shared<GridTask>();
    task->grid = this;
    task->child = std::make_unique<Grid>(std::move(launch), *this, *task);
    task->child->observer_ = std::move(observer);
    const cudaError_t error = append(std::move(task), stream);
    if (error) --device().pending_launches;
    return error;
}

cudaError_t Grid::submit(Work work, const void* stream) {
    auto task = std::make_shared<GridTask>();
    task->grid = this;
    task->work = std::move(work);
    return append(std::move(task), stream);
}

cudaError_t Grid::record(const void* event_handle, const void* stream_handle) {
    if (!may_wait_for_events(stream_handle)) return cudaErrorInvalidValue;
    const auto event = events_.find(event_handle);
    const std::lock_guard lock(tree_->mutex);
    const auto stream = find_stream(stream_handle);
    if (!event || !stream) return cudaErrorInvalidResourceHandle;
    event->task = stream->last;
    return cudaSuccess;
}

cudaError_t Grid::wait(const void* stream, const void* event_handle) {
    if (!may_wait_for_events(stream)) return cudaErrorInvalidValue;
    const auto event = events_.find(event_handle);
    if (!event) return cudaErrorInvalidResourceHandle;
    auto task = std::make_shared<GridTask>();
    task->grid = this;
    return append(std::move(task), stream, event.get());
}

// ---- running

int Grid::run(const Launch& launch, LaunchObserver* observer, Device& device) {
    const VariablesTurn turn(device, VariableUser::kernel);
    const auto tree = std::make_shared<GridTree>(device);
    Grid root(tree);
    const int error = execute(launch, observer, &root);
    if (root.tasks_.empty() && root.tail_.empty()) return error;
    tree->error = error;
    Next next;
    {
        const std::lock_guard lock(tree->mutex);
        root.end_blocks(next);
    }
    start_all(*tree, next);
    std::unique_lock lock(tree->mutex);
    tree->completed.wait(lock, [&] { return tree->is_complete; });
    return tree->error;
}

// Prepares the child's blocks, which start when the caller passes the launch to the workers.
RunningLaunch* Grid::start() {
    events().operation_began(task_->note);
    blocks_ = prepare(launch_, observer_.get(), *this);
    events().operation_ended();
    return blocks_.get();
}

void Grid::blocks_ended() {
    const auto tree = tree_;  // may outlive the grid
    Next next;
    const int error = result_of(*blocks_);
    blocks_.reset();
    {
        const std::lock_guard lock(tree->mutex);
        if (!tree->error) tree->error = error;
        end_blocks(next);
    }
    start_all(*tree, next);
}

// (The tree's mutex must be locked for this, end_task() and go_on().)
void Grid::end_blocks(Next& next) {
    unfinished_ = tasks_.size();
    for (const TaskPointer& task : tasks_) {
        if (task->awaited == 0) next.tasks.push_back(task);
    }
    null_streams_.clear();
    if (unfinished_ == 0) go_on(next);
}

void Grid::end_task(GridTask& task, Next& next) {
    for (TaskPointer& later : task.after) {
        if (--later->awaited == 0) next.tasks.push_back(std::move(later));
    }
    task.after.clear();
    if (--unfinished_ == 0) go_on(next);
}

// Only the tail is left: its next operation, or the end of the grid.
void Grid::go_on(Next& next) {
    if (!tail_.empty()) {
        unfinished_ = 1;
        tasks_.push_back(std::move(tail_.front()));
        tail_.pop_front();
        next.tasks.push_back(tasks_.back());
    } else if (parent_) {
        --device().pending_launches;
        next.complete.push_back(std::move(task_->child));
        parent_->end_task(*task_, next);
    } else {
        tree_->is_complete = true;
        tree_->completed.notify_all();
    }
}

// Starts these operations, and the ones that can begin once the copies and fills among them have ended.
void Grid::start_all(GridTree& tree, Next& next) {
    std::vector<RunningLaunch*> launches;
    while (!next.tasks.empty()) {
        const TaskPointer task = std::move(next.tasks.front());
        next.tasks.pop_front();
        if (tree.has_failed()) {
            const std::lock_guard lock(tree.mutex);
            if (task->child) task->child->tail_.clear(), task->child->go_on(next);
            else task->grid->end_task(*task, next);
        } else if (task->child) {
            launches.push_back(task->child->start());
        } else {
            const int error = perform(*task);
            const std::lock_guard lock(tree.mutex);
            if (!tree.error) tree.error = error;
            task->grid->end_task(*task, next);
        }
    }
    simt::start(launches);
}

// Performs a copy or fill, or nothing.
int Grid::perform(GridTask& task) {
    if (!task.work) return 0;
    events().operation_began(task.note);
    const int error = task.work();
    events().operation_ended();
    return error;
}

}  // namespace simt
