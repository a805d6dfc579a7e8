// SPDX-License-Identifier: MIT
#include "common/simt/check/core/block_check.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "common/simt/check/core/program_image.hpp"
#include "common/simt/check/core/symbols.hpp"
#include "common/simt/exec/address_space.hpp"
#include "common/simt/exec/executable.hpp"
#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/uninterrupted.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt::check {

BlockCheck::BlockCheck(ResidentBlock& block) : contexts_(block.contexts()), block_(block) {
    const AddressSpace& space = runtime().memory.address_space();
    global_ = {space.base(), space.bytes()};
    stacks_ = {block.stacks_begin(), block.stacks_bytes()};
    shared_ = shared_window_of_thread();  // this thread will run the block
    modules_ = module_count();
}

BlockCheck::~BlockCheck() = default;

void BlockCheck::began(LaunchObserver& launch, uint64_t block_index, unsigned lanes) {
    if (std::exchange(modules_, module_count()) < module_count()) shared_window_of_thread();  // it may have changed
    launch_ = static_cast<LaunchCheck*>(&launch);
    block_index_ = block_index;
    lane_count_ = lanes;
    has_lost_lanes_ = false;
    std::fill(std::begin(polling_), std::end(polling_), 0);
    turns_.begin_block(launch_->serial, block_index, lanes);
    for (const auto& checker : checkers_) checker->begin_block();
}

void BlockCheck::resumed() { current_check = this; }

void BlockCheck::left() {
    for (const auto& checker : checkers_) checker->leave();
    current_check = nullptr;
}

void BlockCheck::ended() {
    for (const auto& checker : checkers_) checker->block_ended();
}

void BlockCheck::lane_ended(unsigned lane) {
    for (const auto& checker : checkers_) checker->lane_ended(lane);
}

void BlockCheck::warp_stalled(unsigned warp, unsigned paused) {
    for (const auto& checker : checkers_) checker->warp_stalled(warp, paused);
}

void BlockCheck::meeting_completed(unsigned warp, unsigned lanes) {
    for (const auto& checker : checkers_) checker->meeting_completed(warp, lanes);
}

void BlockCheck::block_barrier_completed() {
    for (const auto& checker : checkers_) checker->block_barrier_completed();
}

void BlockCheck::grid_barrier_completed() {
    for (const auto& checker : checkers_) checker->grid_barrier_completed();
}

void BlockCheck::arrive(check::Wait kind, unsigned mask, unsigned source, Site site) {
    for (const auto& checker : checkers_) checker->arrive(kind, mask, source, site);
}

void BlockCheck::fence(check::Reach reach) {
    for (const auto& checker : checkers_) checker->fence(reach);
}

void BlockCheck::copy_started(uintptr_t target, size_t bytes, const void* pc) {
    for (const auto& checker : checkers_) checker->copy_started(target, bytes, pc);
}

void BlockCheck::copy_finished(uintptr_t target, size_t bytes) {
    for (const auto& checker : checkers_) checker->copy_finished(target, bytes);
}

bool BlockCheck::deadlocked() {
    const std::string waiting = block_.describe_waiting();
    bool is_reported = false;
    for (const auto& checker : checkers_) is_reported |= checker->deadlocked(waiting);
    return is_reported;
}

bool BlockCheck::timed_out() {
    const std::string waiting = block_.describe_waiting();
    bool is_reported = false;
    for (const auto& checker : checkers_) is_reported |= checker->timed_out(waiting, block_.holds_back_lanes());
    return is_reported;
}

bool BlockCheck::misused(const char* message, const void* pc) {
    bool is_reported = false;
    for (const auto& checker : checkers_) is_reported |= checker->misused(message, pc);
    return is_reported;
}

// Not while a report is being written: that runs on the lane's stack.
void BlockCheck::invalid_free(const void* pointer, const void* pc) {
    if (!current_check) return;
    for (const auto& checker : checkers_) checker->invalid_free(pointer, pc);
}

bool BlockCheck::stack_overflowed(uintptr_t instruction, const uintptr_t* stack) {
    bool is_reported = false;
    for (const auto& checker : checkers_) is_reported |= current_check && checker->stack_overflow(instruction, stack);
    return is_reported;
}

void BlockCheck::passes(uintptr_t pointer, const void* pc) {
    const Space space = space_of(pointer);
    if (space != Space::shared && space != Space::local) return;
    for (const auto& checker : checkers_) checker->invalid_argument(pointer, space, pc);
}

bool BlockCheck::polls_again(unsigned lane) const {
    return std::any_of(checkers_.begin(), checkers_.end(),
                       [=](const auto& checker) { return checker->polls_again(lane); });
}

const char* BlockCheck::warp_function_of(unsigned lane) const {
    for (const auto& checker : checkers_) {
        if (const char* const function = checker->function_of(lane)) return function;
    }
    return nullptr;
}

