// SPDX-License-Identifier: MIT
#include "common/simt/check/race/host_access.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

#include "common/simt/check/core/finding.hpp"
#include "common/simt/check/core/operation_order.hpp"
#include "common/simt/check/core/settings.hpp"
#include "common/simt/check/core/symbols.hpp"
#include "common/simt/check/race/memory.hpp"
#include "common/simt/check/race/streams.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt::check {

HostRange host_range;

namespace {

// The host publishes like a block, under a number that no block has.
constexpr uint32_t host_owner = UINT32_MAX;

// Counts frees: what a thread remembers about allocations is valid only while this stays the same.
std::atomic<uint64_t> frees{0};

struct HostMemory {
    uintptr_t begin = 0;
    size_t bytes = 0;
    uint64_t frees = 0;
};

}  // namespace

void forget_host_memory() { ++frees; }

namespace {

void check_reach(uintptr_t address, size_t bytes, bool is_write) {
    static thread_local HostMemory known;
    if (address - known.begin < known.bytes && known.frees == frees) return;
    const auto nearest = runtime().memory.nearest(reinterpret_cast<const void*>(address));
    const bool is_inside = nearest && !nearest->freed && nearest->contains(address);
    if (is_inside && nearest->host_can_reach()) {
        known = {nearest->base, nearest->bytes, frees};
        return;
    }
    Finding finding;
    finding.title = std::string("Invalid host ") + (is_write ? "write" : "read") + " of size " + counted(bytes, "byte");
    finding.details = {"Access to " + hexadecimal(address) + ": device memory, which the host cannot reach"};
    if (nearest) finding.allocation_serial = nearest->serial;
    finding.backtrace = host_backtrace();
    finding.backtrace_time = "at the access";
    report(std::move(finding));
    // With a GPU the process would die here with a segmentation fault.
    std::fflush(nullptr);
    finish();
    std::quick_exit(exit_status_of_findings);  // no destructors: they would wait for the device
}

}  // namespace

void host_synchronizes(uintptr_t address, bool is_write) {
    const OrderPointer order = is_write ? next_host_operation() : nullptr;
    if (order) {
        SyncVariables::Stripe& stripe = race_memory().sync_variables.stripe(address);
        const std::lock_guard lock(stripe);
        Knowledge all;
        all.owner = host_owner;
        all.launch = order;
        stripe.at(address)->publish(all, check::Reach::system, false);
    }
    host_may_have_synchronized();
}

void host_accessed(uintptr_t address, size_t bytes, bool is_write, const void* pc, bool is_volatile) {
    if (settings().memcheck) check_reach(address, bytes, is_write);
    if (!orders_operations()) return;
    if (is_volatile) host_synchronizes(address, is_write);
    else host_touches(address, bytes, is_write, pc);
}

}  // namespace simt::check
