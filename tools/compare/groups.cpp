// SPDX-License-Identifier: MIT
#include "tools/compare/groups.hpp"

#include <cstddef>

namespace compare {

Groups groups_of(const Side& side, const std::vector<std::string>& columns, Tokens& tokens) {
    struct Cells {
        const TableColumn& column;
        std::unordered_map<std::uint64_t, Token> tokens;
        std::uint64_t last_cell = 0;
        Token last_token = nothing;
    };
    std::vector<Cells> cells;
    for (const std::string& name : columns) cells.push_back({side.table->column(name), {}});
    Groups groups;
    Key key(columns.size());
    for (std::size_t i = 0; i < side.rows.size(); ++i) {
        const std::size_t row = side.rows[i];
        for (std::size_t c = 0; c < cells.size(); ++c) {
            Cells& one = cells[c];
            const std::uint64_t cell = one.column.key(row);
            if (i == 0 || cell != one.last_cell) {
                const auto [place, is_new] = one.tokens.try_emplace(cell, nothing);
                if (is_new) place->second = tokens.of(one.column, row);
                one.last_token = place->second;
                one.last_cell = cell;
            }
            key[c] = one.last_token;
        }
        groups.add(key, row);
    }
    return groups;
}

Groups projected(const Groups& groups, const std::vector<std::size_t>& columns) {
    Groups fewer;
    Key key(columns.size());
    for (const Group& group : groups.all) {
        for (std::size_t i = 0; i < columns.size(); ++i) key[i] = group.key[columns[i]];
        fewer.add(key, group.rows);
    }
    return fewer;
}

}  // namespace compare
