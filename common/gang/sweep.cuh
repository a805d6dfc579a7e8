// One problem on gangs of several sizes: those at hand are measured, and with --predict others follow from them.
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
    GangSweep(Run& run, Bench& bench, const std::vector<DeviceInfo>& devices);
    ~GangSweep();

    void run(const GangProblem& problem);

private:
    std::set<size_t> predicted_gangs() const;

    // A process may leave out a variant, such as one of a library that its machine lacks. Then all leave it out, since they
    // measure together.
    void keep_common(std::vector<Case>& cases) const;

    // The times of one rank's share.
    std::vector<Measurement> shares_of(const GangProblem& problem, size_t ranks);

    void predict(const GangProblem& problem, size_t ranks);

    // How much more than what the gang took, if it was measured.
    double error_percent(const Variant& variant, size_t ranks, double ns) const;

    Run& run_;
    Bench& bench_;
    const std::vector<DeviceInfo>& devices_;
    std::unique_ptr<Exchanges> exchanges_;
    std::map<size_t, std::vector<Measurement>> measured_;
};

}  // namespace BACKEND
