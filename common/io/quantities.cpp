// SPDX-License-Identifier: MIT
// make: simcc (which links this file without the rest of the room, and so without its libraries)
#include "common/io/quantities.hpp"

#include <cstddef>
#include <cstdio>
#include <iterator>

namespace {

std::string amount(int digits, double value, const char* unit) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*f %s", digits, value, unit);
    return text;
}

}  // namespace

std::string human_bytes(double bytes) {
    constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < std::size(units)) bytes /= 1024, ++unit;
    return amount(unit == 0 ? 0 : 1, bytes, units[unit]);
}

std::string human_duration(double seconds) {
    if (seconds < 100) return amount(0, seconds, "s");
    return seconds < 6000 ? amount(0, seconds / 60, "min") : amount(1, seconds / 3600, "h");
}
