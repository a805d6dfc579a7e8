// SPDX-License-Identifier: MIT
#include "common/simt/exec/resident_block.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "common/simt/exec/address_space.hpp"
#include "common/simt/exec/fault.hpp"
#include "common/simt/exec/lane_stacks.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt {

__thread ResidentBlock* current_block = nullptr;

namespace {

constexpr unsigned lanes_per_warp = 32;

unsigned first_lanes(unsigned count) { return count >= lanes_per_warp ? ~0u : (1u << count) - 1; }

}  // namespace

ResidentBlock* ResidentBlock::current() { return current_block; }

bool in_kernel() { return current_block != nullptr; }

void detach_lane(unsigned x, unsigned y, unsigned z) { current_block->detach(x, y, z); }

Context* schedule() { return current_block->next_lane(); }

ResidentBlock::ResidentBlock(unsigned lane_capacity)
    : lane_capacity_(lane_capacity),
      stacks_(lane_capacity),
      contexts_(lane_capacity),
      warps_((lane_capacity + lanes_per_warp - 1) / lanes_per_warp) {
    if (!stacks_.valid()) return;
    for (unsigned lane = 0; lane < lane_capacity; ++lane) set_stack(contexts_[lane], stacks_.top(lane));
    set_stack(starter_, stacks_.top(0));
    for (size_t warp = 0; warp < warps_.size(); ++warp) {
        warps_[warp].contexts = &contexts_[warp * lanes_per_warp];
        warps_[warp].tally = &tally_;
    }
}

ResidentBlock::~ResidentBlock() = default;

void ResidentBlock::set_shape(const Extent& shape) {
    if (shape.x == shape_.x && shape.y == shape_.y && shape.z == shape_.z) return;
    shape_ = shape;
    lane_count_ = shape.x * shape.y * shape.z;
    warp_count_ = (lane_count_ + lanes_per_warp - 1) / lanes_per_warp;
    unsigned rank = 0;
    for (unsigned z = 0; z < shape.z; ++z) {
        for (unsigned y = 0; y < shape.y; ++y) {
            for (unsigned x = 0; x < shape.x; ++x, ++rank) {
                Context& context = contexts_[rank];
                context.x = x;
                context.y = y;
                context.z = z;
                context.lane = rank % lanes_per_warp;
            }
        }
    }
}

void ResidentBlock::begin(RunningLaunch& launch, uint64_t index, unsigned worker, Progress& progress) {
    launch_ = &launch;
    progress_ = &progress;
    const Extent& grid = launch.launch.grid;
    const Extent& block = launch.launch.block;
    set_shape(block);
    identity_.index_x = static_cast<unsigned>(index % grid.x);
    identity_.index_y = static_cast<unsigned>(index / grid.x % grid.y);
    identity_.index_z = static_cast<unsigned>(index / grid.x / grid.y);
    identity_.dim_x = block.x, identity_.dim_y = block.y, identity_.dim_z = block.z;
    identity_.grid_x = grid.x, identity_.grid_y = grid.y, identity_.grid_z = grid.z;
    identity_.one_worker = launch.worker_count == 1;
    identity_.dynamic_shared_bytes = static_cast<unsigned>(launch.launch.dynamic_shared_bytes);
    identity_.cooperative = launch.launch.cooperative;
    identity_.worker = worker;
    identity_.sums = launch.worker_count == 1 || launch.block_count == 1 || launch.observer ? nullptr : &sums_;
    sums_.known_begin = sums_.known_end = 0;
    in_loops_ = detached_ = has_polled_ = shared_is_saved = false;
    is_new_ = true;
    upwards_ = true;
    tally_ = {};
    values_of_turn_ = 0;
    is_first_of_worker_ = progress.steps == 0;
    async_copies.clear();
    grid_constants.clear();
    held_back_.clear();
    current_warp = nullptr;
    run_lanes_ = launch.launch.run_lanes;
    arguments_ = launch.launch.arguments.get();
    if (launch.observer && !own_observer_) own_observer_ = launch.observer->observe(*this);
    observer_ = launch.observer ? own_observer_.get() : nullptr;
    if (observer_) {
        detach_all();
        observer_->began(*launch.observer, index, lane_count_);
        schedule_ = observer_->schedule();
    } else {
        schedule_ = Schedule::independent;
        prepare_context(starter_, &ResidentBlock::run_lane_loop);
    }
}

