#include "common/io/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace {

// The number of bytes of the UTF-8 sequence that `text`, which is not empty, begins with, or 0 if it begins with none:
// table 3-7 of the Unicode standard.
std::size_t sequence_length(std::string_view text) {
    const auto byte = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const auto continues = [byte](std::size_t i) { return (byte(i) & 0xC0u) == 0x80; };
    const unsigned lead = byte(0), second = byte(1);
    if (lead < 0x80) return 1;
    if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
    if (lead >= 0xE0 && lead <= 0xEF) {
        const bool overlong = lead == 0xE0 && second < 0xA0, surrogate = lead == 0xED && second > 0x9F;
        return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const bool overlong = lead == 0xF0 && second < 0x90, too_large = lead == 0xF4 && second > 0x8F;
        return continues(1) && continues(2) && continues(3) && !overlong && !too_large ? 4 : 0;
    }
    return 0;
}

}  // namespace

std::string json_string(std::string_view text) {
    std::string quoted = "\"";
    while (!text.empty()) {
        const std::size_t length = sequence_length(text);
        const char c = text.front();
        if (length == 0) quoted += "\uFFFD";
        else if (c == '"' || c == '\\') quoted += {'\\', c};
        else if (static_cast<unsigned char>(c) < 0x20) quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else quoted += text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return quoted + '"';
}

std::string json_number(std::string_view fixed_point) {
    const std::size_t point = fixed_point.find('.');
    if (point == std::string_view::npos) return std::string(fixed_point);
    const std::size_t last = fixed_point.find_last_not_of('0');
    return std::string(fixed_point.substr(0, std::max(last, point + 1) + 1));
}
