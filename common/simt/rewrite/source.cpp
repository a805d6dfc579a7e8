// SPDX-License-Identifier: MIT
#include "common/simt/rewrite/source.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>

#include "common/simt/rewrite/brackets.hpp"

namespace simcc {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_identifier_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}
bool is_identifier_part(char c) { return is_identifier_start(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_raw_prefix(std::string_view word) {
    return word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
}
bool is_string_prefix(std::string_view word) { return word == "L" || word == "u" || word == "U" || word == "u8"; }

/// A cursor over the text; each skip function leaves it after the construct it is named for.
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

    /// R"delimiter(...)delimiter": nothing inside is special except the closing sequence.
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

    /// Skips whatever begins here and returns its kind.
    TokenKind skip_token() {
        const char c = peek();
        if (is_identifier_start(c)) {
            const std::size_t begin = at_;
            skip_identifier();
            const std::string_view word = text_.substr(begin, at_ - begin);
            if (peek() == '"' && is_raw_prefix(word)) {
                skip_raw_string();
            } else if ((peek() == '"' || peek() == '\'') && is_string_prefix(word)) {
                skip_quoted(peek());
            } else {
                return TokenKind::identifier;
            }
            return TokenKind::literal;
        }
        if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
            skip_number();
            return TokenKind::number;
        }
        if (c == '"' || c == '\'') {
            skip_quoted(c);
            return TokenKind::literal;
        }
        const bool pair = (c == ':' && peek(1) == ':') || (c == '-' && peek(1) == '>');
        at_ += pair ? 2 : 1;
        return TokenKind::punctuator;
    }

private:
    std::string_view text_;
    std::size_t at_;
};

/// A line marker is `# 12 "file" flags`; 1 means that a file is entered, 2 that it is left, 3 that it is a system
/// header. Returns the offset of the next one at or after `at`, or the text's size.
std::size_t find_marker(std::string_view text, std::size_t at) {
    const auto is_marker = [&](std::size_t i) {
        return text.substr(i, 2) == "# " && i + 2 < text.size() && is_digit(text[i + 2]);
    };
    if (at == 0 && is_marker(0)) return 0;
    for (std::size_t i = at == 0 ? 0 : at - 1; (i = text.find("\n# ", i)) != std::string_view::npos; ++i) {
        if (is_marker(i + 1)) return i + 1;
    }
    return text.size();
}

}  // namespace

Source::Source(std::string_view text, std::string_view skipped) : text_(text) {
    line_starts_.push_back(0);
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
        line_starts_.push_back(at + 1);
    }
    read_markers(skipped);
    read_tokens();
    match_groups();
    values_ = names_of_values(*this);
    collect_unread_declarations();
}

void Source::read_markers(std::string_view skipped) {
    bool own = false, system = false;
    for (std::size_t at = find_marker(text_, 0); at < text_.size(); at = find_marker(text_, at + 1)) {
        const std::size_t end = std::min(text_.find('\n', at), text_.size());
        const std::string_view directive = text_.substr(at, end - at);
        const std::size_t open = directive.find('"'), close = directive.rfind('"');
        if (open == std::string_view::npos || open == close) continue;
        LineMarker marker = {std::min(end + 1, text_.size()), 1,     directive.substr(open + 1, close - open - 1),
                             directive.substr(close + 1),     false, false};
        std::from_chars(directive.data() + 2, directive.data() + directive.size(), marker.line);
        bool entered_or_left = false;
        while (marker.flags.size() >= 2 && (marker.flags[1] == '1' || marker.flags[1] == '2')) {
            entered_or_left = true;
            marker.flags.remove_prefix(2);
        }
        // A flag 3 without a change of file marks text from a system header's macro: it is still the user's code.
        if (markers_.empty() || entered_or_left || marker.file != markers_.back().file) {
            own = !skipped.empty() && marker.file.substr(0, skipped.size()) == skipped;
            system = !own && marker.flags.find('3') != std::string_view::npos;
        }
        marker.own = own;
        marker.system = system;
        markers_.push_back(marker);
    }
}

bool Source::system_headers_use_cuda() const {
    for (std::size_t i = 0; i < markers_.size(); ++i) {
        if (!markers_[i].system) continue;
        const std::size_t end = i + 1 < markers_.size() ? markers_[i + 1].begin : text_.size();
        const std::string_view part = text_.substr(markers_[i].begin, end - markers_[i].begin);
        for (const std::string_view word : {"threadIdx", "blockIdx", "blockDim", "gridDim", "<<<", "__device__",
                                            "__global__", "extern __attribute__((aligned(128)"}) {
            if (part.find(word) != std::string_view::npos) return true;
        }
    }
    return false;
}

