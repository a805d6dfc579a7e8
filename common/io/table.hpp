// One table, five formats. Machine formats are flushed row by row; the human one is aligned, so it waits for flush().
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "common/io/output.hpp"

enum class Format { human, csv, tsv, jsonl, markdown };

Format parse_format(const std::string& name);

struct Fixed {  // a number printed with this many digits after the point; never nan, never in exponent form
    double value;
    int digits;
};

using Cell = std::variant<std::string, long long, Fixed>;

// A count as a cell.
template <typename Integer>
long long whole(Integer count) {
    return static_cast<long long>(count);
}

struct Column {
    std::string name;  // snake_case with a unit suffix: the machine formats' header; "" keeps the column out of them
    std::string heading = {};   // the human table's heading, with its unit; "" keeps the column out of it
    double scale = 1;           // what the human table multiplies a number by, and
    int digits = 0;             // how many digits it shows then
    bool only_if_used = false;  // the human table leaves it out where all its numbers are 0
};

// A row of a table of columns: a column, and how its cell is taken from a Source.
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

class Table {
public:
    Table(Output& output, Format format, bool header, std::vector<Column> columns);

    // One cell per column, in their order.
    void add(std::vector<Cell> row, const std::vector<JsonExtra>& extras = {});

    // Prints the rows that the human formats hold back, with `title` above them; the next rows begin a new block.
    void flush(const std::string& title = "");

private:
    void print_separated(const std::vector<Cell>& row, char separator);
    void print_json(const std::vector<Cell>& row, const std::vector<JsonExtra>& extras);
    void print_aligned(const std::string& title);

    Output& output_;
    Format format_;
    bool header_pending_;
    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> held_;
};
