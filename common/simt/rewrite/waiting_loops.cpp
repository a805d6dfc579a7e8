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
// Repetition. A loop that makes progress by itself never counts, so none is slowed down. A loop that calls
// __nanosleep() lets others run anyway and only gets the object.

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include "common/simt/rewrite/passes.hpp"
#include "common/simt/rewrite/repetition.hpp"

namespace simcc {
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
        : source_(source), braces_(braces), edits_(edits), repetition_(source, braces) {}

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
        if (!repetition_.is_idle({round, statement})) return;
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
        if (!waits(i, condition, statement) || !repetition_.is_idle({statement, condition})) return;
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
    std::set<std::size_t> ends_of_do_;  // the `while` that belongs to a `do`
};

}  // namespace

void rewrite_waiting_loops(const Source& source, const Braces& braces, Edits& edits) {
    WaitingLoops(source, braces, edits).rewrite();
}

}  // namespace simcc
