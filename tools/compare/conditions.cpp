// SPDX-License-Identifier: MIT
#include "tools/compare/conditions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "common/io/process.hpp"
#include "common/io/text.hpp"

namespace compare {

std::string word_of(const Side& side, const char* column, std::size_t row) {
    const TableColumn* const found = side.table->find(column);
    const std::string word = found ? found->word(row) : "";
    return word.empty() ? "none" : word;
}

namespace {

using Words = std::set<std::string>;

// If one of these differs, a difference in times is no surprise. Those of the build are the same in all of its rows,
// apart from "none" where one does not apply, or is not known, as in tables of schemas 1 and 2.
struct Circumstance {
    const char* column;
    const char* what;
    bool of_build = false;
};
constexpr Circumstance circumstances[] = {
    {"device", "devices differ"},
    {"device_uuid", "the GPUs differ, though not in their name"},
    {"driver_version", "drivers differ"},
    {"host_name", "machines differ"},
    {"timer", "timers differ"},
    {"cache", "caches differ"},
    {"version", "versions differ", true},
    {"cuda_version", "CUDA versions differ", true},
    {"compiler", "compilers differ", true},
};

std::string text_of(const Words& words) {
    std::vector<std::string> shown(words.begin(), words.end());
    if (shown.size() > 3) shown = {shown[0], shown[1], text("{} more", shown.size() - 2)};
    return printable(list_text(shown, "and"), 120);
}

// A variant that runs on the CPU has no device, so there is nothing to warn of when it is compared with a kernel.
bool ran_on_host(const Side& side, std::size_t row) { return word_of(side, "timer", row) == "host"; }

template <typename Visit>
void for_rows(const Compared& compared, const Side& other, Visit visit) {
    for (const Row& row : compared.rows)
        if (row.other == &other) visit(row);
}

void warn_of_differences(const Side& base, const Side& other, const Compared& compared, std::vector<std::string>& to) {
    bool devices_differ = false;
    for (const Circumstance& one : circumstances) {
        const char* const column = one.column;
        if (!base.table->find(column) || !other.table->find(column)) continue;
        Words of_base, of_other;
        for_rows(compared, other, [&](const Row& row) {
            const std::string before = word_of(base, column, row.base_row),
                              after = word_of(other, column, row.other_row);
            const bool says_nothing = one.of_build
                                          ? before == "none" || after == "none"
                                          : ran_on_host(base, row.base_row) || ran_on_host(other, row.other_row);
            if (before == after || says_nothing) return;
            of_base.insert(before);
            of_other.insert(after);
        });
        if (of_base.empty() || (devices_differ && column == std::string("device_uuid"))) continue;
        devices_differ |= column == std::string("device");
        to.push_back(
            text("{}: {} in {}, {} in {}", one.what, text_of(of_base), base.name, text_of(of_other), other.name));
    }
}

// Rows of several builds in one table of ours. (With --peers, several sides have the same table.)
void warn_of_mixed_builds(const Side& side, std::vector<std::string>& to) {
    if (!has_our_schema(*side.table)) return;
    for (const auto& [column, what, of_build] : circumstances) {
        const TableColumn* const cells = of_build ? side.table->find(column) : nullptr;
        if (!cells || side.rows.empty()) continue;
        Words words;
        std::uint64_t last = ~cells->key(side.rows.front());
        for (const std::size_t row : side.rows)
            if (std::exchange(last, cells->key(row)) != cells->key(row)) words.insert(word_of(side, column, row));
        words.erase("none");
        const std::string warning = text("{} within {}: {}", what, side.table->name, text_of(words));
        if (words.size() > 1 && std::find(to.begin(), to.end(), warning) == to.end()) to.push_back(warning);
    }
}

void warn_of_clocks(const Side& base, const Side& other, const Compared& compared, std::vector<std::string>& to) {
    constexpr double much = 0.02;
    const TableColumn *const before = base.table->find("sm_clock_mhz"), *const after =
                                                                            other.table->find("sm_clock_mhz");
    if (!before || !after) return;
    std::size_t rows = 0;
    double largest = 0, of_base = 0, of_other = 0;
    for_rows(compared, other, [&](const Row& row) {
        const double one = before->number(row.base_row), another = after->number(row.other_row);
        if (!(one > 0 && another > 0)) return;
        const double apart = std::abs(another / one - 1);
        rows += apart > much;
        if (apart <= largest) return;
        largest = apart;
        of_base = one;
        of_other = another;
    });
    if (rows > 0)
        to.push_back(text("clocks differ by more than 2 % in {} {}: {:.0f} MHz in {}, {:.0f} MHz in {}", rows,
                          rows == 1 ? "row" : "rows", of_base, base.name, of_other, other.name));
}

void warn_of_state(const Side& side, std::vector<std::string>& to) {
    const TableColumn *const throttled = side.table->find("throttled"), *const verify = side.table->find("verify");
    const auto count = [&](auto is_so) {
        return std::size_t(std::count_if(side.rows.begin(), side.rows.end(), is_so));
    };
    const auto rows = [](std::size_t n) { return text("{} {}", n, n == 1 ? "row" : "rows"); };
    if (const std::size_t n = throttled ? count([&](std::size_t row) { return throttled->number(row) > 0; }) : 0; n > 0)
        to.push_back(text("{} of {} measured while power or heat held the clocks down", rows(n), side.name));
    const TableColumn* const timer = side.table->find("timer");
    if (const std::size_t n = timer ? count([&](std::size_t row) { return timer->word(row) == "sim"; }) : 0; n > 0)
        to.push_back(text("{} of {} timed in the simulator: on this or another CPU, not on a GPU", rows(n), side.name));
    if (const std::size_t n = verify ? count([&](std::size_t row) { return verify->word(row) != "pass"; }) : 0; n > 0)
        to.push_back(text("{} of {} not verified", rows(n), side.name));
}

// The times of a simulation have nothing to do with those of a GPU, but its predictions do.
void warn_of_simulation(const Side& base, const Side& other, const Compared& compared, std::vector<std::string>& to) {
    const Side *measured = nullptr, *predicted = nullptr;
    for_rows(compared, other, [&](const Row& row) {
        const std::string before = word_of(base, "timer", row.base_row), after = word_of(other, "timer", row.other_row);
        if (before == "event" && after == "sim") measured = &base, predicted = &other;
        if (before == "sim" && after == "event") measured = &other, predicted = &base;
    });
    if (measured && predicted->table->find("p_predicted_ns"))
        to.push_back(
            text("these are ratios of a GPU's times and a simulation's: {} --prediction {} {} holds against the "
                 "former what is predicted",
                 called("compare"), measured->name, predicted->name));
}

void warn_of_order(const Side& base, const Side& other, std::vector<std::string>& to) {
    if (!base.table->find("run_utc") || !other.table->find("run_utc") || base.rows.empty() || other.rows.empty())
        return;
    const std::string before = word_of(base, "run_utc", base.rows.front()),
                      after = word_of(other, "run_utc", other.rows.front());
    if (before != "none" && after != "none" && before > after)
        to.push_back(text("{} is newer than {}: the first table is the one before", base.name, other.name));
}

// Runs of one side that all came before those of the other: their verdicts take a drift of the machine for a change.
void warn_of_blocks(const Side& base, const Side& other, const Compared& compared, std::vector<std::string>& to) {
    if (!base.table->find("run_utc") || !other.table->find("run_utc") || !base.rounds.empty()) return;
    bool are_several = false;
    for_rows(compared, other, [&](const Row& row) {
        const Comparison& of = row.comparison;
        are_several |= !of.is_of_one_run() && std::min(of.before_runs, of.after_runs) > 1;
    });
    const auto ends_of = [](const Side& side) {
        Words words;
        for (const std::size_t row : side.rows) words.insert(word_of(side, "run_utc", row));
        words.erase("none");
        return words;
    };
    const Words before = are_several ? ends_of(base) : Words{}, after = are_several ? ends_of(other) : Words{};
    if (before.empty() || after.empty()) return;
    if (*before.rbegin() < *after.begin() || *after.rbegin() < *before.begin())
        to.push_back(
            text("the runs of {} and {} did not alternate: what changed on the machine in between looks like a "
                 "change of the program; --run takes turns",
                 base.name, other.name));
}

std::string row_text(const Side& side, std::size_t row, const Join& join) {
    std::string words;
    for (const std::string& column : join.by) words += (words.empty() ? "" : ", ") + word_of(side, column.c_str(), row);
    return printable(words, 100);
}

void remark_alone(const Side& side, const Side& partner, const std::vector<std::size_t>& alone, const Join& join,
                  std::vector<std::string>& to) {
    if (alone.empty()) return;
    to.push_back(text("{} {} of {} {} no partner in {}: {}{}", alone.size(), alone.size() == 1 ? "row" : "rows",
                      side.name, alone.size() == 1 ? "has" : "have", partner.name, row_text(side, alone.front(), join),
                      alone.size() == 1 ? "" : ", ..."));
}

}  // namespace

std::vector<std::string> warnings(const std::vector<Side>& sides, const Compared& compared, const Settings& settings) {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        warn_of_state(sides[i], found);
        warn_of_mixed_builds(sides[i], found);
        if (i == 0) continue;
        warn_of_differences(sides[0], sides[i], compared, found);
        warn_of_clocks(sides[0], sides[i], compared, found);
        if (!settings.peers) warn_of_simulation(sides[0], sides[i], compared, found);
        if (settings.peers) continue;
        if (sides[0].rounds.empty()) warn_of_order(sides[0], sides[i], found);
        warn_of_blocks(sides[0], sides[i], compared, found);
    }
    return found;
}

