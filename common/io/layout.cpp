// SPDX-License-Identifier: MIT
#include "common/io/layout.hpp"

#include <algorithm>
#include <utility>

#include "common/io/terminal.hpp"
#include "common/io/text.hpp"

// The narrowest column in which text is readable.
constexpr std::size_t narrowest_text = 24;

Layout::Layout(std::vector<LaidOutColumn> columns, std::size_t width, bool markdown)
    : width_(markdown ? no_limit : width), markdown_(markdown) {
    for (LaidOutColumn& column : columns) columns_.push_back({std::move(column)});
    whole_width_ = width_of_all();
    while (!fits())
        if (!leave_one_out()) {
            for (Placed& column : columns_) column.shown = true;
            records_ = true;
            break;
        }
}

std::size_t Layout::width_of_all() const {
    std::size_t all = 0;
    for (const Placed& column : columns_)
        if (column.shown) all += (all == 0 ? 0 : 2) + column.width;
    return all;
}

// Text in the last column may wrap, if the others leave it room.
bool Layout::fits() {
    const std::size_t all = width_of_all();
    wrapped_width_ = 0;
    if (all <= width_) return true;
    const Placed& last = columns_.back();
    if (last.number || !last.shown || all - last.width + narrowest_text > width_) return false;
    wrapped_width_ = width_ - (all - last.width);
    return true;
}

bool Layout::leave_one_out() {
    Placed* least = nullptr;
    for (Placed& column : columns_)
        if (column.shown && column.rank > 0 && (!least || column.rank >= least->rank)) least = &column;
    if (least) least->shown = false;
    return least != nullptr;
}

std::string Layout::head() const {
    if (records_) return "";
    std::vector<std::string> headings;
    for (const Placed& column : columns_) headings.push_back(column.heading);
    std::string head = line(headings);
    if (!markdown_) return head;
    for (const Placed& column : columns_) head += column.number ? "|---:" : "|---";
    return head + "|\n";
}

std::string Layout::row(const std::vector<std::string>& fields) {
    if (records_) {
        const std::string gap = std::exchange(after_first_, true) ? "\n" : "";
        return gap + record(fields);
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const bool goes_on = wrapped_width_ > 0 && i + 1 == fields.size();
        if (!goes_on) columns_[i].width = std::max(columns_[i].width, fields[i].size());
    }
    return line(fields);
}

std::string Layout::line(const std::vector<std::string>& fields) const {
    std::string line;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const Placed& column = columns_[i];
        if (!column.shown) continue;
        if (!line.empty() && !markdown_) line += "  ";
        if (wrapped_width_ > 0 && i + 1 == fields.size()) {
            line += wrapped(fields[i], line.size() + wrapped_width_, line.size(), line.size());
            continue;
        }
        const std::string room(column.width - std::min(column.width, fields[i].size()), ' ');
        const std::string field = column.number ? room + fields[i] : fields[i] + room;
        line += markdown_ ? "| " + field + " " : field;
    }
    if (markdown_) line += "|";
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
}

static std::size_t longest_word(const std::string& words) {
    std::size_t longest = 0;
    for (const std::string& word : split(words, ' ')) longest = std::max(longest, word.size());
    return longest;
}

// A value goes beside its label, or below it if there is too little room.
std::string Layout::record(const std::vector<std::string>& fields) const {
    std::size_t label_width = 0;
    for (const Placed& column : columns_) label_width = std::max(label_width, column.heading.size() + 2);
    const std::size_t room = width_ - std::min(width_, label_width);
    std::string lines;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::string& field = fields[i];
        if (field == not_applicable || field.find_first_not_of(' ') == field.npos) continue;
        std::string label = columns_[i].heading;
        label.resize(label_width, ' ');
        const std::size_t longest = longest_word(field), indent = longest + 2 <= width_ ? 2 : 0;
        if (field.size() <= room || (longest <= room && room >= narrowest_text))
            lines += label + wrapped(field, width_, label_width, label_width) + '\n';
        else
            lines +=
                columns_[i].heading + '\n' + std::string(indent, ' ') + wrapped(field, width_, indent, indent) + '\n';
    }
    return lines;
}

std::string Layout::note() const {
    std::vector<std::string> names;
    for (const Placed& column : columns_)
        if (!column.shown) names.push_back(column.heading);
    if (records_ || names.empty()) return "";
    return wrapped(text("(left out: {}; a terminal of {} columns or --csv shows all)", list_text(names, "and"),
                        whole_width_),
                   width_) +
           '\n';
}
