// SPDX-License-Identifier: MIT
// Pointers to host memory as arguments of kernels: a GPU cannot follow them, so here an access must fail, too.
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/simt/exec/executable.hpp"
#include "common/simt/exec/machine.hpp"
#include "common/simt/exec/run.hpp"
#include "common/simt/include/simt/kernel_launch.hpp"
#include "common/simt/runtime/events.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt {
namespace {

constexpr uintptr_t first_page = 4096;  // nothing is there: numbers in place of addresses

constinit std::atomic<bool> kernels_use_heap{false};

// Whether kernels can reach this address outside of the simulator's own range: registered memory and device variables,
// and the address behind them, which ends loops.
bool is_known(uintptr_t address) {
    const auto is_part = [](uintptr_t of) { return runtime().memory.find(reinterpret_cast<const void*>(of)); };
    return is_part(address) || is_part(address - 1);
}

bool can_be_on_device(uintptr_t address) {
    bool is_static = false;
    for (const KernelModule* module = first_module(); module; module = module->next) {
        if (module->code.contains(address)) return true;
        is_static |= module->all.contains(address);
    }
    return !is_static && kernels_use_heap.load(std::memory_order_relaxed);
}

}  // namespace

size_t address_for_kernels(size_t address) {
    const bool is_plausible = address >= first_page && (address & beyond_reach) == 0;
    if (!is_plausible || in_kernel() || events().checks_memory) return address;
    return unless_short([&] {
        if (runtime().memory.address_space().contains(address) || is_known(address)) return address;
        return can_be_on_device(address) ? address : address | beyond_reach;
    });
}

bool let_kernels_use_heap() {
    kernels_use_heap = true;
    return true;
}

}  // namespace simt
