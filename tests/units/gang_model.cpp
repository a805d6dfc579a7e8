// SPDX-License-Identifier: MIT
// What the model of collectives promises: terms are recovered from times computed with them. Prints each broken promise
// and exits 1; tests/predict.bats compiles and runs it.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "common/gang/model.hpp"

static int broken = 0;

static void promise(bool kept, const std::string& what, double saw = 0) {
    if (!kept) std::printf("broken: %s: %g\n", what.c_str(), saw), ++broken;
}

static bool is_near(double value, double wanted, double relative = 1e-9) {
    return std::fabs(value - wanted) <= relative * std::fabs(wanted);
}

constexpr double MB = 1e6;
constexpr Collective all[] = {Collective::all_reduce, Collective::reduce_scatter, Collective::all_gather,
                              Collective::broadcast,  Collective::reduce,         Collective::all_to_all,
                              Collective::ring};

static ExchangeTerms terms_of(double start_ns, double latency_ns, double gbyte_per_s) {
    ExchangeTerms terms = default_terms({});
    terms.start_ns = start_ns;
    terms.nvlink = {latency_ns, gbyte_per_s};
    return terms;
}

// Times of gangs of these sizes for these bytes; each row has different noise.
static std::vector<TimedExchange> rows_of(Collective operation, const ExchangeTerms& terms,
                                          const std::vector<std::size_t>& gangs, const std::vector<double>& sizes,
                                          double noise = 0) {
    std::vector<TimedExchange> rows;
    for (const std::size_t ranks : gangs)
        for (const double bytes : sizes) {
            const double part = std::sin(12.9898 * double(rows.size() + 1));
            rows.push_back(
                {{operation, bytes}, ranks, exchange_ns({operation, bytes}, ranks, terms) * (1 + noise * part)});
        }
    return rows;
}

// The textbook's formulas, by hand.
static void costs() {
    const ExchangeTerms terms = terms_of(1000, 10, 100);
    const auto ns = [&](Collective operation, double bytes, std::size_t ranks) {
        return exchange_ns({operation, bytes}, ranks, terms);
    };
    for (const Collective operation : all) promise(ns(operation, MB, 1) == 0, "one device exchanges nothing");
    promise(is_near(ns(Collective::all_reduce, 4000, 4), 1000 + 6 * 10 + 2 * 3 / 4. * 40), "all-reduce, a ring");
    promise(is_near(ns(Collective::reduce_scatter, 4000, 4), 1000 + 3 * 10 + 3 / 4. * 40), "reduce-scatter");
    promise(is_near(ns(Collective::all_gather, 4000, 8), 1000 + 7 * 10 + 7 / 8. * 40), "all-gather");
    promise(is_near(ns(Collective::broadcast, 4000, 8), 1000 + 7 * 10 + 40), "broadcast");
    promise(is_near(ns(Collective::reduce, 4000, 2), 1000 + 10 + 40), "reduce");
    promise(is_near(ns(Collective::all_to_all, 4000, 4), 1000 + 3 * 10 + 3 / 4. * 40), "all-to-all");
    promise(is_near(ns(Collective::ring, 4000, 5), 1000 + 10 + 40), "ring");
}

static void costs_between_machines() {
    ExchangeTerms terms = terms_of(1000, 10, 100);
    terms.network = {500, 20};
    terms.per_machine = 4;
    const auto ns = [&](Collective operation, double bytes, std::size_t ranks) {
        return exchange_ns({operation, bytes}, ranks, terms);
    };
    // Two machines of four: a ring has 14 steps, 2 of them between machines; a tree has 6 and 2, with more bytes.
    promise(is_near(ns(Collective::all_reduce, 8, 8), 1000 + 6 * 10 + 2 * 500 + 16 / 80.),
            "short: the tree's few steps", ns(Collective::all_reduce, 8, 8));
    promise(is_near(ns(Collective::all_reduce, 8e9, 8), 1000 + 12 * 10 + 2 * 500 + 2 * 7 / 8. * 8e9 / 80),
            "long: the ring's few bytes, at the rate of all ports of a machine", ns(Collective::all_reduce, 8e9, 8));
    promise(is_near(ns(Collective::all_gather, 8e6, 8), 1000 + 6 * 10 + 500 + 7 / 8. * 8e6 / 80), "all-gather");
    promise(is_near(ns(Collective::all_to_all, 8e6, 8), 1000 + 3 * 10 + 4 * 500 + 4 / 8. * 8e6 / 20),
            "all-to-all: every port has its own bytes");
    promise(is_near(ns(Collective::ring, 8e6, 8), 1000 + 500 + 8e6 / 20), "ring: one port carries all");
    // A ring would need a thousand steps; the tree's steps grow only with the logarithm of the number of machines.
    const double less = ns(Collective::all_reduce, 4, 512), more = ns(Collective::all_reduce, 4, 1024);
    promise(is_near(more - less, 2 * 500, 1e-6), "twice the machines, one level more", more - less);
    for (const Collective operation : all)
        for (std::size_t ranks = 1; ranks < 200; ++ranks)
            promise(ns(operation, MB, ranks + 1) >= ns(operation, MB, ranks), "more ranks are never faster",
                    double(ranks));
}

