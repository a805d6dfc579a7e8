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

}  // namespace

void rewrite_launch_calls(const Source& source, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (!source.is_identifier(i) || !is_launch_call(source[i])) continue;
        std::size_t argument = i + 1;
        if (source[argument] == "<") argument = skip_angles(source, argument);
        if (source[argument] != "(") continue;
        ++argument;
        if (source[argument] == "(" && source.partner(argument) != Source::none) {
            const std::size_t close = source.partner(argument);
            if (is_void_pointer(source, argument + 1, close)) edits.replace(argument, close + 1, "");
        } else if (source[argument] == "reinterpret_cast" || source[argument] == "static_cast") {
            const std::size_t behind = skip_angles(source, argument + 1);
            if (behind != argument + 1 && is_void_pointer(source, argument + 2, behind - 1))
                edits.replace(argument, behind, "");
        }
    }
}

}  // namespace simcc
