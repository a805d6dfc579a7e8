// SPDX-License-Identifier: MIT
// The statistics of compare, tested with recorded p values of another implementation, and on samples with known
// differences. With the argument -, prints the p of each line of standard input: numbers, a semicolon, numbers.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tools/compare/statistics.hpp"

namespace {

using namespace compare;

struct Recorded {
    std::vector<double> before, after;
    double p;
};

const Recorded recorded[] = {
#include "tests/units/mann_whitney.inc"
};

int failures = 0;

void expect(bool right, const char* what, double seen) {
    if (right) return;
    std::printf("wrong: %s: %.17g\n", what, seen);
    ++failures;
}

void check_recorded() {
    for (const Recorded& one : recorded) {
        const double p = mann_whitney_p(one.before, one.after);
        expect(std::abs(p - one.p) <= 1e-9, "p of a recorded case", p);
        expect(std::abs(mann_whitney_p(one.after, one.before) - p) <= 1e-15, "p with the sides exchanged", p);
    }
    for (const std::size_t n : {1, 3, 5, 8}) {  // samples that do not overlap
        std::vector<double> low(n, 0), high(n, 0);
        for (std::size_t i = 0; i < n; ++i) low[i] = double(i), high[i] = double(n + i);
        expect(std::abs(mann_whitney_p(low, high) - smallest_p(n, n)) < 1e-15, "the smallest p", smallest_p(n, n));
    }
    expect(std::abs(smallest_p(3, 3) - 0.1) < 1e-15, "the smallest p of three samples", smallest_p(3, 3));
    expect(std::size(recorded) == 60, "the number of recorded cases", double(std::size(recorded)));
}

void check_correction() {
    // The example of Benjamini and Hochberg's paper: the first four of 15 p values are below 0.05.
    const std::vector<double> corrected =
        corrected_for_number({1.0, 0.0001, 0.0019, 0.0004, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
                              0.4262, 0.5719, 0.6528, 0.7590});
    expect(std::count_if(corrected.begin(), corrected.end(), [](double p) { return p < 0.05; }) == 4, "rejected", 0);
    expect(std::abs(corrected[1] - 0.0015) < 1e-12, "the least corrected p", corrected[1]);
    expect(std::abs(corrected[4] - 0.0095 * 15 / 4) < 1e-12, "the fourth corrected p", corrected[4]);
    expect(std::abs(geometric_mean({0.5, 2, 4}) - std::cbrt(4.0)) < 1e-12, "geometric mean",
           geometric_mean({0.5, 2, 4}));
}

void check_student() {
    // By numerical integration of the density.
    expect(std::abs(student_p(2.306004135204166, 8) - 0.05) < 1e-12, "p of t with 8 degrees of freedom",
           student_p(2.306, 8));
    expect(std::abs(student_p(12.7062047361747, 1) - 0.05) < 1e-12, "p of t with 1", student_p(12.706, 1));
    expect(std::abs(student_p(1.5, 3.7) - 0.213598169202) < 1e-11, "p of t with 3.7", student_p(1.5, 3.7));
    expect(std::abs(student_p(30, 9) / 2.483704704158e-10 - 1) < 1e-9, "p of a large t", student_p(30, 9));
    for (const double freedom : {1.0, 2.5, 9.0, 400.0})
        for (const double p : {0.05, 0.001, 1e-6})
            expect(std::abs(student_p(student_t(p, freedom), freedom) / p - 1) < 1e-6, "t of p", student_t(p, freedom));
    expect(student_p(0, 5) == 1, "p of 0", student_p(0, 5));
}

// Values that are runs of their own.
Sampled runs_of(const std::vector<double>& values) {
    Sampled runs{values, {}, {}, true};
    for (std::size_t i = 1; i <= values.size(); ++i) runs.ends.push_back(i);
    return runs;
}

Comparison compare_runs(const std::vector<double>& before, const std::vector<double>& after, MedianRatio& bootstrap) {
    return compare_sampled(runs_of(before), runs_of(after), false, bootstrap);
}

void judge_all(std::vector<Comparison>& rows, const Judgement& judgement) {
    judge(rows, std::vector<Judgement>(rows.size(), judgement));
}

// Times like a GPU's: noise of one percent, and now and then a slower launch.
class Source {
public:
    std::vector<double> samples(std::size_t count, double median, bool has_outliers) {
        std::vector<double> drawn(count);
        for (double& value : drawn) {
            value = median * (1 + 0.01 * noise_(random_));
            if (has_outliers && noise_(random_) > 1.3) value *= 1 + 0.05 * std::abs(noise_(random_));
        }
        return drawn;
    }

private:
    std::mt19937_64 random_{1947};
    std::normal_distribution<double> noise_;
};

struct Found {
    double alarmed_tables = 0, faster = 0, slower = 0, same = 0, covered = 0;  // shares
};

Found experiment(std::size_t tables, std::size_t rows, std::size_t samples, double effect, double margin,
                 bool outliers) {
    Source source;
    MedianRatio bootstrap;
    Found found;
    for (std::size_t table = 0; table < tables; ++table) {
        std::vector<Comparison> compared;
        for (std::size_t row = 0; row < rows; ++row)
            compared.push_back(compare_runs(source.samples(samples, 100, outliers),
                                            source.samples(samples, 100 * (1 + effect), outliers), bootstrap));
        judge_all(compared, {0.05, margin, false});
        bool alarmed = false;
        for (const Comparison& row : compared) {
            found.faster += row.verdict == Verdict::faster;
            found.slower += row.verdict == Verdict::slower;
            found.same += row.verdict == Verdict::same;
            found.covered += row.ratio_interval.low <= 1 + effect && 1 + effect <= row.ratio_interval.high;
            alarmed |= row.verdict == Verdict::faster || row.verdict == Verdict::slower;
        }
        found.alarmed_tables += alarmed;
    }
    for (double* share : {&found.faster, &found.slower, &found.same, &found.covered}) *share /= double(tables * rows);
    found.alarmed_tables /= double(tables);
    return found;
}

void check_known_effects() {
    for (const bool outliers : {false, true}) {
        // Without a change, tables of any size give a false alarm at most one time in twenty.
        const Found few = experiment(2000, 1, 5, 0, 0, outliers), alone = experiment(2000, 1, 30, 0, 0, outliers),
                    many = experiment(500, 20, 30, 0, 0, outliers);
        std::printf("no change: %.3f of tables of 5 samples, %.3f of 30, %.3f of 20 rows of 30; interval %.3f\n",
                    few.alarmed_tables, alone.alarmed_tables, many.alarmed_tables, alone.covered);
        expect(few.alarmed_tables <= 0.05, "false alarms in tables of a row of 5 samples", few.alarmed_tables);
        expect(alone.alarmed_tables <= 0.05, "false alarms in tables of one row", alone.alarmed_tables);
        expect(many.alarmed_tables <= 0.05, "false alarms in tables of 20 rows", many.alarmed_tables);
        expect(alone.covered >= 0.93, "the interval's coverage", alone.covered);
        const Found slower = experiment(50, 20, 30, 0.03, 0.01, outliers),
                    faster = experiment(50, 20, 30, -0.03, 0.01, outliers);
        std::printf("3 %% slower: found in %.3f of rows; 3 %% faster: %.3f\n", slower.slower, faster.faster);
        expect(slower.slower >= 0.95 && slower.faster == 0, "3 % slower, found", slower.slower);
        expect(faster.faster >= 0.95 && faster.slower == 0, "3 % faster, found", faster.faster);
        const Found same = experiment(50, 20, 200, 0, 0.01, outliers);
        std::printf("no change, 200 samples: the same in %.3f of rows\n", same.same);
        expect(same.same >= 0.95, "the same, found", same.same);
    }
}

// With the recommended number of samples there is a verdict, unless the change is as large as the margin, 1 %.
void check_runs_needed() {
    Source source;
    MedianRatio bootstrap;
    std::size_t unknown = 0, decided = 0;
    for (int i = 0; i < 300; ++i) {
        const double after = 98 + 2 * (i % 3);
        std::vector<Comparison> row = {
            compare_runs(source.samples(12, 100, false), source.samples(12, after, false), bootstrap)};
        judge_all(row, {});
        if (row[0].verdict != Verdict::unknown) continue;
        ++unknown;
        const std::size_t needed = row[0].runs_needed;
        expect(needed > 12 && needed < 10'000, "runs needed", double(needed));
        row = {compare_runs(source.samples(needed, 100, false), source.samples(needed, after, false), bootstrap)};
        judge_all(row, {});
        decided += row[0].verdict != Verdict::unknown;
    }
    std::printf("%zu of %zu unknown rows have a verdict with the runs that were needed\n", decided, unknown);
    expect(unknown > 50, "rows without a verdict", double(unknown));
    expect(double(decided) >= 0.9 * double(unknown), "rows with a verdict then", double(decided));
}

// A machine on which runs differ: each run has its own level, which all of its rows share in part, samples within it
// drift, and now and then something else keeps the machine busy for a whole run.
class Machine {
public:
    struct Traits {
        double between = 0.02, shared = 0, within = 0.005, drift = 0.01, walk = 0, busy = 0;
    };
    explicit Machine(const Traits& traits) : traits_(traits) {}

    // The rows of a run, each with this many samples.
    std::vector<std::vector<double>> run(std::size_t rows, std::size_t samples, double median) {
        walk_ += traits_.walk * noise_(random_);
        const double common = walk_ + traits_.shared * noise_(random_);
        const double load = uniform_(random_) < traits_.busy ? 0.5 * uniform_(random_) : 0;
        std::vector<std::vector<double>> all;
        for (std::size_t row = 0; row < rows; ++row) {
            const double level = common + load + traits_.between * noise_(random_),
                         slope = traits_.drift * noise_(random_);
            all.emplace_back();
            for (std::size_t i = 0; i < samples; ++i)
                all.back().push_back(
                    median * std::exp(level + slope * double(i) / double(samples) + traits_.within * noise_(random_)));
        }
        return all;
    }
    bool comes_first() { return uniform_(random_) < 0.5; }

private:
    Traits traits_;
    double walk_ = 0;
    std::mt19937_64 random_{1908};
    std::normal_distribution<double> noise_;
    std::uniform_real_distribution<double> uniform_;
};

enum class Order { in_turn, alternating };  // pairs in random order, as --run has them, or tables of alternating runs

// The share of rows that are called faster or slower, of all tables.
double accused(Machine machine, Order order, std::size_t runs, double effect, std::size_t tables, std::size_t rows) {
    MedianRatio bootstrap;
    std::size_t count = 0;
    for (std::size_t table = 0; table < tables; ++table) {
        std::vector<Sampled> before(rows), after(rows);
        const auto add = [&](std::vector<Sampled>& side, double median, std::size_t round) {
            const std::vector<std::vector<double>> run = machine.run(rows, 15, median);
            for (std::size_t row = 0; row < rows; ++row) {
                side[row].samples.insert(side[row].samples.end(), run[row].begin(), run[row].end());
                side[row].ends.push_back(side[row].samples.size());
                if (order == Order::in_turn) side[row].rounds.push_back(round);
                side[row].are_samples = true;
            }
        };
        for (std::size_t round = 0; round < runs; ++round) {
            const bool swap = order == Order::in_turn && machine.comes_first();
            if (swap) add(after, 100 * (1 + effect), round);
            add(before, 100, round);
            if (!swap) add(after, 100 * (1 + effect), round);
        }
        std::vector<Comparison> compared;
        for (std::size_t row = 0; row < rows; ++row)
            compared.push_back(compare_sampled(before[row], after[row], false, bootstrap));
        judge_all(compared, {});
        for (const Comparison& row : compared)
            count += row.verdict == Verdict::faster || row.verdict == Verdict::slower;
    }
    return double(count) / double(tables * rows);
}

void check_runs() {
    const Machine::Traits quiet = {0.003, 0, 0.005, 0.002, 0, 0}, runs_differ = {},
                          together = {0.005, 0.03, 0.01, 0.01, 0, 0}, drifting = {0.005, 0.005, 0.005, 0.01, 0.01, 0},
                          busy = {0.02, 0.02, 0.05, 0.02, 0.01, 0.2};
    const struct {
        const char* name;
        Machine::Traits traits;
    } machines[] = {{"quiet", quiet},
                    {"runs differ", runs_differ},
                    {"rows of a run differ together", together},
                    {"drift", drifting},
                    {"busy", busy}};
    for (const auto& [name, traits] : machines) {
        for (const std::size_t runs : {2, 3, 5, 10}) {
            const double in_turn = accused(Machine(traits), Order::in_turn, runs, 0, 40, 25),
                         alternating = accused(Machine(traits), Order::alternating, runs, 0, 40, 25);
            std::printf("%s, %zu runs a side of the same code: %.4f of rows accused in turn, %.4f in tables\n", name,
                        runs, in_turn, alternating);
            expect(in_turn <= 0.05, "the same code in turn, accused", in_turn);
            expect(alternating <= 0.05, "the same code in tables, accused", alternating);
        }
    }
    const double in_turn = accused(Machine(quiet), Order::in_turn, 10, 0.03, 40, 25),
                 five = accused(Machine(quiet), Order::alternating, 5, 0.03, 40, 25),
                 despite_drift = accused(Machine(drifting), Order::in_turn, 10, 0.03, 40, 25);
    std::printf("3 %% slower: %.3f, %.3f of 5, %.3f despite drift\n", in_turn, five, despite_drift);
    expect(in_turn >= 0.95, "3 % slower in 10 rounds, found", in_turn);
    expect(five >= 0.95, "3 % slower in 5 runs, found", five);
    expect(despite_drift >= 0.9, "3 % slower in 10 rounds on a drifting machine, found", despite_drift);
}

void check_corner_cases() {
    MedianRatio bootstrap;
    const std::vector<double> constant(30, 7.0), few = {1, 1, 1}, slow = {2, 2, 2};
    std::vector<Comparison> rows = {compare_runs(constant, constant, bootstrap), compare_runs(few, slow, bootstrap),
                                    compare_runs({-1, 2, 3}, {1, 2, 3}, bootstrap),
                                    compare_sampled({{0}, {1}, {}, false}, {{5}, {1}, {}, false}, false, bootstrap),
                                    compare_sampled({{2}, {1}, {}, false}, {{3}, {1}, {}, false}, false, bootstrap)};
    judge_all(rows, {});
    expect(rows[0].verdict == Verdict::same && rows[0].p == 1, "equal values", rows[0].p);
    expect(rows[1].verdict == Verdict::unknown && rows[1].runs_needed >= 6, "three samples", rows[1].p);
    expect(rows[2].verdict == Verdict::unknown && rows[2].ratio_interval.high == 0, "negative values", rows[2].p);
    expect(rows[3].verdict == Verdict::none && rows[3].ratio == 0, "a median of 0", rows[3].ratio);
    expect(rows[4].verdict == Verdict::none && rows[4].ratio == 1.5 && rows[4].corrected_p == 1, "medians",
           rows[4].ratio);
    std::vector<double> many(1'000'000);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = 100 + double(i % 1000) / 100;
    // Samples that differ within the margin: an interval within it, and one that reaches beyond.
    rows = {compare_runs({100.0, 100.1, 100.2, 100.3}, {100.4, 100.5, 100.6, 100.7}, bootstrap)};
    judge_all(rows, {});
    expect(rows[0].corrected_p < 0.01 && rows[0].verdict == Verdict::same, "four runs", rows[0].corrected_p);
    std::vector<double> before(30), after(30);
    for (std::size_t i = 0; i < 30; ++i) before[i] = 100 + double(i) / 60, after[i] = 100.8 + double(i) / 20;
    rows = {compare_runs(before, after, bootstrap)};
    judge_all(rows, {0.05, 0.015, false});
    expect(rows[0].ratio < 1.015 && rows[0].ratio_interval.high > 1.015, "a ratio near the margin", rows[0].ratio);
    expect(rows[0].verdict == Verdict::unknown && rows[0].runs_needed > 30, "its verdict", rows[0].ratio_interval.high);
    judge_all(rows, {0.05, 0.03, false});
    expect(rows[0].verdict == Verdict::same && rows[0].runs_needed == 0, "a difference within the margin", 0);
    rows = {compare_runs(few, few, bootstrap), compare_runs(many, many, bootstrap)};
    judge_all(rows, {0.05, 0.01, true});
    expect(rows[1].verdict == Verdict::same, "a million samples", rows[1].ratio);
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 1) {
        check_recorded();
        check_correction();
        check_student();
        check_known_effects();
        check_runs_needed();
        check_runs();
        check_corner_cases();
        std::printf("%d wrong\n", failures);
        return failures > 0;
    }
    if (arguments[1] != std::string("-")) return 2;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::vector<double> before, after, *side = &before;
        std::istringstream words(line);
        for (std::string word; words >> word;) {
            if (word == ";") side = &after;
            else side->push_back(std::stod(word));
        }
        std::printf("%.17g\n", mann_whitney_p(before, after));
    }
}
