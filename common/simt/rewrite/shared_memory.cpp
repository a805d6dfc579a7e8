// SPDX-License-Identifier: MIT
// Shared memory. Dynamic: `extern __shared__ T s[];`, which the preprocessor has turned into
// `extern __attribute__((aligned(N))) thread_local T s[];`.
//
// At file scope the declaration gets the assembler name of the runtime's window. In a function g++ drops such names
// when it instantiates templates, so there it becomes a reference: `T (&s)[N] = *(T (*)[N]) ::simt::dynamic_shared();`.
//
// Static shared memory in a function needs a change where an array's elements may be objects of a class, as in
// `__shared__ float4 s[32];`: if the class has any constructor, g++ would construct them when the first lane comes by,
// even if there is nothing to do, and record that in a variable of its own. CUDA does not construct them. So the array
// becomes a reference to bytes: `static __shared__ char s_in_shared_memory[sizeof(T [N])];
// T (&s)[N] = *(T (*)[N]) s_in_shared_memory;`. Lambdas capture these references: see the first part of this file.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/brackets.hpp"
#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/source.hpp"

namespace simcc {

// ---- lambdas

// Variables in shared memory that the rewriter turns into local references. In CUDA they are static, so a lambda uses
// them without a capture. With a reference, `[=]` would capture a copy of all elements, and `[]` nothing: such lambdas
// get `&name` in their list.

/// A reference of this name, in scope in the tokens [first, last).
struct LocalReference {
    std::string name;
    std::size_t first, last;
};

void capture_references(const Source& source, const std::vector<LocalReference>& references, Edits& edits);

namespace {

/// A lambda by its tokens: its list's `[`, its parameters' `(` if it has any, and its body's `{`.
struct Lambda {
    std::size_t list, parameters, body;
};

/// The lambda that begins at token i; without a body if none does.
Lambda lambda_at(const Source& source, std::size_t i) {
    Lambda lambda = {i, Source::none, Source::none};
    const bool is_subscript = (source.is_identifier(i - 1) && !is_expression_keyword(source[i - 1])) ||
                              source[i - 1] == ")" || source[i - 1] == "]" || source.is_literal(i - 1);
    if (is_subscript || source[i - 1] == "[" || source[i + 1] == "[" || source.partner(i) == Source::none)
        return lambda;
    for (std::size_t j = source.partner(i) + 1; j < source.size(); ++j) {
        const std::string_view token = source[j];
        if (token == "{") {
            if (source.partner(j) != Source::none) lambda.body = j;
            return lambda;
        }
        if (token == ";" || token == "," || token == ")" || token == "]" || token == "}") return lambda;
        if (token == "<" && skip_angles(source, j) != j) {
            j = skip_angles(source, j) - 1;
        } else if (token == "(" && source.partner(j) != Source::none) {
            if (lambda.parameters == Source::none && source[j - 1] != "__attribute__") lambda.parameters = j;
            j = source.partner(j);
        }
    }
    return lambda;
}

/// Whether the group that opens at token `open` contains the name, other than as a member of something.
bool mentions(const Source& source, std::size_t open, std::string_view name) {
    if (open == Source::none) return false;
    for (std::size_t i = open + 1; i < source.partner(open); ++i) {
        const std::string_view before = source[i - 1];
        if (source[i] == name && before != "." && before != "->" && before != "::") return true;
    }
    return false;
}

}  // namespace

void capture_references(const Source& source, const std::vector<LocalReference>& references, Edits& edits) {
    if (references.empty()) return;
    for (std::size_t i = 1; i < source.size(); ++i) {
        if (source[i] != "[") continue;
        const Lambda lambda = lambda_at(source, i);
        const std::size_t close = source.partner(i);
        const bool captures_all = source[i + 1] == "&" && (source[i + 2] == "," || source[i + 2] == "]");
        if (lambda.body == Source::none || captures_all) continue;
        std::string list;
        for (const auto& [name, first, last] : references) {
            const bool is_used = i >= first && i < last && mentions(source, lambda.body, name);
            if (!is_used || mentions(source, i, name) || mentions(source, lambda.parameters, name)) continue;
            list += (list.empty() && close == i + 1 ? "&" : ", &") + name;
        }
        if (!list.empty()) edits.insert_before(close, list);
    }
}

// ---- the declarations

namespace {

/// The bound of an array whose declaration gives none: no program has that many elements in shared memory.
constexpr std::string_view unknown_bound = "[262144]";

/// The tokens [first, last) of a declaration, without its `;`.
struct Declaration {
    std::size_t first, last;
};

/// The declaration that token i belongs to.
Declaration declaration_around(const Source& source, std::size_t i) {
    std::size_t first = i, last = i;
    while (first > 0 && source[first - 1] != ";" && source[first - 1] != "{" && source[first - 1] != "}" &&
           source[first - 1] != ":")
        --first;
    first = skip_attributes(source, first);  // they stay before what becomes of the declaration
    while (last < source.size() && source[last] != ";" && source[last] != "{" && source[last] != "}") {
        last = source[last] == "(" && source.partner(last) != Source::none ? source.partner(last) + 1 : last + 1;
    }
    return {first, last};
}

/// Whether the storage is that of `__shared__`, not the program's own thread_local variable.
bool is_shared(const Source& source, Declaration declaration) {
    bool thread_local_storage = false, aligned = false;
    for (std::size_t i = declaration.first; i < declaration.last; ++i) {
        if (source[i] == "__shared__") return true;
        thread_local_storage |= source[i] == "thread_local" || source[i] == "__thread";
        aligned |= source[i] == "aligned" || source[i] == "__aligned__";
    }
    return thread_local_storage && aligned;
}

/// The end of the declarator that begins at token i: its comma, or the end of the declaration.
std::size_t declarator_end(const Source& source, std::size_t i, std::size_t last) {
    while (i < last && source[i] != ",") {
        if (source[i] == "<" && skip_angles(source, i) != i) {
            i = skip_angles(source, i);
        } else if (source[i] == "(" || source[i] == "[") {
            i = source.partner(i) + 1;
        } else {
            ++i;
        }
    }
    return i;
}

/// The declared name: the last identifier before the array bounds.
std::size_t declared_name(const Source& source, std::size_t first, std::size_t end) {
    std::size_t i = first;
    while (i < end && source[i] != "[") {
        const bool angles = may_open_angles(source, i) && skip_angles(source, i) != i;
        i = angles ? skip_angles(source, i) : source[i] == "(" ? source.partner(i) + 1 : i + 1;
    }
    return i - 1;
}

/// Whether this declares arrays, without initializers, whose elements are not of a fundamental type.
bool has_arrays_of_classes(const Source& source, Declaration declaration) {
    bool is_array = false;
    for (std::size_t i = declaration.first; i < declaration.last; ++i) {
        if (may_open_angles(source, i) && skip_angles(source, i) != i) i = skip_angles(source, i);
        const std::string_view token = source[i];
        for (const std::string_view other : {"float", "double", "int", "unsigned", "signed", "char", "short", "long",
                                             "bool", "=", "struct", "union", "*", "&", "extern"}) {
            if (token == other) return false;
        }
        if (token == "(" && i > declaration.first && source[i - 1] != "__attribute__" && source[i - 1] != "(" &&
            !is_one_of(source[i - 1], {"aligned", "alignas", "__aligned__", "tls_model"})) {
            return false;
        }
        if (token == "[") {
            is_array = true;
            i = source.partner(i);
        }
    }
    return is_array;
}

/// The tokens [first, last) without the specifiers that a reference cannot have.
std::string type_text(const Source& source, std::size_t first, std::size_t last) {
    std::string type;
    for (std::size_t i = first; i < last; ++i) {
        const std::string_view token = source[i];
        if (token == "__attribute__" || token == "alignas") {
            i = source.partner(i + 1);
        } else if (token != "extern" && token != "thread_local" && token != "__thread" && token != "__shared__" &&
                   token != "static") {
            if (i > first && !source.adjoins(i)) type += ' ';
            type += token;
        }
    }
    return type + ' ';
}

std::string bounds_text(const Source& source, std::size_t first, std::size_t last) {
    if (source[first] == "[" && source[first + 1] == "]")
        return std::string(unknown_bound) + source.join(first + 2, last);
    return source.join(first, last);
}

/// Replaces each declarator of a declaration with the result of `write(type, name, bounds)`, a reference to an array.
template <typename Write>
std::vector<std::string> replace_declarators(const Source& source, Declaration declaration, Edits& edits, Write write) {
    std::vector<std::string> names;
    std::string text, type;
    for (std::size_t first = declaration.first; first < declaration.last;) {
        const std::size_t end = declarator_end(source, first, declaration.last);
        const std::size_t name = declared_name(source, first, end);
        if (first == declaration.first) {
            type = type_text(source, first, name);
        } else {
            text += "; ";
        }
        names.emplace_back(source[name]);
        text += write(type, names.back(), bounds_text(source, name + 1, end));
        first = end + 1;
    }
    edits.replace(declaration.first, declaration.last, text);
    return names;
}

/// `T (&s)[N] = *(T (*)[N])storage`
std::string reference_to(const std::string& type, const std::string& name, const std::string& bounds,
                         const std::string& storage) {
    return type + "(&" + name + ")" + bounds + " = *(" + type + "(*)" + bounds + ")" + storage;
}

std::vector<std::string> bind_in_function(const Source& source, Declaration declaration, Edits& edits) {
    return replace_declarators(source, declaration, edits,
                               [](const std::string& type, const std::string& name, const std::string& bounds) {
                                   return reference_to(type, name, bounds, " ::simt::dynamic_shared()");
                               });
}

/// The attributes of a declaration, which apply to its storage. (No later declarator adds any.)
std::string attributes_of(const Source& source, Declaration declaration) {
    std::string attributes;
    for (std::size_t i = declaration.first; i < declaration.last; ++i) {
        if (source[i] != "__attribute__" && source[i] != "alignas") continue;
        const std::size_t end = source.partner(i + 1) + 1;
        attributes += source[i] == "alignas" ? "" : source.join(i, end) + " ";
        i = end - 1;
    }
    return attributes;
}

std::vector<std::string> bind_to_bytes(const Source& source, Declaration declaration, Edits& edits) {
    const std::string attributes = attributes_of(source, declaration);
    return replace_declarators(source, declaration, edits,
                               [&](const std::string& type, const std::string& name, const std::string& bounds) {
                                   const std::string storage = name + "_in_shared_memory";
                                   return "static thread_local " + attributes + "char " + storage + "[sizeof(" + type +
                                          bounds + ")]; " + reference_to(type, name, bounds, storage);
                               });
}

void bind_at_file_scope(const Source& source, Declaration declaration, Edits& edits) {
    for (std::size_t first = declaration.first; first < declaration.last;) {
        const std::size_t end = declarator_end(source, first, declaration.last);
        edits.insert_before(end, " __asm__(\"simt_dynamic_shared\")");
        first = end + 1;
    }
}

}  // namespace

void rewrite_shared_memory(const Source& source, const Braces& braces, Edits& edits) {
    std::vector<LocalReference> references;
    const auto remember = [&](const std::vector<std::string>& names, Declaration declaration) {
        const std::size_t last = source.partner(braces.enclosing(declaration.first));
        for (const std::string& name : names) references.push_back({name, declaration.last, last});
    };
    for (std::size_t i = 0; i < source.size(); ++i) {
        if ((source[i] != "thread_local" && source[i] != "__shared__") || !braces.in_function(i)) continue;
        const Declaration declaration = declaration_around(source, i);
        if (source[declaration.last] == ";" && is_shared(source, declaration) &&
            has_arrays_of_classes(source, declaration)) {
            remember(bind_to_bytes(source, declaration, edits), declaration);
        }
        i = declaration.last;
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != "extern" || source.is_literal(i + 1)) continue;
        const Declaration declaration = declaration_around(source, i);
        if (source[declaration.last] != ";" || !is_shared(source, declaration)) continue;
        if (braces.in_function(i)) {
            remember(bind_in_function(source, declaration, edits), declaration);
        } else {
            bind_at_file_scope(source, declaration, edits);
        }
        i = declaration.last;
    }
    capture_references(source, references, edits);
}

}  // namespace simcc
