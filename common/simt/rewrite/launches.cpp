// Kernel launches.
//
//     k<T, 256><<<grid, block>>>(a, b)
// becomes
//     ::simt::launch( ::simt::configure(grid, block), "k<T, 256>",
//                    [=](auto&&... simt_p) -> decltype(void(k<T, 256>(simt_p...))) { k<T, 256>(simt_p...); })(a, b)
//
// The lambda keeps all that a call can do: template deduction, default arguments, function pointers; and it makes the
// kernel known at compile time, so that a kernel without barriers is inlined into the loop over the threads.

#include <optional>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

bool is_name(const Source& source, std::size_t i) {
    return source.is_identifier(i) && !is_expression_keyword(source[i]);
}

/// The `<` that opens the template argument list whose last `>` is token i.
std::optional<std::size_t> open_angle(const Source& source, std::size_t i) {
    std::size_t depth = 0;
    for (; i < source.size(); --i) {
        const std::string_view token = source[i];
        if (token == ">") {
            ++depth;
        } else if (token == "<") {
            if (--depth == 0) return i;
        } else if (token == ")" || token == "]" || token == "}") {
            i = source.partner(i);
            if (i == Source::none) return {};
        } else if (token == "(" || token == "[" || token == "{" || token == ";") {
            return {};
        }
    }
    return {};
}

/// Whether the group that opens at `open` is the condition of an if, for, while or switch: a statement begins behind
/// it.
bool is_condition(const Source& source, std::size_t open) {
    const std::string_view before = source[open - 1];
    return before == "if" || before == "for" || before == "while" || before == "switch" ||
           (before == "constexpr" && source[open - 2] == "if");
}

/// The first token of the postfix expression that ends with token i: `ns::k<T>`, `(*f)`, `table[i]`, `this->app.k`,
/// `get(1)`.
std::optional<std::size_t> kernel_begin(const Source& source, std::size_t i) {
    for (;;) {
        if (source[i] == ">") {
            const auto open = open_angle(source, i);
            if (!open) return {};
            i = *open - 1;
        }
        while (source[i] == ")" || source[i] == "]") {
            const std::size_t open = source.partner(i);
            if (open == Source::none) return {};
            const std::string_view before = source[open - 1];
            const bool subscript = source[i] == "]";
            const bool called_group =
                (before == ")" || before == "]") && !is_condition(source, source.partner(open - 1));
            if (!subscript && !is_name(source, open - 1) && !called_group && before != ">") return open;
            i = open - 1;
            if (source[i] == ">") {
                const auto angle = open_angle(source, i);
                if (!angle) return open;
                i = *angle - 1;
            }
        }
        if (!is_name(source, i)) return {};
        if (source[i - 1] == "template") --i;
        if (source[i - 1] == "::") {
            if (!is_name(source, i - 2) && source[i - 2] != ">") return i - 1;
            i -= 2;
        } else if (source[i - 1] == "." || source[i - 1] == "->") {
            i -= 2;
        } else {
            return i;
        }
    }
}

bool is_triple(const Source& source, std::size_t i, std::string_view bracket) {
    return source[i] == bracket && source[i + 1] == bracket && source[i + 2] == bracket;
}

/// The first `>` of the `>>>(` that ends the launch configuration beginning at token i.
std::optional<std::size_t> configuration_end(const Source& source, std::size_t i) {
    for (; i < source.size(); ++i) {
        const std::string_view token = source[i];
        if (is_triple(source, i, ">") && source[i + 3] == "(") return i;
        if (token == "(" || token == "[" || token == "{") {
            i = source.partner(i);
            if (i == Source::none) return {};
        } else if (token == ";" || token == ")" || token == "]" || token == "}") {
            return {};
        }
    }
    return {};
}

/// The kernel as a string literal, for messages: written as in the source, without the blanks of join().
std::string quoted(const Source& source, std::size_t first, std::size_t last) {
    std::string name = "\"";
    for (std::size_t i = first; i < last; ++i) {
        const bool words = i > first && source.is_identifier(i) && source.is_identifier(i - 1);
        if (words) name += ' ';
        for (const char c : source[i]) {
            if (c == '"' || c == '\\') name += '\\';
            if (c != '\n') name += c;
        }
        if (source[i] == ",") name += ' ';
    }
    return name + '"';
}

/// A braced argument, as in k<<<1, 1>>>({1, 2}), has no type of its own: name the parameter's.
void name_braced_arguments(const Source& source, std::size_t open, const std::string& kernel, Edits& edits) {
    const std::size_t close = source.partner(open);
    std::size_t index = 0;
    for (std::size_t i = open + 1; i < close; ++i) {
        const bool begins = i == open + 1 || source[i - 1] == ",";
        if (source[i] == "{" && begins) {
            edits.insert_before(i, " ::simt::KernelParameter<decltype(" + kernel + "), " + std::to_string(index) + ">");
        }
        if (source[i] == "(" || source[i] == "[" || source[i] == "{") {
            i = source.partner(i);
        } else if (source[i] == "<" && source.is_identifier(i - 1) && skip_angles(source, i) != i) {
            i = skip_angles(source, i) - 1;
        } else if (source[i] == ",") {
            ++index;
        }
    }
}

}  // namespace

void rewrite_launches(const Source& source, const Braces& braces, Edits& edits) {
    for (std::size_t i = 1; i < source.size(); ++i) {
        if (!is_triple(source, i, "<") || source[i - 1] == "operator") continue;
        const auto begin = kernel_begin(source, i - 1);
        const auto end = configuration_end(source, i + 3);
        if (!begin || !end || source.partner(*end + 3) == Source::none) {
            edits.complain(
                i, !begin ? "the kernel before '<<<' is not understood" : "this launch is not closed by '>>>('");
            continue;
        }
        const std::string kernel = edits.join(*begin, i);
        // Outside of functions there is nothing to capture, and a capture default is an error.
        const std::string capture = braces.in_function(i) || braces.in_type(i) ? "[=]" : "[]";
        edits.replace(*begin, i + 3, " ::simt::launch( ::simt::configure(");
        edits.replace(*end, *end + 3,
                      "), " + quoted(source, *begin, i) + ", " + capture + "(auto&&... simt_p) -> decltype(void(" +
                          kernel + "(simt_p...))) { " + kernel + "(simt_p...); })");
        name_braced_arguments(source, *end + 3, kernel, edits);
        i += 2;
    }
}

}  // namespace simcc
