// SPDX-License-Identifier: MIT
// Facts about a kernel that cudaFuncGetAttributes needs and a host compiler does not keep. They stay in the program as
// variables of the kernel, which the runtime finds by name among the program's symbols (runtime/kernels.cpp):
// becomes, where f is a device function with shared variables of its own,
//     void k() { static char simt_launch_bounds[256]; ::simt::tell_bounds(sizeof simt_launch_bounds);
//                static char simt_shared_of_f; f(1); }
// (each with an attribute that keeps it). The kernel's own shared variables already are such variables. A launch asks
// the kernel itself for its bounds (include/simt/launch.hpp); one without bounds says 0. In a file that uses graphs, a
// kernel also tells its address and its arguments, for cudaGraphKernelNodeGetParams:
//     ::simt::tell_kernel(0, [](auto simt_pick) -> decltype(simt_pick(k<T>)) { return simt_pick(k<T>); }, first, second);
// and in one that asks for the spaces of addresses, such as by __isGridConstant, which of them are __grid_constant__:
//     ::simt::note_grid_constants(second);

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/parameters.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

bool names_one_of(const Source& source, std::initializer_list<std::string_view> names) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        if (is_one_of(source[i], names) && !source.in_system_header(i)) return true;
    }
    return false;
}

class KernelFacts {
public:
    KernelFacts(const Source& source, const Braces& braces, Edits& edits)
        : source_(source),
          braces_(braces),
          edits_(edits),
          has_graphs_(uses_graphs(source)),
          asks_for_spaces_(
              names_one_of(source, {"__isGlobal", "__isShared", "__isConstant", "__isLocal", "__isGridConstant"})) {}

    void rewrite(bool counts_lines) {
        collect_functions();
        for (std::size_t open : kernels_) {
            const std::string facts = answer_of(open) + grid_constants_of(open) + shared_of_callees(open);
            if (counts_lines) edits_.insert_before(open + 1, facts);  // on the line of the first statement
            else edits_.replace(open, open + 1, "{" + facts);
        }
        // (g++ would take the attribute's first name for a keyword of its own.)
        for (std::size_t i = 3; i < source_.size(); ++i) {
            if (source_[i] != "simt_launch_bounds" || source_[i - 3] != "__attribute__") continue;
            edits_.replace(i - 3, source_.partner(i - 2) + 1, "");
        }
    }

private:
    void collect_functions() {
        for (std::size_t i = 0; i < source_.size(); ++i) {
            if (source_[i] != "{" || source_.partner(i) == Source::none) continue;
            const Brace& brace = braces_.at(i);
            if (brace.kind != BraceKind::code || braces_.in_function(i)) continue;
            if (has_specifier(source_, brace.statement, i, "__global__")) kernels_.push_back(i);
            const std::size_t name = name_of(brace.statement, i);
            if (name == Source::none) continue;
            if (has_specifier(source_, brace.statement, i, "__device__")) bodies_[source_[name]].push_back(i);
        }
    }

    /// The name of the function whose declaration begins at token i and whose body opens at token `open`.
    std::size_t name_of(std::size_t i, std::size_t open) const {
        for (; i < open; ++i) {
            if (source_[i] == "operator") return Source::none;
            const bool attribute = source_[i] == "__attribute__" || source_[i] == "alignas" || source_[i] == "decltype";
            if (attribute && source_[i + 1] == "(") {
                i = source_.partner(i + 1);
            } else if (source_[i] == "<" && skip_angles(source_, i) != i) {
                i = skip_angles(source_, i) - 1;
            } else if (source_[i] == "(") {
                return source_.is_identifier(i - 1) ? i - 1 : Source::none;
            }
            if (i == Source::none) return i;
        }
        return Source::none;
    }

    /// What the kernel answers to the launch that asks it.
    std::string answer_of(std::size_t open) const {
        const std::string bounds = bounds_of(open), most = bounds.empty() ? "0" : "sizeof simt_launch_bounds";
        const std::string kernel = has_graphs_ ? kernel_and_arguments(open) : "";
        if (kernel.empty()) return bounds + " ::simt::tell_bounds(" + most + ");";
        return bounds + " ::simt::tell_kernel(" + most + ", " + kernel + ");";
    }

