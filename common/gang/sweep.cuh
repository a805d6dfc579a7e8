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

// What a program measures, spread over ranks. Without --gang there is one.
class GangProblem {
public:
    using Use = std::function<void(Cases&)>;
    virtual ~GangProblem() = default;

    // Makes the cases for the gang's devices, which are the first of all `ranks`, and passes them to `use`. Everything
    // that the cases need lives until `use` returns.
    virtual void with_cases(Gang& gang, size_t ranks, const Use& use) = 0;
    // What a table's row says of a variant on all ranks besides its times.
    struct Row {
        Problem problem;
        std::vector<Cell> own;
    };
    virtual Row describe(const Variant& variant, size_t ranks, double median_ns) const = 0;
    // The ranks' exchanges, whose time comes on top of the cases'.
    virtual std::vector<Exchange> exchanges([[maybe_unused]] size_t ranks) const { return {}; }
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

    void run(GangProblem& problem);

private:
    std::set<size_t> predicted_gangs() const;

    // A process may leave out a variant, for example because its machine lacks a library. Then all leave it out, since
    // they measure together.
    void keep_common(Cases& cases) const;

    // Measures one rank's share.
    std::vector<Measurement> shares_of(GangProblem& problem, size_t ranks);

    void predict(GangProblem& problem, size_t ranks);

    // By how much `ns` exceeds the gang's measured time, in percent; NaN if it was not measured.
    double error_percent(const Variant& variant, size_t ranks, double ns) const;

    Run& run_;
    Bench& bench_;
    const std::vector<DeviceInfo>& devices_;
    std::unique_ptr<Exchanges> exchanges_;
    std::map<size_t, std::vector<Measurement>> measured_;
};

}  // namespace BACKEND