static void terms_are_found_again() {
    const ExchangeTerms known = default_terms({}), true_terms = terms_of(12'345, 678, 234);
    for (const Collective operation : all) {
        const bool shows_latency = operation != Collective::ring;
        ExchangeTerms wanted = true_terms;
        if (!shows_latency) wanted.nvlink.latency_ns = known.nvlink.latency_ns;
        const auto rows = rows_of(operation, wanted, {2, 3, 4, 8}, {4, 4096, MB, 1000 * MB});
        const ExchangeTerms found = fitted(rows, known);
        promise(is_near(found.start_ns, wanted.start_ns, 1e-6), name_of(operation), found.start_ns);
        promise(is_near(found.nvlink.latency_ns, wanted.nvlink.latency_ns, 1e-6), name_of(operation),
                found.nvlink.latency_ns);
        promise(is_near(found.nvlink.gbyte_per_s, 234, 1e-6), name_of(operation), found.nvlink.gbyte_per_s);
        promise(found.latency_is_default == !shows_latency && !found.bandwidth_is_default, "it says what was measured");
        for (const TimedExchange& row : rows)
            promise(std::fabs(error_percent(row, found)) < 1e-4, "its rows", error_percent(row, found));
        // Of 5 % noise in each row, little is left in the terms.
        const ExchangeTerms noisy =
            fitted(rows_of(operation, wanted, {2, 3, 4, 8}, {4, 4096, MB, 1000 * MB}, 0.05), known);
        promise(is_near(noisy.start_ns, wanted.start_ns, 0.1), "noise in the start", noisy.start_ns);
        promise(is_near(noisy.nvlink.gbyte_per_s, 234, 0.1), "noise in the bandwidth", noisy.nvlink.gbyte_per_s);
        promise(noisy.nvlink.latency_ns >= 0, "latencies are not negative", noisy.nvlink.latency_ns);
    }
}

static void what_rows_do_not_show_stays() {
    const ExchangeTerms known = terms_of(1, 500, 300);
    promise(fitted({}, known).start_ns == 1, "without rows nothing is known");
    // Gangs of one size: the start is the rest beside the known latency.
    ExchangeTerms found = fitted(rows_of(Collective::all_reduce, terms_of(9000, 700, 300), {2}, {4, 64 * MB}), known);
    promise(found.latency_is_default && found.nvlink.latency_ns == 500, "the latency", found.nvlink.latency_ns);
    promise(is_near(found.start_ns, 9000 + 2 * 700 - 2 * 500, 1e-6), "the start", found.start_ns);
    // One size: the bandwidth keeps its default.
    found = fitted(rows_of(Collective::all_reduce, terms_of(9000, 700, 30), {2, 4, 8}, {4}), known);
    promise(found.bandwidth_is_default && is_near(found.nvlink.gbyte_per_s, 300), "the bandwidth",
            found.nvlink.gbyte_per_s);
    promise(is_near(found.nvlink.latency_ns, 700, 1e-3), "though the latency shows", found.nvlink.latency_ns);
    // Times that fall with more steps give a latency of zero, not a negative one.
    found = fitted({{{Collective::all_reduce, 4}, 2, 9000}, {{Collective::all_reduce, 4}, 4, 8000}}, known);
    promise(found.nvlink.latency_ns == 0 && found.start_ns > 8000 && found.start_ns < 9000, "no negative latency",
            found.start_ns);
    // If more bytes take no longer, the bandwidth keeps its default.
    found = fitted({{{Collective::ring, 4}, 2, 9000}, {{Collective::ring, MB}, 2, 8000}}, known);
    promise(found.bandwidth_is_default && is_near(found.nvlink.gbyte_per_s, 300), "no negative bandwidth",
            found.nvlink.gbyte_per_s);
    promise(found.network.gbyte_per_s == known.network.gbyte_per_s, "the network is not seen");
}

int main() {
    costs();
    costs_between_machines();
    terms_are_found_again();
    what_rows_do_not_show_stays();
    return broken > 0;
}
