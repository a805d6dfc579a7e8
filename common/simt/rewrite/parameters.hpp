// SPDX-License-Identifier: MIT
// Lists of parameters: their pieces and names, as far as tokens show them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/simt/rewrite/source.hpp"

namespace simcc {

/// The pieces between the commas of the list whose brackets are at `open` and `close`, as their first and last tokens; a
/// default value does not count.
std::vector<std::pair<std::size_t, std::size_t>> parameter_pieces(const Source& source, std::size_t open,
                                                                  std::size_t close);

/// The name of the parameter with the tokens [first, end); `rest...` of a pack; none if the tokens show none.
std::optional<std::string> name_of_parameter(const Source& source, std::size_t first, std::size_t end);

/// Whether the word belongs to a type, and so is no parameter's name.
bool is_word_of_type(std::string_view word);

}  // namespace simcc
