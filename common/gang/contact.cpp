// SPDX-License-Identifier: MIT
#include "common/gang/contact.hpp"

#include <unistd.h>

#include "common/io/text.hpp"

std::string host_name() {
    char name[64] = {};
    return gethostname(name, sizeof name - 1) == 0 && *name ? name : "unknown host";
}

std::string ranks_text(const std::vector<std::size_t>& ranks) {
    constexpr std::size_t most = 8;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < ranks.size() && i < most; ++i) words.push_back(std::to_string(ranks[i]));
    if (ranks.size() > most) words.push_back(text("{} more", ranks.size() - most));
    return text("rank{} {}", ranks.size() == 1 ? "" : "s", list_text(words, "and"));
}
