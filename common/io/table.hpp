// SPDX-License-Identifier: MIT
// One table, five formats. Machine formats are flushed row by row. The human formats are aligned: their rows wait for
// flush(), or, after begin(), appear one by one in columns of their usual width.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/io/output.hpp"

// ---- its layout

struct LaidOutColumn {
    std::string heading;
    bool number = false;    // aligned right
    std::size_t width = 0;  // of the heading and the widest cell that is expected
    int rank = 0;           // if the line is too narrow, the highest is left out first; 0: never
    double spread = 0;      // how much its cells differ, 0 to 1: of columns of equal rank, the least is left out first
};

// What a cell shows if it does not apply; records omit it.
constexpr const char* not_applicable = "-";

// How the human formats lay out a table: aligned lines as wide as the terminal, without the columns that do not fit, or
// records if too many columns do not fit.
class Layout {
public:
    Layout(std::vector<LaidOutColumn> columns, std::size_t width, bool markdown);

    std::string head() const;  // "" for records
    // One field per column. A field wider than its column widens it for the rows that follow.
    std::string row(const std::vector<std::string>& fields);
    // Whether the row fits the width beside those before it.
    bool holds(const std::vector<std::string>& fields) const;
    // Which columns are left out, and how to see them; "" for none.
    std::string note() const;

private:
    std::size_t width_of_all() const;
    bool fits();
    bool leave_one_out();
    std::string line(const std::vector<std::string>& fields) const;
    std::string record(const std::vector<std::string>& fields) const;

    struct Placed : LaidOutColumn {
        bool shown = true;
    };
    std::vector<Placed> columns_;
    std::size_t width_, whole_width_;
    std::size_t wrapped_width_ = 0;  // of the last column, if its text wraps; 0: it does not
    bool markdown_, records_ = false, after_first_ = false;
};

// ---- the table

enum class Format { human, csv, tsv, jsonl, markdown };

Format parse_format(const std::string& name);

struct Fixed {     // a number printed with this many digits after the point, never in exponent form
    double value;  // nan: it does not apply; JSON says null, the human formats -, the others leave the field empty
    int digits;
};

// A quotient or another number that was computed: with `digits` after the point, or with more if its first ones, which
// are those that count, would be lost.
Fixed computed(double value, int digits, int first = 3);

// A number that does not apply.
constexpr Fixed absent(int digits = 0) { return {std::numeric_limits<double>::quiet_NaN(), digits}; }

using Cell = std::variant<std::string, long long, Fixed>;

// A count as a cell.
template <typename Integer>
long long whole(Integer count) {
    return static_cast<long long>(count);
}

constexpr int as_in_csv = -1;
struct Column {
    std::string name;  // snake_case with a unit suffix: the machine formats' header; "" keeps the column out of them
    std::string heading = {};      // the human table's heading, with its unit; "" keeps the column out of it
    double scale = 1;              // the human table multiplies a number by this, and
    int digits = 0;                // shows so many digits after the point, more for a small number that would lose its
                                   // first three; as_in_csv: as many as the machine formats
    std::size_t room = 0;          // how wide its cells usually are, for rows that appear one by one
    int rank = 0;                  // on a narrow terminal the human table leaves out the highest first; 0: never
    int place = 0;                 // the human table shows the lowest first, equal ones in their order
    bool zero_is_nothing = false;  // to people 0 does not apply
};

// A count as a cell where 0 means that it does not apply.
template <typename Integer>
Cell whole_if_any(Integer count) {
    if (count == 0) return absent();
    return whole(count);
}

// As the machine formats show it.
std::string text_of(const Cell& cell);

// A column, and how its cells are computed from a Source.
template <typename Source, typename Value = Cell (*)(const Source&)>
struct ColumnOf {
    Column column;
    Value value;
};

template <typename Rows>
std::vector<Column> columns_of(const Rows& rows) {
    std::vector<Column> columns;
    for (const auto& row : rows) columns.push_back(row.column);
    return columns;
}

template <typename Rows, typename Source>
std::vector<Cell> cells_of(const Rows& rows, const Source& source) {
    std::vector<Cell> cells;
    for (const auto& row : rows) cells.push_back(row.value(source));
    return cells;
}

// For JSON Lines only: lists beside a row's cells.
struct JsonExtra {
    std::string key;
    std::vector<double> values;  // shown with one digit after the point
};

// The human formats leave out columns that apply to no row of the block (in Markdown: to no row so far).
class Table {
public:
    // chosen: names and globs of the columns that it shows, in this order; none: all. A row still has a cell for each of
    // `columns`. Failure(usage) if a name fits none of them.
    Table(Output& output, Format format, bool header, std::vector<Column> columns,
          const std::vector<std::string>& chosen = {});

    // One cell per column, in their order.
    void add(std::vector<Cell> row, const std::vector<JsonExtra>& extras = {});
    // The same for a row that is unlike those to come: the human table waits for one of them to choose its columns.
    void add_unusual(std::vector<Cell> row, const std::vector<JsonExtra>& extras = {});

    // The rows from here to flush() appear one by one, below `title`; the first column needs at least `room`.
    void begin(const std::string& title, std::size_t room);
    // Prints the rows that the human formats hold back, with `title` above them; the next rows begin a new block.
    void flush(const std::string& title = "");

private:
    bool is_for_people() const { return format_ == Format::human || format_ == Format::markdown; }
    void print_separated(const std::vector<Cell>& row, char separator);
    void print_json(const std::vector<Cell>& row, const std::vector<JsonExtra>& extras);
    void choose(const std::vector<std::string>& names);
    // Shows the columns that apply to a row that is held; whether one was not shown before.
    bool show_more();
    // Only of the columns that are shown.
    std::vector<std::string> fields_of(const std::vector<Cell>& row) const;
    double spread_of_held(std::size_t column) const;
    Layout layout_of_held() const;
    void print_held(const std::string& title);

    struct Block {
        std::string title;
        std::size_t room;
    };

    Output& output_;
    Format format_;
    bool header_, has_begun_ = false;
    std::vector<Column> columns_;
    std::vector<std::size_t> for_machines_;  // the columns with a name, in the machine formats' order
    std::vector<std::size_t> for_people_;    // the columns with a heading, in the human order
    std::vector<bool> shown_;                // of the latter
    bool is_chosen_ = false;                 // the columns are those that were asked for
    std::size_t width_;
    std::vector<std::vector<Cell>> held_;
    std::optional<Block> block_;    // rows appear one by one
    std::optional<Layout> layout_;  // from the first rows of a block on
};
