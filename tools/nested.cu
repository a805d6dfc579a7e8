// nested: kernels that launch kernels. What a launch costs, by whom and how deep, and a case in which it pays.
#include <algorithm>
#include <memory>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/nested/hello.cuh"
#include "tools/nested/image.cuh"
#include "tools/nested/marks.cuh"
#include "tools/nested/table.cuh"

namespace BACKEND {
namespace {

// How many launches by kernels may be pending, for as long as this lives.
class PendingLaunches {
public:
    explicit PendingLaunches(size_t needed) {
        CHECK(cudaDeviceGetLimit(&before_, cudaLimitDevRuntimePendingLaunchCount));
        if (needed > before_) CHECK(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, needed));
    }
    ~PendingLaunches() { static_cast<void>(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, before_)); }
    PendingLaunches(const PendingLaunches&) = delete;
    PendingLaunches& operator=(const PendingLaunches&) = delete;

private:
    size_t before_ = 0;
};

// What all selected variants need at most.
size_t most_pending_launches(const Session& session) {
    size_t most = 0;
    for (const NestedVariant* variant : session.selected<NestedVariant>()) {
        if (variant->grids)
            for (size_t count : session.sizes()) most = std::max(most, count + 1);
        if (variant->image)
            most =
                std::max(most, most_launches_of_image(session.own<NestedOptions>().side.on(session.device.simulated)));
    }
    return most;
}

void run_grids(Session& session, Bench& bench) {
    for (size_t count : session.sizes()) {
        std::vector<Case> cases;
        for (const NestedVariant* variant : session.selected<NestedVariant>())
            if (variant->grids) cases.push_back(case_of_grids(session, *variant, count));
        bench.run(cases);
    }
}

void run_chains(Session& session, Bench& bench) {
    for (size_t depth : session.own<NestedOptions>().depths) {
        std::vector<Case> cases;
        for (const NestedVariant* variant : session.selected<NestedVariant>())
            if (variant->chain) cases.push_back(case_of_chain(session, *variant, depth));
        bench.run(cases);
    }
}

void run_images(Session& session, Bench& bench) {
    const unsigned side = session.own<NestedOptions>().side.on(session.device.simulated);
    std::shared_ptr<MandelbrotLab> lab;
    std::vector<Case> cases;
    for (const NestedVariant* variant : session.selected<NestedVariant>()) {
        if (!variant->image) continue;
        if (!lab) lab = std::make_shared<MandelbrotLab>(session, side);
        cases.push_back(lab->case_of(*variant, lab));
    }
    bench.run(cases);
}

void run(Session& session) {
    if (const unsigned threads = session.own<NestedOptions>().hello) return say_hello(session, threads);
    const PendingLaunches pending(most_pending_launches(session));
    Bench bench(session);
    run_grids(session, bench);
    run_chains(session, bench);
    run_images(session, bench);
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(nested_program, run)
