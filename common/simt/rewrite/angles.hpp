// SPDX-License-Identifier: MIT
#pragma once
// Template argument lists. Only a compiler's symbol table can distinguish the bracket `<` from the operator `<` with
// certainty; the tokens around it and the declaration of the name before it are nearly as good.

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "common/simt/rewrite/source.hpp"

namespace simcc {

/// The names that the program declares as variables, constants or enumerators, and nowhere as templates: a `<` after
/// one of them is a comparison.
std::unordered_set<std::string_view> names_of_values(const Source& source);

/// The first token after the group of angle brackets that opens at token i; i itself if the group does not close.
std::size_t skip_angles(const Source& source, std::size_t i);

/// The `<` that opens the group that token `close`, a `>`, ends. If the tokens allow several, the nearest one for which
/// `accept` holds.
template <class Accept>
std::optional<std::size_t> open_angle(const Source& source, std::size_t close, Accept accept);

/// Whether the `<` at token i may open a group at all: a name comes before it.
bool may_open_angles(const Source& source, std::size_t i);

template <class Accept>
std::optional<std::size_t> open_angle(const Source& source, std::size_t close, Accept accept) {
    std::optional<std::size_t> doubtful;  // opens the group if a `<` on the way is an operator after all
    for (std::size_t i = close; i-- > 0;) {
        const std::string_view token = source[i];
        if (token == ")" || token == "]" || token == "}") {
            i = source.partner(i);
            if (i == Source::none) break;
        } else if (token == "(" || token == "[" || token == "{" || token == ";") {
            break;
        } else if (may_open_angles(source, i) && accept(i)) {
            if (!source.is_value(i - 1) && skip_angles(source, i) == close + 1) return i;
            doubtful = i;
        }
    }
    return doubtful;
}

}  // namespace simcc
