#include "common/simt/check/core/turns.hpp"

#include <bit>
#include <numeric>

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
    if (are_in_step()) places_.assign(lanes, 0);
}

uint32_t Turns::below(uint32_t limit) {
    state_ += increment;
    return static_cast<uint32_t>((mixed(state_) >> 32) * limit >> 32);
}

uint32_t Turns::furthest_behind(unsigned warp, uint32_t candidates) const {
    uint64_t first = ~uint64_t{0};
    uint32_t group = 0;
    for (uint32_t left = candidates; left; left &= left - 1) {
        const uint64_t place = places_[warp * 32 + static_cast<unsigned>(std::countr_zero(left))];
        if (place > first) continue;
        if (place < first) group = 0;
        first = place;
        group |= left & -left;
    }
    return group;
}

// Ordered by line, since compilers lay out the blocks of a function in any order.
uint64_t Turns::place_of(const void* pc) {
    const auto [position, is_new] = known_places_.try_emplace(pc, 0);
    if (is_new) {
        const std::vector<Frame> frames = device_frames(symbol_of(pc));
        const uint64_t line = frames.empty() ? 0 : frames.back().line;
        position->second = line << 40 | (reinterpret_cast<uintptr_t>(pc) & ((uint64_t{1} << 40) - 1));
    }
    return position->second;
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
