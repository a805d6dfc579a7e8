// SPDX-License-Identifier: MIT
#include "common/simt/rewrite/edits.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace simcc {

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
        const Location here = source_.locate(edit->end);
        result.append("\n# ")
            .append(std::to_string(here.line))
            .append(" \"")
            .append(here.file)
            .append("\"")
            .append(here.flags);
        result.append("\n").append(here.column - 1, ' ');
    }
    return result.append(text, copied, text.size() - copied);
}

}  // namespace simcc
