// SPDX-License-Identifier: MIT
// Pointers to host memory as arguments of kernels: a GPU cannot follow them, so here an access must fail, too.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>

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

// What `new` gave to kernels, by its end. What they have deleted since stays until the heap gives it out again.
struct KernelMemory {
    std::mutex mutex;
    std::map<uintptr_t, uintptr_t> begins;

    void add(uintptr_t begin, uintptr_t end) {
        const std::lock_guard lock(mutex);
        auto other = begins.upper_bound(begin);
        while (other != begins.end() && other->second < end) other = begins.erase(other);
        begins[end] = begin;
    }
    // (The address behind it ends loops.)
    bool contains(uintptr_t address) {
        const std::lock_guard lock(mutex);
        const auto found = begins.lower_bound(address);
        return found != begins.end() && found->second <= address;
    }
};
KernelMemory& kernel_memory() {
    static auto& memory = *new KernelMemory;  // kernels may run until the very end
    return memory;
}

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
    return !is_static && (kernels_use_heap.load(std::memory_order_relaxed) || kernel_memory().contains(address));
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

bool is_hidden_from_host(const void* address) {
    return unless_short([&] {
        const auto allocation = runtime().memory.find(address);
        return allocation && !allocation->host_can_reach();
    });
}

bool let_kernels_use_heap() {
    kernels_use_heap = true;
    return true;
}

void let_kernels_use(const void* memory, size_t bytes) {
    const auto begin = reinterpret_cast<uintptr_t>(memory);
    unless_short([&] {
        kernel_memory().add(begin, begin + std::max<size_t>(bytes, 1));
        return 0;
    });
}

struct KernelHeap {};

}  // namespace simt

void* operator new(size_t bytes, simt::KernelHeap) {
    void* const memory = operator new(bytes);
    if (simt::in_kernel()) simt::let_kernels_use(memory, bytes);
    return memory;
}
void* operator new[](size_t bytes, simt::KernelHeap) {
    void* const memory = operator new[](bytes);
    if (simt::in_kernel()) simt::let_kernels_use(memory, bytes);
    return memory;
}
