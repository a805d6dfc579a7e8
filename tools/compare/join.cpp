// SPDX-License-Identifier: MIT
#include "tools/compare/join.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace compare {
namespace {

// ---- the rows of a side, grouped by their values in some columns

using Token = std::uint32_t;
constexpr Token nothing = 0;  // of a cell that does not apply

// Numbers that stand for the words in cells, shared by both tables, whose own numberings differ.
class Tokens {
public:
    Token of(const TableColumn& column, std::size_t row) {
        const std::string word = column.word(row);
        if (word.empty() || word == "none" || word == "0") return nothing;
        const auto [place, is_new] = tokens_.try_emplace(word, static_cast<Token>(tokens_.size() + 1));
        if (is_new) {
            const double number = column.number(row);
            decimals_.push_back(!std::isnan(number) && std::trunc(number) != number);
        }
        return place->second;
    }
    bool is_decimal(Token token) const { return token != nothing && decimals_[token - 1]; }

private:
    std::unordered_map<std::string, Token> tokens_;
    std::vector<bool> decimals_;
};

using Key = std::vector<Token>;

struct HashOfKey {
    std::size_t operator()(const Key& key) const {
        std::uint64_t hash = 0;
        for (const Token token : key) hash = (hash ^ token) * 0x9e37'79b9'7f4a'7c15 + (hash >> 29);
        return hash ^ (hash >> 32);
    }
};

struct Group {
    Key key;
    std::vector<std::size_t> rows;
};

class Groups {
public:
    void add(const Key& key, const std::vector<std::size_t>& rows) {
        Group& group = of(key);
        group.rows.insert(group.rows.end(), rows.begin(), rows.end());
    }
    void add(const Key& key, std::size_t row) {
        if (last_ >= all.size() || all[last_].key != key) of(key);  // neighbors often have one key
        all[last_].rows.push_back(row);
    }
    const Group* find(const Key& key) const {
        const auto found = index_.find(key);
        return found == index_.end() ? nullptr : &all[found->second];
    }

    std::vector<Group> all;

private:
    Group& of(const Key& key) {
        const auto [place, is_new] = index_.try_emplace(key, all.size());
        if (is_new) all.push_back({key, {}});
        last_ = place->second;
        return all[last_];
    }

    std::unordered_map<Key, std::size_t, HashOfKey> index_;
    std::size_t last_ = 0;
};

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

// The same rows, grouped by fewer of the columns.
Groups projected(const Groups& groups, const std::vector<std::size_t>& columns) {
    Groups fewer;
    Key key(columns.size());
    for (const Group& group : groups.all) {
        for (std::size_t i = 0; i < columns.size(); ++i) key[i] = group.key[columns[i]];
        fewer.add(key, group.rows);
    }
    return fewer;
}

// ---- which columns are keys

// Collects in `said` a column's value for each key of the `others`; false if some key has two values.
using Said = std::unordered_map<Key, Token, HashOfKey>;
bool is_told_by(const std::vector<Group>& groups, const std::vector<std::size_t>& others, std::size_t column,
                Said& said) {
    Key key(others.size());
    for (const Group& group : groups) {
        for (std::size_t i = 0; i < others.size(); ++i) key[i] = group.key[others[i]];
        const auto [place, is_new] = said.try_emplace(key, group.key[column]);
        if (!is_new && place->second != group.key[column]) return false;
    }
    return true;
}

enum class Use { key, differs, measured };

class Chooser {
public:
    Chooser(const Groups& base, const Groups& other, const Tokens& tokens)
        : base_(base), other_(other), tokens_(tokens) {}

    // Judges the column by its values alone.
    Use by_values(std::size_t column) const {
        const std::set<Token> base = values_of(base_, column), other = values_of(other_, column);
        const auto is_decimal = [this](Token token) { return tokens_.is_decimal(token); };
        if (base == other) return Use::key;
        if (std::any_of(base.begin(), base.end(), is_decimal) || std::any_of(other.begin(), other.end(), is_decimal))
            return Use::measured;
        const auto is_in_other = [&](Token token) { return other.count(token) > 0; };
        return std::any_of(base.begin(), base.end(), is_in_other) ? Use::key : Use::differs;
    }

    // Whether it tells apart no rows of a side that the `others` do not.
    bool is_told(std::size_t column, const std::vector<std::size_t>& others) const {
        Said of_base, of_other;
        return is_told(column, others, of_base, of_other);
    }

