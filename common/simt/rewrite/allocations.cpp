// `new` and `delete` in checked code: in a kernel, memory must come from the device heap and go back to it.
#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

bool names(const Source& source, std::size_t i, std::string_view allocator) {
    return source[i] == "operator" && source[i + 1] == allocator && !source.in_system_header(i);
}

}  // namespace

void rewrite_allocations(const Source& source, Edits& edits) {
    bool has_allocator_of_class = false;  // which provides the memory itself
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
