// Which rows of two tables belong together: those whose key columns say the same.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/table_reader.hpp"

namespace compare {

// What is compared: a table, or of one table the rows of a kernel.
struct Side {
    std::string name;
    const DataTable* table;
    std::vector<std::size_t> rows;
};

// All rows of either side with one key: several are samples of the same thing.
struct Partners {
    std::vector<std::size_t> base, other;
};

struct Join {
    std::vector<std::string> by;       // the key columns
    std::vector<std::string> differs;  // those that are none since they only differ: they tell no rows of a side apart
    std::vector<Partners> rows;        // as the base has them
    std::vector<std::size_t> base_alone, other_alone;  // one row of each key that the other side lacks
};

struct JoinChoice {
    std::vector<std::string> by;     // the key columns; empty: chosen by what they are named and what they hold
    std::vector<std::string> never;  // the others among which none is chosen
};

// A column is a key if it is
//   - of our own tables tool, kernel, dtype, n, gang, block, cache, device or a p_ column; of others any,
//   - by its name no measured value (p_cycles, gbyte_per_s) and no circumstance of the run (host_name),
//   - in both tables, with the same values if it has decimals, and does not merely differ: where the other keys already
//     tell each side's rows apart, it says the same of both partners. (tool, kernel, dtype, n and gang are keys in any case.)
// What does not apply is 0, none or null, which are the same here, and no value.
Join join(const Side& base, const Side& other, const JoinChoice& choice);

// Whether the programs of this project wrote it, or something that writes the same columns.
bool has_our_schema(const DataTable& table);

}  // namespace compare
