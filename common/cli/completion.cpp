// SPDX-License-Identifier: MIT
#include "common/cli/completion.hpp"

#include <algorithm>
#include <cstddef>

#include "common/cli/session.hpp"
#include "common/io/text.hpp"

namespace {

bool begins_with(const std::string& word, const std::string& beginning) {
    return word.compare(0, beginning.size(), beginning) == 0;
}

const OptionRow* row_of(const OptionTable& table, const std::string& flag) {
    for (const OptionRow& row : table.rows())
        for (const std::string& name : split(row.flags, ','))
            if (name == flag) return &row;
    return nullptr;
}

// The words of "cold, warm or random:SEED: what they are for". A word with an argument ends with its colon.
std::vector<std::string> words_of_help(std::string help) {
    help = help.substr(0, std::min({help.find(": "), help.find("; "), help.size()}));
    const std::size_t last = help.find(" or ");
    if (last == help.npos) return {};
    help.replace(last, 4, ", ");
    std::vector<std::string> words;
    for (std::string word : split(help, ',')) {
        word.erase(0, word.find_first_not_of(' '));
        const std::size_t argument = word.find(':');
        const bool has_argument =
            argument != word.npos && word.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", argument + 1) == word.npos;
        if (has_argument) word.erase(argument + 1);
        if (!word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-:") == word.npos)
            words.push_back(word);
    }
    return words;
}

std::vector<Candidate> arguments_of(const Program& program, const OptionRow& row) {
    std::vector<Candidate> known;
    if (begins_with(row.argument, "VARIANT")) {
        for (const Variant* variant : program.variants) known.push_back({variant->name, variant->idea});
        if (row.argument == "VARIANTS")
            for (const std::string& ladder : ladder_words(program)) known.push_back({ladder, "its steps in order"});
    } else if (program.words)
        for (const std::string& word : program.words(row.long_name())) known.push_back({word, ""});
    if (known.empty())
        for (const std::string& word : words_of_help(row.help)) known.push_back({word, ""});
    return known;
}

std::vector<Candidate> names_of_options(const OptionTable& table) {
    std::vector<Candidate> known;
    for (const OptionRow& row : table.rows())
        for (const std::string& name : split(row.flags, ',')) known.push_back({name, row.help});
    return known;
}

}  // namespace

std::vector<Candidate> completions(const Program& program, const OptionTable& table,
                                   const std::vector<std::string>& words) {
    if (words.empty()) return {};
    // Bash splits --option=word into three words.
    const auto before = [&](std::size_t back) { return words.size() > back ? words[words.size() - 1 - back] : ""; };
    std::string current = words.back(), option = before(1), prefix;
    bool has_equals = true;
    if (current == "=") current.clear();
    else if (option == "=") option = before(2);
    else has_equals = false;
    if (const std::size_t equals = current.find('='); begins_with(current, "--") && equals != current.npos) {
        option = current.substr(0, equals);
        prefix = current.substr(0, equals + 1);
        current.erase(0, equals + 1);
        has_equals = true;
    }
    std::vector<Candidate> known;
    const OptionRow* row = row_of(table, option);
    const bool takes_it = row && !row->argument.empty() && (has_equals || !row->has_optional_argument());
    if (takes_it) {
        known = arguments_of(program, *row);
        const std::size_t comma = current.rfind(',');  // the last of several names in a list
        if (comma != current.npos) {
            prefix += current.substr(0, comma + 1);
            current.erase(0, comma + 1);
        }
    } else if (begins_with(current, "-")) {
        known = names_of_options(table);
    } else if (program.words) {
        for (const std::string& word : program.words("")) known.push_back({word, ""});
    }
    std::vector<Candidate> fitting;
    for (const Candidate& candidate : known)
        if (begins_with(candidate.word, current)) fitting.push_back({prefix + candidate.word, candidate.help});
    return fitting;
}