std::vector<std::string> remarks(const std::vector<Side>& sides, const Compared& compared, const Settings& settings) {
    std::vector<std::string> found;
    for (std::size_t i = 1; i < sides.size(); ++i) {
        const Join& join = compared.joins[i - 1];
        remark_alone(sides[0], sides[i], join.base_alone, join, found);
        remark_alone(sides[i], sides[0], join.other_alone, join, found);
        for (const std::string& column : settings.peers ? std::vector<std::string>{} : join.differs) {
            const auto is_warned_of = [&](const Circumstance& one) { return one.column == column; };
            if (std::any_of(std::begin(circumstances), std::end(circumstances), is_warned_of)) continue;
            found.push_back(text("{} differs between {} and {}, and tells no rows apart: they join without it", column,
                                 sides[0].name, sides[i].name));
        }
    }
    if (compared.without_value > 0)
        found.push_back(text("{} {} without a number in {}", compared.without_value,
                             compared.without_value == 1 ? "pair of rows is" : "pairs of rows are",
                             list_text(compared.values, "or")));
    const auto is_of_one_run = [](const Row& row) { return row.comparison.is_of_one_run(); };
    const auto of_one_run = std::count_if(compared.rows.begin(), compared.rows.end(), is_of_one_run);
    if (of_one_run > 0)
        found.push_back(
            text("{} {} on one run a side, and the same code differs from run to run, too: concatenate the "
                 "tables of several runs, or use --run, for a verdict without a question mark",
                 of_one_run, of_one_run == 1 ? "row rests" : "rows rest"));
    return found;
}

}  // namespace compare
