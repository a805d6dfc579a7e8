// SPDX-License-Identifier: MIT
// Names that CUDA itself has removed, and that old programs use: texture and surface references, and warp functions
// without a mask. They are the simulator's unless the program declares them.
//
//     texture<float, 2> image;       ->    static ::simt::texture<float, 2> image;
//     sum += __shfl_down(sum, 8);    ->    sum += ::simt::without_mask::__shfl_down(sum, 8);
//     cudaMemcpyToSymbol("table",    ->    cudaMemcpyToSymbol(table,
//
// References belong to their file, as with nvcc. Until CUDA 5 the runtime found variables by their names in strings.

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

constexpr std::string_view references[] = {"texture", "surface"};
constexpr std::string_view warp_functions[] = {"__shfl",   "__shfl_up", "__shfl_down", "__shfl_xor",
                                               "__ballot", "__any",     "__all"};

/// The names of removed types that the program gives to something of its own.
std::unordered_set<std::string_view> own_names(const Source& source) {
    std::unordered_set<std::string_view> names;
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (!is_one_of(source[i], references)) continue;
        if (is_one_of(source[i - 1], {"struct", "class", "union", "enum", "using", "namespace", "typename"}) ||
            source.is_value(i)) {
            names.insert(source[i]);
        }
    }
    return names;
}

/// The first token of a name that is not another scope's or a member; i + 1 if it is.
std::size_t first_of_global(const Source& source, std::size_t i) {
    const std::string_view before = source[i - 1];
    if (before == "." || before == "->") return i + 1;
    if (before != "::") return i;
    const bool is_global = !source.is_identifier(i - 2) && source[i - 2] != ">";
    return is_global || is_expression_keyword(source[i - 2]) ? i - 1 : i + 1;
}

/// Whether the `texture` or `surface` at token i, with the arguments up to token `end`, begins the definition of a
/// variable at namespace scope.
bool begins_variable(const Source& source, const Braces& braces, std::size_t i, std::size_t end) {
    if (braces.in_function(i) || braces.in_type(i) || statement_begin(source, i) != i) return false;
    return source.is_identifier(end) && is_one_of(source[end + 1], {";", ",", "=", "(", "{"});
}

/// The token of the argument of a runtime function that may be a variable's name in a string; none for other functions.
std::size_t symbol_argument(const Source& source, std::size_t i) {
    const std::string_view name = source[i];
    const std::size_t close = source.partner(i + 1);
    if (source[i + 1] != "(" || close == Source::none) return Source::none;
    if (name == "cudaMemcpyToSymbol" || name == "cudaMemcpyToSymbolAsync") return i + 2;
    if (!is_one_of(name, {"cudaMemcpyFromSymbol", "cudaMemcpyFromSymbolAsync", "cudaGetSymbolAddress",
                          "cudaGetSymbolSize", "cudaGetTextureReference", "cudaGetSurfaceReference"}))
        return Source::none;
    for (std::size_t j = i + 2; j < close; ++j) {
        if (source[j] == ",") return j + 1;
        if (is_one_of(source[j], {"(", "[", "{"}) && source.partner(j) != Source::none) j = source.partner(j);
    }
    return Source::none;
}

/// The variables that the program declares, by their names in quotes.
std::unordered_map<std::string, std::string_view> quoted_variables(const Source& source) {
    std::unordered_map<std::string, std::string_view> names;
    const auto add = [&](std::size_t i) { names.emplace('"' + std::string(source[i]) + '"', source[i]); };
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source.is_value(i)) add(i);
        if (!is_one_of(source[i], references) || source[i + 1] != "<") continue;
        if (const std::size_t end = skip_angles(source, i + 1); source.is_identifier(end)) add(end);
    }
    return names;
}

void rewrite_named_variables(const Source& source, Edits& edits) {
    std::unordered_map<std::string, std::string_view> names;
    for (std::size_t i = 0; i < source.size(); ++i) {
        const std::size_t argument = symbol_argument(source, i);
        if (argument == Source::none || !source.is_literal(argument)) continue;
        if (!is_one_of(source[argument + 1], {",", ")"})) continue;
        if (names.empty()) names = quoted_variables(source);
        const auto variable = names.find(std::string(source[argument]));
        if (variable != names.end()) {
            edits.replace(argument, argument + 1, std::string(variable->second));
        } else if (source[i] != "cudaGetTextureReference" && source[i] != "cudaGetSurfaceReference") {
            edits.replace(argument, argument + 1, "::simt::no_variable");  // an error when it runs
        }
    }
}

}  // namespace

void rewrite_removed_names(const Source& source, const Braces& braces, const Functions& functions, Edits& edits) {
    rewrite_named_variables(source, edits);
    const std::unordered_set<std::string_view> own = own_names(source);
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (!source.is_identifier(i) || (source[i + 1] != "(" && source[i + 1] != "<")) continue;
        const bool is_reference = is_one_of(source[i], references);
        // (The toolkit's headers use some of these names for their own.)
        if ((!is_reference && !is_one_of(source[i], warp_functions)) || source.in_system_header(i)) continue;
        if (is_reference && source[i + 1] == "<" && own.count(source[i]) == 0) {
            const std::size_t end = skip_angles(source, i + 1), first = first_of_global(source, i);
            if (end == i + 1 || first > i) continue;
            const bool is_variable = begins_variable(source, braces, first, end);
            edits.replace(first, i + 1, (is_variable ? "static ::simt::" : " ::simt::") + std::string(source[i]));
        } else if (!is_reference) {
            if (functions.has_device_declaration(source[i])) continue;
            if (const std::size_t first = first_of_global(source, i); first <= i)
                edits.replace(first, i + 1, " ::simt::without_mask::" + std::string(source[i]));
        }
    }
}

}  // namespace simcc
