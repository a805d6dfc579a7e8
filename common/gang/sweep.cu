// SPDX-License-Identifier: MIT
#include "common/gang/sweep.cuh"

#include <algorithm>
#include <limits>
#include <string>

#include "common/gang/exchanges.cuh"

namespace BACKEND {

GangSweep::GangSweep(Run& run, Bench& bench, const std::vector<DeviceInfo>& devices)
    : run_(run), bench_(bench), devices_(devices), exchanges_(std::make_unique<Exchanges>(run)) {}

GangSweep::~GangSweep() = default;

void GangSweep::run(GangProblem& problem) {
    measured_.clear();
    const std::set<size_t> predicted = predicted_gangs();
    for (const std::vector<DeviceInfo>& devices : gangs_of(devices_, run_.settings)) {
        Gang gang(devices, run_.settings, &bench_.stopwatch());
        problem.with_cases(gang, gang.size(), [&](Cases& cases) {
            keep_common(cases);
            measured_[gang.size()] = bench_.run(cases);
        });
        for (const size_t ranks : predicted) exchanges_->measure(gang, bench_, problem.exchanges(ranks));
    }
    for (const size_t ranks : predicted) predict(problem, ranks);
}

std::set<size_t> GangSweep::predicted_gangs() const {
    const std::vector<size_t>& asked = run_.settings.predict.gangs;
    std::set<size_t> gangs(asked.begin(), asked.end());
    if (!gangs.empty() && devices_.size() > 1) gangs.insert(devices_.size());
    if (run_.settings.profile) gangs.clear();
    return gangs;
}

void GangSweep::keep_common(Cases& cases) const {
    Team& team = *run_.settings.team;
    if (team.processes() == 1) return;
    std::string mine;
    for (const auto& one : cases) mine += text("{}\n", one->variant->name);
    const std::vector<std::string> all = team.gather(mine);
    const auto is_missing = [&](const std::unique_ptr<Case>& one) {
        for (size_t process = 0; process < all.size(); ++process) {
            const std::vector<std::string> names = split(all[process], '\n');
            if (std::find(names.begin(), names.end(), one->variant->name) != names.end()) continue;
            run_.notice(text("{} is left out: rank {} cannot run it", one->variant->name, process));
            return true;
        }
        return false;
    };
    cases.erase(std::remove_if(cases.begin(), cases.end(), is_missing), cases.end());
}

std::vector<Measurement> GangSweep::shares_of(GangProblem& problem, size_t ranks) {
    if (run_.settings.weak) return measured_.at(1);
    std::vector<Measurement> shares;
    Gang alone({devices_.front()}, run_.settings, &bench_.stopwatch());
    problem.with_cases(alone, ranks, [&](Cases& cases) {
        keep_common(cases);
        shares = bench_.time(cases);
    });
    return shares;
}

void GangSweep::predict(GangProblem& problem, size_t ranks) {
    double exchange_ns = 0;
    for (const Exchange& exchange : problem.exchanges(ranks)) exchange_ns += exchanges_->predicted_ns(exchange, ranks);
    std::vector<Measurement> rows = shares_of(problem, ranks);
    for (Measurement& row : rows) {
        const double ns = ::summarize(row.samples_ns).median + exchange_ns;
        GangProblem::Row whole = problem.describe(*row.variant, ranks, ns);
        row.problem = whole.problem;
        row.problem.gang = ranks;
        row.own = std::move(whole.own);
        row.timer = "model";
        row.verify = "predicted";
        row.warmup = row.sm_clock_mhz = 0;
        row.samples_ns = {ns};
        row.peer_ratios.clear();
        row.prediction = {exchange_ns, error_percent(*row.variant, ranks, ns)};
    }
    bench_.print_predicted(rows);
}

double GangSweep::error_percent(const Variant& variant, size_t ranks, double ns) const {
    const auto gang = measured_.find(ranks);
    if (gang != measured_.end())
        for (const Measurement& row : gang->second)
            if (row.variant == &variant) return 100 * (ns / ::summarize(row.samples_ns).median - 1);
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace BACKEND
