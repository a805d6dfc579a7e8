// SPDX-License-Identifier: MIT
// Beside each kernel, a function with the same template and the same parameters that is never defined. Its return type
// names the types of the parameters:
//     template <class T> __global__ void k(const T a, int& b);
// is preceded by
//     template <class T> auto simt_signature_of_k(T a, int& b) -> ::simt::SignatureOf<decltype(a), decltype(b)>;
// so a launch gets the types by the same overload resolution that chooses the kernel. A `using ns::k;` brings the
// function along.
#include "common/simt/rewrite/signatures.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/simt/rewrite/functions.hpp"
#include "common/simt/rewrite/parameters.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace simcc {

KernelSignatures::KernelSignatures(const Source& source, const Braces& braces) : source_(source), braces_(braces) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (source[i] == "__global__") read(i);
        if (source.in_system_header(i)) continue;
        if (source[i] == "::" && source[i + 2] == ";" && source[statement_begin(source, i)] == "using")
            imported_.insert(source[i + 1]);
    }
}

/// Reads the kernel's declaration around the qualifier. Those that only repeat another one, such as specializations,
/// need no function. Where the tokens do not show the parameters, the launches of this name do without.
void KernelSignatures::read(std::size_t qualifier) {
    const std::size_t first = statement_begin(source_, qualifier);
    std::size_t begin = first;
    std::string templates;
    while (source_[begin] == "template" && source_[begin + 1] == "<") {
        const std::size_t behind = skip_angles(source_, begin + 1);
        if (behind == begin + 1) return;
        if (behind == begin + 3) return;  // template <>
        templates += source_.join(begin, behind) + " ";
        begin = behind;
    }
    if (source_[begin] == "template" || (source_[begin] == "extern" && source_[begin + 1] == "template")) return;
    std::size_t open = qualifier;
    while (open < source_.size() && !(source_[open] == "(" && source_.is_identifier(open - 1) &&
                                      !is_one_of(source_[open - 1], {"__attribute__", "decltype", "alignas"}))) {
        if (is_one_of(source_[open], {";", "{", "}", "="})) return;
        if (source_[open] == "(" || source_[open] == "[") open = source_.partner(open);
        if (source_[open] == ">" && source_[open + 1] == "(") return;  // a specialization
        if (open == Source::none) return;
        ++open;
    }
    if (open >= source_.size() || source_[open - 2] == "::") return;
    const std::string_view kernel = source_[open - 1];
    const std::size_t close = source_.partner(open);
    bool is_plain = close != Source::none && !braces_.in_function(qualifier) && !source_.in_system_header(qualifier);
    for (std::size_t i = begin; i < open; ++i) is_plain &= source_[i] != "friend" && source_[i] != "requires";
    for (std::size_t i = close; is_plain && i < source_.size() && source_[i] != "{" && source_[i] != ";"; ++i)
        is_plain &= source_[i] != "requires";
    std::string types, plain;
    const std::string list = is_plain ? parameters(open, types, plain) : "";
    if (list.empty()) {
        others_.insert(kernel);
        return;
    }
    std::size_t end = close;
    while (end < source_.size() && source_[end] != "{" && source_[end] != ";") ++end;
    // (g++ warns of a function without a name outside of its file that is nowhere defined.)
    const bool is_defined = source_[end] == "{" && templates.empty() && in_unnamed_namespace(qualifier);
    std::string before = is_defined ? "[[maybe_unused]] inline " : "";
    if (braces_.in_type(qualifier)) before = "static ";
    told_.insert(kernel);
    declarations_.push_back(
        {first, kernel,
         (in_linkage_block(qualifier) ? "extern \"C++\" " : "") + templates + before + "auto " + name_of(kernel) +
             list + " -> ::simt::SignatureOf<" + types + ">" + (is_defined ? " { return nullptr; } " : "; "),
         source_[end] == "{" && templates.empty() && !braces_.in_type(qualifier) ? end : Source::none, plain});
}

/// The list in the brackets at `open`, with a name for each parameter, and the types of these names; empty if the tokens
/// do not show a name.
std::string KernelSignatures::parameters(std::size_t open, std::string& types, std::string& plain) const {
    const std::size_t close = source_.partner(open);
    const auto pieces = parameter_pieces(source_, open, close);
    if (pieces.size() == 1 && source_.join(pieces[0].first, pieces[0].second) == "void") return plain = "()";
    std::string list;
    for (std::size_t n = 0; n < pieces.size(); ++n) {
        const auto [first, end] = pieces[n];
        std::string name;
        const std::string text = parameter(first, end, n, name);
        if (text.empty()) return "";
        const std::size_t behind = n + 1 < pieces.size() ? pieces[n + 1].first - 1 : close;  // with the default value
        const bool is_pack = name.size() > 3 && name.compare(name.size() - 3, 3, "...") == 0;
        if (is_pack) name.resize(name.size() - 3);
        plain += (n == 0 ? "(" : ", ") + text;
        list += (n == 0 ? "" : ", ") + text + (behind > end ? " " + source_.join(end, behind) : "");
        types += (n == 0 ? "decltype(" : ", decltype(") + name + ")" + (is_pack ? "..." : "");
    }
    plain += pieces.empty() ? "()" : ")";
    return "(" + list + ")";
}

