#include "common/simt/rewrite/source.hpp"

#include <algorithm>
#include <charconv>

namespace simcc {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_identifier_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}
bool is_identifier_part(char c) { return is_identifier_start(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// A cursor over the text; each skip function leaves it behind the construct it is named for.
class Cursor {
public:
    Cursor(std::string_view text, std::size_t at) : text_(text), at_(at) {}

    std::size_t at() const { return at_; }
    char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

    void skip_quoted(char quote) {
        for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_) {
            if (text_[at_] == '\\') ++at_;
        }
        at_ = std::min(at_ + 1, text_.size());
    }

    /// R"delimiter(...)delimiter": nothing inside is special but the closing sequence.
    void skip_raw_string() {
        const std::size_t open = text_.find('(', at_);
        if (open == std::string_view::npos) {
            at_ = text_.size();
            return;
        }
        const std::string closing = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
        const std::size_t close = text_.find(closing, open);
        at_ = close == std::string_view::npos ? text_.size() : close + closing.size();
    }

    /// A preprocessing number: 1.5e-3f, 0x1p+4, 1'000'000.
    void skip_number() {
        for (++at_;; ++at_) {
            const char c = peek(), before = text_[at_ - 1];
            const bool exponent_sign =
                (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
            const bool separator = c == '\'' && is_identifier_part(peek(1));
            if (!is_identifier_part(c) && c != '.' && !exponent_sign && !separator) return;
        }
    }

    void skip_identifier() {
        while (is_identifier_part(peek())) ++at_;
    }

    void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

    void skip_comment() {
        if (peek(1) == '/') return skip_line();
        const std::size_t close = text_.find("*/", at_ + 2);
        at_ = close == std::string_view::npos ? text_.size() : close + 2;
    }

private:
    std::string_view text_;
    std::size_t at_;
};

bool is_raw_prefix(std::string_view word) {
    return word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
}
bool is_string_prefix(std::string_view word) { return word == "L" || word == "u" || word == "U" || word == "u8"; }

}  // namespace

Source::Source(std::string_view text) : text_(text) {
    tokens_.reserve(text.size() / 16);
    bool line_start = true;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '\n' || is_space(c)) {
            line_start = line_start || c == '\n';
            ++at;
            continue;
        }
        if (c == '#' && line_start) {
            at = read_marker(at);
            if (inside_system_header_) {  // nothing in there is ours: on to the next marker
                const std::size_t next = text.find("\n# ", at);
                at = next == std::string_view::npos ? text.size() : next + 1;
            }
            continue;
        }
        line_start = false;
        Cursor cursor(text, at);
        TokenKind kind = TokenKind::punctuator;
        if (is_identifier_start(c)) {
            cursor.skip_identifier();
            const std::string_view word = text.substr(at, cursor.at() - at);
            kind = TokenKind::identifier;
            if (cursor.peek() == '"' && is_raw_prefix(word)) {
                cursor.skip_raw_string();
                kind = TokenKind::literal;
            } else if ((cursor.peek() == '"' || cursor.peek() == '\'') && is_string_prefix(word)) {
                cursor.skip_quoted(cursor.peek());
                kind = TokenKind::literal;
            }
        } else if (is_digit(c) || (c == '.' && is_digit(cursor.peek(1)))) {
            cursor.skip_number();
            kind = TokenKind::number;
        } else if (c == '"' || c == '\'') {
            cursor.skip_quoted(c);
            kind = TokenKind::literal;
        } else if (c == '/' && (cursor.peek(1) == '/' || cursor.peek(1) == '*')) {
            cursor.skip_comment();
            at = cursor.at();
            continue;
        } else {
            const char next = cursor.peek(1);
            const bool pair = (c == ':' && next == ':') || (c == '-' && next == '>');
            cursor = Cursor(text, at + (pair ? 2 : 1));
        }
        tokens_.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(cursor.at()), kind});
        at = cursor.at();
    }
    match_groups();
    line_starts_.push_back(0);
    for (std::size_t newline = text.find('\n'); newline != std::string_view::npos;
         newline = text.find('\n', newline + 1)) {
        line_starts_.push_back(newline + 1);
    }
}

/// Reads the directive at `at` and returns the offset behind it. A line marker is `# 12 "file" flags`; 1 means that a
/// file is entered, 2 that it is left, 3 that it is a system header. A bare 3 within one file marks text that came out
/// of a system header's macro: that is still the user's code. Other directives (#pragma) are left alone.
std::size_t Source::read_marker(std::size_t at) {
    const std::size_t end = std::min(text_.find('\n', at), text_.size());
    const std::string_view directive = text_.substr(at, end - at);
    const std::size_t open = directive.find('"'), close = directive.rfind('"');
    if (directive.size() < 3 || directive[1] != ' ' || !is_digit(directive[2]) || open == std::string_view::npos ||
        open == close) {
        return end;
    }
    LineMarker marker{std::min(end + 1, text_.size()), 1, directive.substr(open + 1, close - open - 1),
                      directive.substr(close + 1)};
    std::from_chars(directive.data() + 2, directive.data() + directive.size(), marker.line);
    bool entered_or_left = false;
    while (marker.flags.size() >= 2 && (marker.flags[1] == '1' || marker.flags[1] == '2')) {
        entered_or_left = true;
        marker.flags.remove_prefix(2);
    }
    if (markers_.empty() || entered_or_left || marker.file != markers_.back().file) {
        inside_system_header_ = marker.flags.find('3') != std::string_view::npos;
    }
    markers_.push_back(marker);
    return end;
}

void Source::match_groups() {
    partners_.assign(tokens_.size(), none);
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        if (tokens_[i].kind != TokenKind::punctuator || tokens_[i].end != tokens_[i].begin + 1) continue;
        const char c = text_[tokens_[i].begin];
        if (c == '(' || c == '[' || c == '{') {
            open.push_back(i);
        } else if (c == ')' || c == ']' || c == '}') {
            const char expected = c == ')' ? '(' : c == ']' ? '[' : '{';
            if (open.empty() || text_[tokens_[open.back()].begin] != expected) continue;  // g++ will complain
            partners_[i] = open.back();
            partners_[open.back()] = i;
            open.pop_back();
        }
    }
}

Location Source::locate(std::size_t offset) const {
    Location location;
    std::size_t begin = 0;
    const auto after = std::upper_bound(markers_.begin(), markers_.end(), offset,
                                        [](std::size_t o, const LineMarker& marker) { return o < marker.begin; });
    if (after != markers_.begin()) {
        const LineMarker& marker = *(after - 1);
        location = {marker.file, marker.flags, marker.line, 1};
        begin = marker.begin;
    }
    const auto line_of = [&](std::size_t o) {
        return std::upper_bound(line_starts_.begin(), line_starts_.end(), o) - 1;
    };
    location.line += static_cast<std::size_t>(line_of(offset) - line_of(begin));
    location.column = offset - *line_of(offset) + 1;
    return location;
}

std::string Source::join(std::size_t first, std::size_t last) const {
    std::string joined;
    for (std::size_t i = first; i < last; ++i) {
        if (i > first) joined += ' ';
        joined += (*this)[i];
    }
    return joined;
}

}  // namespace simcc
