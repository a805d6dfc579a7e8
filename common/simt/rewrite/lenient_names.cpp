// SPDX-License-Identifier: MIT
// Names that nvcc accepts and g++ does not.
//
//     S<T>::get<n>()     ->    S<T>::template get<n>(), in a template, if the program has a function template `get`
//     using X = X<T>;    ->    using X = ::space::X<T>; in a class; the same for typedef

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

/// The names of the program's function templates.
std::set<std::string_view> function_templates(const Source& source) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != "template" || source[i + 1] != "<") continue;
        const std::size_t end = skip_angles(source, i + 1);
        for (std::size_t j = end; j < source.size() && j > i + 1; ++j) {
            const std::string_view token = source[j];
            if (is_one_of(token, {"__attribute__", "__launch_bounds__", "decltype", "alignas", "requires"}) &&
                source[j + 1] == "(" && source.partner(j + 1) != Source::none) {
                j = source.partner(j + 1);
            } else if (token == "(") {
                if (source.is_identifier(j - 1)) names.insert(source[j - 1]);
                break;
            } else if (token == "<") {
                const std::size_t behind = skip_angles(source, j);
                if (behind != j) j = behind - 1;
            } else if (is_one_of(token, {";", "{", "}", "=", "template"})) {
                break;
            }
        }
    }
    return names;
}

/// Whether token i is in the body of a template.
bool in_template(const Source& source, const Braces& braces, std::size_t i) {
    for (std::size_t open = braces.enclosing(i); open != Source::none; open = braces.at(open).enclosing) {
        if (source[braces.at(open).statement] == "template") return true;
    }
    return false;
}

/// `::a::b::` for a name declared at token i; empty if it is not at namespace scope.
std::string namespaces_around(const Source& source, const Braces& braces, std::size_t i) {
    std::string path = "::";
    for (std::size_t open = braces.enclosing(i); open != Source::none; open = braces.at(open).enclosing) {
        if (braces.at(open).kind != BraceKind::namespace_scope) return "";
        std::size_t name = braces.at(open).statement;
        while (name < open && source[name] != "namespace") ++name;
        if (name + 1 < open) path = "::" + source.join(name + 1, open) + path;  // else without a name, or extern "C"
    }
    return path;
}

/// The qualified name of a class template; empty if the program declares none of this name.
std::string qualified(const Source& source, const Braces& braces, std::string_view name) {
    for (std::size_t i = 1; i < source.size(); ++i) {
        if (source[i] != name || (source[i - 1] != "struct" && source[i - 1] != "class")) continue;
        if (source[statement_begin(source, i)] != "template") continue;
        const std::string path = namespaces_around(source, braces, i);
        if (!path.empty()) return path + std::string(name);
    }
    return "";
}

/// The template's name in `using X = X<...>` or `typedef X<...> X` at token i; none if this is neither.
std::size_t renamed_by_itself(const Source& source, std::size_t i) {
    if (source[i] == "using" && source[i + 2] == "=" && source[i + 3] == source[i + 1] && source[i + 4] == "<")
        return i + 3;
    if (source[i] == "typedef" && source.is_identifier(i + 1) && source[i + 2] == "<") {
        const std::size_t end = skip_angles(source, i + 2);
        if (end != i + 2 && source[end] == source[i + 1] && source[end + 1] == ";") return i + 1;
    }
    return Source::none;
}

}  // namespace

void rewrite_lenient_names(const Source& source, const Braces& braces, Edits& edits) {
    const std::set<std::string_view> templates = function_templates(source);
    for (std::size_t i = 1; i < source.size(); ++i) {
        if (source[i - 1] == "::" && source[i - 2] == ">" && source[i + 1] == "<" && templates.count(source[i]) != 0) {
            const std::size_t end = skip_angles(source, i + 1);
            if (end != i + 1 && source[end] == "(" && in_template(source, braces, i))
                edits.insert_before(i, "template ");
        } else if (const std::size_t name = renamed_by_itself(source, i);
                   name != Source::none && braces.enclosing(i) != Source::none &&
                   braces.at(braces.enclosing(i)).kind == BraceKind::type) {
            const std::string full = qualified(source, braces, source[name]);
            if (!full.empty()) edits.replace(name, name + 1, " " + full);
        }
    }
}

}  // namespace simcc
