// SPDX-License-Identifier: MIT
// --where: conditions separated by commas, all of which must hold; words may be patterns, '' is an empty cell, and bars
// separate alternatives.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/sizes.hpp"
#include "common/io/parse_text.hpp"
#include "common/io/text.hpp"
#include "tools/plot/data.hpp"

namespace plot {
namespace {

struct Condition {
    std::string column, relation;
    std::vector<std::string> words;
    std::vector<double> numbers;  // of the words; nan for a word that is not a number
};

// A number, perhaps with a suffix as in 4Ki.
double number_of(const std::string& word) {
    if (const std::optional<double> number = parse_number(word)) return *number;
    try {
        return static_cast<double>(parse_count(word, "--where"));
    } catch (const Failure&) {
        return std::nan("");
    }
}

Condition condition_of(const std::string& words) {
    const std::size_t begin = words.find_first_of("=<>!"), end = words.find_first_not_of("=<>!", begin);
    Condition condition;
    if (begin != words.npos && begin > 0 && end != words.npos) {
        condition.column = words.substr(0, begin);
        condition.relation = words.substr(begin, end - begin);
        condition.words = split(words.substr(end), '|');
    }
    if (condition.relation == "==") condition.relation = "=";
    const std::vector<std::string> relations = {"=", "!=", "<", "<=", ">", ">="};
    if (std::find(relations.begin(), relations.end(), condition.relation) == relations.end())
        fail(Exit::usage, "--where '{}' is not a condition: COLUMN=WORD, !=, <, <=, > or >=, as in kernel=cub,n>=1Ki",
             words);
    for (std::string& word : condition.words) {
        if (word == "''") word.clear();  // an empty cell
        condition.numbers.push_back(number_of(word));
    }
    if (condition.relation[0] == '<' || condition.relation[0] == '>')
        if (condition.numbers.size() != 1 || std::isnan(condition.numbers[0]))
            fail(Exit::usage, "--where '{}': {} compares numbers, and '{}' is none", words, condition.relation,
                 list_text(condition.words, "or"));
    return condition;
}

bool holds(const Condition& condition, const Field& field, RowOf row) {
    const double number = field.number(row);
    const std::string& relation = condition.relation;
    if (relation == "<") return number < condition.numbers[0];
    if (relation == "<=") return number <= condition.numbers[0];
    if (relation == ">") return number > condition.numbers[0];
    if (relation == ">=") return number >= condition.numbers[0];
    bool found = false;
    for (std::size_t i = 0; i < condition.words.size() && !found; ++i)
        found = number == condition.numbers[i] || matches_glob(condition.words[i], field.word(row));
    return found == (relation == "=");
}

}  // namespace

void Data::keep(const std::string& condition_words) {
    for (const std::string& words : split(condition_words, ',')) {
        const Condition condition = condition_of(words);
        const Field field = needed(condition.column);
        const auto fails = [&](RowOf row) { return !holds(condition, field, row); };
        rows_.erase(std::remove_if(rows_.begin(), rows_.end(), fails), rows_.end());
    }
}

}  // namespace plot
