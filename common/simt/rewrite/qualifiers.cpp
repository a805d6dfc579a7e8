// SPDX-License-Identifier: MIT
// The qualifiers __global__, __device__, __host__, __constant__, __managed__ and __grid_constant__.
//
// Kernels are ordinary functions here, so the words are removed. But first they identify the device variables. Unless
// device code of several files is linked together (-rdc=true, -dc), nvcc gives each file its own variables, even under
// one name, so they become static. Stores to a device variable must stay even if no code reads it: loading the value to
// store may be an error to report. g++ keeps them if it believes the variable to be used elsewhere. The runtime must
// know the variables: an object after each one announces it.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/cuda_to_cxx.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

bool qualifies_variables(std::string_view token) {
    return token == "__device__" || token == "__constant__" || token == "__managed__";
}

constexpr const char* used = "__attribute__((used)) ";

/// A declaration of a variable at namespace scope: its first token and its name.
struct Variable {
    std::size_t first = Source::none, name = Source::none;
    bool is_extern = false;    // explicitly, and not as extern "C"
    bool has_linkage = false;  // from elsewhere: static, inline, template, const, class member
    bool is_inline = false;    // explicitly
    bool is_static = false;    // explicitly
    bool is_const = false;
    bool is_template = false;
    bool is_managed = false;   // the host may use it, too
    bool is_constant = false;  // __constant__
};

/// The declaration around the qualifier at token i; its name is none if it declares a function.
Variable variable_around(const Source& source, std::size_t i) {
    Variable variable;
    variable.first = i;
    while (variable.first > 0) {
        const std::string_view before = source[variable.first - 1];
        if (before == ";" || before == "{" || before == "}" || source.is_literal(variable.first - 1)) break;
        --variable.first;
    }
    variable.has_linkage = source.is_literal(variable.first - 1);  // extern "C"
    variable.first = skip_attributes(source, variable.first);      // they stay before all other words
    for (std::size_t j = variable.first; j < source.size(); ++j) {
        const std::string_view token = source[j];
        variable.is_template |= token == "template";
        variable.is_static |= token == "static";
        variable.is_inline |= token == "inline";
        variable.is_const |= token == "const" || token == "constexpr";
        if (token == "template" || token == "static" || token == "inline" || token == "const" || token == "constexpr") {
            variable.has_linkage = true;
        } else if (token == "extern") {
            variable.is_extern = true;
        } else if ((token == "__attribute__" || token == "alignas" || token == "decltype") && source[j + 1] == "(") {
            j = source.partner(j + 1);
        } else if (begins_attribute(source, j)) {
            j = source.partner(j);
        } else if (token == "<") {
            j = std::max(j + 1, skip_angles(source, j)) - 1;
        } else if (token == "struct" || token == "class" || token == "union" || token == "enum") {
            j = end_of_type(source, j);
        } else if (token == "(" && source[j + 1] == "*" && source.is_identifier(j + 2) && source[j + 3] != "(") {
            variable.name = j + 2;  // a pointer to a function or to an array: it keeps its linkage
            variable.has_linkage = true;
            return variable;
        } else if (token == "(" && source.is_identifier(j - 1) && j + 1 < source.size() &&
                   source.token(j + 1).kind == TokenKind::number) {
            variable.name = j - 1;  // initialized with a number
            return variable;
        } else if (token == "(" || token == "operator" || j == Source::none) {
            return variable;  // a function
        } else if (token == ";" || token == "=" || token == "[" || token == "," ||
                   (token == "{" && source.is_identifier(j - 1))) {
            if (!source.is_identifier(j - 1)) return variable;  // a type without a variable
            variable.name = j - 1;
            variable.has_linkage |= source[j - 2] == "::";
            return variable;
        } else if (token == "{" || token == "}") {
            return variable;  // a class
        }
    }
    return variable;
}

/// After a declaration, announces each variable that it defines to the runtime; a class's by a member of the class.
void announce(const Source& source, const Variable& variable, bool in_type, Edits& edits) {
    if (variable.is_extern || variable.is_template) return;
    std::string announcements;
    std::size_t i = variable.name;
    bool is_name = true;
    for (; i < source.size() && source[i] != ";"; ++i) {
        const std::string_view token = source[i];
        if (is_name && source.is_identifier(i) && source[i + 1] != "::") {
            std::size_t first = i;
            while (source[first - 1] == "::" && source.is_identifier(first - 2)) first -= 2;
            const char* const kind = variable.is_managed    ? "ManagedVariable"
                                     : variable.is_constant ? "ConstantVariable"
                                                            : "DeviceVariable";
            announcements += std::string(" static ") + (in_type ? "inline " : "") + "const ::simt::" + kind +
                             " simt_variable_" + std::to_string(i) + "{" + source.join(first, i + 1) + "};";
            is_name = false;
        } else if ((token == "[" || token == "(" || token == "{") && source.partner(i) != Source::none) {
            i = source.partner(i);
        } else if (token == ",") {
            is_name = true;
        }
    }
    if (i < source.size()) edits.insert_before(i + 1, announcements);
}

