// SPDX-License-Identifier: MIT
#include "common/simt/check/memory/leaks.hpp"

#include <cstdint>
#include <string>
#include <utility>

#include "common/simt/check/core/finding.hpp"
#include "common/simt/check/core/number_text.hpp"
#include "common/simt/check/memory/events.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt::check {

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
