// SPDX-License-Identifier: MIT
#include "tools/compare/options.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "common/io/parse_text.hpp"
#include "common/io/text.hpp"

namespace compare {

static double percent(const std::string& word, const std::string& whole) {
    std::string_view digits = word;
    if (digits.ends_with('%')) digits.remove_suffix(1);
    const std::optional<double> value = parse_number(digits);
    if (!value || !(*value >= 0 && *value < 1e6))
        fail(Exit::usage, "--fail-if {}: '{}' is not a percentage; write it as in slower:3%", whole, word);
    return *value;
}

std::vector<FailIf> parse_fail_if(const std::string& list) {
    std::vector<FailIf> conditions;
    for (const std::string& word : split(list, ',')) {
        const std::size_t colon = word.find(':');
        const std::string name = word.substr(0, colon);
        FailIf condition;
        condition.missing = name == "missing";
        condition.error = name == "error";
        for (const Verdict verdict : {Verdict::slower, Verdict::faster, Verdict::unknown})
            if (name == name_of(verdict)) condition.verdict = verdict;
        const bool has_size =
            condition.verdict == Verdict::slower || condition.verdict == Verdict::faster || condition.error;
        if ((condition.verdict == Verdict::none && !condition.missing && !condition.error) ||
            (colon != word.npos && !has_size) || (colon == word.npos && condition.error))
            fail(Exit::usage, "--fail-if {}: '{}' is none of slower:PCT%, faster:PCT%, unknown, missing and error:PCT%",
                 list, word);
        if (colon != word.npos) condition.change_percent = percent(word.substr(colon + 1), list);
        conditions.push_back(condition);
    }
    return conditions;
}

double margin_percent_of(const Settings& settings) {
    double margin = settings.margin_percent;
    for (const FailIf& condition : settings.fail_if) {
        const double change = condition.change_percent.value_or(margin);
        if (settings.margin_is_given && change < margin)
            fail(Exit::usage,
                 "--fail-if {}:{}%: --margin {} calls such rows the same; lower --margin to {}, or leave it out",
                 name_of(condition.verdict), change, margin, change);
        margin = std::min(margin, change);
    }
    return margin;
}

}  // namespace compare
