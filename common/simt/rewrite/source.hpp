// SPDX-License-Identifier: MIT
// Preprocessed C++ as a sequence of tokens with their places: the input of every pass of the rewriter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace simcc {

enum class TokenKind : std::uint8_t { identifier, number, literal, punctuator };

/// A token covers text[begin, end). `<` and `>` are always tokens of their own, since a launch may be written
/// `k << <1, 2> > >()`; `::` and `->` are the only punctuators of two characters.
struct Token {
    std::uint32_t begin, end;
    TokenKind kind;
};

template <typename List>
bool is_one_of(std::string_view token, const List& list) {
    return std::find(std::begin(list), std::end(list), token) != std::end(list);
}
inline bool is_one_of(std::string_view token, std::initializer_list<std::string_view> list) {
    return std::find(list.begin(), list.end(), token) != list.end();
}

/// A place in the user's file, according to the line markers of `g++ -E`. Line and column count from 1.
struct Location {
    std::string_view file;   ///< between the quotes of the marker, escapes untouched
    std::string_view flags;  ///< what followed the file name, without the flags "entered" and "left"
    std::size_t line = 1, column = 1;
};

/// The token sequence of one translation unit. Files below the folder `skipped`, the simulator's own headers, have no
/// tokens. System headers have none either, except those that use CUDA's syntax, like the toolkit's. The text must
/// outlive the object.
class Source {
public:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    Source(std::string_view text, std::string_view skipped);

    std::string_view text() const { return text_; }
    std::size_t size() const { return tokens_.size(); }
    const Token& token(std::size_t i) const { return tokens_[i]; }

    /// The spelling of token i; empty if there is no such token, so that looking one past either end is harmless.
    std::string_view operator[](std::size_t i) const {
        return i < tokens_.size() ? text_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin)
                                  : std::string_view{};
    }
    bool is_identifier(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == TokenKind::identifier; }
    bool is_literal(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == TokenKind::literal; }

    /// The token that closes (or opens) the (), [] or {} group that token i opens (or closes); none when unbalanced.
    std::size_t partner(std::size_t i) const { return i < partners_.size() ? partners_[i] : none; }

    /// The first bracket that is never closed, or closes nothing; none when all are balanced.
    std::size_t unmatched() const { return unmatched_; }

    /// The place of the character at `offset` in the user's file.
    Location locate(std::size_t offset) const;

    /// Whether token i is in a system header.
    bool in_system_header(std::size_t i) const {
        return locate(tokens_[i].begin).flags.find('3') != std::string_view::npos;
    }

    /// Whether nothing, not even a blank, separates token i from the previous one.
    bool adjoins(std::size_t i) const { return i > 0 && i < tokens_.size() && tokens_[i].begin == tokens_[i - 1].end; }

    /// Whether token i names a variable, a constant or an enumerator, and not a template.
    bool is_value(std::size_t i) const { return is_identifier(i) && values_.count((*this)[i]) != 0; }

    /// Whether the header text without tokens may declare a function or a type of this name.
    bool is_declared_unread(std::string_view name) const { return unread_declarations_.count(name) != 0; }

    /// The tokens [first, last) on one line, with a blank where the text has one or more: `>>` stays `>>`.
    std::string join(std::size_t first, std::size_t last) const;

private:
    struct LineMarker {
        std::size_t begin;  // offset of the first character after the marker's line
        std::size_t line;
        std::string_view file, flags;
        bool own, system;  // in one of the simulator's own headers; in another system header
    };

    void read_tokens();
    void read_markers(std::string_view skipped);
    bool system_headers_use_cuda() const;
    bool is_read(const LineMarker& marker) const { return !marker.own && (!marker.system || reads_system_headers_); }
    void match_groups();
    bool declares(std::size_t at, std::size_t end, std::size_t floor) const;
    void collect_unread_declarations();

    std::string_view text_;
    std::vector<Token> tokens_;
    std::vector<std::size_t> partners_;
    std::size_t unmatched_ = none;
    std::vector<LineMarker> markers_;
    bool reads_system_headers_ = true;
    std::vector<std::size_t> line_starts_;
    std::unordered_set<std::string_view> values_;
    std::unordered_set<std::string_view> unread_declarations_;
};

// ---- the results of the rewriter's passes: text replacements and diagnostics

struct Diagnostic {
    std::string file;
    std::size_t line, column;
    std::string message;
    /// error_on_host: an error if the host's compiler sees this text, too.
    enum Kind { note, warning, error, error_on_host } kind;

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
    void note(std::size_t token, std::string message) { diagnose(token, std::move(message), Diagnostic::note); }
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

    /// Takes the place of the tokens [first, last) and of all edits among them.
    void supersede(std::size_t first, std::size_t last, std::string text);

    bool empty() const { return edits_.empty(); }
    const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

private:
    struct Edit {
        std::size_t begin, end;
        std::string text;
    };

    friend class EditedText;

    void diagnose(std::size_t token, std::string message, Diagnostic::Kind kind);

    const Source& source_;
    std::vector<Edit> edits_;
    std::unordered_map<std::size_t, std::size_t> by_begin_;  // the last edit that begins at an offset
    std::vector<Diagnostic> diagnostics_;
};

/// Pieces of the text with the edits that were made before this object.
class EditedText {
public:
    /// A replacement in one piece only, of the tokens [first, last).
    struct Replacement {
        std::size_t first, last;
        std::string text;
    };

    explicit EditedText(const Edits& edits);

    /// The tokens [first, last), with line markers after each edit. What the edits put before a token that ends an
    /// expression, such as a closing bracket, belongs to the expression. A bare piece is without what the edits put
    /// before and behind it.
    std::string piece(std::size_t first, std::size_t last, const std::vector<Replacement>& replacements = {},
                      bool is_bare = false) const;
    /// The same, on a line of its own with the marker of its place.
    std::string placed(std::size_t first, std::size_t last, const std::vector<Replacement>& replacements = {}) const;
    /// Whether an edit among these tokens has put in this text.
    bool puts_in(std::size_t first, std::size_t last, std::string_view text) const;

private:
    std::vector<const Edits::Edit*>::const_iterator first_edit(std::size_t offset) const;

    const Source& source_;
    std::vector<Edits::Edit> copies_;
    std::vector<const Edits::Edit*> sorted_;
};

}  // namespace simcc