void Source::read_tokens() {
    reads_system_headers_ = system_headers_use_cuda();
    tokens_.reserve(text_.size() / 16);
    std::size_t next_marker = 0;
    bool line_start = true;
    for (std::size_t at = 0; at < text_.size();) {
        while (next_marker < markers_.size() && markers_[next_marker].begin <= at) {
            const LineMarker& marker = markers_[next_marker++];
            if (!is_read(marker)) {
                at = next_marker < markers_.size() ? markers_[next_marker].begin : text_.size();
                line_start = true;
            }
        }
        if (at >= text_.size()) break;
        const char c = text_[at];
        if (is_space(c)) {
            line_start = line_start || c == '\n';
            ++at;
            continue;
        }
        Cursor cursor(text_, at);
        if (c == '#' && line_start) {  // a marker, or a #pragma, which stays as it is
            cursor.skip_line();
            at = cursor.at();
            continue;
        }
        line_start = false;
        if (c == '/' && (cursor.peek(1) == '/' || cursor.peek(1) == '*')) {
            cursor.skip_comment();
            at = cursor.at();
            continue;
        }
        const TokenKind kind = cursor.skip_token();
        tokens_.push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(cursor.at()), kind});
        at = cursor.at();
    }
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
            if (open.empty() || text_[tokens_[open.back()].begin] != expected) {
                if (unmatched_ == none) unmatched_ = open.empty() ? i : open.back();
                continue;
            }
            partners_[i] = open.back();
            partners_[open.back()] = i;
            open.pop_back();
        }
    }
    if (unmatched_ == none && !open.empty()) unmatched_ = open.back();
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

/// Whether the name at [at, end) of a header's text, which begins at `floor`, is declared there: as a type, or as a
/// function or template after its result type.
bool Source::declares(std::size_t at, std::size_t end, std::size_t floor) const {
    std::size_t last = at;
    while (last > floor && is_space(text_[last - 1])) --last;
    std::size_t first = last;
    while (first > floor && is_identifier_part(text_[first - 1])) --first;
    const std::string_view before = text_.substr(first, last - first);
    if (before == "struct" || before == "class" || before == "union" || before == "enum") return true;
    while (end < text_.size() && is_space(text_[end])) ++end;
    if (end == text_.size() || (text_[end] != '(' && text_[end] != '<')) return false;
    const char mark = last > floor ? text_[last - 1] : ' ';
    return before.empty() ? mark == '*' || mark == '&' || mark == '>' : !is_expression_keyword(before);
}

/// Headers are large and there are many names: one walk collects them all.
void Source::collect_unread_declarations() {
    for (std::size_t i = 0; i < markers_.size(); ++i) {
        if (is_read(markers_[i])) continue;
        const std::size_t floor = markers_[i].begin;
        const std::size_t limit = i + 1 < markers_.size() ? markers_[i + 1].begin : text_.size();
        for (std::size_t at = floor; at < limit;) {
            std::size_t end = at;
            while (end < limit && is_identifier_part(text_[end])) ++end;
            const bool is_name = end > at && !is_digit(text_[at]);
            if (is_name && declares(at, end, floor)) unread_declarations_.insert(text_.substr(at, end - at));
            at = std::max(end, at + 1);
        }
    }
}

std::string Source::join(std::size_t first, std::size_t last) const {
    std::string joined;
    for (std::size_t i = first; i < last; ++i) {
        if (i > first && !adjoins(i)) joined += ' ';
        joined += (*this)[i];
    }
    return joined;
}

// ---- edits

void Edits::replace(std::size_t first, std::size_t last, std::string text) {
    by_begin_[source_.token(first).begin] = edits_.size();
    edits_.push_back({source_.token(first).begin, source_.token(last - 1).end, std::move(text)});
}

void Edits::insert_before(std::size_t i, std::string text) {
    const std::size_t at = i < source_.size() ? source_.token(i).begin : source_.text().size();
    edits_.push_back({at, at, std::move(text)});
}

void Edits::diagnose(std::size_t token, std::string message, Diagnostic::Kind kind) {
    const Location location = source_.locate(source_.token(token).begin);
    diagnostics_.push_back({std::string(location.file), location.line, location.column, std::move(message), kind});
}

std::string Edits::join(std::size_t first, std::size_t last) const {
    std::string joined;
    for (std::size_t i = first; i < last; ++i) {
        if (i > first && !source_.adjoins(i)) joined += ' ';
        const auto found = by_begin_.find(source_.token(i).begin);
        const Edit* edit = found == by_begin_.end() ? nullptr : &edits_[found->second];
        if (edit == nullptr || edit->end > source_.token(last - 1).end) {
            joined += source_[i];
            continue;
        }
        joined += edit->text;
        while (i + 1 < last && source_.token(i + 1).end <= edit->end) ++i;
    }
    return joined;
}

