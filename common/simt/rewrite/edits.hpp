// SPDX-License-Identifier: MIT
#pragma once
// The results of the rewriter's passes: text replacements and diagnostics.

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/simt/rewrite/source.hpp"

namespace simcc {

struct Diagnostic {
    std::string file;
    std::size_t line, column;
    std::string message;
    /// error_on_host: an error if the host's compiler sees this text, too.
    enum Kind { warning, error, error_on_host } kind;

    bool operator==(const Diagnostic&) const = default;
};

/// Replacements of text ranges, collected in any order and applied at once.
class Edits {
public:
    explicit Edits(const Source& source) : source_(source) {}

    /// Replaces the tokens [first, last) with `text`.
    void replace(std::size_t first, std::size_t last, std::string text);
    /// Puts `text` before token i, or at the end if i is past the last token.
    void insert_before(std::size_t i, std::string text);
    /// An error or a warning at the place of a token.
    void complain(std::size_t token, std::string message) { diagnose(token, std::move(message), Diagnostic::error); }
    void warn(std::size_t token, std::string message) { diagnose(token, std::move(message), Diagnostic::warning); }
    /// An error unless the text depends on __CUDA_ARCH__, which only device code sees defined.
    void refuse_on_host(std::size_t token, std::string message) {
        diagnose(token, std::move(message), Diagnostic::error_on_host);
    }

    /// The tokens [first, last) on one line, with the replacements so far; blanks only where the text has some.
    std::string join(std::size_t first, std::size_t last) const;

    /// The whole text with all replacements made. After each, a line marker and blanks keep the rest of the line on its
    /// line and column, so that the compiler's messages and the debug information still refer to the user's file. Where
    /// two ranges overlap, the one that begins first wins.
    std::string apply() const;

    const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

private:
    struct Edit {
        std::size_t begin, end;
        std::string text;
    };

    void diagnose(std::size_t token, std::string message, Diagnostic::Kind kind);

    const Source& source_;
    std::vector<Edit> edits_;
    std::unordered_map<std::size_t, std::size_t> by_begin_;  // the last edit that begins at an offset
    std::vector<Diagnostic> diagnostics_;
};

}  // namespace simcc