    /// The kernel's choice among its overloads and the names of its parameters; empty if its own name is unknown in
    /// the body, or a parameter has no name.
    std::string kernel_and_arguments(std::size_t open) const {
        const std::size_t first = braces_.at(open).statement;
        const std::size_t name = name_of(first, open);
        if (name == Source::none || braces_.in_type(open) || has_specifier(source_, first, open, "friend")) return "";
        std::size_t parameters = name + 1;
        std::string kernel(source_[name]);
        if (source_[name] == ">") return "";
        if (source_[parameters] == "<") {  // a specialization
            parameters = skip_angles(source_, parameters);
            kernel = source_.join(name, parameters);
        } else if (source_[first] == "template") {
            const std::optional<std::string> own = template_parameters(first + 1);
            if (!own) return "";
            kernel += *own;
        }
        if (source_[parameters] != "(") return "";
        const std::optional<std::vector<std::string>> arguments = names_of_parameters(parameters);
        if (!arguments) return "";
        std::string list;
        for (const std::string& argument : *arguments) {
            list += ", " + argument;
            const bool is_its_name = argument == source_[name] || argument == in_reference(std::string(source_[name]));
            if (is_its_name) kernel.insert(0, scope_of(open));
        }
        const std::string picked = "simt_pick(" + kernel + ")";
        return "[](auto simt_pick) -> decltype(" + picked + ") { return " + picked + "; }" + list;
    }

    /// In a file that asks for the space of an address, the kernel tells its parameters with __grid_constant__.
    std::string grid_constants_of(std::size_t open) const {
        const std::size_t name = name_of(braces_.at(open).statement, open);
        if (!asks_for_spaces_ || name == Source::none) return "";
        std::size_t parameters = name + 1;
        if (source_[parameters] == "<") parameters = skip_angles(source_, parameters);
        if (source_[parameters] != "(") return "";
        std::string list;
        for (const auto& [first, end] : parameter_pieces(source_, parameters, source_.partner(parameters))) {
            if (!has_specifier(source_, first, end, "__grid_constant__")) continue;
            if (const auto own = name_of_parameter(source_, first, end)) list += (list.empty() ? "" : ", ") + *own;
        }
        return list.empty() ? "" : " ::simt::note_grid_constants(" + list + ");";
    }

    /// `::outer::inner::`
    std::string scope_of(std::size_t open) const {
        std::string scope = "::";
        for (std::size_t i = braces_.at(open).enclosing; i != Source::none; i = braces_.at(i).enclosing) {
            std::size_t word = i;
            while (word > braces_.at(i).statement && source_[word] != "namespace") --word;
            if (source_.is_identifier(i - 1) && i - 1 != word) scope.insert(2, source_.join(word + 1, i) + "::");
        }
        return scope;
    }

    /// `<T, N>` for `<class T, int N = 4, class... Rest>`: from a pack on, or a parameter without a name, the list is
    /// left to deduction. (g++ does not expand packs in such a lambda.)
    std::optional<std::string> template_parameters(std::size_t open) const {
        const std::size_t behind = skip_angles(source_, open);
        if (behind == open) return {};
        std::string list;
        for (const auto& [first, end] : parameter_pieces(source_, open, behind - 1)) {
            const bool has_name =
                source_.is_identifier(end - 1) && end - first > 1 && !is_word_of_type(source_[end - 1]);
            if (!has_name || source_[end - 2] == ".") break;
            list += (list.empty() ? "<" : ", ") + std::string(source_[end - 1]);
        }
        return list.empty() ? list : list + ">";
    }