/// The parameter with the tokens [first, end), without `const` of its own, which is no part of the kernel's type.
std::string KernelSignatures::parameter(std::size_t first, std::size_t end, std::size_t number,
                                        std::string& name) const {
    const std::optional<std::string> own = name_of_parameter(source_, first, end);
    bool is_indirect = false;
    for (std::size_t i = first; i < end; ++i) is_indirect |= is_one_of(source_[i], {"*", "&", "(", "["});
    std::string text;
    for (std::size_t i = first; i < end; ++i) {
        const std::size_t behind = source_[i] == "<" ? skip_angles(source_, i) : i + 1;
        const bool is_own_const = source_[i] == "const" && (!is_indirect || (source_[i - 1] == "*" && i + 2 >= end));
        if (source_[i] == "__grid_constant__" || is_own_const) continue;
        const bool joins = !text.empty() && !source_.adjoins(i);
        text += (joins ? " " : "") + source_.join(i, behind == i ? i + 1 : behind);
        if (behind > i) i = behind - 1;
    }
    if (own) {
        name = *own;
        return text;
    }
    const bool ends_type = source_.is_identifier(end - 1) || is_one_of(source_[end - 1], {"*", "&", ">", "."});
    if (!ends_type || source_[end - 1] == "void") return "";
    name = "simt_p" + std::to_string(number) + (source_[end - 1] == "." ? "..." : "");
    return text + " simt_p" + std::to_string(number);
}

bool KernelSignatures::in_unnamed_namespace(std::size_t i) const {
    for (std::size_t open = braces_.enclosing(i); open != Source::none; open = braces_.at(open).enclosing) {
        if (source_[open - 1] == "namespace") return true;
    }
    return false;
}

bool KernelSignatures::in_linkage_block(std::size_t i) const {
    for (std::size_t open = braces_.enclosing(i); open != Source::none; open = braces_.at(open).enclosing) {
        if (source_.is_literal(open - 1)) return true;
    }
    return false;
}

bool KernelSignatures::is_visible(std::string_view kernel, std::size_t i) const {
    if (imported_.count(kernel) != 0) return true;
    for (const Declaration& declaration : declarations_) {
        if (declaration.kernel != kernel) continue;
        const std::string_view home = namespace_around(declaration.first);
        if (home.empty() || braces_.in_type(declaration.first) || uses_namespace(home)) return true;
        for (std::size_t open = braces_.enclosing(i); open != Source::none; open = braces_.at(open).enclosing) {
            if (namespace_around(open + 1) == home) return true;
        }
    }
    return false;
}

/// The name of the innermost namespace around token i that is neither inline nor without a name; empty if there is none.
std::string_view KernelSignatures::namespace_around(std::size_t i) const {
    for (std::size_t open = braces_.enclosing(i); open != Source::none; open = braces_.at(open).enclosing) {
        const std::size_t first = braces_.at(open).statement;
        if (source_[first] == "namespace" && source_.is_identifier(open - 1) && open - 1 != first)
            return source_[open - 1];
    }
    return {};
}

bool KernelSignatures::uses_namespace(std::string_view name) const {
    for (std::size_t i = 0; i + 2 < source_.size(); ++i) {
        if (source_[i] != "using" || source_[i + 1] != "namespace") continue;
        for (i += 2; i < source_.size() && source_[i] != ";"; ++i) {
            if (source_[i] == name && source_[i + 1] == ";") return true;
        }
    }
    return false;
}

void rewrite_signatures(const Source& source, const KernelSignatures& signatures, Edits& edits) {
    for (const auto& declaration : signatures.declarations()) {
        if (signatures.has(declaration.kernel)) edits.insert_before(declaration.first, declaration.text);
    }
    for (std::size_t i = 1; i + 1 < source.size(); ++i) {
        if (source[i + 1] != ";" || source[i - 1] != "::" || !signatures.has(source[i])) continue;
        if (source.in_system_header(i) || source[i - 2] == "std") continue;  // not the kernel
        const std::size_t first = statement_begin(source, i);
        if (source[first] != "using" || !source.is_identifier(first + 1)) continue;
        edits.insert_before(first, source.join(first, i) + KernelSignatures::name_of(source[i]) + "; ");
    }
}

// ---- modules, whose kernels are launched by name

//     __global__ void k(int* p) { ... }    is followed by    static const ::simt::ModuleKernel<...> simt_kernel_1;
// which tells the runtime, when the module is loaded, how to launch k. So is `template __global__ void k<int>(int*);`.
void rewrite_module_kernels(const Source& source, const KernelSignatures& signatures, Edits& edits) {
    const auto announce = [&](std::size_t place, const std::string& kernel) {
        edits.insert_before(
            place, " static const ::simt::ModuleKernel<" + kernel + "> simt_kernel_" + std::to_string(place) + ";");
    };
    for (const auto& declaration : signatures.declarations()) {
        if (declaration.body == Source::none || source.partner(declaration.body) == Source::none) continue;
        announce(source.partner(declaration.body) + 1,
                 "static_cast<void (*)" + declaration.parameters + ">(" + std::string(declaration.kernel) + ")");
    }
    for (std::size_t i = 1; i + 1 < source.size(); ++i) {
        if (source[i] != "__global__") continue;
        const std::size_t first = statement_begin(source, i);
        if (source[first] != "template" || source[first + 1] == "<") continue;
        std::size_t name = i + 1;
        while (name < source.size() && source[name + 1] != "<" && source[name] != ";" && source[name] != "(") ++name;
        const std::size_t open = skip_angles(source, name + 1);
        if (source[name + 1] != "<" || source[open] != "(" || source.partner(open) == Source::none) continue;
        std::size_t begin = name;
        while (source[begin - 1] == "::" && source.is_identifier(begin - 2)) begin -= 2;
        announce(source.partner(open) + 2, "(" + source.join(begin, open) + ")");
    }
}

}  // namespace simcc
