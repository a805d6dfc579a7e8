// SPDX-License-Identifier: MIT
#include "common/io/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "common/io/terminal.hpp"
#include "common/io/text.hpp"

// ---- its layout

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
        if (column.shown && column.rank > 0 &&
            (!least || std::pair(column.rank, -column.spread) >= std::pair(least->rank, -least->spread)))
            least = &column;
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

bool Layout::holds(const std::vector<std::string>& fields) const {
    if (records_ || wrapped_width_ > 0) return true;
    std::size_t all = 0;
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (columns_[i].shown) all += (all == 0 ? 0 : 2) + std::max(columns_[i].width, terminal_columns(fields[i]));
    return all <= width_;
}

std::string Layout::row(const std::vector<std::string>& fields) {
    if (records_) {
        const std::string gap = std::exchange(after_first_, true) ? "\n" : "";
        return gap + record(fields);
    }
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const bool goes_on = wrapped_width_ > 0 && i + 1 == fields.size();
        if (!goes_on) columns_[i].width = std::max(columns_[i].width, terminal_columns(fields[i]));
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
            const std::size_t used = terminal_columns(line);
            line += wrapped(fields[i], used + wrapped_width_, used, used);
            continue;
        }
        const std::string room(column.width - std::min(column.width, terminal_columns(fields[i])), ' ');
        const std::string field = column.number ? room + fields[i] : fields[i] + room;
        line += markdown_ ? "| " + field + " " : field;
    }
    if (markdown_) line += "|";
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
}

static std::size_t widest_word(const std::string& words) {
    std::size_t longest = 0;
    for (const std::string& word : split(words, ' ')) longest = std::max(longest, terminal_columns(word));
    return longest;
}

// A value goes beside its label, or below it if there is too little room.
std::string Layout::record(const std::vector<std::string>& fields) const {
    std::size_t label_width = 0;
    for (const Placed& column : columns_) label_width = std::max(label_width, terminal_columns(column.heading) + 2);
    const std::size_t room = width_ - std::min(width_, label_width);
    std::string lines;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const std::string& field = fields[i];
        if (field == not_applicable || field.find_first_not_of(' ') == field.npos) continue;
        const std::string label =
            columns_[i].heading + std::string(label_width - terminal_columns(columns_[i].heading), ' ');
        const std::size_t longest = widest_word(field), indent = longest + 2 <= width_ ? 2 : 0;
        if (terminal_columns(field) <= room || (longest <= room && room >= narrowest_text))
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

// ---- the table

Format parse_format(const std::string& name) {
    if (name == "human") return Format::human;
    if (name == "csv") return Format::csv;
    if (name == "tsv") return Format::tsv;
    if (name == "jsonl" || name == "json") return Format::jsonl;
    if (name == "md") return Format::markdown;
    fail(Exit::usage, "unknown format '{}'; choose one of human, csv, tsv, jsonl, md", name);
}

// In quotes and escaped. Invalid UTF-8 becomes U+FFFD, so that every reader accepts the line.
static std::string json_string(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// A number in fixed point without trailing zeros: "0.0500" becomes 0.05, "12.00" 12.0.
static std::string json_number(std::string_view fixed_point) { return nlohmann::json::parse(fixed_point).dump(); }

std::string text_of(const Cell& cell) {
    if (const auto* word = std::get_if<std::string>(&cell)) return word->empty() ? "none" : *word;
    if (const auto* integer = std::get_if<long long>(&cell)) return fmt::format("{}", *integer);
    const auto& number = std::get<Fixed>(cell);
    return std::isfinite(number.value) ? fmt::format("{:.{}f}", number.value, number.digits) : "";
}

// Separators, control characters and quotes inside a cell would break readers that do not support quoting, so they are
// replaced.
static std::string without(std::string field, char separator, char instead) {
    for (char& c : field) {
        if (c == separator) c = instead;
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = ' ';
    }
    return field;
}

static std::string unquoted(const std::string& field, char separator) {
    return without(without(field, separator, separator == ',' ? ';' : ' '), '"', ' ');
}

static bool is_word(const Cell& cell) { return std::holds_alternative<std::string>(cell); }

static bool applies(const Cell& cell) {
    const auto* number = std::get_if<Fixed>(&cell);
    return !number || std::isfinite(number->value);
}

static bool applies_to_people(const Cell& cell, const Column& column) {
    const auto* integer = std::get_if<long long>(&cell);
    return applies(cell) && !(integer && *integer == 0 && column.zero_is_nothing);
}

static bool tells_something(const Cell& cell, const Column& column) {
    return is_word(cell) ? text_of(cell) != "none" : applies_to_people(cell, column);
}

constexpr int most_places = 60;

Fixed computed(double value, int digits, int first) {
    if (value == 0 || !std::isfinite(value)) return {value, digits};
    const int needed = first - 1 - int(std::floor(std::log10(std::abs(value))));
    return {value, std::max(digits, std::min(needed, most_places))};
}

// A number for people: as many digits after the point as its column asks for, or as its first three need, but none that
// the machine formats do not have.
static std::string for_people(double value, int machine_digits, const Column& column) {
    const double shown = value * column.scale;
    const int exact = std::max(0, machine_digits - int(std::floor(std::log10(column.scale))));
    if (column.digits == as_in_csv) return text_of(Fixed{shown, exact});
    return text_of(Fixed{shown, std::min(computed(shown, column.digits).digits, exact)});
}

static std::string scaled(const Cell& cell, const Column& column) {
    if (!applies_to_people(cell, column)) return not_applicable;
    if (const auto* number = std::get_if<Fixed>(&cell)) return for_people(number->value, number->digits, column);
    if (const auto* integer = std::get_if<long long>(&cell); integer && column.scale != 1)
        return for_people(static_cast<double>(*integer), 0, column);
    return text_of(cell);
}

Table::Table(Output& output, Format format, bool header, std::vector<Column> columns,
             const std::vector<std::string>& chosen)
    : output_(output), format_(format), header_(header), columns_(std::move(columns)), width_(output.width()) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (!columns_[i].name.empty()) for_machines_.push_back(i);
        if (!columns_[i].heading.empty()) for_people_.push_back(i);
    }
    std::stable_sort(for_people_.begin(), for_people_.end(),
                     [this](std::size_t a, std::size_t b) { return columns_[a].place < columns_[b].place; });
    if (!chosen.empty()) choose(chosen);
    shown_.resize(for_people_.size(), is_chosen_);
}

