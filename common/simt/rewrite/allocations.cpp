// `new` in checked code: its memory has to be known as the device's when a kernel asks for it.
#include "common/simt/rewrite/passes.hpp"

namespace simcc {

void rewrite_allocations(const Source& source, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] == "operator" && source[i + 1] == "new") return;  // classes with allocators of their own
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
        const bool is_placement = source[i + 1] == "(";
        if (source[i] == "new" && source.is_identifier(i) && !is_placement) {
            edits.replace(i, i + 1, "new (::simt::DeviceHeap()) ");
        }
    }
}

}  // namespace simcc
