// SPDX-License-Identifier: MIT
#include "common/simt/check/memory/events.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "common/simt/check/core/allocation_log.hpp"
#include "common/simt/check/core/finding.hpp"
#include "common/simt/check/core/number_text.hpp"
#include "common/simt/check/core/symbols.hpp"
#include "common/simt/check/memory/leaks.hpp"
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

}  // namespace simt::check
