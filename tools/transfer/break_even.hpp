// From which size a faster way to copy pays.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "common/cli/session.hpp"

// What a copy of a size costs.
struct CopyCost {
    double ns = 0, allocate_ns = 0;
};

// By variant and size.
using CopyCosts = std::map<std::string, std::map<std::size_t, CopyCost>>;

// A way that needs something ahead, and the one that it replaces.
struct Rivals {
    const char* way;
    const char* versus;
    bool with_allocation;  // which is paid for every copy; slots stay
};

inline const Rivals all_rivals[] = {
    {"staged-h2d", "pageable-h2d", false},
    {"staged-d2h", "pageable-d2h", false},
    {"pinned-h2d", "pageable-h2d", true},
    {"pinned-d2h", "pageable-d2h", true},
};

// --break-even: a row for each of those that were measured, for a person a sentence. Failure(usage) for a single size.
void print_break_evens(Session& session, const CopyCosts& costs);

// The end of a sweep for a person. (The simulator's times say nothing of a GPU.)
void say_break_evens(Session& session, const CopyCosts& costs);
