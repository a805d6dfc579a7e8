// SPDX-License-Identifier: MIT
#include "common/gang/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "common/io/failure.hpp"
#include "common/io/table_reader.hpp"
#include "common/io/text.hpp"

namespace {

// ---- the model

// A way to do an operation: how many consecutive messages, and how many bytes from a GPU, travel over each kind of
// link.
struct Way {
    double nvlink_steps, network_steps, nvlink_bytes, network_bytes;
};

double time_of(const Way& way, const ExchangeTerms& terms) {
    // Long messages travel in pieces, so all links are busy at once.
    const double slowest =
        std::max(way.nvlink_bytes / terms.nvlink.gbyte_per_s, way.network_bytes / terms.network.gbyte_per_s);
    return terms.start_ns + way.nvlink_steps * terms.nvlink.latency_ns + way.network_steps * terms.network.latency_ns +
           slowest;
}

// How the ranks are placed in machines. The last machine may not be full.
struct Placement {
    std::size_t ranks, machines, in_machine;

    Placement(std::size_t all, std::size_t per_machine)
        : ranks(all), machines((all + per_machine - 1) / per_machine), in_machine(std::min(all, per_machine)) {}
};

// `rounds` times around a ring of all ranks; `bytes` leave each GPU in total. There are as many rings as a machine has
// network ports, so each port carries a part of what crosses from one machine to the next.
Way around_ring(const Placement& placed, double rounds, double bytes) {
    const double steps = rounds * double(placed.ranks - 1), crossings = rounds * double(placed.machines - 1);
    const double per_port = placed.machines > 1 ? bytes / double(placed.in_machine) : 0;
    return {steps - crossings, crossings, bytes, per_port};
}

// Up a tree of machines, along a chain within each, and down again. Two trees share the bytes: inner nodes of one are
// leaves of the other.
Way up_and_down_tree(const Placement& placed, double bytes) {
    const double per_port = placed.machines > 1 ? 2 * bytes / double(placed.in_machine) : 0;
    return {2 * double(placed.in_machine - 1), 2 * std::ceil(std::log2(double(placed.machines))), 2 * bytes, per_port};
}

// Every rank exchanges shares with the others, one after another.
Way pairwise(const Placement& placed, double bytes) {
    const double share = bytes / double(placed.ranks);
    const double near = double(placed.in_machine - 1), far = double(placed.ranks - placed.in_machine);
    return {near, far, near * share, far * share};
}

Way to_neighbor(const Placement& placed, double bytes) {
    return placed.machines > 1 ? Way{0, 1, bytes, bytes} : Way{1, 0, bytes, 0};
}

// The ways from which a library chooses.
std::vector<Way> ways_of(const Exchange& exchange, const Placement& placed) {
    const double bytes = exchange.bytes, others = double(placed.ranks - 1) / double(placed.ranks);
    switch (exchange.operation) {
        case Collective::all_reduce:
            return {around_ring(placed, 2, 2 * others * bytes), up_and_down_tree(placed, bytes)};
        case Collective::reduce_scatter:
        case Collective::all_gather: return {around_ring(placed, 1, others * bytes)};
        case Collective::broadcast:
        case Collective::reduce: return {around_ring(placed, 1, bytes)};
        case Collective::all_to_all: return {pairwise(placed, bytes)};
        case Collective::ring: return {to_neighbor(placed, bytes)};
    }
    return {};
}

// ---- fitting its terms to measurements

// The factors by which start, latency and nanoseconds per byte are multiplied.
using Factors = std::array<double, 3>;
enum Term { of_start, of_latency, of_byte };

Factors factors_of(const TimedExchange& row) {
    const Way way = ways_of(row.exchange, Placement(row.ranks, row.ranks)).front();
    return {1, way.nvlink_steps, way.nvlink_bytes};
}

// Solves a system of at most three linear equations by elimination; none if it is singular.
std::optional<std::vector<double>> solve(std::vector<std::vector<double>> matrix, std::vector<double> right) {
    const std::size_t n = right.size();
    for (std::size_t column = 0; column < n; ++column) {
        std::size_t pivot = column;
        for (std::size_t row = column + 1; row < n; ++row)
            if (std::abs(matrix[row][column]) > std::abs(matrix[pivot][column])) pivot = row;
        std::swap(matrix[column], matrix[pivot]);
        std::swap(right[column], right[pivot]);
        if (!(std::abs(matrix[column][column]) > 1e-12)) return std::nullopt;
        for (std::size_t row = 0; row < n; ++row) {
            if (row == column) continue;
            const double factor = matrix[row][column] / matrix[column][column];
            for (std::size_t i = column; i < n; ++i) matrix[row][i] -= factor * matrix[column][i];
            right[row] -= factor * right[column];
        }
    }
    for (std::size_t i = 0; i < n; ++i) right[i] /= matrix[i][i];
    return right;
}

struct Solution {
    Factors terms;
    double squares;  // the sum of the squared relative errors
};

// Least squares over the terms in `free`, with the others as in `fixed`; none if a free term would not be positive.
// Columns are scaled to length 1, since steps and bytes differ by many powers of ten.
std::optional<Solution> solve_for(const std::vector<Term>& free, const Factors& fixed,
                                  const std::vector<TimedExchange>& rows) {
    std::vector<Factors> relative;
    std::vector<double> wanted;
    Factors length = {};
    for (const TimedExchange& row : rows) {
        Factors factors = factors_of(row);
        double rest = 1;
        for (double& factor : factors) factor /= row.ns;
        for (const Term term : {of_start, of_latency, of_byte}) {
            length[term] += factors[term] * factors[term];
            if (std::find(free.begin(), free.end(), term) == free.end()) rest -= factors[term] * fixed[term];
        }
        relative.push_back(factors);
        wanted.push_back(rest);
    }
    for (double& square : length) square = std::sqrt(square);
    std::vector<std::vector<double>> matrix(free.size(), std::vector<double>(free.size()));
    std::vector<double> right(free.size());
    for (std::size_t row = 0; row < rows.size(); ++row)
        for (std::size_t i = 0; i < free.size(); ++i) {
            const double factor = relative[row][free[i]] / length[free[i]];
            right[i] += factor * wanted[row];
            for (std::size_t j = 0; j < free.size(); ++j)
                matrix[i][j] += factor * relative[row][free[j]] / length[free[j]];
        }
    const std::optional<std::vector<double>> found = solve(matrix, right);
    if (!found) return std::nullopt;
    Solution solution = {fixed, 0};
    for (std::size_t i = 0; i < free.size(); ++i) {
        solution.terms[free[i]] = (*found)[i] / length[free[i]];
        if (!(solution.terms[free[i]] > 0)) return std::nullopt;
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
        double error = -1;
        for (const Term term : {of_start, of_latency, of_byte}) error += relative[row][term] * solution.terms[term];
        solution.squares += error * error;
    }
    return solution;
}

template <typename Value>
double ratio_of_extremes(const std::vector<TimedExchange>& rows, Value value) {
    double least = 0, most = 0;
    for (const TimedExchange& row : rows) {
        const double one = value(row);
        if (one > 0 && (least == 0 || one < least)) least = one;
        most = std::max(most, one);
    }
    return least > 0 ? most / least : 1;
}

}  // namespace

