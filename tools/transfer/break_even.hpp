// SPDX-License-Identifier: MIT
// From which size on a faster way to copy pays.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "common/cli/session.hpp"

// What a copy of a size costs.
struct CopyCost {
    double ns = 0, allocate_ns = 0;
};

// By variant and size.
using CopyCosts = std::map<std::string, std::map<std::size_t, CopyCost>>;

// A way that needs preparation, and the one that it replaces.
struct Rivals {
    const char* way;
    const char* versus;
    bool with_allocation;  // which every copy pays for; slots are kept
};

inline const Rivals all_rivals[] = {
    {"staged-h2d", "pageable-h2d", false},
    {"staged-d2h", "pageable-d2h", false},
    {"pinned-h2d", "pageable-h2d", true},
    {"pinned-d2h", "pageable-d2h", true},
};

// From which size on a way pays.
struct BreakEven {
    const Rivals& rivals;
    std::size_t from_bytes = 0;     // it is faster at this size and all larger ones; 0: not at the largest
    std::size_t largest_bytes = 0;  // that was measured
    double ratio = 0;               // there: the other's time over its own, without allocation
    double counted_ratio = 0;       // there, with it if it counts
    double allocate_ns = 0;         // there
    double copies = 0;              // there: how many pay the allocation; 0: it is slower
    std::string device = {};        // that was measured,
    const char* timer = "host";     // and by whose clock

    // "staged-h2d is faster than pageable-h2d from 8.0 MiB on: 4.10 times at 1.0 GiB."
    std::string sentence() const;
};

// For those rivals that were both measured, at two sizes or more.
std::vector<BreakEven> find_break_evens(const CopyCosts& costs);

// --break-even: prints a row for each of these, or a sentence for a person. Failure(usage) for a single size.
void print_break_evens(Session& session, const CopyCosts& costs);

// Prints the sentences at the end of a sweep, for a person. (The simulator's times say nothing about a GPU.)
void say_break_evens(Session& session, const CopyCosts& costs);
