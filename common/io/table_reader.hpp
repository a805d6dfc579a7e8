// SPDX-License-Identifier: MIT
// Reads tables of any program, in CSV, TSV or JSON Lines, column by column. A header is enough; the first line shows
// the format. A trace of streams or threads is a table, too. If other tables follow, as in `(reduce; vecadd) | plot`,
// their rows are added by column name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "common/io/quantities.hpp"

// A cell is empty, a number, a word, or (in JSON Lines) a list of numbers. null and nan are empty.
class TableColumn {
public:
    explicit TableColumn(const std::string& name) : name_(name) {}

    const std::string& name() const { return name_; }
    std::size_t rows() const { return rows_; }
    // Whether there are numbers and no words.
    bool is_numeric() const { return has_numbers_ && words_.empty(); }
    bool has_words() const { return !words_.empty(); }
    // nan for a cell that is not a number.
    double number(std::size_t row) const;
    // A cell as text, with a number as short as it can be; "" for an empty one.
    std::string word(std::size_t row) const;
    // The numbers of a list, such as samples_ns; empty for other cells.
    std::span<const double> list(std::size_t row) const;
    bool has_lists() const { return !list_begins_.empty(); }
    bool is_empty(std::size_t row) const { return cell(row) == empty_cell; }
    // Equal for two cells of this column with equal contents, and only for those; a list equals only itself.
    std::uint64_t key(std::size_t row) const { return cell(row); }

    // For readers: each adds a row.
    void add_empty() { add(empty_cell); }
    void add_text(std::string_view text);
    void add_number(double number);
    void add_list(const std::vector<double>& numbers);
    void add_as_in(std::size_t row) { add(cell(row)); }

private:
    // A number's bits, or those of a nan that no computation yields: then it holds the index of a word or a list.
    static constexpr std::uint64_t empty_cell = 0x7ff8'0000'0000'0000, word_cell = 0xfffc'0000'0000'0000,
                                   list_cell = 0xfffe'0000'0000'0000, kind_mask = 0xffff'0000'0000'0000;

    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view word) const { return std::hash<std::string_view>()(word); }
    };

    std::uint64_t cell(std::size_t row) const { return cells_.empty() ? constant_ : cells_[row]; }
    void add(std::uint64_t cell);
    std::uint64_t cell_of(std::string_view text);

    std::string name_;
    std::size_t rows_ = 0;
    bool has_numbers_ = false;
    std::uint64_t constant_ = empty_cell;  // every cell, while all are the same, as in most columns of a sweep
    std::vector<std::uint64_t> cells_;
    std::string last_text_;  // and its cell: neighbors are often the same
    std::uint64_t last_cell_ = empty_cell;
    std::vector<std::string> words_;
    std::unordered_map<std::string, std::uint64_t, Hash, std::equal_to<>> index_of_word_;
    std::vector<std::size_t> list_begins_;
    std::vector<double> list_values_;
};

// Whether a column of our programs is a setting of the problem, as those whose names begin with p_ are, apart from
// predictions of times.
inline bool is_own_setting(std::string_view column) {
    return column.starts_with("p_") && !column.starts_with("p_predicted_") && column != "p_limiter";
}

struct DataTable {
    std::string name;  // of the file, or "standard input"
    std::vector<TableColumn> columns;
    std::vector<std::size_t> lines;  // the line in the file where each row begins

    std::size_t rows() const { return lines.size(); }
    // nullptr if there is none.
    const TableColumn* find(std::string_view column) const;
    // Failure(bad_input) with the nearest name if there is none.
    const TableColumn& column(std::string_view column) const;
    std::vector<std::string> names() const;
};

// Lists take most of a file's memory: skip them if they are not needed.
enum class Lists { keep, skip };

// Reads a file, or standard input for "-". Failure(bad_input) names the file, the line and what was expected there.
// `count`, if given, counts the bytes that are read.
DataTable read_table(const std::string& path, Lists lists = Lists::keep, StepCount* count = nullptr);

// Collects the cells of rows as they are read. A column is created when it is first named.
class TableBuilder {
public:
    TableBuilder(DataTable& table, Lists lists) : table_(table), lists_(lists) {}

    bool keeps_lists() const { return lists_ == Lists::keep; }
    void begin_row(std::size_t line) {
        table_.lines.push_back(line);
        is_in_row_ = true;
    }
    std::size_t row() const { return table_.rows() - 1; }  // the one that is being read
    std::size_t index_of(std::string_view column);
    const std::string& name_of(std::size_t column) const { return table_.columns[column].name(); }
    // The column, or nullptr if it already has a cell in this row: the first value counts.
    TableColumn* open(std::size_t column);
    void end_row();  // missing cells are empty

private:
    DataTable& table_;
    Lists lists_;
    bool is_in_row_ = false;
    std::unordered_map<std::string, std::size_t> index_;
};

// Adds the complete events of a trace in the Trace Event Format, as streams and threads write it: a row each, lane by
// lane, with the columns timeline, lane, name, category, begin_ns and end_ns. Returns what is wrong with it.
std::string add_trace(const std::string& text, TableBuilder& builder);

// A member of a JSON Lines object as the previous line had it: "n":1024.
struct JsonMember {
    std::size_t column = 0;
    std::string text = {};
    std::size_t key_length = 0;  // of the text, through the colon
    std::size_t row = 0;         // the row whose cell has the value
    std::size_t changes = 0;     // how many lines in succession have changed it
};

// Adds the cells of one line of JSON Lines. Members of a nested object become columns with a dot, "gpu.name"; lists of
// anything but numbers are left out. `last` remembers the members of the previous line, in its order. Returns what is
// wrong with the line, "" if nothing is.
std::string add_json_row(std::string_view line, TableBuilder& builder, std::vector<JsonMember>& last);
