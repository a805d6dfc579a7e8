// SPDX-License-Identifier: MIT
// The rows of all inputs, and their columns by name, in whichever tables they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "common/io/table_reader.hpp"

namespace plot {

struct RowOf {
    std::uint32_t table, row;
};

// A column in each of the tables that has it.
class Field {
public:
    Field(std::string name, const std::vector<DataTable>& tables);

    const std::string& name() const { return name_; }
    bool exists() const { return exists_; }
    // Whether it holds only numbers, in at least one of the tables.
    bool is_numeric() const { return numeric_; }
    double number(RowOf at) const { return of_[at.table] ? of_[at.table]->number(at.row) : nan_; }
    std::string word(RowOf at) const { return of_[at.table] ? of_[at.table]->word(at.row) : ""; }
    // Equal for two rows of one table that have the same value.
    std::uint64_t key(RowOf at) const { return of_[at.table] ? of_[at.table]->key(at.row) : 0; }
    std::span<const double> list(RowOf at) const;

private:
    std::string name_;
    std::vector<const TableColumn*> of_;
    bool exists_ = false, numeric_ = false;
    double nan_;
};

class Data {
public:
    // Tables of devquery say what the device can do. If there are several others, they get a column "file".
    explicit Data(std::vector<DataTable> tables);

    const std::vector<RowOf>& rows() const { return rows_; }
    const std::vector<DataTable>& tables() const { return tables_; }
    // As they were read: what a row says of itself.
    const std::vector<DataTable>& sources() const { return sources_.empty() ? tables_ : sources_; }
    // Whether the file that a row is from tells rows apart.
    bool is_of_files() const { return tables_.size() > 1 && !files_are_told_; }
    Field field(const std::string& name) const { return {name, tables_}; }
    // Failure(bad_input) if no table has it.
    Field needed(const std::string& name) const;
    std::vector<Field> needed(const std::vector<std::string>& names) const;
    bool has(const std::string& name) const { return field(name).exists(); }
    std::vector<std::string> names() const;
    // A property of devquery's that is a number; 0 if there is none.
    double property(const std::string& name) const;
    // Whether the rows have at least two different values; empty cells do not count.
    bool varies(const Field& field) const;
    // How many different values they have, counted up to `most`.
    std::size_t distinct(const Field& field, std::size_t most) const;
    // Whether no two rows of a table have the same values in all of these columns.
    bool tell_apart(const std::vector<Field>& fields) const;
    // Keeps only the rows for which a condition like "kernel=cub|cub-*,n>=1Ki" holds. Failure(usage) if it is
    // malformed.
    void keep(const std::string& condition);

    // Whether some rows were timed in the simulator with a prediction of a GPU's times; whether some were timed on a GPU.
    bool has_predictions() const;
    bool has_times_of_gpu() const;
    // From now on, simulated rows are what was predicted for a GPU: its times, rates and size, and the timer "predicted,
    // NVIDIA H200"; that of rows from a GPU is "measured, NVIDIA H200". Rows of a simulated table that have no
    // prediction are left out. Returns how many these are.
    std::size_t show_predictions();
    bool shows_predictions() const { return !sources_.empty(); }
    // Whether a row's time comes from a model rather than from a clock.
    bool is_predicted(RowOf row) const;

private:
    std::vector<DataTable> tables_, sources_, devices_;  // sources_: of tables_, if these show predictions
    bool files_are_told_ = false;                        // by their timers
    std::vector<RowOf> rows_;
};

// Rows that have the same values in some columns.
struct Group {
    std::vector<std::string> words;  // of these columns
    std::string name;                // for people: "tagged, word 4 B"
    std::vector<RowOf> rows;
};

// The groups, in order of first appearance. Failure(bad_input), whose message calls them `called`, if there are more
// than `most`.
std::vector<Group> groups_of(const Data& data, const std::vector<Field>& by, std::size_t most,
                             const char* called = "series");
// Whether the first column names the files that the rows are from.
bool is_by_file(const Data& data, const std::vector<Field>& by);

}  // namespace plot