    // Whether, in addition, it has different values for partners.
    bool only_differs(std::size_t column, const std::vector<std::size_t>& others) const {
        Said of_base, of_other;
        return is_told(column, others, of_base, of_other) &&
               std::any_of(of_base.begin(), of_base.end(), [&](const auto& said) {
                   const auto found = of_other.find(said.first);
                   return found != of_other.end() && found->second != said.second;
               });
    }

private:
    bool is_told(std::size_t column, const std::vector<std::size_t>& others, Said& of_base, Said& of_other) const {
        return is_told_by(base_.all, others, column, of_base) && is_told_by(other_.all, others, column, of_other);
    }

    static std::set<Token> values_of(const Groups& groups, std::size_t column) {
        std::set<Token> values;
        for (const Group& group : groups.all)
            if (group.key[column] != nothing) values.insert(group.key[column]);
        return values;
    }

    const Groups &base_, &other_;
    const Tokens& tokens_;
};

bool ends_with_any(std::string_view name, std::initializer_list<std::string_view> ends) {
    return std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return name.ends_with(end); });
}

bool is_among(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool sounds_measured(std::string_view name) {
    return name.find("_per_") != name.npos || name.find("cycles") != name.npos || name.find("speedup") != name.npos ||
           ends_with_any(name, {"_ns", "_us", "_ms", "_s", "_mhz", "_percent", "_ratio", "_error", "efficiency"});
}

bool is_circumstance(std::string_view name) {
    return is_among(name, {"schema", "samples", "sample", "run", "warmup", "throttled", "verify", "device_uuid",
                           "timer", "driver_version", "host_name", "run_utc"});
}

bool is_always_key(std::string_view name) { return is_among(name, {"tool", "kernel", "dtype", "n", "gang"}); }

std::vector<std::string> candidates(const Side& base, const Side& other, const JoinChoice& choice) {
    const bool ours = has_our_schema(*base.table) && has_our_schema(*other.table);
    std::vector<std::string> names;
    for (const TableColumn& column : base.table->columns) {
        const std::string& name = column.name();
        const bool is_named =
            is_always_key(name) || is_among(name, {"block", "cache", "device"}) || is_own_setting(name);
        if ((ours && !is_named) || sounds_measured(name) || is_circumstance(name) || column.has_lists()) continue;
        if (std::find(choice.never.begin(), choice.never.end(), name) != choice.never.end()) continue;
        if (other.table->find(name)) names.push_back(name);
    }
    return names;
}

}  // namespace

bool has_our_schema(const DataTable& table) {
    return table.find("schema") && table.find("tool") && table.find("kernel");
}

Join join(const Side& base, const Side& other, const JoinChoice& choice) {
    Tokens tokens;
    const std::vector<std::string> columns = choice.by.empty() ? candidates(base, other, choice) : choice.by;
    const Groups base_groups = groups_of(base, columns, tokens), other_groups = groups_of(other, columns, tokens);
    const Chooser chooser(base_groups, other_groups, tokens);
    const auto is_fixed = [&](std::size_t column) { return !choice.by.empty() || is_always_key(columns[column]); };
    Join result;
    std::vector<std::size_t> keys, differing;
    for (std::size_t column = 0; column < columns.size(); ++column) {
        const Use use = is_fixed(column) ? Use::key : chooser.by_values(column);
        if (use == Use::key) keys.push_back(column);
        if (use == Use::differs) differing.push_back(column);
    }
    for (const std::size_t column : differing) {
        if (chooser.is_told(column, keys)) result.differs.push_back(columns[column]);
        else keys.push_back(column);
    }
    std::vector<std::size_t> needed = keys;  // to tell the rows of each side apart
    if (choice.of_other_hardware)
        for (const std::size_t column : keys) {  // (block comes first, which a program's own columns tell better)
            std::vector<std::size_t> fewer = needed;
            std::erase(fewer, column);
            if (!is_fixed(column) && chooser.is_told(column, fewer)) needed = std::move(fewer);
        }
    for (const std::size_t column : std::vector<std::size_t>(keys)) {
        if (is_fixed(column)) continue;
        std::vector<std::size_t> others = choice.of_other_hardware ? needed : keys;
        std::erase(others, column);
        if (!chooser.only_differs(column, others)) continue;
        std::erase(keys, column);
        result.differs.push_back(columns[column]);
    }
    for (const std::size_t column : keys) result.by.push_back(columns[column]);
    const Groups base_rows = projected(base_groups, keys), other_rows = projected(other_groups, keys);
    for (const Group& group : base_rows.all) {
        if (const Group* partner = other_rows.find(group.key)) result.rows.push_back({group.rows, partner->rows});
        else result.base_alone.push_back(group.rows.front());
    }
    for (const Group& group : other_rows.all)
        if (!base_rows.find(group.key)) result.other_alone.push_back(group.rows.front());
    return result;
}

}  // namespace compare
