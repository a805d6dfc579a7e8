// SPDX-License-Identifier: MIT
// Loops that wait for another thread without a call that lets it run.
//
// The lanes and blocks of a kernel share a few OS threads, and a lane keeps its thread until it waits in a barrier, a
// shuffle, a failing atomic and the like. A lane that reads a flag in a loop would never give up its thread:
//     while (*flag == 0);                  ->  { ::simt::Polling simt_polling; while (*flag == 0){ ; ::simt::yield(); } }
//     do { v = *flag; } while (v == 0);    ->  { ::simt::Polling simt_polling; do { v = *flag; }
//                                                while ((v == 0) && (::simt::yield(), true)); }
// The object shows the checked simulator which reads are waiting; it costs nothing otherwise.
//
// A loop waits if each iteration does exactly what the previous one did, so that only another thread can end it: see
// Repetition. A loop that makes progress by itself does not count, so none is slowed down, with two exceptions. A loop
// that ends when a volatile variable changes, and has a fence, works while it waits. And a loop that reads volatile
// variables and sets a flag if it has to come back for what was not ready yet retries. A loop that calls __nanosleep()
// lets others run anyway and only gets the object.
#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "common/simt/rewrite/brackets.hpp"
#include "common/simt/rewrite/passes.hpp"

namespace simcc {

// ---- whether repeating code repeats its effect exactly: the mark of a loop that waits

/// The tokens [first, last).
struct Range {
    std::size_t first, last;
};

class Repetition {
public:
    Repetition(const Source& source, const Braces& braces);

    /// Whether the code only reads, and at most copies what it reads: it increments no variable, stores through no
    /// pointer, has no loop, calls only functions like this, and assigns each name once, to a value that does not
    /// depend on the previous iteration. In doubt the answer is no.
    bool is_idle(std::initializer_list<Range> code) const;

private:
    using Names = std::set<std::string_view>;

    void collect_functions();
    bool reads_only(std::string_view function) const;
    bool may_have_effect(std::size_t i) const;
    bool is_effectful_call(std::size_t open) const;
    bool is_assignment(std::size_t i) const;
    bool is_declared_or_plain(std::size_t name) const;
    bool declares(std::size_t name) const;

