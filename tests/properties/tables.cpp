// SPDX-License-Identifier: MIT
// Tables of random cells, written in each machine format and read by independent readers.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "common/io/output.hpp"
#include "common/io/table.hpp"
#include "common/io/text.hpp"
#include "tests/properties/property.hpp"

namespace {

using Row = std::vector<Cell>;
using Words = std::vector<std::string>;

struct Sample {
    std::vector<Column> columns;
    std::vector<Row> rows;
};

Cell random_cell(Random& random) {
    static constexpr std::string_view pieces[] = {
        "a",      "word",         "x_1",        ",", ";", "\t", "\n", "\r",   "\"",   "'", "|",    "\\",   " ", "  ",
        "\u00e4", "\u4e16\u754c", "\U0001f600", "{", "[", "#",  "=",  "\x01", "\x7f", "$", "\r\n", "null", "-1"};
    const auto bits = static_cast<long long>(random());
    switch (below(random, 4)) {
        case 0: return bits >> below(random, 64);
        case 1:
            return Fixed{std::ldexp(static_cast<double>(bits), -static_cast<int>(below(random, 100))),
                         static_cast<int>(below(random, 7))};
        case 2: {
            static constexpr double special[] = {0,
                                                 -0.0,
                                                 1e300,
                                                 -1e300,
                                                 1e-300,
                                                 0x1p63,
                                                 std::numeric_limits<double>::infinity(),
                                                 std::numeric_limits<double>::quiet_NaN(),
                                                 std::numeric_limits<double>::max()};
            return Fixed{special[below(random, std::size(special))], static_cast<int>(below(random, 4))};
        }
        default: return random_text(random, pieces, 6);
    }
}

// At least one column and row. The cells of a column have the same kind, as in a program's table.
Sample random_sample(Random& random) {
    Sample sample;
    const std::size_t columns = 1 + below(random, 6), rows = 1 + below(random, 5);
    Row kinds;
    for (std::size_t i = 0; i < columns; ++i) {
        const std::string name = "column_" + std::to_string(i);
        const bool is_hidden = i > 0 && below(random, 6) == 0;  // only the human table has it
        sample.columns.push_back(Column{.name = is_hidden ? "" : name, .heading = name});
        kinds.push_back(random_cell(random));
    }
    for (std::size_t i = 0; i < rows; ++i) {
        Row row;
        for (const Cell& kind : kinds) {
            Cell cell = random_cell(random);
            while (cell.index() != kind.index()) cell = random_cell(random);
            row.push_back(cell);
        }
        sample.rows.push_back(row);
    }
    return sample;
}

std::string written(const Sample& sample, Format format) {
    static const std::string path = text("property-table-{}", static_cast<long long>(getpid()));
    {
        Output output(path);
        Table table(output, format, true, sample.columns);
        for (const Row& row : sample.rows) table.add(row);
        table.flush();
        output.commit();
    }
    std::ifstream file(path, std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    unlink(path.c_str());
    return all;
}

// The text of a cell: a word with blanks for characters that end a field or a line, a number rounded to its digits.
std::string expected_field(const Cell& cell, char separator) {
    if (const auto* integer = std::get_if<long long>(&cell)) return std::to_string(*integer);
    if (const auto* number = std::get_if<Fixed>(&cell)) {
        if (!std::isfinite(number->value)) return "";
        char digits[512];
        std::snprintf(digits, sizeof digits, "%.*f", number->digits, number->value);
        return digits;
    }
    std::string word = std::get<std::string>(cell);
    for (char& c : word) {
        if (c == separator) c = separator == ',' ? ';' : ' ';
        else if ((static_cast<unsigned char>(c) < ' ' || c == '\x7f') || c == '"') c = ' ';
    }
    return word.empty() ? "none" : word;
}

// RFC 4180: fields may be quoted, and a quoted one may hold separators, line ends and doubled quotes.
std::vector<Words> parse_separated(std::string_view all, char separator) {
    std::vector<Words> rows;
    Words row;
    std::string field;
    bool is_quoted = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const char c = all[i];
        if (is_quoted) {
            if (c != '"') field += c;
            else if (i + 1 < all.size() && all[i + 1] == '"') field += '"', ++i;
            else is_quoted = false;
        } else if (c == '"' && field.empty()) {
            is_quoted = true;
        } else if (c == separator || c == '\n' || c == '\r') {
            row.push_back(std::exchange(field, ""));
            if (c == separator) continue;
            rows.push_back(std::exchange(row, {}));
            if (c == '\r' && i + 1 < all.size() && all[i + 1] == '\n') ++i;
        } else {
            field += c;
        }
    }
    return rows;
}

std::string compare(const std::vector<Words>& got, const std::vector<Words>& expected) {
    if (got.size() != expected.size()) return text("{} lines instead of {}", got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
        if (got[i].size() != expected[i].size())
            return text("line {} has {} fields instead of {}", i, got[i].size(), expected[i].size());
        for (std::size_t j = 0; j < got[i].size(); ++j)
            if (got[i][j] != expected[i][j]) return "'" + got[i][j] + "' instead of '" + expected[i][j] + "'";
    }
    return "";
}

std::vector<Words> expected_rows(const Sample& sample, char separator, bool with_hidden) {
    std::vector<Words> rows(1);
    for (const Column& column : sample.columns)
        if (with_hidden || !column.name.empty()) rows[0].push_back(column.heading);
    for (const Row& row : sample.rows) {
        rows.emplace_back();
        for (std::size_t i = 0; i < row.size(); ++i)
            if (with_hidden || !sample.columns[i].name.empty())
                rows.back().push_back(expected_field(row[i], separator));
    }
    return rows;
}

template <Format format, char separator>
std::string separated(Random& random) {
    const Sample sample = random_sample(random);
    return compare(parse_separated(written(sample, format), separator), expected_rows(sample, separator, false));
}

std::string trimmed(const std::string& word) {
    const std::size_t begin = word.find_first_not_of(' ');
    return begin == word.npos ? "" : word.substr(begin, word.find_last_not_of(' ') - begin + 1);
}

// A pipe table: a bar ends a cell, and blanks around it do not count.
std::vector<Words> parse_markdown(std::string_view all) {
    std::vector<Words> rows;
    for (const std::string& line : split(all, '\n')) {
        if (line.empty()) continue;
        Words row;
        std::string cell;
        for (std::size_t i = 1; i < line.size(); ++i) {
            if (line[i] == '|') row.push_back(trimmed(std::exchange(cell, "")));
            else cell += line[i];
        }
        if (line[0] != '|' || !cell.empty()) return {};
        rows.push_back(row);
    }
    if (rows.size() > 1) rows.erase(rows.begin() + 1);  // the dashes
    return rows;
}

std::string markdown(Random& random) {
    Sample sample = random_sample(random);
    for (Row& row : sample.rows)
        for (Cell& cell : row)
            if (auto* number = std::get_if<Fixed>(&cell)) number->digits = 0;  // the column's, in the human table
    std::vector<Words> expected = expected_rows(sample, '\n', true);
    for (std::size_t i = 1; i < expected.size(); ++i)
        for (std::size_t j = 0; j < expected[i].size(); ++j) {
            const auto* word = std::get_if<std::string>(&sample.rows[i - 1][j]);
            if (word && !word->empty()) {  // quotes mean nothing here
                expected[i][j] = *word;
                for (char& c : expected[i][j])
                    c = c == '|' ? '/' : static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
            }
            const auto* number = std::get_if<Fixed>(&sample.rows[i - 1][j]);
            if (number && !std::isfinite(number->value)) expected[i][j] = "-";
            expected[i][j] = trimmed(expected[i][j]);
        }
    // A column that tells nobody anything is left out.
    for (std::size_t j = sample.columns.size(); j-- > 0;) {
        const auto is_silent = [j](const Row& row) {
            const auto* word = std::get_if<std::string>(&row[j]);
            const auto* number = std::get_if<Fixed>(&row[j]);
            return (word && (word->empty() || *word == "none")) || (number && !std::isfinite(number->value));
        };
        if (sample.rows.empty() || !std::all_of(sample.rows.begin(), sample.rows.end(), is_silent)) continue;
        for (Words& row : expected) row.erase(row.begin() + std::ptrdiff_t(j));
    }
    if (expected[0].empty()) return "";  // nothing is left
    return compare(parse_markdown(written(sample, Format::markdown)), expected);
}

// JSON's null is read as this, which no random word equals.
constexpr const char* null_value = "(null)";

// A flat object of strings, numbers and null; strings are unescaped, and numbers stay as written.
class JsonReader {
public:
    explicit JsonReader(std::string_view line) : line_(line) {}

