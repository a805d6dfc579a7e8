// SPDX-License-Identifier: MIT
// Facts about a kernel that cudaFuncGetAttributes needs and a host compiler does not keep. They stay in the program as
// variables of the kernel, which the runtime finds by name among the program's symbols (runtime/kernels.cpp):
// becomes, where f is a device function with shared variables of its own,
//     void k() { static char simt_launch_bounds[256]; ::simt::tell_bounds(sizeof simt_launch_bounds);
//                static char simt_shared_of_f; f(1); }
// (each with an attribute that keeps it). The kernel's own shared variables already are such variables. A launch asks
// the kernel itself for its bounds (include/simt/launch.hpp); one without bounds says 0.

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

class KernelFacts {
public:
    KernelFacts(const Source& source, const Braces& braces, Edits& edits)
        : source_(source), braces_(braces), edits_(edits) {}

    void rewrite() {
        collect_functions();
        for (std::size_t open : kernels_) {
            edits_.insert_before(open + 1, bounds_of(open) + shared_of_callees(open));
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

    /// `__attribute__((simt_launch_bounds(256, 2)))` in the kernel's declaration.
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
            return " static char simt_launch_bounds[" + source_.join(i + 2, end) +
                   "] __attribute__((used)); ::simt::tell_bounds(sizeof simt_launch_bounds);";
        }
        return " ::simt::tell_bounds(0);";
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
    std::map<std::string_view, std::vector<std::size_t>> bodies_;  // of each device function, as their opening braces
    std::vector<std::size_t> kernels_;
};

}  // namespace

void rewrite_kernel_facts(const Source& source, const Braces& braces, Edits& edits) {
    KernelFacts(source, braces, edits).rewrite();
}

}  // namespace simcc
