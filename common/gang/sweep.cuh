// SPDX-License-Identifier: MIT
// One problem on gangs of several sizes: those at hand are measured; with --predict, others are predicted from them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "common/gang/devices.cuh"
#include "common/gang/model.hpp"

namespace BACKEND {

class Exchanges;

// How a program spreads a problem over ranks.
struct GangProblem {
    using Use = std::function<void(std::vector<Case>&)>;

    // Makes the cases for the gang's devices, which are the first of all `ranks`, and passes them to `use`. Everything
    // that the cases need lives until `use` returns.
    std::function<void(Gang&, size_t ranks, const Use& use)> with_cases;
    // A case of a variant on all ranks, good for a table row but not for a launch.
    std::function<Case(const Variant&, size_t ranks)> describe;
    // The ranks' exchanges, which come on top of that.
    std::function<std::vector<Exchange>(size_t ranks)> exchanges;
};

// How many elements the first `members` of `ranks` have together: there are n in all, or with --weak, n per rank.
constexpr size_t elements_of_first(size_t members, size_t ranks, size_t n, const MeasureSettings& settings) {
    return settings.weak ? n * members : share_of(n, members, ranks).begin;
}

// A prediction is the measured time of one rank's share on one device, plus the time of the exchanges, which the model
// of model.hpp derives from smaller gangs. So the largest measured gang is predicted, too, to show the model's error.
class GangSweep {
public:
    GangSweep(Run& run, Bench& bench, const std::vector<DeviceInfo>& devices);
    ~GangSweep();

    void run(const GangProblem& problem);

private:
    std::set<size_t> predicted_gangs() const;

    // A process may leave out a variant, for example because its machine lacks a library. Then all leave it out, since
    // they measure together.
    void keep_common(std::vector<Case>& cases) const;

    // Measures one rank's share.
    std::vector<Measurement> shares_of(const GangProblem& problem, size_t ranks);

    void predict(const GangProblem& problem, size_t ranks);

    // By how much `ns` exceeds the gang's measured time, in percent; NaN if it was not measured.
    double error_percent(const Variant& variant, size_t ranks, double ns) const;

    Run& run_;
    Bench& bench_;
    const std::vector<DeviceInfo>& devices_;
    std::unique_ptr<Exchanges> exchanges_;
    std::map<size_t, std::vector<Measurement>> measured_;
};

}  // namespace BACKEND
