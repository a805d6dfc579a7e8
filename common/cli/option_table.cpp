// SPDX-License-Identifier: MIT
#include "common/cli/option_table.hpp"

#include <algorithm>

#include "common/cli/sizes.hpp"
#include "common/io/number_writer.hpp"
#include "common/io/parse_text.hpp"

std::string DefaultText::shown(bool simulated) const {
    if (on_gpu == in_simulator) return on_gpu;
    return simulated ? in_simulator + "; GPU: " + on_gpu : on_gpu + "; simulator: " + in_simulator;
}

OptionRow& OptionTable::add(OptionRow row) {
    row.group = group_;
    const auto same = std::find_if(rows_.begin(), rows_.end(),
                                   [&](const OptionRow& other) { return other.long_name() == row.long_name(); });
    if (same == rows_.end()) return rows_.emplace_back(std::move(row));
    row.group = same->group;
    row.is_everyday = same->is_everyday;
    row.is_for_benchmarks = same->is_for_benchmarks;
    return *same = std::move(row);
}

OptionRow& OptionTable::flag(const char* flags, const char* help, bool& field) {
    return add({flags, "", help, "", [&field, value = !field](const std::string&) { field = value; }});
}

OptionRow& OptionTable::number(const char* flags, const char* argument, const char* help, double& field,
                               double smallest, double largest) {
    OptionRow row{flags, argument, help, field <= 0 ? "" : number_text(field), {}};
    row.take = [&field, name = row.long_name(), smallest, largest](const std::string& word) {
        const std::optional<double> value = parse_number(word);
        if (!value || !(*value >= smallest && *value <= largest))
            fail(Exit::usage, "{} '{}' is not a number from {} to {}", name, word, smallest, largest);
        field = *value;
    };
    return add(std::move(row));
}

OptionRow& OptionTable::text(const char* flags, const char* argument, const char* help, std::string& field) {
    return add({flags, argument, help, field, [&field](const std::string& word) { field = word; }});
}

OptionRow& OptionTable::input_file(const char* flags, const char* argument, const char* help, std::string& field) {
    OptionRow& row = text(flags, argument, help, field);
    row.file = FileUse::input;
    return row;
}

OptionRow& OptionTable::input_files(const char* flags, const char* argument, const char* help,
                                    std::vector<std::string>& field) {
    OptionRow& row = texts(flags, argument, help, field);
    row.file = FileUse::input;
    return row;
}

OptionRow& OptionTable::output_file(const char* flags, const char* argument, const char* help, std::string& field) {
    OptionRow& row = text(flags, argument, help, field);
    row.file = FileUse::output;
    return row;
}

OptionRow& OptionTable::list(const char* flags, const char* argument, const char* help,
                             std::vector<std::string>& field) {
    std::string fallback;
    for (const std::string& name : field) fallback += (fallback.empty() ? "" : ",") + name;
    return add({flags, argument, help, fallback, [&field](const std::string& words) { field = split(words, ','); }});
}

std::string OptionTable::words_and_help(const std::vector<std::string>& words, const std::string& help) {
    return list_text(words, "or") + (help.empty() ? "" : ": " + help);
}

std::size_t OptionTable::whole_number(const std::string& word, const std::string& option, std::size_t smallest,
                                      std::size_t largest) {
    const std::size_t number = parse_count(word, option);
    if (number < smallest) fail(Exit::usage, "{} '{}' is not from {} to {}", option, word, smallest, largest);
    if (number > largest) fail(Exit::usage, "{} '{}' is too large; at most {}", option, word, largest);
    return number;
}

std::size_t OptionTable::index_of(const std::string& word, const std::vector<std::string>& words,
                                  const std::string& option) {
    const auto found = std::find(words.begin(), words.end(), word);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    if (words.size() == 2) fail(Exit::usage, "{} '{}' is neither {} nor {}", option, word, words[0], words[1]);
    std::string all;
    for (const std::string& known : words) all += (all.empty() ? "" : ", ") + known;
    fail(Exit::usage, "{} '{}' is not one of {}", option, word, all);
}
