// SPDX-License-Identifier: MIT
#include "tools/threads/options.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/cli/sizes.hpp"
#include "common/io/text.hpp"

std::string Extents::name() const {
    std::string name = std::to_string(of[0]);
    if (of[1] != 1 || of[2] != 1) name += "x" + std::to_string(of[1]);
    if (of[2] != 1) name += "x" + std::to_string(of[2]);
    return name;
}

long double Extents::product() const { return static_cast<long double>(of[0]) * of[1] * of[2]; }

Extents parse_launch_extents(const std::string& word, const std::string& option) {
    const std::vector<std::string> words = split(word, 'x');
    if (words.empty() || words.size() > 3) fail(Exit::usage, "{} '{}' is not N, NxN or NxNxN, as in 4x3", option, word);
    Extents extents;
    for (std::size_t i = 0; i < words.size(); ++i)
        extents.of[i] = static_cast<unsigned>(parse_count(words[i], text("{} '{}':", option, word), UINT32_MAX));
    return extents;
}
