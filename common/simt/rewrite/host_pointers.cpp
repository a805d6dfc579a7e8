// SPDX-License-Identifier: MIT
// What fast code needs so that kernels cannot follow pointers to host memory (runtime/host_pointers.cpp): classes show
// launches their members, and kernels say which memory `new` gave them.
//
//     struct View { T* data; int n; };    ->    struct View { T* data; int n;
//         public: void simt_members(::simt::HostPointers simt_p) { simt_p.hide<decltype(data)>(data); ... } };
//     new T[n]                            ->    new (::simt::KernelHeap()) T[n]
//
// Members that are references, bit-fields or in unions have nothing to show; a declaration that the tokens do not tell
// as a member's is left out.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/brackets.hpp"
#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/source.hpp"

namespace simcc {
namespace {

/// The data members that the statement [first, last) of a class declares. (last is the `;`.)
std::vector<std::string> members_of(const Source& source, std::size_t first, std::size_t last) {
    std::vector<std::string> names;
    bool has_type = false, is_initializer = false;
    for (std::size_t i = first; i <= last; ++i) {
        const std::string_view token = source[i];
        if (token == "," || token == ";") {
            is_initializer = false;
        } else if (is_initializer) {
            const bool opens = is_one_of(token, {"(", "[", "{"});
            if (token == "<" || (opens && source.partner(i) == Source::none)) return {};
            if (opens) i = source.partner(i);
        } else if (token == "<") {
            const std::size_t behind = skip_angles(source, i);
            if (behind == i || behind > last) return {};
            i = behind - 1;
            has_type = true;
        } else if (token == "=") {
            is_initializer = true;
        } else if (token == "[") {
            if (source.partner(i) == Source::none) return {};
            i = source.partner(i);
        } else if (source.is_identifier(i)) {
            if (is_one_of(token, {"static",   "constexpr", "typedef", "using",        "friend",        "template",
                                  "operator", "enum",      "extern",  "thread_local", "inline",        "virtual",
                                  "struct",   "class",     "union",   "decltype",     "__attribute__", "alignas",
                                  "mutable",  "public",    "private", "protected",    "return"}))
                return {};
            if (is_one_of(token,
                          {"const", "volatile", "typename", "__restrict__", "__restrict", "unsigned", "signed"})) {
                has_type |= token == "unsigned" || token == "signed";
            } else if (has_type && is_one_of(source[i + 1], {",", ";", "=", "["}) && source[i - 1] != "::") {
                names.emplace_back(token);
            } else {
                has_type = true;
            }
        } else if (token != "*" && token != "::") {
            return {};  // a reference, a bit-field, a function
        }
    }
    return names;
}

/// The base classes in the head [first, open) of a class.
std::vector<std::string> bases_of(const Source& source, std::size_t first, std::size_t open) {
    std::vector<std::string> bases;
    std::size_t i = first;
    while (i < open && source[i] != ":") {
        const bool is_group = source[i] == "(" && source.partner(i) != Source::none;
        i = (is_group ? source.partner(i) : i) + 1;
    }
    while (i < open) {
        ++i;
        while (is_one_of(source[i], {"public", "private", "protected", "virtual"})) ++i;
        const std::size_t begin = i;
        while (i < open && source[i] != ",") {
            if (source[i] == "." || source[i] == "(") return {};
            const std::size_t behind = source[i] == "<" ? skip_angles(source, i) : i;
            i = behind == i ? i + 1 : behind;
        }
        if (begin < i) bases.push_back(source.join(begin, i));
    }
    return bases;
}

/// Whether the class that begins with `struct` or `class` at token i has a name, behind its attributes.
bool has_name(const Source& source, std::size_t i) {
    ++i;
    for (;;) {
        const std::size_t behind = skip_attributes(source, i);
        const bool is_of_compiler = is_one_of(source[behind], {"__align__", "__attribute__"});
        if (!is_of_compiler || source.partner(behind + 1) == Source::none) return source.is_identifier(behind);
        i = source.partner(behind + 1) + 1;
    }
}

void show_members(const Source& source, const Braces& braces, std::size_t open, Edits& edits) {
    const std::size_t close = source.partner(open);
    std::size_t head = braces.at(open).statement;
    if (source[head] == "template" && source[head + 1] == "<") head = skip_angles(source, head + 1);
    while (head < open && !is_one_of(source[head], {"struct", "class"})) {
        if (source[head] == "union" || source[head] == "enum") return;
        ++head;
    }
    if (head == open || source[head - 1] == "enum" || !has_name(source, head)) return;
    std::string shown;
    for (const std::string& base : bases_of(source, head, open))
        shown += " simt_p.hide<" + base + ">(static_cast<" + base + "&>(*this));";
    for (std::size_t i = open + 1, first = i; i < close; ++i) {
        if (source[i] == "{" && braces.at(i).kind != BraceKind::initializer) {
            i = source.partner(i);
            // (What follows a type in braces may be a member: that is left out, too.)
            while (source[i + 1] != ";" && source.is_identifier(i + 1) && is_one_of(source[i + 2], {";", ",", "["}))
                ++i;
            first = i + 1;
        } else if (is_one_of(source[i], {"(", "[", "{"})) {
            i = source.partner(i);
        } else if (source[i] == ":" && is_one_of(source[i - 1], {"public", "private", "protected"})) {
            first = i + 1;
        } else if (source[i] == ";") {
            for (const std::string& name : members_of(source, first, i))
                shown += " simt_p.hide<decltype(" + name + ")>(" + name + ");";
            first = i + 1;
        }
    }
    if (shown.empty()) return;
    edits.insert_before(close, " public: void simt_members(::simt::HostPointers simt_p) {" + shown + " } ");
}

}  // namespace

void rewrite_members(const Source& source, const Braces& braces, Edits& edits) {
    for (std::size_t i = 1; i < source.size(); ++i) {
        if (source[i] != "{" || source.partner(i) == Source::none || braces.at(i).kind != BraceKind::type) continue;
        if (!source.in_system_header(i)) show_members(source, braces, i, edits);
    }
}

void rewrite_device_new(const Source& source, const ExecutionSpaces& spaces, Edits& edits) {
    bool is_used = false, has_allocator_of_class = false;
    std::vector<std::size_t> places;
    for (std::size_t i = 1; i < source.size(); ++i) {
        if (source[i] != "new") continue;
        const bool is_own_operator = source[i - 1] == "operator";
        has_allocator_of_class |= is_own_operator && !source.in_system_header(i);
        const bool is_placement = source[i + 1] == "(";
        if (is_own_operator || is_placement || !spaces.is_device(i)) continue;
        is_used = true;
        places.push_back(i);
    }
    if (is_used && has_allocator_of_class) {
        edits.insert_before(
            source.size(),
            "\nnamespace { [[maybe_unused]] const bool simt_has_new = ::simt::let_kernels_use_heap(); }\n");
        return;
    }
    for (const std::size_t i : places) edits.replace(i, i + 1, "new (::simt::KernelHeap()) ");
}

}  // namespace simcc
