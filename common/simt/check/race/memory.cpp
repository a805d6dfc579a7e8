// SPDX-License-Identifier: MIT
#include "common/simt/check/race/memory.hpp"

#include <cstdint>

#include "common/simt/check/core/settings.hpp"
#include "common/simt/check/race/host_access.hpp"
#include "common/simt/runtime/state.hpp"

// The beginning and the end of the executable's writable data, set by the linker.
extern "C" char __data_start, _end;

namespace simt::check {
namespace {

struct Bounds {
    uintptr_t begin;
    size_t bytes;
};

Bounds device_bounds() {
    const AddressSpace& space = runtime().memory.address_space();
    return {space.base(), space.bytes()};
}

Bounds variable_bounds() {
    const auto begin = reinterpret_cast<uintptr_t>(&__data_start);
    return {begin, reinterpret_cast<uintptr_t>(&_end) - begin};
}

ShadowMap shadow_of(const Bounds& bounds, unsigned cells_per_word) {
    return ShadowMap(bounds.begin, bounds.bytes, cells_per_word);
}

}  // namespace

RaceMemory::RaceMemory() {
    host_range = {device_bounds().begin, device_bounds().bytes};
    device = shadow_of(device_bounds(), 1);
    variables = shadow_of(variable_bounds(), 1);
}

ShadowMap& RaceMemory::device_bytes() {
    std::call_once(device_once_, [this] { device_bytes_ = shadow_of(device_bounds(), 4); });
    return device_bytes_;
}

ShadowMap& RaceMemory::variable_bytes() {
    std::call_once(variables_once_, [this] { variable_bytes_ = shadow_of(variable_bounds(), 4); });
    return variable_bytes_;
}

void RaceMemory::forget(uintptr_t begin, size_t bytes) {
    device.clear(begin, bytes);
    polled_variables.forget(begin, bytes);
}

void RaceMemory::forget() {
    device.clear();
    variables.clear();
    sync_variables.forget();
    polled_variables.clear();
}

RaceMemory& race_memory() {
    static RaceMemory& memory = *new RaceMemory;
    return memory;
}

void memory_was_allocated(uintptr_t begin, size_t bytes) {
    if (settings().racecheck && runtime().memory.address_space().contains(begin)) race_memory().forget(begin, bytes);
}

}  // namespace simt::check