SourceLine BlockCheck::place_of(unsigned lane) const {
    const void* pc = turns_.are_in_step() ? turns_.place_of(lane) : nullptr;
    for (const auto& checker : checkers_) {
        if (!pc && !turns_.are_in_step()) pc = checker->last_access(lane);
    }
    if (!pc) return {};
    const std::vector<Frame> frames = device_frames(symbol_of(pc));
    return frames.empty() ? SourceLine{} : SourceLine{frames.front().file, frames.front().line};
}

void BlockCheck::set_polling(bool polls) {
    const unsigned lane = running_lane();
    const uint32_t bit = 1u << lane % 32;
    if (polls) {
        polling_[lane / 32] |= bit;
    } else {
        polling_[lane / 32] &= ~bit;
    }
}

void BlockCheck::drop_running_lane(int error) {
    int none = 0;
    launch_->error.compare_exchange_strong(none, error);
    has_lost_lanes_ = true;
    for (const auto& checker : checkers_) checker->lane_dropped(running_lane());
    block_.drop_running_lane();
}

void BlockCheck::check_room_on_stack(const void* pc) {
    const size_t needed = page_bytes() + (12 << 10);  // the guard, and room for what is called without a check
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    if ((here - stacks_.begin) % LaneStacks::bytes_per_lane >= needed) return;
    for (const auto& checker : checkers_) checker->stack_overflow(pc);
}

void BlockCheck::end_turn(const Access& access) {
    if (access.space == Space::local) return;
    if (turns_.are_in_step()) turns_.comes_to(access.lane, access.pc);
    if (turns_.ends_at_access()) pause_running_lane();
}

void BlockCheck::pause_running_lane() { block_.pause_running_lane(); }

// ---- turns

namespace {

// One step of splitmix64: consecutive states give independent numbers.
uint64_t mixed(uint64_t state) {
    state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
    state = (state ^ state >> 27) * 0x94d049bb133111eb;
    return state ^ state >> 31;
}

constexpr uint64_t increment = 0x9e3779b97f4a7c15;

}  // namespace

void Turns::begin_block(uint64_t launch, uint64_t block, unsigned lanes) {
    schedule_ = settings().schedule;
    state_ = mixed(mixed(settings().seed + increment) + launch * increment) + block;
    knows_kernel_ = false;
    if (are_in_step()) places_.assign(lanes, {});
}

uint32_t Turns::below(uint32_t limit) {
    state_ += increment;
    return static_cast<uint32_t>((mixed(state_) >> 32) * limit >> 32);
}

uint32_t Turns::furthest_behind(unsigned warp, uint32_t candidates) const {
    constexpr uint64_t behind_all = ~uint64_t{0};
    std::pair<uint64_t, uint64_t> first = {behind_all, behind_all};
    uint32_t group = 0;
    for (uint32_t left = candidates; left; left &= left - 1) {
        const Place& of_lane = places_[warp * 32 + static_cast<unsigned>(std::countr_zero(left))];
        const std::pair place(of_lane.in_kernel, of_lane.in_function);
        if (place > first) continue;
        if (place < first) group = 0;
        first = place;
        group |= left & -left;
    }
    return group;
}

// Functions can be anywhere, even in another file: only lines of the same function show what comes first.
void Turns::entered(unsigned lane, const void* pc) {
    const KnownBlock& block = block_at(pc);
    if (!knows_kernel_) kernel_ = block.function;
    knows_kernel_ = true;
    Place& place = places_[lane];
    place.pc = pc;
    const bool is_in_kernel = block.function == kernel_;
    if (is_in_kernel) place.in_kernel = block.position;
    place.in_function = is_in_kernel ? 0 : block.position;
}

// Ordered by line, since compilers lay out the blocks of a function in any order.
const Turns::KnownBlock& Turns::block_at(const void* pc) {
    const auto [known, is_new] = known_blocks_.try_emplace(pc);
    if (is_new) {
        const Symbol& symbol = symbol_of(pc);
        const std::vector<Frame> frames = device_frames(symbol);
        const uint64_t line = frames.empty() ? 0 : frames.back().line;
        known->second.function = frames.empty()    ? 0
                                 : symbol.function ? symbol.function
                                                   : std::hash<std::string>()(frames.back().function);
        known->second.position = line << 40 | (reinterpret_cast<uintptr_t>(pc) & ((uint64_t{1} << 40) - 1));
    }
    return known->second;
}

uint64_t random_block(uint64_t index, uint64_t count) {
    if (settings().schedule != Schedule::random || count < 2) return index;
    const uint64_t number = mixed(settings().seed + increment);
    uint64_t factor = number % count;
    while (std::gcd(factor, count) != 1) ++factor;
    __extension__ typedef unsigned __int128 Product;
    return static_cast<uint64_t>((Product{factor} * index + number / 3) % count);
}

}  // namespace simt::check
