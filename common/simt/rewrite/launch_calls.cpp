// Kernels that the program passes as void*: to cudaLaunchKernel, or in the parameters of a graph's node. Without the
// cast the runtime sees the kernel's type, which it needs to take the arguments apart.

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

bool is_launch_call(std::string_view name) {
    return name == "cudaLaunchKernel" || name == "cudaLaunchCooperativeKernel" || name == "cudaLaunchKernelExC";
}

/// Whether the tokens [first, last) are `void*` with any const.
bool is_void_pointer(const Source& source, std::size_t first, std::size_t last) {
    bool is_void = false;
    for (std::size_t i = first; i + 1 < last; ++i) {
        if (source[i] != "void" && source[i] != "const") return false;
        is_void |= source[i] == "void";
    }
    return is_void && source[last - 1] == "*";
}

/// Removes a cast to void* that begins at token i; what it was applied to stays.
void drop_cast(const Source& source, std::size_t i, Edits& edits) {
    if (source[i] == "(" && source.partner(i) != Source::none) {
        const std::size_t close = source.partner(i);
        if (is_void_pointer(source, i + 1, close)) edits.replace(i, close + 1, "");
    } else if (source[i] == "reinterpret_cast" || source[i] == "static_cast") {
        const std::size_t behind = skip_angles(source, i + 1);
        if (behind != i + 1 && is_void_pointer(source, i + 2, behind - 1)) edits.replace(i, behind, "");
    }
}

}  // namespace

void rewrite_launch_calls(const Source& source, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (!source.is_identifier(i)) continue;
        if (is_launch_call(source[i])) {
            const std::size_t open = source[i + 1] == "<" ? skip_angles(source, i + 1) : i + 1;
            if (source[open] == "(") drop_cast(source, open + 1, edits);
        } else if (source[i] == "func" && (source[i - 1] == "." || source[i - 1] == "->") && source[i + 1] == "=") {
            drop_cast(source, i + 2, edits);  // cudaKernelNodeParams
        }
    }
}

}  // namespace simcc