Pause ResidentBlock::run() {
    current_block = this;
    if (std::exchange(is_new_, false)) std::fill_n(tile_barriers, tile_barrier_count, TileBarrier{});
    launch_->launch.enter_block(identity_);
    polling_rounds_ = barriers_in_turn_ = long_turns_ = 0;
    Context* first = &starter_;
    if (detached_) first = first_ready_lane();
    current_lane = first;
    if (observer_) observer_->resumed();
    turns_taken = &progress_->turns_taken;
    turns_taken->step_epoch = &launch_->step_epoch;
    const uint64_t changes_before = changes_made, values_before = values_seen;
    switch_context(&worker_, first);
    add_pending_sums();
    // A turn in which nothing changes is like the one before it.
    const uint64_t values = values_seen - values_before;
    if (changes_made != changes_before || values != values_of_turn_) Progress::increase(progress_->changes);
    values_of_turn_ = values;
    turns_taken = nullptr;
    interruption = {};  // the lane's, if it was abandoned
    if (pause_ == Pause::failed) allow_interrupts();
    if (has_hit_guard_) tell_overflow();
    has_hit_guard_ = false;
    if ((pause_ == Pause::ended || pause_ == Pause::at_grid) && stacks_.overflowed()) report_overflow();
    if (pause_ == Pause::polling && schedule_ == Schedule::lockstep) note_held_back();
    const bool is_abandoned = pause_ == Pause::failed || pause_ == Pause::deadlocked;
    if (is_abandoned) forget_frames(reinterpret_cast<void*>(stacks_.begin()), stacks_.bytes());
    if (observer_) observer_->left();
    current_block = nullptr;
    if (observer_ && pause_ == Pause::ended) observer_->ended();
    return pause_;
}

void ResidentBlock::add_pending_sums() {
    if (sums_.counter.turns != 0) end_turn(sums_.counter);
    if (!sums_.are_any) return;
    sums_.are_any = false;
    for (PendingSum& sum : sums_.sums) {
        if (sum.bits != 0) sum.add(sum.address, sum.bits);
        sum = {};
    }
}

void add_pending_sums() {
    if (current_block) current_block->add_pending_sums();
}

SIMT_ENDS_ELSEWHERE void ResidentBlock::abandon() {
    pause_ = Pause::failed;
    switch_context(&abandoned_, &worker_);
    __builtin_unreachable();
}

inline Context* ResidentBlock::end_lane(Context* ended) {
    current_warp->live &= ~(1u << ended->lane);
    if (observer_) observer_->lane_ended(static_cast<unsigned>(ended - contexts_.data()));
    progress_->advance();
    return next_lane();
}

// How many lanes of a row the loop runs before it reports progress to the watchdog: usually all of them, which is
// fastest. But lanes may be slow, which is unknown when a worker begins.
unsigned ResidentBlock::lanes_at_once(unsigned ended) const {
    if (launch_->has_long_lanes.load(std::memory_order_relaxed)) return 1;
    return is_first_of_worker_ ? std::max(ended, 1u) : identity_.dim_x;
}

// The first lanes of a block run in a loop, one after the other on one stack, until one of them waits.
SIMT_ENDS_ELSEWHERE void ResidentBlock::run_lane_loop(Context*) {
    announce_arrival(nullptr);
    ResidentBlock& block = *current_block;
    const Extent& shape = block.shape_;
    for (unsigned z = 0; z < shape.z; ++z) {
        for (unsigned y = 0; y < shape.y; ++y) {
            for (unsigned x = 0; x < shape.x;) {
                const unsigned last = std::min(shape.x, x + block.lanes_at_once(x));
                block.run_lanes_(block.arguments_, {x, last, y, z, false});
                if (block.in_loops_) block.end_lane_loops();
                // A lane that has waited and come back here has ended. The lanes after it run on their own stacks.
                if (block.detached_) block.run_remaining_lanes(block.end_lane(current_lane));
                block.progress_->advance();
                x = last;
            }
        }
    }
    block.pause(Pause::ended);
    switch_context(&block.abandoned_, &block.worker_);
    __builtin_unreachable();
}

