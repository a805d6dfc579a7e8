#include "common/io/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/io/json.hpp"
#include "common/io/text.hpp"

Format parse_format(const std::string& name) {
    if (name == "human") return Format::human;
    if (name == "csv") return Format::csv;
    if (name == "tsv") return Format::tsv;
    if (name == "jsonl" || name == "json") return Format::jsonl;
    if (name == "md") return Format::markdown;
    fail(Exit::usage, "unknown format '{}'; choose one of human, csv, tsv, jsonl, md", name);
}

static std::string plain(const Cell& cell) {
    if (const auto* word = std::get_if<std::string>(&cell)) return word->empty() ? "none" : *word;
    if (const auto* integer = std::get_if<long long>(&cell)) return fmt::format("{}", *integer);
    const auto& number = std::get<Fixed>(cell);
    return fmt::format("{:.{}f}", std::isfinite(number.value) ? number.value : 0.0, number.digits);
}

// Separators, control characters and quotes inside a cell would break readers that do not know quoting: they are
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

static std::string scaled(const Cell& cell, const Column& column) {
    if (const auto* number = std::get_if<Fixed>(&cell))
        return plain(Fixed{number->value * column.scale, column.digits});
    if (const auto* integer = std::get_if<long long>(&cell); integer && column.scale != 1)
        return plain(Fixed{static_cast<double>(*integer) * column.scale, column.digits});
    return plain(cell);
}

static bool is_zero(const Cell& cell) {
    if (const auto* integer = std::get_if<long long>(&cell)) return *integer == 0;
    const auto* number = std::get_if<Fixed>(&cell);
    return number && number->value == 0;
}

Table::Table(Output& output, Format format, bool header, std::vector<Column> columns)
    : output_(output), format_(format), header_pending_(header), columns_(std::move(columns)) {}

void Table::add(std::vector<Cell> row, const std::vector<JsonExtra>& extras) {
    switch (format_) {
        case Format::csv: return print_separated(row, ',');
        case Format::tsv: return print_separated(row, '\t');
        case Format::jsonl: return print_json(row, extras);
        default: held_.push_back(std::move(row));
    }
}

void Table::print_separated(const std::vector<Cell>& row, char separator) {
    std::string line;
    if (std::exchange(header_pending_, false)) {
        for (const Column& column : columns_)
            if (!column.name.empty()) line += (line.empty() ? "" : std::string(1, separator)) + column.name;
        line += '\n';
    }
    bool first = true;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (columns_[i].name.empty()) continue;
        if (!std::exchange(first, false)) line += separator;
        line += unquoted(plain(row[i]), separator);
    }
    output_.write(line + '\n');
    output_.flush();
}

void Table::print_json(const std::vector<Cell>& row, const std::vector<JsonExtra>& extras) {
    std::string line;
    const auto add = [&line](const std::string& key, const std::string& value) {
        line += (line.empty() ? "{" : ",") + json_string(key) + ":" + value;
    };
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (columns_[i].name.empty()) continue;
        const auto* word = std::get_if<std::string>(&row[i]);
        add(columns_[i].name, word ? json_string(*word) : json_number(plain(row[i])));
    }
    for (const JsonExtra& extra : extras) {
        std::string list;
        for (double value : extra.values) list += (list.empty() ? "[" : ",") + json_number(plain(Fixed{value, 1}));
        if (!list.empty()) add(extra.key, list + "]");
    }
    output_.write(line + "}\n");
    output_.flush();
}

void Table::flush(const std::string& title) {
    if (!held_.empty()) print_aligned(title);
    held_.clear();
}

void Table::print_aligned(const std::string& title) {
    struct Shown {
        std::vector<std::string> fields;
        std::size_t width = 0;
        bool number = false;
    };
    const bool markdown = format_ == Format::markdown;
    std::vector<Shown> shown;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (columns_[i].heading.empty()) continue;
        const auto is_unused = [i](const std::vector<Cell>& row) { return is_zero(row[i]); };
        if (columns_[i].only_if_used && std::all_of(held_.begin(), held_.end(), is_unused)) continue;
        Shown column;
        column.number = !std::holds_alternative<std::string>(held_.front()[i]);
        if (header_pending_) column.fields.push_back(columns_[i].heading);
        for (const auto& row : held_) {
            const std::string field = scaled(row[i], columns_[i]);
            column.fields.push_back(markdown ? without(field, '|', '/') : without(field, '\n', ' '));
        }
        for (const std::string& field : column.fields) column.width = std::max(column.width, field.size());
        shown.push_back(std::move(column));
    }
    std::string block = title.empty() || markdown ? "" : title + "\n";
    for (std::size_t line = 0; line < shown.front().fields.size(); ++line) {
        std::string text_line;
        for (const Shown& column : shown) {
            const std::string field = column.number ? fmt::format("{:>{}}", column.fields[line], column.width)
                                                    : fmt::format("{:<{}}", column.fields[line], column.width);
            text_line += markdown ? "| " + field + " " : (text_line.empty() ? "" : "  ") + field;
        }
        if (markdown) text_line += "|";
        else text_line.erase(text_line.find_last_not_of(' ') + 1);
        block += text_line + '\n';
        if (markdown && line == 0 && header_pending_) {
            for (const Shown& column : shown) block += column.number ? "|---:" : "|---";
            block += "|\n";
        }
    }
    if (markdown) header_pending_ = false;
    output_.write(block);
    output_.flush();
}