bool takes_pointers_only(std::string_view function) {
    return function == "cudaMemcpy" || function == "cudaMemcpyAsync" || function == "cudaMemset" ||
           function == "cudaMemsetAsync";
}

/// `cudaMemcpy(variable, ...)` instead of cudaMemcpyToSymbol: on the host the name means something else.
void expose_shadows(const Source& source, const std::set<std::string_view>& variables, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (!takes_pointers_only(source[i]) || source[i + 1] != "(" || source.partner(i + 1) == Source::none) continue;
        for (std::size_t j = i + 1; j < source.partner(i + 1); ++j) {
            const bool opens = source[j] == "(" || source[j] == "[" || source[j] == "{";
            if (j > i + 1 && opens && source.partner(j) != Source::none) j = source.partner(j);
            if (source[j] != "(" && source[j] != ",") continue;
            const std::size_t name = source[j + 1] == "&" ? j + 2 : j + 1;
            const bool is_whole = source[name + 1] == "," || source[name + 1] == ")";
            if (!is_whole || variables.count(source[name]) == 0) continue;
            edits.replace(name, name + 1, "::simt::host_shadow(" + std::string(source[name]) + ")");
        }
    }
}

}  // namespace

bool is_qualifier(std::string_view token) {
    return std::find(std::begin(qualifiers), std::end(qualifiers), token) != std::end(qualifiers);
}

void rewrite_qualifiers(const Source& source, const Braces& braces, const DeviceCode& code, Edits& edits) {
    std::vector<Variable> variables;
    std::set<std::string_view> shared_between_files;
    std::size_t last_member = Source::none;
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (!qualifies_variables(source[i]) || braces.in_function(i)) continue;
        Variable variable = variable_around(source, i);
        variable.is_constant = source[i] == "__constant__" || source[i + 1] == "__constant__";
        variable.is_managed = source[i] == "__managed__" || source[i + 1] == "__managed__";
        if (variable.name == Source::none || (!variables.empty() && variables.back().first == variable.first)) continue;
        if (braces.in_type(i)) {
            if (variable.is_inline && variable.first != last_member) announce(source, variable, true, edits);
            last_member = variable.first;
            continue;
        }
        if (variable.is_extern) shared_between_files.insert(source[variable.name]);
        variables.push_back(variable);
    }
    std::set<std::string_view> names;
    for (const Variable& variable : variables) {
        announce(source, variable, false, edits);
        if (!variable.is_managed) names.insert(source[variable.name]);
        if (variable.is_static && !variable.is_const && !variable.is_template) {
            // (A module's variables are found by name, static or not.)
            for (std::size_t i = variable.first; code.module && i < variable.name; ++i)
                if (source[i] == "static") edits.replace(i, i + 1, "");
            edits.insert_before(variable.first, used);
        }
        if (code.relocatable || code.module || variable.is_extern || variable.has_linkage) continue;
        if (shared_between_files.count(source[variable.name]) != 0) continue;
        edits.insert_before(variable.first, "static " + std::string(used));
    }
    expose_shadows(source, names, edits);
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source.is_identifier(i) && is_qualifier(source[i])) edits.replace(i, i + 1, "");
    }
}

// ---- specifiers that nvcc accepts and g++ does not

namespace {

bool is_inline(std::string_view token) { return token == "inline" || token == "__inline__" || token == "__inline"; }

/// Drops every `inline` of a declaration but the first; __forceinline__ includes one.
void drop_repeated_inline(const Source& source, std::size_t i, Edits& edits) {
    for (++i; source.is_identifier(i); ++i) {
        if (source[i] == "__attribute__" && source.partner(i + 1) != Source::none) {
            i = source.partner(i + 1);
        } else if (is_inline(source[i])) {
            edits.replace(i, i + 1, "");
        }
    }
}

}  // namespace

void rewrite_specifiers(const Source& source, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (!source.is_identifier(i)) continue;
        if (source[i] == "__noinline__") {
            // g++ accepts the word inside __attribute__((...)) and [[gnu::...]].
            const std::string_view before = source[i - 1];
            if (before != "(" && before != "," && before != "::") edits.replace(i, i + 1, "__attribute__((noinline))");
        } else if (is_inline(source[i])) {
            bool repeated = false;
            for (std::size_t j = i; j > 0 && (source.is_identifier(j - 1) || source[j - 1] == ")") && !repeated;) {
                if (source[j - 1] == ")") {
                    const std::size_t open = source.partner(j - 1);
                    if (open == Source::none || source[open - 1] != "__attribute__") break;
                    j = open;
                } else {
                    --j;
                    repeated = is_inline(source[j]);
                }
            }
            if (!repeated) drop_repeated_inline(source, i, edits);
        }
    }
}

}  // namespace simcc
