// SPDX-License-Identifier: MIT
// Kernel launches.
//
//     k<T, 256><<<grid, block>>>(a, b)
// becomes
//     ::simt::launch([=](auto&&... simt_p) -> decltype(void(k<T, 256>(simt_p...))) { k<T, 256>(simt_p...); },
//                    "k<T, 256>", ::simt::configure(grid, block))(a, b)
//
// If the kernel's name shows that it has no launch bounds, simt::launch becomes simt::launch_without_bounds.
//
// Where the kernel's declaration tells the types of its parameters (signatures.cpp), the launch makes the parameters:
//     ::simt::launch_told<true>(static_cast<__typeof__(simt_signature_of_k<T, 256>(a, b))>(nullptr),
//                               [=](auto&&... simt_p) -> void { k<T, 256>(simt_p...); },
//                               [=](auto simt_pick) { return simt_pick(k<T, 256>); },
//                               "k<T, 256>", ::simt::configure(grid, block))(a, b)
// With a lambda among the arguments, which cannot be written twice, that is launch_deduced, and another lambda asks.
//
// The lambda keeps everything that a call can do, such as template deduction and default arguments. It also makes the
// kernel known at compile time, so a kernel without barriers is inlined into the loop over the threads. The kernel
// stays in its place in the text, so the compiler's messages about it name its line and column.
// A computed kernel, as in table[i++]<<<grid, block>>>(a, b), is evaluated once, at the launch:
//     ::simt::Launcher{ ::simt::kernel_value(table[i++]), "table[i++]", ::simt::configure(grid, block)}(a, b)
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

bool is_name(const Source& source, std::size_t i) {
    return source.is_identifier(i) && !is_expression_keyword(source[i]);
}

/// Whether the group that opens at `open` is not a call: the condition of an if, for, while or switch, which a
/// statement follows, or a cast to void.
bool is_no_callee(const Source& source, std::size_t open) {
    const std::string_view before = source[open - 1];
    return before == "if" || before == "for" || before == "while" || before == "switch" ||
           (before == "constexpr" && source[open - 2] == "if") ||
           (source[open + 1] == "void" && source[open + 2] == ")");
}

/// Whether a launch, which has no value, may follow token i.
bool may_precede_launch(const Source& source, std::size_t i) {
    const std::string_view token = source[i];
    for (const std::string_view no : {"<", ">", "=", "+", "-", "*", "/", "%", "^", "!", "~", ".", "->", "::", "["}) {
        if (token == no) return false;
    }
    return true;
}

std::optional<std::size_t> kernel_begin(const Source& source, std::size_t i);

/// The `<` that opens the template arguments ending with token i.
std::optional<std::size_t> arguments_begin(const Source& source, std::size_t i) {
    return open_angle(source, i, [&](std::size_t open) {
        const auto begin = kernel_begin(source, open - 1);
        return begin && (*begin == 0 || may_precede_launch(source, *begin - 1));
    });
}

