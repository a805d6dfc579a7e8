// SPDX-License-Identifier: MIT
#include "common/simt/check/race/memory.hpp"

#include <cstdint>
#include <thread>

#include "common/simt/check/core/settings.hpp"
#include "common/simt/check/race/host_access.hpp"
#include "common/simt/exec/executable.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt::check {

void SyncVariables::Stripe::lock() {
    while (locked_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
}

std::shared_ptr<SyncLog> SyncVariables::Stripe::find(uintptr_t address) const {
    const auto found = logs_.find(address);
    return found == logs_.end() ? nullptr : found->second;
}

std::shared_ptr<SyncLog> SyncVariables::Stripe::at(uintptr_t address) {
    auto& log = logs_[address];
    if (!log) log = std::make_shared<SyncLog>();
    return log;
}

void SyncVariables::forget() {
    for (Stripe& stripe : stripes_) {
        stripe.lock();
        stripe.logs_.clear();
        stripe.unlock();
    }
}

namespace {

MemoryRange device_memory() {
    const AddressSpace& space = runtime().memory.address_space();
    return {space.base(), space.base() + space.bytes()};
}

ShadowMap shadow_of(const MemoryRange& range, unsigned cells_per_word) {
    return ShadowMap(range.begin, range.bytes(), cells_per_word);
}

}  // namespace

RaceMemory::RaceMemory() {
    host_range = {device_memory().begin, device_memory().bytes()};
    device = shadow_of(device_memory(), 1);
    for (const KernelModule* module = first_module(); module; module = module->next)
        variables.emplace_back(module->variables.begin, module->variables.bytes(), 1);
}

ShadowMap* RaceMemory::variables_at(uintptr_t address) {
    for (ShadowMap& map : variables)
        if (map.contains(address)) return &map;
    return nullptr;
}

ShadowMap& RaceMemory::bytes_of(const ShadowMap& words) {
    if (&words == &device) {
        std::call_once(device_once_, [this] { device_bytes_ = shadow_of(device_memory(), 4); });
        return device_bytes_;
    }
    std::call_once(variables_once_, [this] {
        const KernelModule* module = first_module();
        for (size_t i = 0; i < variables.size(); ++i, module = module->next)
            variable_bytes_.emplace_back(module->variables.begin, module->variables.bytes(), 4);
    });
    size_t index = 0;
    while (&variables[index] != &words) ++index;
    return variable_bytes_[index];
}

void RaceMemory::forget(uintptr_t begin, size_t bytes) {
    device.clear(begin, bytes);
    polled_variables.forget(begin, bytes);
}

void RaceMemory::forget() {
    device.clear();
    for (ShadowMap& map : variables) map.clear();
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