// ---- blocks whose lanes run in loops

namespace {

/// The memory of lane variables on this thread of the processor: pieces of it are taken and returned like a stack's.
class LaneRoom {
public:
    void* take(size_t bytes) {
        taken_.push_back(place_);
        bytes = (bytes + alignment - 1) / alignment * alignment;
        while (place_.chunk < chunks_.size() && place_.used + bytes + alignment > chunks_[place_.chunk].size()) {
            place_ = {place_.chunk + 1, 0};
        }
        if (place_.chunk == chunks_.size()) chunks_.emplace_back(std::max(bytes, chunk_bytes) + alignment);
        std::vector<char>& chunk = chunks_[place_.chunk];
        const auto begin = reinterpret_cast<uintptr_t>(chunk.data());
        if (place_.used == 0) place_.used = (alignment - begin % alignment) % alignment;
        void* const room = chunk.data() + place_.used;
        place_.used += bytes;
        return room;
    }
    void give_back() {
        place_ = taken_.back();
        taken_.pop_back();
    }
    /// Lanes that were abandoned have not returned theirs.
    void clear() {
        taken_.clear();
        place_ = {};
    }

private:
    static constexpr size_t alignment = 64, chunk_bytes = size_t{1} << 18;
    struct Place {
        size_t chunk = 0, used = 0;
    };

    std::vector<std::vector<char>> chunks_;
    std::vector<Place> taken_;
    Place place_;
};

LaneRoom& lane_room() {
    static thread_local LaneRoom room;
    return room;
}

constexpr size_t most_warps = 32;
thread_local unsigned live_in_loops[2 * most_warps];  // and those apart
thread_local bool are_lanes_apart = false;

[[noreturn]] void fail_apart() {
    fail_lane(
        "a warp function names threads that come to another one, or to a barrier; with simcc -lanes stacks they wait "
        "for each other");
}

}  // namespace

unsigned* begin_lane_loops() {
    ResidentBlock& block = *current_block;
    // (For observers every lane has its own stack and calls the kernel: the first runs all.)
    if (std::exchange(block.in_loops_, true)) end_lane();
    lane_room().clear();
    for (size_t warp = 0; warp < most_warps; ++warp) {
        const auto first = static_cast<unsigned>(warp * lanes_per_warp);
        live_in_loops[warp] = first < block.lane_count_ ? first_lanes(block.lane_count_ - first) : 0;
        live_in_loops[most_warps + warp] = 0;
    }
    are_lanes_apart = false;
    return live_in_loops;
}

void pass_lane_barrier() {
    ResidentBlock& block = *current_block;
    block.add_pending_sums();
    if (block.observer_) block.observer_->block_barrier_completed();
    block.progress_->advance();
    if (block.launch_->failed()) block.abandon();
    for (size_t warp = 0; warp < most_warps && are_lanes_apart; ++warp) {
        if ((live_in_loops[warp] & live_in_loops[most_warps + warp]) != 0) fail_apart();
    }
}

void part_lanes(size_t warp, unsigned present, unsigned absent) {
    if ((live_in_loops[most_warps + warp] & present) != 0) fail_apart();
    live_in_loops[most_warps + warp] |= absent;
    are_lanes_apart = true;
}

void* take_lane_room(size_t bytes) { return lane_room().take(bytes); }
void return_lane_room() { lane_room().give_back(); }

bool in_lane_loops() { return current_block->in_loops_; }

void let_workers_run() {
    if (current_block->launch_->failed()) current_block->abandon();
    std::this_thread::yield();
}

SIMT_ENDS_ELSEWHERE void ResidentBlock::end_lane_loops() {
    progress_->advance();
    pause(Pause::ended);
    switch_context(&abandoned_, &worker_);
    __builtin_unreachable();
}

