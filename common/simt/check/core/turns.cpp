// SPDX-License-Identifier: MIT
#include "common/simt/check/core/turns.hpp"

#include <bit>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "common/simt/check/core/symbols.hpp"

namespace simt::check {
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
