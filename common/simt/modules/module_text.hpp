// SPDX-License-Identifier: MIT
// Modules as text, in base 64 (RFC 4648): programs take PTX for a string that ends at its first null character.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace simt {

constexpr std::string_view module_text_begin = "// A module of the simulator, in base 64\n";
constexpr std::string_view digits_of_base_64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Whether an image, a text that may be shorter than the beginning, is a module as text.
inline bool is_module_text(const void* image) {
    return std::strncmp(static_cast<const char*>(image), module_text_begin.data(), module_text_begin.size()) == 0;
}

inline std::string module_text_of(std::string_view image) {
    constexpr std::size_t bytes_per_line = 57;
    std::string text(module_text_begin);
    for (std::size_t i = 0; i < image.size(); i += 3) {
        unsigned bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (i + k < image.size() ? static_cast<unsigned char>(image[i + k]) : 0);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k <= image.size() ? digits_of_base_64[bits >> (18 - 6 * k) & 63] : '=';
        if ((i + 3) % bytes_per_line == 0 || i + 3 >= image.size()) text += '\n';
    }
    return text;
}

/// The bytes of a text that begins as module_text_begin; what is no digit separates lines or ends it.
inline std::string module_of_text(std::string_view text) {
    std::string image;
    unsigned bits = 0, count = 0;
    for (const char c : text.substr(module_text_begin.size())) {
        const std::size_t digit = digits_of_base_64.find(c);
        if (digit == std::string_view::npos) continue;
        bits = bits << 6 | static_cast<unsigned>(digit), count += 6;
        if (count >= 8) image += static_cast<char>(bits >> (count -= 8) & 255);
    }
    return image;
}

}  // namespace simt
