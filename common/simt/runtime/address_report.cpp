// SPDX-License-Identifier: MIT
#include "common/simt/runtime/address_report.hpp"

#include <cstdint>

#include "common/simt/runtime/state.hpp"

namespace simt {

bool is_device_address(const void* address) { return runtime().memory.find(address).has_value(); }

std::string describe_address(const void* pointer) {
    constexpr uintptr_t too_far_to_matter = 1 << 20;
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    const auto nearest = runtime().memory.nearest(pointer);
    if (!nearest) return "";
    const uintptr_t end = nearest->base + nearest->bytes;
    const bool near = address < nearest->base ? nearest->base - address <= too_far_to_matter
                                              : address < end || address - end <= too_far_to_matter;
    return near ? describe(address, *nearest) : "";
}

}  // namespace simt