/// The first token of the postfix expression that ends with token i: `ns::k<T>`, `(*f)`, `table[i]`, `this->app.k`,
/// `get(1)`.
std::optional<std::size_t> kernel_begin(const Source& source, std::size_t i) {
    for (;;) {
        if (source[i] == ">") {
            const auto open = arguments_begin(source, i);
            if (!open) return {};
            i = *open - 1;
        }
        while (source[i] == ")" || source[i] == "]") {
            const std::size_t open = source.partner(i);
            if (open == Source::none || open == 0) return {};
            const std::string_view before = source[open - 1];
            const bool subscript = source[i] == "]";
            const bool called_group = (before == ")" || before == "]") && source.partner(open - 1) != Source::none &&
                                      !is_no_callee(source, source.partner(open - 1));
            if (!subscript && !is_name(source, open - 1) && !called_group && before != ">") return open;
            i = open - 1;
            if (source[i] == ">") {
                const auto angle = arguments_begin(source, i);
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

/// The kernel as a string literal, for messages: as in the source, with a blank after each comma.
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

/// A braced argument, as in k<<<1, 1>>>({1, 2}), has no type of its own: names the parameter's type.
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
        } else if (may_open_angles(source, i) && !source.is_value(i - 1) && skip_angles(source, i) != i) {
            i = skip_angles(source, i) - 1;
        } else if (source[i] == ",") {
            ++index;
        }
    }
}

class Launches {
public:
    Launches(const Source& source, const Braces& braces, const Functions& functions, const KernelSignatures& signatures,
             Edits& edits)
        : source_(source),
          braces_(braces),
          functions_(functions),
          signatures_(signatures),
          edits_(edits),
          text_(edits),
          has_graphs_(uses_graphs(source)) {}

    void rewrite() {
        collect_pointers();
        for (const Launch& launch : find_launches(source_)) {
            if (launch.kernel == Source::none) {
                edits_.complain(launch.open, "the kernel before '<<<' is not understood");
            } else if (launch.close == Source::none) {
                edits_.complain(launch.open, "this launch is not closed by '>>>('");
            } else if (is_parted(launch.open) || is_parted(launch.close)) {
                const std::string bracket(3, source_[is_parted(launch.open) ? launch.open : launch.close][0]);
                edits_.complain(is_parted(launch.open) ? launch.open : launch.close,
                                "write '" + bracket + "' without a blank after its first character");
            } else {
                replace(launch.kernel, launch.open, launch.close);
            }
        }
    }

private:
    /// Whether the bracket's first two characters are apart. (nvcc accepts `<< <`, as formatters write it.)
    bool is_parted(std::size_t i) const { return !source_.adjoins(i + 1); }

    /// The kernel is in the tokens [begin, open); `open` and `close` begin the brackets around the configuration.
    void replace(std::size_t begin, std::size_t open, std::size_t close) {
        const std::string kernel = edits_.join(begin, open), name = quoted(source_, begin, open);
        if (is_computed(begin, open)) {
            edits_.insert_before(begin, " ::simt::Launcher{ ::simt::kernel_value(");
            edits_.replace(open, open + 3, "), " + name + ", ::simt::configure(");
            edits_.replace(close, close + 3, ")}");
        } else {
            // Outside of functions there is nothing to capture, and a capture default is an error.
            const std::string capture = braces_.in_function(open) || braces_.in_type(open) ? "[=]" : "[]";
            // A name in parentheses is looked up where it is written. Without them g++ would also search the namespaces
            // of the arguments' types, at the end, and not complain about an undeclared name.
            const bool by_arguments = functions_.kernels_in_namespaces().count(last_name(begin, open)) != 0;
            const std::string left = by_arguments ? "" : "(", right = by_arguments ? "" : ")";
            const std::string call = right + "(simt_p...)";
            const bool no_bounds = has_no_bounds(begin, open);
            const std::size_t last = name_token(begin, open), arguments = close + 3, end = source_.partner(arguments);
            const bool is_told =
                signatures_.has(source_[last]) && (last != begin || signatures_.is_visible(source_[last], begin));
            const bool is_repeatable = is_told && !has_lambda(arguments, end);
            const std::string teller = is_told ? left + edits_.join(begin, last) +
                                                     KernelSignatures::name_of(source_[last]) +
                                                     edits_.join(last + 1, open) + right
                                               : "";
            std::string launch = no_bounds ? "launch_without_bounds(" : "launch(", picks;
            if (is_told) {
                launch = (is_repeatable ? "launch_told<" : "launch_deduced<") +
                         std::string(no_bounds ? "false>(" : "true>(");
                picks = capture + "(auto simt_pick) { return simt_pick(" + kernel + "); }, ";
            }
            if (is_repeatable) {
                // (In a cast to __typeof__, g++ reports an error once; in decltype or as a template's argument, thrice.)
                launch += "static_cast<__typeof__(" + text_.placed(begin, begin) + teller + "(" +
                          text_.placed(arguments + 1, end) + "))>(nullptr), ";
            } else if (is_told) {
                picks += capture + "(auto&&... simt_p) -> decltype(" + teller +
                         "(static_cast<decltype(simt_p)&&>(simt_p)...)) { return {}; }, ";
            }
            // (Where the arguments are known to fit, the type is not left to the call: g++ 14 would miss constants of
            // the launching function there.)
            const std::string head = " ::simt::" + launch + capture + "(auto&&... simt_p) -> ";
            const std::string tail = "; }, " + picks + name + ", ::simt::configure(";
            edits_.insert_before(begin, head + (is_repeatable ? "void { " : "decltype(void(") + left);
            edits_.replace(open, open + 3, call + (is_repeatable ? "" : ")) { " + left + kernel + call) + tail);
            edits_.replace(close, close + 3, "))");
            if (is_repeatable) return;  // its parameters have types
        }
        name_braced_arguments(source_, close + 3, kernel, edits_);
    }

    /// Whether the tokens between the brackets hold a lambda or a statement, which may be written only once.
    bool has_lambda(std::size_t open, std::size_t close) const {
        for (std::size_t i = open + 1; i < close; ++i) {
            const bool is_statement = source_[i] == "{" && source_[i - 1] == "(";
            const bool is_lambda = source_[i] == "[" && source_[i - 1] != ")" && source_[i - 1] != "]" &&
                                   (!source_.is_identifier(i - 1) || is_expression_keyword(source_[i - 1]));
            if (is_statement ? braces_.at(i).kind == BraceKind::code : is_lambda) return true;
        }
        return false;
    }

    /// The token of the kernel's own name in the tokens [begin, open).
    std::size_t name_token(std::size_t begin, std::size_t open) const {
        std::size_t name = begin;
        for (std::size_t i = begin; i < open; ++i) {
            if (source_.is_identifier(i)) name = i;
            if (may_open_angles(source_, i) && skip_angles(source_, i) != i) i = skip_angles(source_, i) - 1;
        }
        return name;
    }

    /// The name without the namespaces before it and the template arguments after it; empty if it is qualified.
    std::string_view last_name(std::size_t begin, std::size_t open) const {
        return source_[begin + 1] == "::" || source_[begin] == "::" || begin >= open ? "" : source_[begin];
    }

    /// Whether the launch has nothing to ask: the kernel in the tokens [begin, open) is defined in this file, without
    /// launch bounds, and no node of a graph asks for the kernel.
    bool has_no_bounds(std::size_t begin, std::size_t open) const {
        if (has_graphs_) return false;
        return functions_.kernels_without_bounds().count(source_[name_token(begin, open)]) != 0;
    }

    /// Whether the kernel is an expression with a value of its own, or a variable, rather than a function's name.
    bool is_computed(std::size_t begin, std::size_t open) const {
        if (begin + 1 == open) return pointers_.count(source_[begin]) != 0;
        for (std::size_t i = begin; i < open; ++i) {
            const std::string_view token = source_[i];
            if (token == "decltype" && source_.partner(i + 1) != Source::none) {
                i = source_.partner(i + 1);
            } else if (may_open_angles(source_, i) && skip_angles(source_, i) != i) {
                i = skip_angles(source_, i) - 1;
            } else if (token == "." || token == "->" || token == "[" || token == "*" || token == "?" || token == "=" ||
                       token == "+" || token == "-" || (token == "(" && i > begin && source_[i - 1] != "(")) {
                return true;
            }
        }
        return false;
    }

    /// The variables that may hold a kernel. (Constants and template parameters are known at compile time.)
    void collect_pointers() {
        std::set<std::string_view> constants;
        for (std::size_t i = 0; i < source_.size(); ++i) {
            if (source_[i] == "template" && source_[i + 1] == "<") {
                const std::size_t behind = skip_angles(source_, i + 1);
                for (std::size_t j = i + 2; j + 1 < behind; ++j) constants.insert(source_[j]);
            } else if (source_[i] == "constexpr") {
                for (std::size_t j = i; j < source_.size() && source_[j] != ";" && source_[j] != "("; ++j) {
                    constants.insert(source_[j]);
                }
            }
        }
        for (std::size_t i = 1; i < source_.size(); ++i) {
            const bool is_value = source_.is_value(i) || is_pointer_to_function(i);
            if (is_value && functions_.kernels().count(source_[i]) == 0 && constants.count(source_[i]) == 0) {
                pointers_.insert(source_[i]);
            }
        }
    }

    /// `void (*f)(int)`
    bool is_pointer_to_function(std::size_t i) const {
        return source_.is_identifier(i) && source_[i - 1] == "*" && source_[i - 2] == "(" && source_[i + 1] == ")" &&
               source_[i + 2] == "(" && source_.is_identifier(i - 3) && !is_expression_keyword(source_[i - 3]);
    }

    const Source& source_;
    const Braces& braces_;
    const Functions& functions_;
    const KernelSignatures& signatures_;
    Edits& edits_;
    const EditedText text_;
    const bool has_graphs_;
    std::set<std::string_view> pointers_;
};

}  // namespace

