// SPDX-License-Identifier: MIT
#include "common/measure/verdict.hpp"

#include <algorithm>
#include <functional>

#include "common/io/text.hpp"

static bool ran_on_host(const Timed& one) { return one.variant->needs == Needs::host; }

constexpr double most_of_level = 1.05;

static std::string compared(const Timed& fastest, const Timed& other) {
    const bool overlap = other.times.median_interval.low <= fastest.times.median_interval.high;
    const double ratio = other.times.median / fastest.times.median;
    if (overlap && ratio < most_of_level) return text("level with {}", other.variant->name);
    return text(ratio < 10    ? "{:.2f} times {}{}"
                : ratio < 100 ? "{:.1f} times {}{}"
                              : "{:.0f} times {}{}",
                ratio, other.variant->name, overlap ? " (uncertain)" : "");
}

std::string verdict(const std::vector<Timed>& measured, const std::string& versus, bool simulated) {
    std::vector<Timed> ranked = measured;
    const bool only_hosts = std::all_of(ranked.begin(), ranked.end(), ran_on_host);
    if (!only_hosts) ranked.erase(std::remove_if(ranked.begin(), ranked.end(), ran_on_host), ranked.end());
    const auto is_bound = [](const Timed& one) { return one.variant->bound; };
    ranked.erase(std::remove_if(ranked.begin(), ranked.end(), is_bound), ranked.end());
    // A variant that computes nothing does not compete with those that do.
    const auto computes = [](const Timed& one) { return one.flop > 0; };
    if (std::any_of(ranked.begin(), ranked.end(), computes))
        ranked.erase(std::remove_if(ranked.begin(), ranked.end(), std::not_fn(computes)), ranked.end());
    const auto same_work = [&](const Timed& one) {
        return one.bytes == ranked.front().bytes && one.flop == ranked.front().flop && one.times.median > 0;
    };
    if (ranked.empty() || !std::all_of(ranked.begin(), ranked.end(), same_work)) return "";
    std::sort(ranked.begin(), ranked.end(),
              [](const Timed& a, const Timed& b) { return a.times.median < b.times.median; });
    const Timed& fastest = ranked.front();
    const auto is_other = [&](const Timed& one) { return one.variant != fastest.variant; };
    const auto second = std::find_if(ranked.begin(), ranked.end(), is_other);
    if (second == ranked.end()) return "";
    const auto is_peer = [&](const Timed& one) {
        const bool named = versus.empty() ? one.variant->peer : versus == one.variant->name;
        return named && is_other(one) && one.variant != second->variant;
    };
    const auto peer = std::find_if(ranked.begin(), ranked.end(), is_peer);
    return text("{} is the fastest{}: {}{}.", fastest.variant->name, simulated && !only_hosts ? " to simulate" : "",
                compared(fastest, *second), peer == ranked.end() ? "" : ", " + compared(fastest, *peer));
}