// A lane that has its own stack starts here.
SIMT_ENDS_ELSEWHERE void ResidentBlock::run_single_lane(Context* self) {
    announce_arrival(nullptr);
    current_block->run_remaining_lanes(self);
}

// Runs `next` and then, on the same stack, the lanes after it as long as they have not started.
SIMT_ENDS_ELSEWHERE void ResidentBlock::run_remaining_lanes(Context* next) {
    for (;;) {
        current_lane = next;
        const unsigned bit = 1u << next->lane;
        if (next == &worker_ || !(current_warp->unstarted & bit)) {
            switch_context(&abandoned_, next);
            __builtin_unreachable();
        }
        current_warp->unstarted &= ~bit;
        run_lanes_(arguments_, {next->x, next->x + 1, next->y, next->z, true});
        next = end_lane(next);
    }
}

void ResidentBlock::detach(unsigned x, unsigned y, unsigned z) {
    if (in_loops_) fail_lane("a thread waits for others in code that was compiled as a loop over the threads");
    const unsigned rank = x + shape_.x * (y + shape_.y * z);
    for (unsigned warp_index = 0; warp_index < warp_count_; ++warp_index) {
        Warp& warp = warps_[warp_index];
        const unsigned first = warp_index * lanes_per_warp;
        const unsigned lanes = first_lanes(lane_count_ - first);
        const unsigned ended = rank <= first ? 0 : first_lanes(rank - first);
        const bool holds_this_lane = rank / lanes_per_warp == warp_index;
        warp.live = lanes & ~ended;
        warp.ready = warp.unstarted = holds_this_lane ? warp.live & ~(1u << rank % lanes_per_warp) : warp.live;
        warp.meetings_in_turn = 0;
        warp.meeting = warp.partial = warp.asking = warp.yielded = warp.at_grid = warp.paused = 0;
        warp.arriving->predicates = 0;
    }
    for (unsigned other = rank + 1; other < lane_count_; ++other) {
        prepare_context(contexts_[other], &ResidentBlock::run_single_lane);
    }
    detached_ = true;
    current_lane = &contexts_[rank];
    current_warp = &warps_[rank / lanes_per_warp];
}

// Observed lanes have their own stacks from the start, since each can be paused at any access.
void ResidentBlock::detach_all() {
    detach(0, 0, 0);
    warps_[0].ready = warps_[0].unstarted = warps_[0].live;
    prepare_context(contexts_[0], &ResidentBlock::run_single_lane);
}

SIMT_ENDS_ELSEWHERE void ResidentBlock::drop_running_lane() {
    // The next lane must not run on this stack: abandoned frames are still on it.
    Context* const next = end_lane(current_lane);
    current_lane = next;
    interruption.depth = 0;
    switch_context(&abandoned_, next);
    __builtin_unreachable();
}

void ResidentBlock::pause_running_lane() {
    Context* const self = current_lane;
    current_warp->paused |= 1u << self->lane;
    Context* const next = next_lane();
    current_lane = next;
    if (next == self) return;
    const unsigned depth = std::exchange(interruption.depth, 0);
    switch_context(self, next);
    interruption.depth = depth;
    launch_->launch.enter_lane(self->x, self->y, self->z);
}

// ---- copies that lanes have started

AsyncCopies::Lane& AsyncCopies::lane(unsigned rank) {
    if (rank >= lanes_.size()) lanes_.resize(rank + 1);
    return lanes_[rank];
}

void AsyncCopies::start(unsigned rank, const AsyncCopy& copy) {
    Lane& own = lane(rank);
    if (copy.barrier) {
        own.of_barriers.push_back(copy);
    } else {
        own.copies.push_back({copy, own.committed});
    }
}

void AsyncCopies::commit(unsigned rank) { ++lane(rank).committed; }

bool AsyncCopies::take(unsigned rank, unsigned groups, AsyncCopy& copy) {
    Lane& own = lane(rank);
    if (own.copies.empty() || own.copies.front().group + groups >= own.committed) return false;
    copy = own.copies.front().copy;
    own.copies.pop_front();
    return true;
}

