// SPDX-License-Identifier: MIT
// Kernels that the program passes as void*. To unpack the arguments of a launch, the runtime needs the kernel's type,
// which such a cast loses:
//     cudaLaunchKernel((void*)k, ...), node.func = (void*)k    the cast is dropped: these take any kernel
//     (void*)k elsewhere    ->    static_cast<void*>(::simt::KernelPointer(k)), which keeps the type by address

#include <cstddef>
#include <set>
#include <string_view>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

/// Whether the tokens [first, last) are `void*`, const or not.
bool is_void_pointer(const Source& source, std::size_t first, std::size_t last) {
    bool is_void = false;
    for (std::size_t i = first; i + 1 < last; ++i) {
        if (source[i] != "void" && source[i] != "const") return false;
        is_void |= source[i] == "void";
    }
    return is_void && source[last - 1] == "*";
}

/// The first token of the operand of the cast to void* that begins at token i; none if there is no such cast.
std::size_t behind_cast(const Source& source, std::size_t i) {
    if (source[i] == "(" && source.partner(i) != Source::none) {
        const std::size_t close = source.partner(i);
        if (is_void_pointer(source, i + 1, close)) return close + 1;
    } else if (source[i] == "reinterpret_cast" || source[i] == "static_cast") {
        const std::size_t behind = skip_angles(source, i + 1);
        if (behind != i + 1 && is_void_pointer(source, i + 2, behind - 1)) return behind;
    }
    return Source::none;
}

void drop_cast(const Source& source, std::size_t i, Edits& edits) {
    const std::size_t behind = behind_cast(source, i);
    if (behind != Source::none) edits.replace(i, behind, "");
}

/// The end of the `&ns::kernel<T>` or `(kernel)` at token i, if it is one of the kernels and the whole operand.
std::size_t kernel_end(const Source& source, std::size_t i, const std::set<std::string_view>& kernels) {
    if (source[i] == "(") {
        const std::size_t close = source.partner(i);
        return close != Source::none && kernel_end(source, i + 1, kernels) == close ? close + 1 : Source::none;
    }
    if (source[i] == "&") ++i;
    while (source[i] == "::" || (source.is_identifier(i) && source[i + 1] == "::")) ++i;
    if (kernels.count(source[i]) == 0) return Source::none;
    const std::size_t end = source[i + 1] == "<" ? skip_angles(source, i + 1) : i + 1;
    const std::string_view next = source[end];
    return next == "," || next == ")" || next == ";" || next == "}" ? end : Source::none;
}

bool takes_any_kernel(std::string_view name) {
    return name == "cudaLaunchKernel" || name == "cudaLaunchCooperativeKernel" || name == "cudaLaunchKernelExC";
}

}  // namespace

void rewrite_kernel_pointers(const Source& source, const Functions& functions, Edits& edits) {
    const std::set<std::string_view>& kernels = functions.kernels();
    for (std::size_t i = 0; i < source.size(); ++i) {
        const bool field = source[i] == "func" && (source[i - 1] == "." || source[i - 1] == "->");
        if (takes_any_kernel(source[i])) {
            const std::size_t open = source[i + 1] == "<" ? skip_angles(source, i + 1) : i + 1;
            if (source[open] == "(") drop_cast(source, open + 1, edits), i = open + 1;
        } else if (field && source[i + 1] == "=") {  // of cudaKernelNodeParams
            drop_cast(source, i + 2, edits), i += 2;
        } else if (const std::size_t operand = behind_cast(source, i); operand != Source::none) {
            const std::size_t end = kernel_end(source, operand, kernels);
            if (end == Source::none) continue;
            edits.replace(i, end, "static_cast<void*>(::simt::KernelPointer(" + source.join(operand, end) + "))");
            i = end - 1;
        }
    }
}

}  // namespace simcc
