// SPDX-License-Identifier: MIT
#pragma once
// Whether repeating code repeats its effect exactly: the mark of a loop that waits.

#include <cstddef>
#include <initializer_list>
#include <map>
#include <set>
#include <string_view>

#include "common/simt/rewrite/braces.hpp"

namespace simcc {

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

}  // namespace simcc
