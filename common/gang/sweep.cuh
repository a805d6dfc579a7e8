// One problem on gangs of several sizes: those at hand are measured, and with --predict others follow from them.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/gang/devices.cuh"
#include "common/gang/exchanges.cuh"

namespace BACKEND {

// How a program spreads a problem over so many ranks.
struct GangProblem {
    using Use = std::function<void(std::vector<Case>&)>;

    // Makes the cases of what the gang's devices, the first of all these ranks, have to do, and hands them to `use`. What
    // the cases need lives until that returns.
    std::function<void(Gang&, size_t ranks, const Use& use)> with_cases;
    // The row of a variant on all the ranks, without what it takes to launch it.
    std::function<Case(const Variant&, size_t ranks)> describe;
    // What the ranks exchange besides.
    std::function<std::vector<Exchange>(size_t ranks)> exchanges;
};

// Of n elements, or with --weak n for each rank: how many the first of the ranks have.
constexpr size_t elements_of_first(size_t members, size_t ranks, size_t n, const MeasureSettings& settings) {
    return settings.weak ? n * members : share_of(n, members, ranks).begin;
}

// A prediction is the time of one rank's share on one device, which is measured, and that of the exchanges, which the model
// of model.hpp has from smaller gangs. So the largest gang that is measured can be predicted, too, to see how far off that
// is.
class GangSweep {
public:
    GangSweep(Run& run, Bench& bench, const std::vector<DeviceInfo>& devices)
        : run_(run), bench_(bench), devices_(devices), exchanges_(run) {}

    void run(const GangProblem& problem) {
        measured_.clear();
        const std::set<size_t> predicted = predicted_gangs();
        for (const std::vector<DeviceInfo>& devices : gangs_of(devices_, run_.settings)) {
            Gang gang(devices, run_.settings);
            problem.with_cases(gang, gang.size(), [&](std::vector<Case>& cases) {
                keep_common(cases);
                measured_[gang.size()] = bench_.run(cases);
            });
            for (const size_t ranks : predicted) exchanges_.measure(gang, bench_, problem.exchanges(ranks));
        }
        for (const size_t ranks : predicted) predict(problem, ranks);
    }

private:
    std::set<size_t> predicted_gangs() const {
        const std::vector<size_t>& asked = run_.settings.predict.gangs;
        std::set<size_t> gangs(asked.begin(), asked.end());
        if (!gangs.empty() && devices_.size() > 1) gangs.insert(devices_.size());
        if (run_.settings.profile) gangs.clear();
        return gangs;
    }

    // A process may leave out a variant, such as one of a library that its machine lacks. Then all leave it out, since they
    // measure together.
    void keep_common(std::vector<Case>& cases) const {
        Team& team = *run_.settings.team;
        if (team.processes() == 1) return;
        std::string mine;
        for (const Case& one : cases) mine += text("{}\n", one.variant->name);
        const std::vector<std::string> all = team.gather(mine);
        const auto is_missing = [&](const Case& one) {
            for (size_t process = 0; process < all.size(); ++process) {
                const std::vector<std::string> names = split(all[process], '\n');
                if (std::find(names.begin(), names.end(), one.variant->name) != names.end()) continue;
                run_.notice(text("{} is left out: rank {} cannot run it", one.variant->name, process));
                return true;
            }
            return false;
        };
        cases.erase(std::remove_if(cases.begin(), cases.end(), is_missing), cases.end());
    }

    // The times of one rank's share.
    std::vector<Measurement> shares_of(const GangProblem& problem, size_t ranks) {
        if (run_.settings.weak) return measured_.at(1);
        std::vector<Measurement> shares;
        Gang alone({devices_.front()}, run_.settings);
        problem.with_cases(alone, ranks, [&](std::vector<Case>& cases) {
            keep_common(cases);
            shares = bench_.time(cases);
        });
        return shares;
    }

    void predict(const GangProblem& problem, size_t ranks) {
        double exchange_ns = 0;
        for (const Exchange& exchange : problem.exchanges(ranks))
            exchange_ns += exchanges_.predicted_ns(exchange, ranks);
        std::vector<Measurement> rows = shares_of(problem, ranks);
        for (Measurement& row : rows) {
            const double ns = ::summarize(row.samples_ns).median + exchange_ns;
            const Case whole = problem.describe(*row.variant, ranks);
            row.problem = whole.problem;
            row.problem.gang = ranks;
            row.own = whole.own_cells ? whole.own_cells(ns) : std::vector<Cell>{};
            row.timer = "model";
            row.verify = "predicted";
            row.warmup = row.sm_clock_mhz = 0;
            row.samples_ns = {ns};
            row.peer_ratios.clear();
            row.prediction = {exchange_ns, error_percent(*row.variant, ranks, ns)};
        }
        bench_.print_predicted(rows);
    }

    // How much more than what the gang took, if it was measured.
    double error_percent(const Variant& variant, size_t ranks, double ns) const {
        const auto gang = measured_.find(ranks);
        if (gang != measured_.end())
            for (const Measurement& row : gang->second)
                if (row.variant == &variant) return 100 * (ns / ::summarize(row.samples_ns).median - 1);
        return std::numeric_limits<double>::quiet_NaN();
    }

    Run& run_;
    Bench& bench_;
    const std::vector<DeviceInfo>& devices_;
    Exchanges exchanges_;
    std::map<size_t, std::vector<Measurement>> measured_;
};

}  // namespace BACKEND
