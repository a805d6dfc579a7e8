// Which name was meant: for the messages about misspelt options, variants and the rest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

// Levenshtein's distance, one row at a time.
inline std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= from.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t substituted = diagonal + (from[i - 1] != to[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
        }
    }
    return row[to.size()];
}

// The candidate with the smallest edit distance to `word`, or "" when none is near enough to be a typing mistake.
inline std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates) {
    std::string nearest;
    std::size_t smallest = std::max<std::size_t>(word.size() / 2, 1) + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(word, candidate);
        if (distance < smallest) smallest = distance, nearest = candidate;
    }
    return nearest;
}
