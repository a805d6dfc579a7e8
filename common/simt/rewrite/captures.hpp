// SPDX-License-Identifier: MIT
#pragma once
// Variables in shared memory that the rewriter turns into local references. In CUDA they are static, so a lambda uses
// them without a capture. With a reference, `[=]` would capture a copy of all elements, and `[]` nothing: such lambdas
// get `&name` in their list.

#include <cstddef>
#include <string>
#include <vector>

#include "common/simt/rewrite/edits.hpp"

namespace simcc {

/// A reference of this name, in scope in the tokens [first, last).
struct LocalReference {
    std::string name;
    std::size_t first, last;
};

void capture_references(const Source& source, const std::vector<LocalReference>& references, Edits& edits);

}  // namespace simcc
