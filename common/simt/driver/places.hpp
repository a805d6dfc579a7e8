// SPDX-License-Identifier: MIT
// The source lines of checked code, kept where no debugger's file is needed to read them.
#pragma once

#include <string>
#include <string_view>

namespace simcc {

/// Records where each call and each jump of checked code comes from, so that counters and findings are the same in a
/// program without debug information. Behind a call and ahead of a jump this adds a no-op that holds the distance to a
/// record; the records follow each function (check/core/symbols.cpp reads both). A record names a file and a line of
/// the program and the record of the place that this code was inlined at, or says that all of it is the simulator's.
/// What it knows is what the compiler's debug information says, which must have comments (g++ -dA); they are removed.
std::string mark_places(std::string_view assembly);

/// Whether a file is not the programmer's own: a header of the simulator, or of the system.
bool is_foreign_file(std::string_view path);

}  // namespace simcc