void Table::choose(const std::vector<std::string>& names) {
    std::vector<std::size_t> chosen;
    for (const std::string& name : names) {
        bool fits_one = false;
        for (std::size_t i : for_machines_) {
            if (!matches_glob(name, columns_[i].name)) continue;
            fits_one = true;
            if (std::find(chosen.begin(), chosen.end(), i) == chosen.end()) chosen.push_back(i);
        }
        if (!fits_one)
            fail(Exit::usage, "--columns: this table has no column '{}'; the first line of --csv names those it has",
                 name);
    }
    // A heading is clear only beside those that it belongs to: without them the name takes its place.
    const auto is_clear = [this](const Column& column) {
        return !column.heading.empty() && std::count_if(columns_.begin(), columns_.end(), [&](const Column& other) {
                                              return other.heading == column.heading;
                                          }) == 1;
    };
    std::vector<Column> renamed = columns_;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        Column& column = renamed[chosen[i]];
        if (!is_clear(column)) {
            column.heading = column.name;
            column.scale = 1;
            column.digits = as_in_csv;
        }
        column.rank = static_cast<int>(i);  // what was asked for first stays
        column.zero_is_nothing = false;
    }
    columns_ = std::move(renamed);
    for_machines_ = for_people_ = std::move(chosen);
    is_chosen_ = true;
}

void Table::add(std::vector<Cell> row, const std::vector<JsonExtra>& extras) {
    add_unusual(std::move(row), extras);
    if (block_) print_held(block_->title);
}

void Table::add_unusual(std::vector<Cell> row, const std::vector<JsonExtra>& extras) {
    switch (format_) {
        case Format::csv: return print_separated(row, ',');
        case Format::tsv: return print_separated(row, '\t');
        case Format::jsonl: return print_json(row, extras);
        default: held_.push_back(std::move(row));
    }
}

void Table::print_separated(const std::vector<Cell>& row, char separator) {
    std::string line;
    if (!std::exchange(has_begun_, true) && header_) {
        for (std::size_t i : for_machines_) line += (line.empty() ? "" : std::string(1, separator)) + columns_[i].name;
        line += '\n';
    }
    bool first = true;
    for (std::size_t i : for_machines_) {
        if (!std::exchange(first, false)) line += separator;
        line += unquoted(text_of(row[i]), separator);
    }
    output_.write(line + '\n');
    output_.flush();
}

void Table::print_json(const std::vector<Cell>& row, const std::vector<JsonExtra>& extras) {
    std::string line;
    const auto add = [&line](const std::string& key, const std::string& value) {
        line += (line.empty() ? "{" : ",") + json_string(key) + ":" + value;
    };
    for (std::size_t i : for_machines_) {
        const std::string value = text_of(row[i]);
        const bool null = is_word(row[i]) ? value == "none" || value == "unknown" : !applies(row[i]);
        add(columns_[i].name, null ? "null" : is_word(row[i]) ? json_string(value) : json_number(value));
    }
    for (const JsonExtra& extra : extras) {
        std::string list;
        for (double value : extra.values) list += (list.empty() ? "[" : ",") + json_number(text_of(Fixed{value, 1}));
        if (!list.empty()) add(extra.key, list + "]");
    }
    output_.write(line + "}\n");
    output_.flush();
}