    const Source& source_;
    const Braces& braces_;
    std::map<std::string_view, bool> functions_;  // those defined in this file: whether they only read
};

namespace {

/// Words of code that has effects or control flow that is not analysed here.
constexpr std::string_view effects[] = {
    "for", "while",  "do",  "switch",  "goto",  "throw",    "try",      "static",
    "new", "delete", "asm", "__asm__", "__asm", "co_await", "co_yield", "co_return",
};

/// Words that may come before a `(` without being called.
constexpr std::string_view before_group[] = {
    "if",    "constexpr", "return", "sizeof", "alignof",  "decltype", "and",      "or",
    "not",   "bool",      "char",   "short",  "int",      "long",     "unsigned", "signed",
    "float", "void",      "double", "size_t", "uint32_t", "uint64_t",
};

/// CUDA functions that only read or order reads, whatever their definitions look like, and casts, which look like
/// calls. `load` is a member of cuda::atomic.
constexpr std::string_view readers[] = {
    "__ldg",
    "__ldca",
    "__ldcg",
    "__ldcs",
    "__ldcv",
    "__ldlu",
    "__threadfence",
    "__threadfence_block",
    "__threadfence_system",
    "__nv_atomic_load",
    "__nv_atomic_load_n",
    "__nv_atomic_thread_fence",
    "atomic_thread_fence",
    "static_cast",
    "const_cast",
    "reinterpret_cast",
    "load",
};

bool opens_group(std::string_view token) { return token == "(" || token == "[" || token == "{"; }

/// The end of the value that begins at token i: its `;`, `,` or the closing bracket around it.
std::size_t value_end(const Source& source, std::size_t i, std::size_t last) {
    for (; i < last; ++i) {
        const std::string_view token = source[i];
        if (token == ";" || token == "," || token == ")" || token == "}") break;
        if (opens_group(token)) i = std::min(source.partner(i), last);
    }
    return std::min(i, last);
}

/// The name of the function whose body opens at `open` and whose declaration begins at token i.
std::string_view function_name(const Source& source, std::size_t i, std::size_t open) {
    for (; i < open; ++i) {
        if (source[i] == "template" && source[i + 1] == "<") {
            i = std::max(i + 1, skip_angles(source, i + 1)) - 1;
        } else if (source[i] == "__attribute__" || source[i] == "alignas" || source[i] == "decltype") {
            i = std::min(source.partner(i + 1), open);
        } else if (source[i] == "(") {
            return source[i - 1];
        }
    }
    return {};
}

}  // namespace

Repetition::Repetition(const Source& source, const Braces& braces) : source_(source), braces_(braces) {
    collect_functions();
}

/// A name counts as a reading function if every definition of it in this file only reads, into variables of its own.
void Repetition::collect_functions() {
    for (std::size_t i = 0; i < source_.size(); ++i) {
        if (source_[i] != "{" || source_.partner(i) == Source::none) continue;
        const Brace& brace = braces_.at(i);
        if (brace.kind != BraceKind::code || braces_.in_function(i)) continue;
        const std::size_t close = source_.partner(i);
        bool reads = is_idle({{i + 1, close}});
        for (std::size_t j = i + 1; reads && j < close; ++j) reads = !is_assignment(j) || declares(j - 1);
        const std::string_view name = function_name(source_, brace.statement, i);
        if (!source_.in_system_header(i) || !is_one_of(name, readers)) {
            const auto known = functions_.try_emplace(name, reads).first;
            known->second = known->second && reads;
        }
        i = close;
    }
}

bool Repetition::reads_only(std::string_view function) const {
    const auto found = functions_.find(function);
    return found != functions_.end() ? found->second : is_one_of(function, readers);
}

bool Repetition::is_idle(std::initializer_list<Range> code) const {
    Names assigned, used;
    for (const Range& range : code) {
        for (std::size_t i = range.first; i < range.last; ++i) {
            if (may_have_effect(i)) return false;
            const bool assigns = is_assignment(i), chooses = source_[i] == "if";
            if (assigns && !is_declared_or_plain(i - 1)) return false;
            if (!assigns && !chooses) continue;
            const std::size_t end = value_end(source_, i + 1, range.last);
            for (std::size_t j = i + 1; j < end; ++j) used.insert(source_[j]);
            // A name's value in the previous iteration must not affect any name's new value.
            if (assigns && (used.count(source_[i - 1]) != 0 || !assigned.insert(source_[i - 1]).second)) return false;
        }
    }
    return true;
}

bool Repetition::may_have_effect(std::size_t i) const {
    const std::string_view token = source_[i], before = source_[i - 1];
    if (source_.is_identifier(i)) return is_one_of(token, effects);
    if (token == "(") return is_effectful_call(i);
    if (token == "{") return braces_.at(i).kind != BraceKind::code;
    if (token == "[") return !source_.is_identifier(i - 1) && before != ")" && before != "]";  // a lambda
    return (token == "+" || token == "-") && source_[i + 1] == token && source_.adjoins(i + 1);
}

bool Repetition::is_effectful_call(std::size_t open) const {
    const std::size_t last = open - 1;
    if (source_.is_identifier(last)) return !is_one_of(source_[last], before_group) && !reads_only(source_[last]);
    if (source_[last] == ")") {  // a cast, unless it is a call by pointer
        const std::string_view type_end = source_[last - 1];
        return type_end != "*" && !is_one_of(type_end, before_group);
    }
    if (source_[last] == ">") {  // f<T>(x), or a > (b)
        std::size_t depth = 0, i = last;
        for (; i > 0 && source_[i] != ";" && source_[i] != "{"; --i) {
            depth += source_[i] == ">";
            if (source_[i] == "<" && --depth == 0) return !reads_only(source_[i - 1]);
        }
        return false;
    }
    return source_[last] == "]" || source_[last] == "}";
}

/// Whether token i is the `=` of an assignment or initialization, compound ones included, not of a comparison.
bool Repetition::is_assignment(std::size_t i) const {
    if (source_[i] != "=" || (source_[i + 1] == "=" && source_.adjoins(i + 1))) return false;
    const std::string_view before = source_.adjoins(i) ? source_[i - 1] : std::string_view{};
    const bool shift = (before == "<" || before == ">") && source_[i - 2] == before && source_.adjoins(i - 1);
    return shift || (before != "=" && before != "!" && before != "<" && before != ">");
}

/// Whether a declaration ends with this name: `int v`, `const T* v`.
bool Repetition::declares(std::size_t name) const {
    std::size_t type = name - 1;
    while (source_[type] == "*" || source_[type] == "&") --type;
    return source_[type] == ">" || (source_.is_identifier(type) && !is_expression_keyword(source_[type]));
}

/// Whether the target of the assignment is a variable, not something behind a pointer, an index or a member.
bool Repetition::is_declared_or_plain(std::size_t name) const {
    if (!source_.is_identifier(name)) return false;
    const std::string_view before = source_[name - 1];
    if (before == "." || before == "->" || before == "::") return false;
    return (before != "*" && before != "&") || declares(name);
}

// ---- the loops

namespace {

constexpr const char* polling = "{ ::simt::Polling simt_polling; ";

/// The token after the group that opens at token i; the end of the text if it does not close.
std::size_t behind_group(const Source& source, std::size_t i) {
    return source.partner(i) == Source::none ? source.size() : source.partner(i) + 1;
}

/// The token after the statement that begins at token i.
std::size_t behind_statement(const Source& source, std::size_t i) {
    const std::string_view word = source[i];
    if (word == "{") return behind_group(source, i);
    if (word == "do") return behind_group(source, behind_statement(source, i + 1) + 1) + 1;  // while (condition) ;
    if (word == "if" || word == "while" || word == "for" || word == "switch") {
        const std::size_t open = source[i + 1] == "constexpr" ? i + 2 : i + 1;
        const std::size_t behind = behind_statement(source, behind_group(source, open));
        return word == "if" && source[behind] == "else" ? behind_statement(source, behind + 1) : behind;
    }
    while (i < source.size() && source[i] != ";" && source[i] != "}") {
        i = source[i] == "(" || source[i] == "[" || source[i] == "{" ? behind_group(source, i) : i + 1;
    }
    return i + 1;
}

class WaitingLoops {
public:
    WaitingLoops(const Source& source, const Braces& braces, Edits& edits)
        : source_(source), braces_(braces), edits_(edits), repetition_(source, braces) {
        collect_volatile_names();
    }