bool AsyncCopies::take_of(unsigned rank, const void* barrier, AsyncCopy& copy) {
    if (rank >= lanes_.size()) return false;
    auto& copies = lanes_[rank].of_barriers;
    const auto first =
        std::find_if(copies.begin(), copies.end(), [barrier](const AsyncCopy& one) { return one.barrier == barrier; });
    if (first == copies.end()) return false;
    copy = *first;
    copies.erase(first);
    return true;
}

namespace {

// If a copy was taken, the running lane makes it now.
bool finishes(bool taken, const AsyncCopy& copy) {
    BlockObserver* const observer = taken ? ResidentBlock::current()->observer() : nullptr;
    if (observer) observer->copy_finished(reinterpret_cast<uintptr_t>(copy.target), copy.bytes);
    return taken;
}

}  // namespace

void start_copy(unsigned rank, const AsyncCopy& copy) {
    const Uninterrupted section;
    ResidentBlock& block = *ResidentBlock::current();
    block.async_copies.start(rank, copy);
    if (BlockObserver* const observer = block.observer()) {
        observer->copy_started(reinterpret_cast<uintptr_t>(copy.target), copy.bytes, __builtin_return_address(0));
    }
}
void commit_copies(unsigned rank) {
    const Uninterrupted section;
    ResidentBlock::current()->async_copies.commit(rank);
}
bool take_copy(unsigned rank, unsigned groups, AsyncCopy& copy) {
    const Uninterrupted section;
    return finishes(ResidentBlock::current()->async_copies.take(rank, groups, copy), copy);
}
bool take_copy_of(unsigned rank, const void* barrier, AsyncCopy& copy) {
    const Uninterrupted section;
    return finishes(ResidentBlock::current()->async_copies.take_of(rank, barrier, copy), copy);
}

// ---- what the messages about deadlocks, timeouts and stack overflows say about the lanes of a block

namespace {

// Lanes that do the same thing in the same place.
struct LaneGroup {
    unsigned lanes = 0;
    const Context* first = nullptr;
    std::string of_one;  // what a single one does: "thread runs"
};

using Place = std::tuple<std::string, unsigned, std::string>;  // file, line, what they do: "threads run"

// `warp_function`: the function in which lanes wait for others of their warp.
std::string kind_of_wait(const Warp& warp, unsigned bit, const char* warp_function) {
    if (warp.meeting & bit) return std::string("for lanes of their warp (") + warp_function + ")";
    if (warp.asking & bit) return "at __activemask()";
    if (warp.at_grid & bit) return "at grid.sync()";
    return "at a block barrier";
}

std::string counted(uint64_t count, const std::string& one, const std::string& many) {
    return "  " + std::to_string(count) + ' ' + (count == 1 ? one : many);
}

void print_index(std::ostream& out, unsigned x, unsigned y, unsigned z) {
    out << '(' << x << ',' << y << ',' << z << ')';
}

}  // namespace

std::string ResidentBlock::describe_position() const {
    std::ostringstream text;
    text << "kernel " << launch_->launch.name << ", block ";
    print_index(text, identity_.index_x, identity_.index_y, identity_.index_z);
    return text.str();
}

// Whether the lane was polling again when the launch failed. Only an observer knows.
bool ResidentBlock::polls_again(const Warp& warp, unsigned lane) const {
    return observer_ && observer_->polls_again(static_cast<unsigned>(&warp - warps_.data()) * 32 + lane);
}

bool ResidentBlock::is_running(const Warp& warp, unsigned lane) const {
    if (polls_again(warp, lane)) return false;
    if (&warp.contexts[lane] == current_lane) return true;  // abandoned where it was
    // In a block that lets other blocks run first, the lanes that wait for those are ready.
    const bool lets_others_run = pause_ == Pause::polling || pause_ == Pause::at_grid;
    return (warp.paused | (lets_others_run ? 0 : warp.ready)) >> lane & 1;
}

