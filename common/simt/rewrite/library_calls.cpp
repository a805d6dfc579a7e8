// SPDX-License-Identifier: MIT
// C library functions that a GPU defines more strictly, or differently (simt/math_functions.hpp): device code calls the
// simulator's own, unless the program has a device function of that name.
//
//     fminf(a, b)                ->    ::simt::device::fminf(a, b)
//     int n = printf("%d", i)    ->    int n = ::simt::device::printf("%d", i)

#include <cstddef>
#include <string>
#include <string_view>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

constexpr std::string_view library_names[] = {"fmin",   "fminf",   "fmax",   "fmaxf",   "lrint",   "lrintf",
                                              "llrint", "llrintf", "lround", "lroundf", "llround", "llroundf"};

/// The first token of the name that ends with token i: `fmin`, `::fmin` or `std::fmin`; i + 1 if it is a member's.
std::size_t first_of_name(const Source& source, std::size_t i) {
    const std::string_view before = source[i - 1];
    if (before == "." || before == "->") return i + 1;
    if (before != "::") return source.is_identifier(i - 1) && !is_expression_keyword(before) ? i + 1 : i;
    if (source[i - 2] == "std") return i - 2;
    return source.is_identifier(i - 2) && !is_expression_keyword(source[i - 2]) ? i + 1 : i - 1;
}

/// Whether the token before a call shows that its result is used.
bool uses_result(std::string_view before) {
    return before == "return" || is_one_of(before, {"=", "(", "!", "<", ">", "+", "-", "*", "&", "|"});
}

}  // namespace

void rewrite_library_calls(const Source& source, const Functions& functions, const ExecutionSpaces& spaces,
                           Edits& edits) {
    for (std::size_t i = 2; i < source.size(); ++i) {
        const bool prints = source[i] == "printf";
        if (source[i + 1] != "(" || !source.is_identifier(i) || !(prints || is_one_of(source[i], library_names)))
            continue;
        if (functions.has_device_declaration(source[i]) || !spaces.is_device(i)) continue;
        const std::size_t first = first_of_name(source, i);
        // (Where the number of characters is not used, the compiler keeps checking the format.)
        if (first <= i && (!prints || uses_result(source[first - 1])))
            edits.replace(first, i + 1, " ::simt::device::" + std::string(source[i]));
    }
}

}  // namespace simcc