namespace {

/// The marker of a place, and blanks up to its column.
std::string marker_of(const Location& here) {
    return "\n# " + std::to_string(here.line) + " \"" + std::string(here.file) + "\"" + std::string(here.flags) + "\n" +
           std::string(here.column - 1, ' ');
}

}  // namespace

std::string Edits::apply() const {
    std::vector<const Edit*> sorted;
    for (const Edit& edit : edits_) sorted.push_back(&edit);
    std::stable_sort(sorted.begin(), sorted.end(), [](const Edit* a, const Edit* b) {
        return std::tie(a->begin, a->end) < std::tie(b->begin, b->end);
    });

    const std::string_view text = source_.text();
    std::string result;
    result.reserve(text.size() + 128 * edits_.size());
    std::size_t copied = 0;
    for (const Edit* edit : sorted) {
        if (edit->begin < copied) continue;
        result.append(text, copied, edit->begin - copied);
        result += edit->text;
        copied = edit->end;
        result += marker_of(source_.locate(edit->end));
    }
    return result.append(text, copied, text.size() - copied);
}

void Edits::supersede(std::size_t first, std::size_t last, std::string text) {
    const std::size_t begin = source_.token(first).begin, end = source_.token(last - 1).end;
    std::erase_if(edits_, [&](const Edit& edit) { return edit.begin >= begin && edit.begin < end; });
    by_begin_.clear();
    for (std::size_t i = 0; i < edits_.size(); ++i) {
        if (edits_[i].begin != edits_[i].end) by_begin_[edits_[i].begin] = i;
    }
    replace(first, last, std::move(text));
}

// ---- pieces of the edited text

EditedText::EditedText(const Edits& edits) : source_(edits.source_), copies_(edits.edits_) {
    for (const Edits::Edit& edit : copies_) sorted_.push_back(&edit);
    std::stable_sort(sorted_.begin(), sorted_.end(), [](const Edits::Edit* a, const Edits::Edit* b) {
        return std::tie(a->begin, a->end) < std::tie(b->begin, b->end);
    });
}

std::vector<const Edits::Edit*>::const_iterator EditedText::first_edit(std::size_t offset) const {
    return std::partition_point(sorted_.begin(), sorted_.end(),
                                [&](const Edits::Edit* edit) { return edit->begin < offset; });
}

std::string EditedText::piece(std::size_t first, std::size_t last, const std::vector<Replacement>& replacements,
                              bool is_bare) const {
    if (first >= last) return "";
    const std::string_view text = source_.text();
    std::size_t copied = source_.token(first).begin;
    const std::size_t end = source_.token(last - 1).end;
    const bool ends_expression = !is_bare && is_one_of(source_[last], {";", ",", ")", "]", "}"});
    std::string result;
    auto edit = first_edit(copied);
    while (is_bare && edit != sorted_.end() && (*edit)->begin == copied && (*edit)->end == copied) ++edit;
    auto replacement = replacements.begin();
    const auto put = [&](std::size_t from, std::size_t to, const std::string& what) {
        if (from < copied) return;
        result.append(text, copied, from - copied);
        result += what;
        copied = to;
        result += marker_of(source_.locate(to));
    };
    for (;;) {
        while (replacement != replacements.end() && source_.token(replacement->first).begin < copied) ++replacement;
        const bool replaces = replacement != replacements.end() && replacement->last <= last;
        const bool edits = edit != sorted_.end() && (*edit)->begin < end;
        if (!replaces && !edits) break;
        const std::size_t at = replaces ? source_.token(replacement->first).begin : end;
        const bool edit_first =
            edits && ((*edit)->begin < at || ((*edit)->begin == at && (*edit)->end == (*edit)->begin));
        if (edit_first) {
            put((*edit)->begin, (*edit)->end, (*edit)->text);
            ++edit;
        } else {
            put(at, source_.token(replacement->last - 1).end, replacement->text);
            ++replacement;
        }
    }
    if (copied < end) result.append(text, copied, end - copied);
    if (ends_expression) {
        for (edit = first_edit(source_.token(last).begin); edit != sorted_.end(); ++edit) {
            if ((*edit)->begin != source_.token(last).begin || (*edit)->end != (*edit)->begin) break;
            result += (*edit)->text;
        }
    }
    return result;
}

std::string EditedText::placed(std::size_t first, std::size_t last,
                               const std::vector<Replacement>& replacements) const {
    return marker_of(source_.locate(source_.token(first).begin)) + piece(first, last, replacements);
}

bool EditedText::puts_in(std::size_t first, std::size_t last, std::string_view text) const {
    const std::size_t end = source_.token(last - 1).end;
    for (auto edit = first_edit(source_.token(first).begin); edit != sorted_.end() && (*edit)->begin < end; ++edit) {
        if ((*edit)->text.find(text) != std::string::npos) return true;
    }
    return false;
}

}  // namespace simcc
