// SPDX-License-Identifier: MIT
// How a kernel answers a launch that asks for its bounds: see simt/launch_bounds.hpp.
#include "common/simt/include/simt/launch_bounds.hpp"

#include <setjmp.h>

namespace simt {
namespace {

struct Question {
    jmp_buf asker;
    unsigned answer = 0;
};

// The question that waits for its answer on this OS thread.
__thread Question* asked = nullptr;

}  // namespace

// The answer comes back by a longjmp, because the destructors of the kernel's parameters must not run for a question:
// they might free memory.
unsigned ask_for_bounds(void (*call)(void*), void* body) {
    Question question;
    asked = &question;
    if (_setjmp(question.asker) == 0) call(body);
    asked = nullptr;
    return question.answer;
}

void answer_with_bounds(size_t most_threads) {
    asked->answer = static_cast<unsigned>(most_threads);
    _longjmp(asked->asker, 1);
}

void answer_if_asked(size_t most_threads) {
    if (asked) answer_with_bounds(most_threads);
}

}  // namespace simt
