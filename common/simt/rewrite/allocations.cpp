// `new` in checked code: when a kernel asks, its memory has to come from the device's heap.
#include "common/simt/rewrite/passes.hpp"

namespace simcc {

void rewrite_allocations(const Source& source, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        const bool is_allocator = source[i] == "operator" && source[i + 1] == "new";
        if (is_allocator && !source.in_system_header(i)) return;  // classes with allocators of their own
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
        const bool is_placement = source[i + 1] == "(";
        if (source[i] == "new" && source.is_identifier(i) && !is_placement && !source.in_system_header(i)) {
            edits.replace(i, i + 1, "new (::simt::DeviceHeap()) ");
        }
    }
}

}  // namespace simcc
