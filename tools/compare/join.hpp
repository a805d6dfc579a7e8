// SPDX-License-Identifier: MIT
// Which rows of two tables belong together: those that agree in the key columns.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/io/table_reader.hpp"

namespace compare {

// One side of a comparison: a table, or the rows of one kernel in a table.
struct Side {
    std::string name;
    const DataTable* table;
    std::vector<std::size_t> rows;
    std::vector<std::size_t> rounds =
        {};  // of a command that took turns with others: the round of each row of its table
};

// All rows with one key, by side: several on one side are samples of the same thing.
struct Partners {
    std::vector<std::size_t> base, other;
};

struct Join {
    std::vector<std::string> by;       // the key columns
    std::vector<std::string> differs;  // not keys since they merely differ: they tell no rows of a side apart
    std::vector<Partners> rows;        // in the base's order
    std::vector<std::size_t> base_alone, other_alone;  // one row of each key that the other side lacks
};

struct JoinChoice {
    std::vector<std::string> by;     // the key columns; empty: chosen by their names and values
    std::vector<std::string> never;  // columns that are never chosen
    // Rows may be from other hardware, whose choices (the tile, the method of "fastest") may differ in several columns at
    // once: those that tell no rows apart are keys only if all partners agree in them.
    bool of_other_hardware = false;
};

// A column is a key if it is
//   - in our own tables, tool, kernel, dtype, n, gang, block, cache, device or a p_ column; in others, any column,
//   - by its name, neither a measured value (p_cycles, gbyte_per_s) nor a circumstance of the run (host_name),
//   - in both tables, with the same values if it has decimals, and does not merely differ: where the other keys already
//     tell each side's rows apart, partners must agree in it. (tool, kernel, dtype, n and gang are always keys.)
// A cell that does not apply is 0, none or null; all three are the same here and do not count as a value.
Join join(const Side& base, const Side& other, const JoinChoice& choice);

// Whether the programs of this project wrote it, or something that writes the same columns.
bool has_our_schema(const DataTable& table);

}  // namespace compare