void Table::begin(const std::string& title, std::size_t room) {
    if (is_for_people()) block_ = Block{title, room};
}

void Table::flush(const std::string& title) {
    print_held(block_ ? block_->title : title);
    if (layout_) output_.write(layout_->note());
    if (layout_) output_.flush();
    layout_.reset();
    block_.reset();
    if (format_ != Format::markdown) shown_.assign(shown_.size(), is_chosen_);
}

bool Table::show_more() {
    bool more = false;
    for (const auto& row : held_)
        for (std::size_t i = 0; i < for_people_.size(); ++i) {
            const std::size_t column = for_people_[i];
            if (!shown_[i] && tells_something(row[column], columns_[column])) more = shown_[i] = true;
        }
    return more;
}

std::vector<std::string> Table::fields_of(const std::vector<Cell>& row) const {
    std::vector<std::string> fields;
    for (std::size_t i = 0; i < for_people_.size(); ++i) {
        if (!shown_[i]) continue;
        const std::string field = scaled(row[for_people_[i]], columns_[for_people_[i]]);
        fields.push_back(format_ == Format::markdown ? without(field, '|', '/') : without(field, '\n', ' '));
    }
    return fields;
}

// By how much the column's cells differ, as a share of the largest; a count that does not apply is 0. Words, and what
// is a row's only cell, do not differ in this sense.
double Table::spread_of_held(std::size_t column) const {
    double least = std::numeric_limits<double>::infinity(), greatest = 0;
    for (const auto& row : held_) {
        double value = 0;
        if (const auto* integer = std::get_if<long long>(&row[column])) value = static_cast<double>(*integer);
        else if (const auto* number = std::get_if<Fixed>(&row[column]); number && std::isfinite(number->value))
            value = number->value;
        else continue;
        least = std::min(least, value);
        greatest = std::max(greatest, value);
    }
    return greatest > 0 ? (greatest - least) / greatest : 0;
}

// As wide as the rows and headings, or as a block's rows will need. A column whose heading is that of others, too, goes
// with the one before it, which it explains.
Layout Table::layout_of_held() const {
    std::vector<LaidOutColumn> laid_out;
    for (std::size_t i = 0; i < for_people_.size(); ++i) {
        const Column& column = columns_[for_people_[i]];
        if (!shown_[i]) continue;
        const auto is_number = [&](const auto& row) { return !is_word(row[for_people_[i]]); };
        const bool number = std::all_of(held_.begin(), held_.end(), is_number);
        laid_out.push_back({column.heading, number, header_ ? terminal_columns(column.heading) : 0, column.rank,
                            spread_of_held(for_people_[i])});
        if (block_) laid_out.back().width = std::max(laid_out.back().width, column.room);
    }
    for (std::size_t i = 1; i < laid_out.size(); ++i) {
        const auto has_its_heading = [&](const LaidOutColumn& other) { return other.heading == laid_out[i].heading; };
        if (std::count_if(laid_out.begin(), laid_out.end(), has_its_heading) > 1)
            laid_out[i].spread = laid_out[i - 1].spread = std::max(laid_out[i].spread, laid_out[i - 1].spread);
    }
    if (block_ && !laid_out.empty()) laid_out.front().width = std::max(laid_out.front().width, block_->room);
    for (const auto& row : held_) {
        const std::vector<std::string> fields = fields_of(row);
        for (std::size_t i = 0; i < fields.size(); ++i)
            laid_out[i].width = std::max(laid_out[i].width, terminal_columns(fields[i]));
    }
    return Layout(std::move(laid_out), width_, format_ == Format::markdown);
}

// A row to which a hidden column applies, or that is too wide, begins the table anew, below a head of its own.
void Table::print_held(const std::string& title) {
    if (held_.empty()) return;
    const bool markdown = format_ == Format::markdown;
    const auto is_too_wide = [this](const auto& row) { return !layout_->holds(fields_of(row)); };
    const bool more = show_more() || (layout_ && std::any_of(held_.begin(), held_.end(), is_too_wide));
    std::string lines;
    if (!layout_ && !markdown && !title.empty()) lines = wrapped(title, width_) + '\n';
    if (!layout_ || more) {
        if (markdown && more && has_begun_) lines = "\n";
        layout_ = layout_of_held();
        if (header_ && (more || !markdown)) lines += layout_->head();
    }
    for (const auto& row : held_) lines += layout_->row(fields_of(row));
    held_.clear();
    has_begun_ = true;
    output_.write(lines);
    if (block_) output_.flush();
}