// Called when only polling lanes can run and each has just looked. Paused lanes of the same warps are ahead of them,
// and must wait until they leave their loops.
void ResidentBlock::note_held_back() {
    held_back_.assign(warp_count_, 0);
    for (size_t i = 0; i < warp_count_; ++i) {
        if (observer_->waiting_loop_lanes(static_cast<unsigned>(i)) & warps_[i].ready) held_back_[i] = warps_[i].paused;
    }
}

unsigned ResidentBlock::held_back(const Warp& warp) const {
    return held_back_.empty() ? 0 : held_back_[static_cast<size_t>(&warp - warps_.data())] & warp.paused;
}

bool ResidentBlock::holds_back_lanes() const {
    for (size_t i = 0; i < warp_count_; ++i)
        if (held_back(warps_[i])) return true;
    return false;
}

std::string ResidentBlock::describe_waiting() const {
    if (!detached_) return "  a thread is in a loop that neither ends nor waits\n";
    std::map<Place, LaneGroup> waiting, running;
    unsigned live = 0;
    for (size_t i = 0; i < warp_count_; ++i) {
        const Warp& warp = warps_[i];
        live += std::popcount(warp.live);
        // After the last round of polling, the lanes that poll are ready to look again.
        const unsigned polling = pause_ == Pause::polling ? warp.ready : warp.yielded;
        for (unsigned lanes = warp.live & ~warp.unstarted; lanes; lanes &= lanes - 1) {
            const unsigned lane = std::countr_zero(lanes);
            const Context& context = warp.contexts[lane];
            const unsigned rank = static_cast<unsigned>(i) * 32 + lane;
            LaneGroup* group = nullptr;
            if (is_running(warp, lane)) {
                const bool is_held_back = held_back(warp) >> lane & 1;
                const std::string what =
                    is_held_back ? " held back by lanes of the same warp that wait" : " without waiting";
                const SourceLine place = observer_ ? observer_->place_of(rank) : SourceLine{};
                group = &running[{place.file, place.line, (is_held_back ? "threads are" : "threads run") + what}];
                group->of_one = (is_held_back ? "thread is" : "thread runs") + what;
            } else {
                const bool is_polling = polling >> lane & 1 || polls_again(warp, lane);
                const char* const known_function = observer_ ? observer_->warp_function_of(rank) : nullptr;
                const char* const warp_function = known_function ? known_function : "shuffle, vote or __syncwarp";
                const std::string kind = pause_ == Pause::at_grid ? "at grid.sync()"
                                         : is_polling             ? "in a loop that polls"
                                                                  : kind_of_wait(warp, 1u << lane, warp_function);
                const std::string path = context.file ? context.file : "?";
                group = &waiting[{path.substr(path.rfind('/') + 1), context.line, "threads wait " + kind}];
                group->of_one = "thread waits " + kind;
            }
            if (group->lanes++ == 0) group->first = &context;
        }
    }
    std::ostringstream text;
    for (const auto& groups : {waiting, running}) {
        for (const auto& [place, group] : groups) {
            const auto& [file, line, of_many] = place;
            text << counted(group.lanes, group.of_one, of_many);
            if (!file.empty()) text << ", " << file << ':' << line;
            text << ", first ";
            print_index(text, group.first->x, group.first->y, group.first->z);
            text << '\n';
        }
    }
    if (live < lane_count_) text << "  " << lane_count_ - live << " have left the kernel\n";
    if (const uint64_t missing = launch_->grid_barrier.missing()) {
        text << counted(missing, "block has", "blocks have") << " ended without coming to grid.sync()\n";
    }
    return text.str();
}

// One message per launch: a kernel that overflows usually does so in every block.
void ResidentBlock::tell_overflow() const {
    if (launch_->overflow_reported.exchange(true)) return;
    std::fprintf(stderr, "simcc: %s: a thread used more stack than the %zu KiB that each has\n",
                 describe_position().c_str(), (LaneStacks::bytes_per_lane - page_bytes()) >> 10);
}

// Found after the fact: the stack of another lane may be damaged.
void ResidentBlock::report_overflow() {
    tell_overflow();
    launch_->fail(error_illegal_address);
    pause_ = Pause::failed;
    stacks_.clear();
}

}  // namespace simt
