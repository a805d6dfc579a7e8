// SPDX-License-Identifier: MIT
#include "common/simt/check/core/settings.hpp"

#include <charconv>
#include <system_error>

namespace simt::check {

Settings current_settings;

namespace {

// Calls take(word) for each word between commas until it returns an error text.
template <typename Take>
std::string for_each_word(std::string_view words, Take take) {
    while (!words.empty()) {
        const size_t comma = words.find(',');
        const std::string_view word = words.substr(0, comma);
        if (std::string wrong = take(word); !wrong.empty()) return wrong;
        words = comma == std::string_view::npos ? "" : words.substr(comma + 1);
    }
    return "";
}

}  // namespace

std::string parse_checks(std::string_view words, Settings& settings) {
    if (words.empty()) words = "all";
    return for_each_word(words, [&](std::string_view word) -> std::string {
        const bool all = word == "all";
        if (all || word == "memcheck") settings.memcheck = true;
        if (all || word == "racecheck") settings.racecheck = true;
        if (all || word == "initcheck") settings.initcheck = true;
        if (all || word == "synccheck") settings.synccheck = true;
        if (word == "leakcheck") settings.memcheck = settings.leakcheck = true;
        if (word == "unusedcheck") settings.initcheck = settings.unusedcheck = true;
        for (const std::string_view known :
             {"all", "none", "memcheck", "racecheck", "initcheck", "synccheck", "leakcheck", "unusedcheck"}) {
            if (word == known) return "";
        }
        return "unknown check '" + std::string(word) +
               "'; choose among memcheck, racecheck, initcheck, synccheck, leakcheck, unusedcheck, all, none";
    });
}

std::string parse_schedule(std::string_view words, Settings& settings) {
    constexpr std::string_view random = "random:";
    if (words == "independent") return settings.schedule = Schedule::independent, "";
    if (words == "lockstep") return settings.schedule = Schedule::lockstep, "";
    if (words.substr(0, random.size()) == random) {
        const std::string_view seed = words.substr(random.size());
        const auto [end, error] = std::from_chars(seed.data(), seed.data() + seed.size(), settings.seed);
        if (error == std::errc() && end == seed.data() + seed.size()) {
            return settings.schedule = Schedule::random, "";
        }
    }
    return "unknown schedule '" + std::string(words) + "'; choose independent, lockstep or random:SEED";
}

}  // namespace simt::check