    void rewrite() {
        for (std::size_t i = 0; i < source_.size(); ++i) {
            if (source_[i] == "do") {
                visit_do(i);
            } else if (source_[i] == "for" || (source_[i] == "while" && ends_of_do_.count(i) == 0)) {
                visit_loop(i);
            }
        }
    }

private:
    void visit_loop(std::size_t i) {
        if (source_[i + 1] != "(") return;
        const std::size_t close = source_.partner(i + 1), body = behind_group(source_, i + 1);
        const std::size_t end = behind_statement(source_, body);
        if (end > source_.size()) return;
        Range condition = {i + 2, close}, round = condition;
        if (source_[i] == "for") {
            condition.first = behind_statement(source_, i + 2);
            condition.last = behind_statement(source_, condition.first) - 1;
            if (condition.last > close) return;  // over a range
            round.first = condition.first;
        }
        const Range statement = {body, end};
        if (sleeps({i, end})) return mark(i, end);
        if (!waits(i, condition, statement)) return;
        if (takes_lock(condition, statement)) {  // the operation itself lets others go first
            return mark(i, end);
        }
        if (!repetition_.is_idle({round, statement}) && !depends_on_others(condition, statement)) return;
        // With the yield last, a flag that is already set costs no turn; but `continue` would skip the yield.
        const bool first = has_word(statement, {"continue"});
        edits_.insert_before(i, polling);
        edits_.insert_before(body, first ? "{ ::simt::yield(); " : "{ ");
        edits_.replace(end - 1, end, std::string(source_[end - 1]) + (first ? " } }" : " ::simt::yield(); } }"));
    }

    void visit_do(std::size_t i) {
        const std::size_t end = behind_statement(source_, i + 1);
        if (source_[end] != "while" || source_.partner(end + 1) == Source::none) return;
        ends_of_do_.insert(end);
        const Range statement = {i + 1, end}, condition = {end + 2, source_.partner(end + 1)};
        if (sleeps(statement) && source_[condition.last + 1] == ";") return mark(i, condition.last + 2);
        if (!waits(i, condition, statement)) return;
        if (!repetition_.is_idle({statement, condition}) && !depends_on_others(condition, statement)) return;
        edits_.insert_before(i, polling);
        edits_.insert_before(condition.first, "(");
        edits_.insert_before(condition.last, ") && (::simt::yield(), true)");
        edits_.replace(condition.last + 1, condition.last + 2, "; }");
    }

    /// Whether the loop at token i may repeat at all (`do {} while (0)` does not), may end, and may call functions.
    bool waits(std::size_t i, const Range& condition, const Range& statement) const {
        const std::string text = source_.join(condition.first, condition.last);
        const bool for_ever = text.empty() || text == "true" || text == "1";
        const bool constant = for_ever || text == "false" || !has_variable(condition);
        const bool may_end = constant ? for_ever && has_word(statement, {"break", "return"}) : true;
        return may_end && !source_.in_system_header(i) && !in_constexpr_function(i);
    }

    /// Only tells the checked simulator that the loop [i, end) waits.
    void mark(std::size_t i, std::size_t end) {
        edits_.insert_before(i, polling);
        edits_.replace(end - 1, end, std::string(source_[end - 1]) + " }");
    }

    /// A loop that sleeps waits, whatever else it does, such as counting its iterations.
    bool sleeps(const Range& loop) const {
        if (source_.in_system_header(loop.first) || in_constexpr_function(loop.first)) return false;
        for (std::size_t i = loop.first + 1; i < loop.last; ++i) {
            if (source_[i] == "__nanosleep") return true;
            const bool is_inner = source_[i] == "for" || source_[i] == "do" || source_[i] == "while";
            if (is_inner) i = behind_statement(source_, i) - 1;
        }
        return false;
    }