std::vector<Launch> find_launches(const Source& source) {
    std::vector<Launch> launches;
    for (std::size_t i = 1; i < source.size(); ++i) {
        if (!is_triple(source, i, "<") || source[i - 1] == "operator") continue;
        std::size_t close = configuration_end(source, i + 3).value_or(Source::none);
        if (close != Source::none && source.partner(close + 3) == Source::none) close = Source::none;
        launches.push_back({kernel_begin(source, i - 1).value_or(Source::none), i, close});
        i += 2;
    }
    return launches;
}

void rewrite_launches(const Source& source, const Braces& braces, const Functions& functions,
                      const KernelSignatures& signatures, Edits& edits) {
    Launches(source, braces, functions, signatures, edits).rewrite();
}

// ---- kernels that the program passes as void*

// To unpack the arguments of a launch, the runtime needs the kernel's type, which such a cast loses:
//     cudaLaunchKernel((void*)k, ...), node.func = (void*)k    the cast is dropped: these take any kernel
//     (void*)k elsewhere    ->    static_cast<void*>(::simt::KernelPointer(k)), which keeps the type by address
//     (void*)x of a variable, which may hold a kernel    ->    ::simt::untyped(x), which does the same if it does

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

void rewrite_kernel_pointers(const Source& source, const Functions& functions, const ExecutionSpaces& spaces,
                             Edits& edits) {
    const std::set<std::string_view>& kernels = functions.kernels();
    std::set<std::string_view> pointers;  // void (*f)(int)
    for (std::size_t i = 3; i < source.size(); ++i) {
        if (source[i - 1] == "*" && source[i - 2] == "(" && source[i + 1] == ")" && source[i + 2] == "(")
            pointers.insert(source[i]);
    }
    for (std::size_t i = 0; i < source.size(); ++i) {
        const bool field = source[i] == "func" && (source[i - 1] == "." || source[i - 1] == "->");
        if (takes_any_kernel(source[i])) {
            const std::size_t open = source[i + 1] == "<" ? skip_angles(source, i + 1) : i + 1;
            if (source[open] == "(") drop_cast(source, open + 1, edits), i = open + 1;
        } else if (field && source[i + 1] == "=") {  // of cudaKernelNodeParams
            drop_cast(source, i + 2, edits), i += 2;
        } else if (const std::size_t operand = behind_cast(source, i); operand != Source::none) {
            const std::size_t end = kernel_end(source, operand, kernels);
            const bool is_variable = (source.is_value(operand) || pointers.count(source[operand]) != 0) &&
                                     is_one_of(source[operand + 1], {",", ")", ";", "}"});
            const bool is_users = !kernels.empty() && !source.in_system_header(i) && !spaces.is_device(i);
            if (end == Source::none && is_variable && is_users) {
                edits.replace(i, operand, "::simt::untyped(");
                edits.insert_before(operand + 1, ")");
                i = operand;
            }
            if (end == Source::none) continue;
            edits.replace(i, end, "static_cast<void*>(::simt::KernelPointer(" + source.join(operand, end) + "))");
            i = end - 1;
        }
    }
}

}  // namespace simcc