    bool read(Words& keys, Words& values) {
        if (!take('{')) return false;
        while (at_ < line_.size() && line_[at_] != '}') {
            if (!keys.empty() && !take(',')) return false;
            keys.emplace_back();
            values.emplace_back();
            if (!string(keys.back()) || !take(':')) return false;
            if (at_ < line_.size() && line_[at_] == '"' ? !string(values.back()) : !number(values.back())) return false;
        }
        return take('}') && at_ == line_.size();
    }

private:
    bool take(char c) { return at_ < line_.size() && line_[at_++] == c; }

    bool number(std::string& value) {
        if (line_.substr(at_, 4) == "null") {
            value = null_value;
            at_ += 4;
            return true;
        }
        while (at_ < line_.size() && std::string_view("+-.eE0123456789").find(line_[at_]) != std::string_view::npos)
            value += line_[at_++];
        return !value.empty();
    }

    bool string(std::string& value) {
        if (!take('"')) return false;
        for (; at_ < line_.size() && line_[at_] != '"'; ++at_) {
            if (static_cast<unsigned char>(line_[at_]) < ' ') return false;  // JSON forbids it
            if (line_[at_] != '\\') {
                value += line_[at_];
                continue;
            }
            static constexpr std::string_view escapes = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
            if (++at_ == line_.size()) return false;
            if (line_[at_] == 'u') {
                value += static_cast<char>(
                    std::strtol(std::string(line_.substr(at_ + 1, 4)).c_str(), nullptr, 16));  // below 128
                at_ += 4;
            } else if (const std::size_t which = escapes.find(line_[at_]); which != escapes.npos) {
                value += meanings[which];
            } else {
                return false;
            }
        }
        return take('"');
    }

