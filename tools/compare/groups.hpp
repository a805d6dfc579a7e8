// SPDX-License-Identifier: MIT
// The rows of a side, grouped by their values in some columns.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/compare/join.hpp"

namespace compare {

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

Groups groups_of(const Side& side, const std::vector<std::string>& columns, Tokens& tokens);

// The same rows, grouped by fewer of the columns.
Groups projected(const Groups& groups, const std::vector<std::size_t>& columns);

}  // namespace compare