    /// The names of the parameters in the brackets at `open`, those of references marked; none if one has no name that the tokens show.
    std::optional<std::vector<std::string>> names_of_parameters(std::size_t open) const {
        const std::size_t close = source_.partner(open);
        std::vector<std::string> names;
        for (const auto& [first, end] : parameter_pieces(source_, open, close)) {
            if (end - first == 1 && source_[first] == "void") continue;
            const std::optional<std::string> name = name_of_parameter(source_, first, end);
            if (!name) return {};
            bool is_reference = false;
            for (std::size_t i = first; i < end; ++i) {
                is_reference |= source_[i] == "&";
                if (source_[i] == "<") i = std::max(i + 1, skip_angles(source_, i)) - 1;
            }
            names.push_back(is_reference ? in_reference(*name) : *name);
        }
        return names;
    }

    static std::string in_reference(const std::string& name) {
        const std::size_t dots = name.find('.');
        return "::simt::referred(" + name.substr(0, dots) + ")" + (dots == std::string::npos ? "" : "...");
    }

    /// `__attribute__((simt_launch_bounds(256, 2)))` in the kernel's declaration; empty if there is none.
    std::string bounds_of(std::size_t open) const {
        for (std::size_t i = braces_.at(open).statement; i < open; ++i) {
            if (source_[i] != "simt_launch_bounds" || source_[i + 1] != "(") continue;
            std::size_t end = i + 2;
            while (end < source_.partner(i + 1) && source_[end] != ",") {
                const bool brackets = source_[end] == "(" || source_[end] == "[" || source_[end] == "{";
                if (brackets && source_.partner(end) != Source::none) end = source_.partner(end);
                const bool angles = may_open_angles(source_, end) && skip_angles(source_, end) != end;
                end = angles ? skip_angles(source_, end) : end + 1;
            }
            return " static char simt_launch_bounds[" + source_.join(i + 2, end) + "] __attribute__((used));";
        }
        return "";
    }

    /// The functions with shared variables that the kernel calls, directly or not, as far as their names tell.
    std::string shared_of_callees(std::size_t kernel) const {
        std::set<std::string_view> seen;
        std::vector<std::size_t> pending = {kernel};
        std::string facts;
        while (!pending.empty()) {
            const std::size_t open = pending.back();
            pending.pop_back();
            for (std::size_t i = open + 1; i < source_.partner(open); ++i) {
                if (source_[i + 1] != "(" && source_[i + 1] != "<") continue;
                const auto callees = source_.is_identifier(i) ? bodies_.find(source_[i]) : bodies_.end();
                if (callees == bodies_.end() || !seen.insert(source_[i]).second) continue;
                bool shares = false;
                for (const std::size_t body : callees->second) {
                    pending.push_back(body);
                    shares |= has_shared_variables(body);
                }
                if (shares) {
                    facts += " static char simt_shared_of_" + std::string(source_[i]) + " __attribute__((used));";
                }
            }
        }
        return facts;
    }

    /// `__attribute__((aligned(128))) thread_local`, the preprocessor's form of __shared__, without extern.
    bool has_shared_variables(std::size_t open) const {
        for (std::size_t i = open + 1; i < source_.partner(open); ++i) {
            if (source_[i] != "thread_local" || source_[i - 1] != ")") continue;
            const std::size_t attribute = source_.partner(i - 1) - 1;
            if (source_[attribute] == "__attribute__" && source_[attribute - 1] != "extern") return true;
        }
        return false;
    }

    const Source& source_;
    const Braces& braces_;
    Edits& edits_;
    const bool has_graphs_, asks_for_spaces_;
    std::map<std::string_view, std::vector<std::size_t>> bodies_;  // of each device function, as their opening braces
    std::vector<std::size_t> kernels_;
};

}  // namespace

bool uses_graphs(const Source& source) {
    for (std::size_t i = 0; i < source.size(); ++i) {
        const std::string_view word = source[i];
        const bool is_of_graphs = word.substr(0, 9) == "cudaGraph" || word.substr(0, 22) == "cudaStreamBeginCapture";
        if (is_of_graphs && source.is_identifier(i) && !source.in_system_header(i)) return true;
    }
    return false;
}

void rewrite_kernel_facts(const Source& source, const Braces& braces, Edits& edits, bool counts_lines) {
    KernelFacts(source, braces, edits).rewrite(counts_lines);
}

}  // namespace simcc
