// SPDX-License-Identifier: MIT
#include "tools/collective/fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "common/io/table.hpp"
#include "common/io/text.hpp"
#include "common/measure/statistics.hpp"

namespace {

// The terms fitted to an operation, and how far they are from the measured times.
struct Fit {
    const Session& session;
    Collective operation;
    ExchangeTerms terms;
    std::size_t rows, gang;  // measured; the largest gang
    double median_error_percent, worst_error_percent;
};

Fit fit_of(const Session& session, Collective operation, const std::vector<TimedExchange>& rows) {
    Fit fit = {session, operation, fitted(rows, default_terms({})), rows.size(), 0, 0, 0};
    std::vector<double> errors;
    for (const TimedExchange& row : rows) {
        errors.push_back(std::fabs(error_percent(row, fit.terms)));
        fit.gang = std::max(fit.gang, row.ranks);
    }
    const Summary summary = summarize(errors);
    fit.median_error_percent = summary.median, fit.worst_error_percent = summary.maximum;
    return fit;
}

const ColumnOf<Fit> fit_columns[] = {
    {{"tool"}, [](const Fit& of) -> Cell { return of.session.program.name; }},
    {{"kernel", "kernel"}, [](const Fit& of) -> Cell { return name_of(of.operation); }},
    {{"device"}, [](const Fit& of) -> Cell { return of.session.device.name; }},
    {{"timer"}, [](const Fit& of) -> Cell { return of.session.device.simulated ? "sim" : "event"; }},
    {{"gang", "gang up to"}, [](const Fit& of) -> Cell { return whole(of.gang); }},
    {{"rows", "rows"}, [](const Fit& of) -> Cell { return whole(of.rows); }},
    {{"start_ns", "start us", 1e-3, 2},
     [](const Fit& of) -> Cell {
         return Fixed{of.terms.start_ns, 1};
     }},
    {{"latency_ns", "latency us", 1e-3, 2},
     [](const Fit& of) -> Cell {
         return Fixed{of.terms.nvlink.latency_ns, 1};
     }},
    {{"gbyte_per_s", "GB/s", 1, 3},
     [](const Fit& of) -> Cell {
         return Fixed{of.terms.nvlink.gbyte_per_s, 6};
     }},
    {{"median_error_percent", "error %", 1, 1},
     [](const Fit& of) -> Cell {
         return Fixed{of.median_error_percent, 2};
     }},
    {{"worst_error_percent", "at most", 1, 1},
     [](const Fit& of) -> Cell {
         return Fixed{of.worst_error_percent, 2};
     }},
};

}  // namespace

void print_fits(Session& session, const std::map<Collective, std::vector<TimedExchange>>& rows) {
    Table table(session.output, session.format(), session.options.header, columns_of(fit_columns));
    std::string without_latency, without_bandwidth;
    const auto add = [](std::string& names, Collective one) {
        names += (names.empty() ? "" : ", ") + std::string(name_of(one));
    };
    for (const auto& [operation, timed] : rows) {
        const Fit fit = fit_of(session, operation, timed);
        table.add(cells_of(fit_columns, fit));
        if (fit.terms.latency_is_default) add(without_latency, operation);
        if (fit.terms.bandwidth_is_default) add(without_bandwidth, operation);
    }
    table.flush();
    if (!without_latency.empty())
        session.notice(
            text("{}: gangs of one size, or of one step, show no latency: the default is kept", without_latency));
    if (!without_bandwidth.empty())
        session.notice(
            text("{}: these sizes show no bandwidth: the default is kept; give -n a wider range, as in -n 1:64Mi:x64",
                 without_bandwidth));
}
