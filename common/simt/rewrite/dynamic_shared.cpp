// Dynamic shared memory: `extern __shared__ T s[];`, which the preprocessor has turned into
// `extern __attribute__((aligned(N))) thread_local T s[];`.
//
// At file scope the declaration gets the assembler name of the runtime's window. In a function g++ drops such names
// when it instantiates templates, so there it becomes a reference: `T (&s)[N] = *(T (*)[N]) ::simt::dynamic_shared();`.

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

/// The bound of an array whose declaration gives none: no program has as many elements in shared memory.
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
    while (last < source.size() && source[last] != ";" && source[last] != "{" && source[last] != "}") {
        last = source[last] == "(" && source.partner(last) != Source::none ? source.partner(last) + 1 : last + 1;
    }
    return {first, last};
}

/// Whether the storage is that of `__shared__`, and not a thread_local variable of the program's own.
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
    while (i < end && source[i] != "[") i = source[i] == "(" ? source.partner(i) + 1 : i + 1;
    return i - 1;
}

/// The tokens [first, last) without the specifiers that a reference does not take.
std::string type_text(const Source& source, std::size_t first, std::size_t last) {
    std::string type;
    for (std::size_t i = first; i < last; ++i) {
        const std::string_view token = source[i];
        if (token == "__attribute__" || token == "alignas") {
            i = source.partner(i + 1);
        } else if (token != "extern" && token != "thread_local" && token != "__thread" && token != "__shared__" &&
                   token != "static") {
            type.append(token).append(" ");
        }
    }
    return type;
}

std::string bounds_text(const Source& source, std::size_t first, std::size_t last) {
    if (source[first] == "[" && source[first + 1] == "]")
        return std::string(unknown_bound) + source.join(first + 2, last);
    return source.join(first, last);
}

void bind_in_function(const Source& source, Declaration declaration, Edits& edits) {
    std::string text, type;
    for (std::size_t first = declaration.first; first < declaration.last;) {
        const std::size_t end = declarator_end(source, first, declaration.last);
        const std::size_t name = declared_name(source, first, end);
        if (first == declaration.first) {
            type = type_text(source, first, name);
        } else {
            text += "; ";
        }
        const std::string bounds = bounds_text(source, name + 1, end);
        text += type + "(&" + std::string(source[name]) + ")" + bounds + " = *(" + type + "(*)" + bounds +
                ") ::simt::dynamic_shared()";
        first = end + 1;
    }
    edits.replace(declaration.first, declaration.last, text);
}

void bind_at_file_scope(const Source& source, Declaration declaration, Edits& edits) {
    for (std::size_t first = declaration.first; first < declaration.last;) {
        const std::size_t end = declarator_end(source, first, declaration.last);
        edits.insert_before(end, " __asm__(\"simt_dynamic_shared\")");
        first = end + 1;
    }
}

}  // namespace

void rewrite_dynamic_shared(const Source& source, const Braces& braces, Edits& edits) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] != "extern" || source.is_literal(i + 1)) continue;
        const Declaration declaration = declaration_around(source, i);
        if (source[declaration.last] != ";" || !is_shared(source, declaration)) continue;
        if (braces.in_function(i)) {
            bind_in_function(source, declaration, edits);
        } else {
            bind_at_file_scope(source, declaration, edits);
        }
        i = declaration.last;
    }
}

}  // namespace simcc
