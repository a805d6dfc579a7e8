// SPDX-License-Identifier: MIT
#include "common/measure/verdict.hpp"

#include <algorithm>
#include <functional>

#include "common/io/text.hpp"

static bool ran_on_host(const Timed& one) { return one.variant->needs == Needs::host; }

constexpr double most_of_level = 1.05;

static bool has_ratio(const Timed& one) { return one.over_versus.median > 0; }

// By how much `fastest` is faster, and the least that it may be.
struct Gain {
    double ratio, least;
};

static Gain gain_over(const Timed& fastest, const Timed& other, const std::string& versus) {
    if (has_ratio(fastest) && other.variant->name == versus)
        return {fastest.over_versus.median, fastest.over_versus.median_interval.low};
    if (has_ratio(other) && fastest.variant->name == versus)
        return {1 / other.over_versus.median, 1 / other.over_versus.median_interval.high};
    const bool overlap = other.times.median_interval.low <= fastest.times.median_interval.high;
    const double ratio = other.times.median / fastest.times.median;
    return {ratio, overlap ? 1 : ratio};
}

static std::string compared(const Timed& fastest, const Timed& other, const std::string& versus) {
    const auto [ratio, least] = gain_over(fastest, other, versus);
    if (least <= 1 && ratio < most_of_level) return text("level with {}", other.variant->name);
    return text(ratio < 1.01  ? "{:.3f} times {}{}"
                : ratio < 10  ? "{:.2f} times {}{}"
                : ratio < 100 ? "{:.1f} times {}{}"
                              : "{:.0f} times {}{}",
                ratio, other.variant->name, least <= 1 ? " (uncertain)" : "");
}

std::string verdict(const std::vector<Timed>& measured, const std::string& versus, Times times) {
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
    const auto is_versus = [&](const Timed& one) { return one.variant->name == versus; };
    const bool by_ratio =
        std::all_of(ranked.begin(), ranked.end(), [&](const Timed& one) { return has_ratio(one) || is_versus(one); });
    const auto duration = [&](const Timed& one) {
        return !by_ratio ? one.times.median : is_versus(one) ? 1 : 1 / one.over_versus.median;
    };
    std::sort(ranked.begin(), ranked.end(), [&](const Timed& a, const Timed& b) { return duration(a) < duration(b); });
    const Timed& fastest = ranked.front();
    const auto is_other = [&](const Timed& one) { return one.variant != fastest.variant; };
    const auto second = std::find_if(ranked.begin(), ranked.end(), is_other);
    if (second == ranked.end()) return "";
    const auto is_peer = [&](const Timed& one) {
        const bool named = versus.empty() ? one.variant->peer : is_versus(one);
        return named && is_other(one) && one.variant != second->variant;
    };
    const auto peer = std::find_if(ranked.begin(), ranked.end(), is_peer);
    const char* what = only_hosts || times == Times::measured ? "is the fastest"
                       : times == Times::simulated            ? "is the fastest to simulate"
                                                              : "should be the fastest";
    return text("{} {}: {}{}.", fastest.variant->name, what, compared(fastest, *second, versus),
                peer == ranked.end() ? "" : ", " + compared(fastest, *peer, versus));
}
