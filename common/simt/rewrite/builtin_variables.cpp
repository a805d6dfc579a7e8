// SPDX-License-Identifier: MIT
// The built-in variables threadIdx, blockIdx, blockDim and gridDim become calls.
//
// They cannot be macros: programs declare `dim3 blockDim(16, 16);`, take parameters called gridDim and have members of
// these names. So this pass tracks scopes: a name that the program declares belongs to the program until the scope
// ends.

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {
namespace {

struct Builtin {
    std::string_view name, call;
};
constexpr std::array<Builtin, 4> builtins = {{
    {"threadIdx", " ::simt::thread_index()"},
    {"blockIdx", " ::simt::block_index()"},
    {"blockDim", " ::simt::block_dim()"},
    {"gridDim", " ::simt::grid_dim()"},
}};

/// A set of built-in variables, one bit each.
using Names = unsigned;

Names name_bit(std::string_view token) {
    for (std::size_t i = 0; i < builtins.size(); ++i) {
        if (token == builtins[i].name) return 1u << i;
    }
    return 0;
}

class BuiltinVariables {
public:
    BuiltinVariables(const Source& source, const Braces& braces, const ExecutionSpaces& spaces, Edits& edits)
        : source_(source), braces_(braces), spaces_(spaces), edits_(edits) {}

    void rewrite() {
        collect_members();
        frames_.push_back({});
        for (std::size_t i = 0; i < source_.size(); ++i) {
            const std::string_view token = source_[i];
            if (token == "(" || token == "[") {
                frames_.push_back({0, 0, token == "["});
            } else if (token == ")" || token == "]") {
                close_group(i);
            } else if (token == "{") {
                open_brace(i);
            } else if (token == "}") {
                close_brace(i);
            } else if (token == ";") {
                frames_.back().pending = 0;
            } else if (source_.is_identifier(i) && name_bit(token) != 0) {
                visit(i);
            }
        }
    }

private:
    /// What has been found since an opening bracket.
    struct Frame {
        Names declared = 0;        // in this scope
        Names pending = 0;         // parameters: visible in the rest of the statement and the following braces
        bool in_brackets = false;  // the innermost group is a pair of []
    };

    /// The names that each class declares as members, so that member functions defined before or outside see them.
    void collect_members() {
        for (std::size_t i = 0; i < source_.size(); ++i) {
            const Names bit = source_.is_identifier(i) ? name_bit(source_[i]) : 0;
            std::size_t open = braces_.enclosing(i);
            const bool enumerator = bit != 0 && is_enumerator(i);
            if (enumerator) open = is_scoped_enumeration(open) ? Source::none : braces_.at(open).enclosing;
            if (bit == 0 || open == Source::none || braces_.at(open).kind != BraceKind::type) continue;
            if (enumerator || (!inside_parentheses(i, open) && is_declaration(i))) {
                members_[open] |= bit;
                by_class_[class_name(open)] |= bit;
            }
        }
    }

    bool inside_parentheses(std::size_t i, std::size_t open) const {
        for (std::size_t j = i; j-- > open + 1;) {
            const std::string_view token = source_[j];
            if (token == ")" || token == "]" || token == "}") {
                if (source_.partner(j) != Source::none) j = source_.partner(j);
            } else if (token == "(" || token == "[" || token == "<") {
                return true;
            } else if (token == ";") {
                return false;
            }
        }
        return false;
    }

    std::string_view class_name(std::size_t open) const {
        std::string_view name;
        for (std::size_t i = braces_.at(open).statement; i < open && source_[i] != ":"; ++i) {
            if (source_[i] == "template") {
                i = std::max(i + 1, skip_angles(source_, i + 1)) - 1;
            } else if (source_[i] == "(") {
                i = source_.partner(i);
            } else if (source_[i] == "<") {
                break;  // a specialization
            } else if (source_.is_identifier(i) && source_[i] != "final") {
                name = source_[i];
            }
        }
        return name;
    }

    /// The members visible in the braces at `open` because of classes named before them: the bases of a class, or the X
    /// of a member function X::f defined outside its class.
    Names members_ahead_of(std::size_t open) const {
        Names names = 0;
        if (by_class_.empty()) return names;
        const bool type = braces_.at(open).kind == BraceKind::type;
        for (std::size_t i = braces_.at(open).statement; i < open; ++i) {
            const auto found = by_class_.find(source_[i]);
            if (found == by_class_.end()) continue;
            const std::size_t behind = source_[i + 1] == "<" ? skip_angles(source_, i + 1) : i + 1;
            if (type || source_[behind] == "::") names |= found->second;
        }
        return names;
    }

    void open_brace(std::size_t i) {
        Frame frame;
        frame.declared = frames_.back().pending;
        const BraceKind kind = braces_.at(i).kind;
        if (kind == BraceKind::type || kind == BraceKind::code) frame.declared |= members_ahead_of(i);
        const auto members = members_.find(i);
        if (members != members_.end()) frame.declared |= members->second;
        if (kind == BraceKind::type && frame.declared != 0) by_class_[class_name(i)] |= frame.declared;
        frames_.push_back(frame);
    }

    void close_group(std::size_t) {
        if (frames_.size() < 2) return;
        const Frame closed = frames_.back();
        frames_.pop_back();
        frames_.back().pending |= closed.declared | closed.pending;
    }

    void close_brace(std::size_t i) {
        if (frames_.size() < 2) return;
        frames_.pop_back();
        const std::size_t open = source_.partner(i);
        const bool list = open != Source::none && braces_.at(open).kind == BraceKind::initializer;
        if (!list) frames_.back().pending = 0;
    }

    bool is_own(Names bit) const {
        return std::any_of(frames_.begin(), frames_.end(),
                           [&](const Frame& frame) { return ((frame.declared | frame.pending) & bit) != 0; });
    }

    /// Whether token i, spelled like a built-in variable, declares something: it comes between a type and what follows
    /// a declarator. `.x` nearly always follows a use of the built-in.
    bool is_declaration(std::size_t i) const {
        const std::string_view before = source_[i - 1], after = source_[i + 1];
        if (!is_one_of(after, {"=", ";", "(", "{", ",", ")", "[", ":", ">"})) return false;
        if (source_.is_identifier(i - 1)) return !is_expression_keyword(before);
        if (before == ">" || before == "&" || before == "*") return after != "[" && declares_behind_operator(i - 1);
        // The later names in `dim3 gridDim(4), blockDim(32);`. In an initializer list this is a use.
        if (before == ",") return in_declarator_list(i);
        return false;
    }

    /// `dim3 &blockDim`, `const auto &blockDim`, `Vector<int> gridDim`: a type comes before the operator.
    bool declares_behind_operator(std::size_t i) const {
        while (source_[i] == "&" || source_[i] == "*") --i;
        if (source_[i] == ",") return in_declarator_list(i + 1);  // int *p, *blockDim;
        return source_[i] == ">" || (source_.is_identifier(i) && !is_expression_keyword(source_[i]));
    }

    /// `dim3 (&blockDim)[2]`, `int (*gridDim)(int)`
    bool is_declared_in_parentheses(std::size_t i) const {
        return is_one_of(source_[i - 1], {"*", "&"}) && source_[i - 2] == "(" && source_[i + 1] == ")" &&
               is_one_of(source_[i + 2], {"(", "["}) && source_.is_identifier(i - 3) &&
               !is_expression_keyword(source_[i - 3]);
    }

    bool in_declarator_list(std::size_t i) const {
        const std::size_t open = braces_.enclosing(i);
        if (open != Source::none && braces_.at(open).kind == BraceKind::initializer) return false;
        const std::size_t floor = open == Source::none ? 0 : open + 1;
        for (std::size_t j = i; j-- > floor;) {
            const std::string_view token = source_[j];
            if (token == ")" || token == "]" || token == "}") {
                if (source_.partner(j) == Source::none) return false;
                if (token == "}" && braces_.at(source_.partner(j)).kind != BraceKind::initializer) return false;
                j = source_.partner(j);
            } else if (token == ";" || j == floor) {
                const std::size_t first = token == ";" ? j + 1 : j;
                return source_.is_identifier(first) && !is_expression_keyword(source_[first]) &&
                       source_[first + 1] != "(";
            } else if (token == "(" || token == "[" ||
                       (token == "<" && source_[j - 1] == "<" && source_[j - 2] == "<")) {
                return false;  // (the last: the configuration of a launch)
            }
        }
        return false;
    }

    /// `enum { gridDim = 4, blockDim }`
    bool is_enumerator(std::size_t i) const {
        const std::size_t open = braces_.enclosing(i);
        if (open == Source::none || braces_.at(open).kind != BraceKind::type) return false;
        return is_one_of(source_[i - 1], {"{", ","}) && is_one_of(source_[i + 1], {",", "}", "=", "["}) &&
               statement_has(open, "enum");
    }

    bool is_scoped_enumeration(std::size_t open) const {
        return statement_has(open, "class") || statement_has(open, "struct");
    }

    bool statement_has(std::size_t open, std::string_view word) const {
        for (std::size_t i = braces_.at(open).statement; i < open; ++i) {
            if (source_[i] == word) return true;
        }
        return false;
    }

    /// `auto [threadIdx, n]`
    bool is_binding(std::size_t i) const {
        while (source_[i] == "," || source_.is_identifier(i)) --i;
        if (source_[i] != "[") return false;
        do --i;
        while (source_[i] == "&");
        return source_[i] == "auto" || (is_one_of(source_[i], {"const", "volatile"}) && source_[i - 1] == "auto");
    }

    /// `[blockDim = n] { ... }`
    bool is_captured_anew(std::size_t i) const {
        const bool assigned = source_[i + 1] == "=" && source_[i + 2] != "=";
        return (assigned || source_[i + 1] == "{") && is_one_of(source_[i - 1], {"[", ",", "&"});
    }

    /// Records names that are declared otherwise than after a type.
    bool declares_without_type(std::size_t i, Names bit) {
        Frame& frame = frames_.back();
        Frame& around = frames_.size() > 1 ? frames_[frames_.size() - 2] : frame;
        if (is_enumerator(i)) {
            (is_scoped_enumeration(braces_.enclosing(i)) ? frame : around).declared |= bit;
        } else if (is_declared_in_parentheses(i) || (frame.in_brackets && is_binding(i))) {
            around.declared |= bit;
        } else if (frame.in_brackets && is_captured_anew(i)) {
            around.pending |= bit;
        } else {
            return false;
        }
        return true;
    }

    /// `using shape::blockDim;`, which declares the name in this scope.
    bool is_used_from_elsewhere(std::size_t i) const {
        if (source_[i + 1] != ";" && source_[i + 1] != ",") return false;
        while (source_.is_identifier(i) || source_[i] == "::" || source_[i] == ",") {
            if (source_[i] == "using") return true;
            --i;
        }
        return false;
    }

    void visit(std::size_t i) {
        const Names bit = name_bit(source_[i]);
        const std::string_view before = source_[i - 1];
        if (before == "." || before == "->") return;
        const bool global = before == "::" && !source_.is_identifier(i - 2) && source_[i - 2] != ">";
        if (before == "::" && is_used_from_elsewhere(i)) frames_.back().declared |= bit;
        if (before == "::" && !global) return;
        if (declares_without_type(i, bit)) return;
        if (!global && is_declaration(i)) {
            if (in_template_header(i)) {
                frames_.back().pending |= bit;
            } else if (!declares_builtin_itself(i)) {
                frames_.back().declared |= bit;
            }
            return;
        }
        if (!global && is_own(bit)) return;
        if (spaces_.is_host_only(i) && !spaces_.is_unevaluated(i)) {
            const std::string name(source_[i]);
            edits_.refuse_on_host(i, "'" + name + "' is known to kernels and __device__ functions only");
        }
        for (const Builtin& builtin : builtins) {
            if (source_[i] == builtin.name) edits_.replace(global ? i - 1 : i, i + 1, std::string(builtin.call));
        }
    }

    /// `template <int blockDim>`: a parameter of what follows.
    bool in_template_header(std::size_t i) const {
        for (std::size_t j = i; j-- > 0 && !is_one_of(source_[j], {";", "{", "}", "(", ")"});) {
            if (source_[j] == "template") return skip_angles(source_, j + 1) > i;
        }
        return false;
    }

    /// `extern const uint3 threadIdx;`, as in the toolkit's headers.
    bool declares_builtin_itself(std::size_t i) const {
        if (braces_.in_function(i) || frames_.size() > 1) return false;
        while (i > 0 && source_[i - 1] != ";" && source_[i - 1] != "}") --i;
        return source_[i] == "extern";
    }

    const Source& source_;
    const Braces& braces_;
    const ExecutionSpaces& spaces_;
    Edits& edits_;
    std::vector<Frame> frames_;
    std::map<std::size_t, Names> members_;  // by the class's `{`
    std::map<std::string_view, Names> by_class_;
};

}  // namespace

void rewrite_builtin_variables(const Source& source, const Braces& braces, const ExecutionSpaces& spaces,
                               Edits& edits) {
    BuiltinVariables(source, braces, spaces, edits).rewrite();
}

}  // namespace simcc
