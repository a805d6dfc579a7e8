// SPDX-License-Identifier: MIT
// What checked code calls instead of the library: for `new` and `delete`, since a kernel's memory must come from the
// device heap and return to it; for __builtin_memcpy and its relatives, since the compiler expands calls of some sizes
// without telling the checkers.
#include <cstddef>
#include <string>
#include <string_view>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

bool names(const Source& source, std::size_t i, std::string_view allocator) {
    return source[i] == "operator" && source[i + 1] == allocator && !source.in_system_header(i);
}

void rewrite_copies(const Source& source, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        const bool is_copy = source[i] == "__builtin_memcpy" || source[i] == "__builtin_memmove";
        if (!is_copy && source[i] != "__builtin_memset") continue;
        if (source[i + 1] != "(" || source.in_system_header(i)) continue;
        edits.replace(i, i + 1, "::" + std::string(source[i].substr(std::string_view("__builtin_").size())));
    }
}

}  // namespace

void rewrite_allocations(const Source& source, Edits& edits) {
    rewrite_copies(source, edits);
    bool has_allocator_of_class = false;  // such an operator provides the memory itself
    int depth = 0;
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] == "{") ++depth;
        if (source[i] == "}") --depth;
        if (depth > 0 && names(source, i, "new")) has_allocator_of_class = true;
        // The program's own operator is for the host only. A kernel's calls of it are redirected, so they must not be
        // inlined.
        if (depth == 0 && names(source, i, "delete")) edits.insert_before(i, "__attribute__((noinline)) ");
    }
    if (has_allocator_of_class) return;
    for (std::size_t i = 0; i < source.size(); ++i) {
        const bool is_placement = source[i + 1] == "(";
        if (source[i] == "new" && source.is_identifier(i) && !is_placement && !source.in_system_header(i)) {
            edits.replace(i, i + 1, "new (::simt::DeviceHeap()) ");
        }
    }
}

}  // namespace simcc