    std::string_view line_;
    std::size_t at_ = 0;
};

std::string json_lines(Random& random) {
    const Sample sample = random_sample(random);
    const std::vector<std::string> lines = split(written(sample, Format::jsonl), '\n');
    if (lines.size() != sample.rows.size() + 1) return text("{} lines for {} rows", lines.size(), sample.rows.size());
    for (std::size_t i = 0; i < sample.rows.size(); ++i) {
        Words keys, values;
        if (!JsonReader(lines[i]).read(keys, values)) return "not one JSON object: " + lines[i];
        std::size_t next = 0;
        for (std::size_t j = 0; j < sample.columns.size(); ++j) {
            if (sample.columns[j].name.empty()) continue;
            if (next == keys.size() || keys[next] != sample.columns[j].name) return "a key is missing: " + lines[i];
            const std::string& value = values[next++];
            const Cell& cell = sample.rows[i][j];
            const auto* figure = std::get_if<Fixed>(&cell);
            const auto* word = std::get_if<std::string>(&cell);
            if ((word && word->empty()) || (figure && !std::isfinite(figure->value))) {  // it does not apply
                if (value != null_value) return value + " instead of null";
            } else if (word) {
                if (value != *word) return "'" + value + "' instead of '" + *word + "'";
            } else if (std::strtod(value.c_str(), nullptr) != std::strtod(expected_field(cell, ',').c_str(), nullptr)) {
                return value + " instead of " + expected_field(cell, ',');
            }
        }
        if (next != keys.size()) return "too many keys: " + lines[i];
    }
    return "";
}

}  // namespace

int main(int count, char** arguments) {
    Properties properties(count, arguments);
    properties.check("csv", 3000, separated<Format::csv, ','>);
    properties.check("tsv", 3000, separated<Format::tsv, '\t'>);
    properties.check("markdown", 3000, markdown);
    properties.check("json-lines", 3000, json_lines);
    return properties.exit_status();
}