ExchangeTerms default_terms(const PredictSettings& settings) {
    ExchangeTerms terms;
    terms.network = {1e3 * settings.network_latency_us, settings.network_gbyte_per_s};
    terms.per_machine = settings.per_machine;
    return terms;
}

double exchange_ns(const Exchange& exchange, std::size_t ranks, const ExchangeTerms& terms) {
    if (ranks < 2) return 0;
    double fastest = INFINITY;
    for (const Way& way : ways_of(exchange, Placement(ranks, terms.per_machine)))
        fastest = std::min(fastest, time_of(way, terms));
    return fastest;
}

ExchangeTerms fitted(const std::vector<TimedExchange>& rows, const ExchangeTerms& known) {
    if (rows.empty()) return known;
    ExchangeTerms terms = known;
    terms.latency_is_default =
        ratio_of_extremes(rows, [](const TimedExchange& row) { return factors_of(row)[of_latency]; }) == 1;
    terms.bandwidth_is_default =
        ratio_of_extremes(rows, [](const TimedExchange& row) { return row.exchange.bytes; }) < 16;
    const Factors before = {known.start_ns, known.nvlink.latency_ns, 1 / known.nvlink.gbyte_per_s};
    // There are only three terms, so we try every set of positive ones. A bandwidth that the rows do not determine
    // stays as it is.
    std::optional<Solution> best;
    unsigned best_set = 0;
    for (unsigned set = 0; set < 8; ++set) {
        std::vector<Term> free;
        Factors fixed = {0, terms.latency_is_default ? before[of_latency] : 0, before[of_byte]};
        for (const Term term : {of_start, of_latency, of_byte})
            if (set >> term & 1u) free.push_back(term);
        const bool fits_default = (terms.latency_is_default && (set >> of_latency & 1u)) ||
                                  (terms.bandwidth_is_default && (set >> of_byte & 1u));
        if (fits_default) continue;
        const std::optional<Solution> solution = solve_for(free, fixed, rows);
        if (!solution || (best && solution->squares >= best->squares)) continue;
        best = solution;
        best_set = set;
    }
    if (!best) return known;
    terms.bandwidth_is_default = !(best_set >> of_byte & 1u);
    terms.start_ns = best->terms[of_start];
    terms.nvlink = {best->terms[of_latency], 1 / best->terms[of_byte]};
    return terms;
}

double error_percent(const TimedExchange& row, const ExchangeTerms& terms) {
    ExchangeTerms in_machine = terms;
    in_machine.per_machine = row.ranks;
    return 100 * (exchange_ns(row.exchange, row.ranks, in_machine) / row.ns - 1);
}

std::map<Collective, ExchangeTerms> read_terms(const std::string& path, const ExchangeTerms& known) {
    const DataTable table = read_table(path, Lists::skip);
    const TableColumn &kernel = table.column("kernel"), &start_ns = table.column("start_ns"),
                      &latency_ns = table.column("latency_ns"), &gbyte_per_s = table.column("gbyte_per_s");
    std::map<Collective, ExchangeTerms> terms;
    for (std::size_t row = 0; row < table.rows(); ++row)
        for (int i = 0; i <= int(Collective::ring); ++i) {
            if (kernel.word(row) != name_of(Collective(i))) continue;
            ExchangeTerms one = known;
            one.start_ns = start_ns.number(row);
            one.nvlink = {latency_ns.number(row), gbyte_per_s.number(row)};
            one.latency_is_default = one.bandwidth_is_default = false;
            if (!(one.start_ns >= 0 && one.nvlink.latency_ns >= 0 && one.nvlink.gbyte_per_s > 0))
                fail(Exit::bad_input, "{}:{}: start_ns and latency_ns must be 0 or more, gbyte_per_s above 0",
                     table.name, table.lines[row]);
            terms[Collective(i)] = one;
        }
    return terms;
}
