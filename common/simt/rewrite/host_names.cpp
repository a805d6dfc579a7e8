// SPDX-License-Identifier: MIT
// Warnings for variables and functions of the host that device code uses, as far as the tokens show it:
//     int counter;    __global__ void k() { ++counter; }
// Here both run in one process, so this works; nvcc refuses it. In doubt nothing is said: a name that anything else in
// the file may declare does not count.
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "common/simt/rewrite/brackets.hpp"
#include "common/simt/rewrite/functions.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

class HostNames {
public:
    HostNames(const Source& source, const Braces& braces, const Functions& functions, const ExecutionSpaces& spaces)
        : source_(source), braces_(braces), functions_(functions), spaces_(spaces) {
        for (std::size_t i = 1; i < source.size(); ++i) collect(i);
        for (std::size_t i = 1; i < source.size(); ++i) {
            const auto found = names_.find(source[i]);
            if (found != names_.end() && found->second.token != i && may_declare(i)) names_.erase(found);
        }
    }

    void warn(Edits& edits) const {
        std::set<std::string_view> told;
        for (std::size_t i = 1; i + 1 < source_.size(); ++i) {
            const auto found = names_.find(source_[i]);
            if (found == names_.end() || told.count(source_[i]) != 0 || source_.in_system_header(i)) continue;
            if (is_one_of(source_[i - 1], {".", "->", "::"}) || source_[i + 1] == "::") continue;
            const bool is_function = found->second.is_function;
            if (is_function && source_[i + 1] != "(") continue;
            if (!spaces_.is_device_only(i) || spaces_.is_unevaluated(i)) continue;
            told.insert(source_[i]);
            edits.warn(i, "device code " +
                              std::string(is_function ? "calls the host's function '" : "uses the host's variable '") +
                              std::string(source_[i]) + "'; nvcc refuses that");
        }
    }

private:
    struct Name {
        std::size_t token;
        bool is_function;
    };

    /// Token i, if it is the name of a variable or function of the host in its declaration at namespace scope.
    void collect(std::size_t i) {
        const bool is_function = source_[i + 1] == "(";
        if (!source_.is_identifier(i) || !(is_function || is_one_of(source_[i + 1], {";", "=", "["}))) return;
        if (source_.in_system_header(i) || braces_.in_function(i) || braces_.in_type(i)) return;
        if (!is_type_end(i - 1)) return;
        const std::size_t first = statement_begin(source_, i);
        for (std::size_t k = first; k < i; ++k) {
            const bool is_plain = source_.is_identifier(k) || is_one_of(source_[k], {"*", "::"});
            if (!is_plain ||
                is_one_of(source_[k],
                          {"template",     "__device__", "__constant__", "__managed__", "__shared__", "__global__",
                           "thread_local", "const",      "constexpr",    "consteval",   "constinit",  "extern",
                           "typedef",      "using",      "enum",         "namespace",   "friend",     "operator",
                           "asm",          "return",     "__attribute__"}))
                return;
        }
        if (first == i || functions_.has_device_declaration(source_[i])) return;
        if (is_function) {
            const std::size_t close = source_.partner(i + 1);
            if (close == Source::none || source_[close + 1] != "{") return;
        }
        const bool is_new = names_.emplace(source_[i], Name{i, is_function}).second;
        if (!is_new) names_[source_[i]].token = Source::none;  // declared twice: the second pass drops it
    }

    /// Whether a type may end with this token.
    bool is_type_end(std::size_t i) const {
        if (source_[i] == "*") return source_.is_identifier(i - 1) || source_[i - 1] == "*";
        return source_.is_identifier(i) && !is_expression_keyword(source_[i]);
    }

    /// Whether token i may declare its name, as a parameter, a local variable or a member.
    bool may_declare(std::size_t i) const {
        const std::string_view before = source_[i - 1];
        if (is_one_of(before, {"*", "&", "&&", ">"})) return true;
        if (before == "[" || (before == "," && source_[i + 1] == "]")) return source_[i - 2] == "auto";
        return source_.is_identifier(i - 1) && !is_expression_keyword(before);
    }

    const Source& source_;
    const Braces& braces_;
    const Functions& functions_;
    const ExecutionSpaces& spaces_;
    std::map<std::string_view, Name> names_;
};

}  // namespace

void warn_of_host_names(const Source& source, const Braces& braces, const Functions& functions,
                        const ExecutionSpaces& spaces, Edits& edits) {
    HostNames(source, braces, functions, spaces).warn(edits);
}

}  // namespace simcc