    void collect_volatile_names() {
        for (std::size_t i = 0; i < source_.size(); ++i) {
            if (source_[i] != "volatile" || source_.in_system_header(i)) continue;
            std::size_t end = i + 1;
            while (!is_one_of(source_[end], {"", "[", "=", ";", ",", ")", "(", "{", "}"})) ++end;
            if (source_.is_identifier(end - 1) && source_[end] != "(") volatile_names_.insert(source_[end - 1]);
        }
    }

    bool reads_volatile(const Range& range) const {
        for (std::size_t i = range.first; i < range.last; ++i) {
            if (source_[i] == "volatile" || (source_.is_identifier(i) && volatile_names_.count(source_[i]) != 0))
                return true;
        }
        return false;
    }

    bool depends_on_others(const Range& condition, const Range& statement) const {
        return works_meanwhile(condition, statement) || retries(condition, statement);
    }

    /// `do { missing = 0; for (...) if (ready[i]) ...; else missing = 1; } while (missing);`: the body sets the
    /// condition's only variable to constants alone, and a volatile variable decides to which.
    bool retries(const Range& condition, const Range& statement) const {
        std::string_view flag;
        for (std::size_t i = condition.first; i < condition.last; ++i) {
            if (!source_.is_identifier(i) || source_[i] == "true" || source_[i] == "false") continue;
            if (!flag.empty() && source_[i] != flag) return false;
            flag = source_[i];
        }
        if (flag.empty() || volatile_names_.count(flag) != 0 || !reads_volatile(statement)) return false;
        std::size_t assignments = 0;
        for (std::size_t i = statement.first; i < statement.last; ++i) {
            if (source_[i] != flag) continue;
            if (source_[i + 1] != "=" || !is_variable(i)) return false;
            const Range value = {i + 2, value_end(source_, i + 2, statement.last)};
            if (has_variable(value) && !has_word(value, {"true", "false"})) return false;
            ++assignments;
        }
        return assignments >= 2;
    }

    /// Whether the name stands for a variable, not for a member or what a pointer points to.
    bool is_variable(std::size_t name) const { return !is_one_of(source_[name - 1], {".", "->", "::", "*", "]", ">"}); }

    /// `while (!*flag) { ++n; __threadfence(); }`: a volatile variable ends the loop, in its condition or in an `if`
    /// that leaves it, and a fence in the loop orders what comes after.
    bool works_meanwhile(const Range& condition, const Range& statement) const {
        bool has_fence = false, ends = reads_volatile(condition);
        for (std::size_t i = statement.first; i < statement.last; ++i) {
            const std::string_view word = source_[i];
            has_fence |= word.substr(0, 13) == "__threadfence" || word == "atomic_thread_fence";
            if (word != "if" || source_.partner(i + 1) == Source::none) continue;
            const std::size_t close = source_.partner(i + 1), then = close + 1 + (source_[close + 1] == "{");
            ends |= is_one_of(source_[then], {"break", "return"}) && reads_volatile({i + 2, close});
        }
        return has_fence && ends;
    }

    /// while (atomicCAS(lock, 0, 1) != 0);
    bool takes_lock(const Range& condition, const Range& statement) const {
        if (!has_word(condition, {"atomicCAS", "atomicExch"})) return false;
        for (std::size_t i = statement.first; i < statement.last; ++i) {
            if (source_[i] != ";" && source_[i] != "{" && source_[i] != "}") return false;
        }
        return true;
    }

    bool has_variable(const Range& range) const {
        for (std::size_t i = range.first; i < range.last; ++i) {
            if (source_.is_identifier(i) && source_[i] != "void" && source_[i] != "sizeof") return true;
        }
        return false;
    }

    bool has_word(const Range& range, std::initializer_list<std::string_view> words) const {
        for (std::size_t i = range.first; i < range.last; ++i) {
            if (std::find(words.begin(), words.end(), source_[i]) != words.end()) return true;
        }
        return false;
    }

    bool in_constexpr_function(std::size_t i) const {
        std::size_t function = Source::none;
        for (std::size_t open = braces_.enclosing(i); open != Source::none; open = braces_.at(open).enclosing) {
            if (braces_.at(open).kind == BraceKind::code) function = open;
        }
        return function != Source::none &&
               has_word({braces_.at(function).statement, function}, {"constexpr", "consteval"});
    }

    const Source& source_;
    const Braces& braces_;
    Edits& edits_;
    const Repetition repetition_;
    std::set<std::string_view> volatile_names_;
    std::set<std::size_t> ends_of_do_;  // the `while` that belongs to a `do`
};

}  // namespace

void rewrite_waiting_loops(const Source& source, const Braces& braces, Edits& edits) {
    WaitingLoops(source, braces, edits).rewrite();
}

}  // namespace simcc
