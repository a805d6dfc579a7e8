// SPDX-License-Identifier: MIT
// What the program did wrong, and where: a finding of the checkers, or without them a message on standard error.
#pragma once

#include <string>

#include "common/simt/nccl/clique.hpp"
#include "common/simt/runtime/events.hpp"

namespace simt::nccl {

/// Where the program called a function of NCCL.
struct CallPlace {
    const void* pc = nullptr;  ///< the return address
    ClientNote note;           ///< the checkers'
};
CallPlace called_from(const void* pc);

/// "a.cu:12", or "" if unknown.
std::string text_of(const CallPlace& place);

/// Reports a misuse for which the call returns an error.
void report_misuse(const std::string& text, const CallPlace& place);

/// Reports a misuse for which no call can return an error any more, because the stream has come to the operation. In
/// checked programs it returns the error of the device; others it ends.
[[nodiscard]] int fail_operation(const std::string& text, const CallPlace& place);

/// The calling thread's text for ncclGetLastError().
void remember_error(const std::string& text);
const char* last_error();

}  // namespace simt::nccl
