// SPDX-License-Identifier: MIT
// Numbers as reports write them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace simt::check {

inline std::string hexadecimal(uintptr_t number) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "0x%zx", static_cast<size_t>(number));
    return digits;
}

/// "1,024"
inline std::string grouped(uint64_t number) {
    std::string digits = std::to_string(number);
    for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
    return digits;
}

/// "1 byte", "1,024 bytes"
inline std::string counted(uint64_t count, const std::string& noun) {
    return grouped(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace simt::check
