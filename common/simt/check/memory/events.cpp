// SPDX-License-Identifier: MIT
#include "common/simt/check/memory/events.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/simt/check/core/finding.hpp"
#include "common/simt/check/core/symbols.hpp"
#include "common/simt/check/race/host_access.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt::check {
namespace {

using Origin = std::vector<const void*>;  // return addresses

uintptr_t number(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

StateMap* map_of_device_memory() {
    const AddressSpace& space = runtime().memory.address_space();
    auto* const map = new StateMap(space.base(), space.bytes());
    if (settings().memcheck) host_range = {space.base(), space.bytes()};
    return map;
}

void check_source(const BlockCopy& copy, size_t y, size_t z, const ClientNote& origin) {
    const StateMap& map = global_memory();
    const uintptr_t row = number(copy.from) + z * copy.from_slice + y * copy.from_pitch;
    const size_t first = map.first_uninitialized(row, copy.width);
    if (first == copy.width) return;
    Finding finding;
    finding.tool = Tool::initcheck;
    finding.title = "Host API memory access error at host access to " + hexadecimal(number(copy.from)) + " of size " +
                    counted(copy.width * copy.height * copy.depth, "byte");
    finding.details = {"Uninitialized access at " + hexadecimal(row + first) + " on access by the source of a copy"};
    if (const auto allocation = runtime().memory.find(copy.from)) finding.allocation_serial = allocation->serial;
    if (origin) finding.backtrace = *std::static_pointer_cast<const Origin>(origin);
    finding.backtrace_time = "at the copy";
    report(std::move(finding));
}

}  // namespace

StateMap& global_memory() {
    static StateMap& map = *map_of_device_memory();
    return map;
}

void allocated(const Allocation& allocation) {
    if (!checks_memory()) return;
    log_allocation(allocation.serial);
    StateMap& map = global_memory();
    if (!map.contains(allocation.base)) return;
    map.allow(allocation.base, allocation.bytes);
    // Memory that the host can write unseen counts as written.
    if (allocation.host_can_reach()) map.initialize(allocation.base, allocation.bytes);
}

void freed(const Allocation& allocation) {
    if (!checks_memory() || !global_memory().contains(allocation.base)) return;
    if (settings().unusedcheck) report_unused(allocation);
    forget_host_memory();
    global_memory().forbid(allocation.base, allocation.bytes);
}

ClientNote origin_of_copy() { return std::make_shared<const Origin>(host_backtrace()); }

void copied(const BlockCopy& copy, const ClientNote& origin) {
    if (!checks_memory()) return;
    StateMap& map = global_memory();
    const bool to_device = map.contains(number(copy.to)), from_device = map.contains(number(copy.from));
    const auto target = runtime().memory.find(copy.to);
    const bool leaves_device = from_device && (!target || target->host_can_reach());
    bool is_checked = false;
    for (size_t z = 0; z < copy.depth; ++z) {
        for (size_t y = 0; y < copy.height; ++y) {
            const uintptr_t to = number(copy.to) + z * copy.to_slice + y * copy.to_pitch;
            const uintptr_t from = number(copy.from) + z * copy.from_slice + y * copy.from_pitch;
            if (leaves_device && settings().initcheck && !is_checked) {
                is_checked = !map.has_only_padding(from, copy.width);
                if (is_checked) check_source(copy, y, z, origin);
            }
            if (to_device && from_device && !leaves_device) {
                map.propagate(to, map, from, copy.width);
            } else if (to_device) {
                map.initialize(to, copy.width);
            }
        }
    }
}

void filled(const BlockFill& fill) {
    if (!checks_memory() || !global_memory().contains(number(fill.to))) return;
    for (size_t z = 0; z < fill.depth; ++z) {
        for (size_t y = 0; y < fill.height; ++y) {
            global_memory().initialize(number(fill.to) + z * fill.slice + y * fill.pitch, fill.width);
        }
    }
}

// ---- leaks

void report_leaks(int device) {
    if (!settings().leakcheck && !settings().unusedcheck) return;
    if (runtime().device(device).broken()) return;  // after a fault nothing could be freed
    for (const Allocation& allocation : runtime().memory.live()) {
        if (allocation.device != device) continue;
        const bool is_the_programs = allocation.is_symbol() || allocation.kind == MemoryKind::registered;
        if (is_the_programs) continue;
        if (settings().unusedcheck) report_unused(allocation);
        if (!settings().leakcheck || allocation.free_pending) continue;
        Finding finding;
        finding.title = "Leaked " + counted(allocation.bytes, "byte") + " at " + hexadecimal(allocation.base);
        if (allocation.kind == MemoryKind::heap) finding.title += " on the device heap";
        finding.allocation_serial = allocation.serial;
        report(std::move(finding));
    }
}

void report_unused(const Allocation& allocation) {
    if (allocation.kind != MemoryKind::device) return;
    const StateMap& map = global_memory();
    const size_t unused = allocation.bytes - map.initialized_bytes(allocation.base, allocation.bytes);
    if (unused == 0) return;
    Finding finding;
    finding.tool = Tool::initcheck;
    finding.title =
        "Unused memory in allocation " + hexadecimal(allocation.base) + " of size " + counted(allocation.bytes, "byte");
    const uintptr_t first = allocation.base + map.first_uninitialized(allocation.base, allocation.bytes);
    finding.details = {unused == allocation.bytes
                           ? "Not written any memory."
                           : "Not written " + counted(unused, "byte") + ", the first at " + hexadecimal(first),
                       std::to_string(unused * 100 / allocation.bytes) + "% of allocation were unused."};
    finding.allocation_serial = allocation.serial;
    report(std::move(finding));
}

}  // namespace simt::check
