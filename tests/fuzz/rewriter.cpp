// SPDX-License-Identifier: MIT
// simcc's rewriter: text in, text out.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "common/simt/rewrite/cuda_to_cxx.hpp"
#include "common/simt/rewrite/source.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using simcc::Source;

// Nothing in the text is CUDA's, or like what the preprocessor makes of it, and no loop may wait for another thread.
bool is_plain(std::string_view text) {
    for (const std::string_view word :
         {"__", "threadIdx", "blockIdx", "blockDim", "gridDim", "<", "asm", "simt", "thread_local", "cuda", "for",
          "while", "new", "delete", "inline", "alignas", "extern"})
        if (text.find(word) != std::string_view::npos) return false;
    return true;
}

bool same_place(const simcc::Location& a, const simcc::Location& b) {
    return a.file == b.file && a.line == b.line && a.column == b.column;
}

void check(std::string_view text, const simcc::DeviceCode& code) {
    // What the compiler says of the last line must point there, whatever was put in ahead of it.
    constexpr std::string_view last_word = "simcc_last_word";
    const std::string marked = std::string(text) + '\n' + std::string(last_word) + '\n';
    const Source before(marked, "");
    const simcc::Rewritten rewritten = simcc::rewrite(marked, "", code);
    for (const simcc::Diagnostic& diagnostic : rewritten.diagnostics)
        if (diagnostic.message.empty() || diagnostic.column == 0)
            broken("a diagnostic has a message and a place", diagnostic.message);
    const bool failed =
        std::any_of(rewritten.diagnostics.begin(), rewritten.diagnostics.end(),
                    [](const simcc::Diagnostic& diagnostic) { return diagnostic.kind == simcc::Diagnostic::error; });
    if (failed) return;
    if (is_plain(marked) && rewritten.text != marked) broken("text without CUDA stays as it is", rewritten.text);
    if (before[before.size() - 1] != last_word) return;  // within a comment or a literal that does not end
    const Source after(rewritten.text, "");
    const std::size_t end = rewritten.text.rfind(last_word);
    if (end == std::string::npos || !same_place(before.locate(marked.rfind(last_word)), after.locate(end)))
        broken("the last word stays in its place", rewritten.text);
}

}  // namespace

// The first byte chooses how device code is compiled.
void fuzz_rewrite(std::string_view input) {
    if (input.empty()) return;
    const simcc::DeviceCode code = {.relocatable = (input[0] & 1) != 0, .checked = (input[0] & 2) != 0};
    check(input.substr(1), code);
}
