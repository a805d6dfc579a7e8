// SPDX-License-Identifier: MIT
// nested: kernels that launch kernels. What a launch costs, depending on who makes it and at what depth, and two uses
// that may pay off.
// make: -O1 (it simulates too little to be worth the compile time of a higher level)
#include "common/cuda/passes.hpp"

#if HOST_PASS  // its kernels are in nested/device_launches.cu
#include <algorithm>
#include <memory>
#include <optional>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/nested/hello.cuh"
#include "tools/nested/image.cuh"
#include "tools/nested/integral.cuh"
#include "tools/nested/mark_cases.cuh"
#include "tools/nested/table.cuh"

namespace BACKEND {
namespace {

// Lets at least `needed` launches by kernels be pending for as long as it lives.
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

// The most that any selected variant needs. (The host's own launches do not count.)
size_t most_pending_launches(const Session& session) {
    const auto& asked = session.own<NestedOptions>();
    size_t most = 0;
    for (const NestedVariant* variant : session.selected<NestedVariant>()) {
        if (variant->grids && !variant->by_host)
            for (size_t count : session.sizes()) most = std::max(most, count + 1);
        if (variant->image) most = std::max(most, most_launches_of_image(asked.side.on(session.device)));
        // (Each interval that is divided takes one launch.)
        if (variant->quadrature && !variant->by_host)
            for (size_t sharpness : asked.sharpness.on(session.device))
                most = std::max(most, reference_of_peak(sharpness).divided);
    }
    return most;
}

// Whether any row of one kind of work is to be measured: the kind whose variants have this function. With --versus and
// no --kernel, only the kind of work that --versus compares is measured.
template <typename Launch>
bool is_asked_for(const Session& session, Launch NestedVariant::*of_kind) {
    bool is_selected = false, has_other_peer = false;
    for (const NestedVariant* variant : session.selected<NestedVariant>()) {
        is_selected |= variant->*of_kind != nullptr;
        has_other_peer |= variant->name == session.options.versus && variant->*of_kind == nullptr;
    }
    const bool is_left_out = has_other_peer && session.options.kernels.empty();
    return is_selected && !is_left_out;
}

// Each kind of work has options of its own.
void refuse_unused_options(const Session& session) {
    const auto check = [&](const char* option, const char* variants, bool is_used) {
        if (!is_used && session.own<NestedOptions>().typed.count(option) > 0)
            fail(Exit::usage, "{} is for {}, and none of them is to run; leave it out, or choose another --kernel",
                 option, variants);
    };
    check("--size", "launches by host, null-stream and their like", is_asked_for(session, &NestedVariant::grids));
    check("--depth", "host-chain, chain and tail-chain", is_asked_for(session, &NestedVariant::chain));
    const bool draws = is_asked_for(session, &NestedVariant::image);
    check("--side", "pixels and squares", draws);
    check("--steps", "pixels and squares", draws);
    check("--sharpness", "even, rounds and intervals", is_asked_for(session, &NestedVariant::quadrature));
}

// Runs the rows of one kind of work, unless --versus compares another kind.
void run_kind(const Session& session, Bench& bench, Cases& cases) {
    if (cases.empty()) return;
    const auto is_peer = [&](const Variant* variant) { return variant->name == session.options.versus; };
    const auto selected = session.selected<NestedVariant>();
    const bool has_peer =
        std::any_of(cases.begin(), cases.end(), [&](const auto& one) { return is_peer(one->variant); });
    if (!has_peer && std::any_of(selected.begin(), selected.end(), is_peer)) {
        if (!session.options.kernels.empty())
            fail(Exit::usage, "--versus '{}' compares one kind of work, and {} does another: leave one of them out",
                 session.options.versus, cases.front()->variant->name);
        return;
    }
    bench.run(cases);
}

void run_grids(Session& session, Bench& bench) {
    for (size_t count : session.sizes()) {
        Cases cases;
        for (const NestedVariant* variant : session.selected<NestedVariant>())
            if (variant->grids) cases.push_back(case_of_grids(session, *variant, count));
        run_kind(session, bench, cases);
    }
}

void run_chains(Session& session, Bench& bench) {
    for (size_t depth : session.own<NestedOptions>().depths) {
        Cases cases;
        for (const NestedVariant* variant : session.selected<NestedVariant>())
            if (variant->chain) cases.push_back(case_of_chain(session, *variant, depth));
        run_kind(session, bench, cases);
    }
}

void run_images(Session& session, Bench& bench) {
    const unsigned side = session.own<NestedOptions>().side.on(session.device);
    std::optional<MandelbrotLab> lab;  // made when the first variant needs it
    Cases cases;
    for (const NestedVariant* variant : session.selected<NestedVariant>()) {
        if (!variant->image) continue;
        if (!lab) lab.emplace(session, side);
        cases.push_back(std::make_unique<MandelbrotCase>(session, *variant, *lab));
    }
    run_kind(session, bench, cases);
}

// Simulating even intervals of a narrow peak would take hours.
bool takes_long(const Session& session, const NestedVariant& variant, size_t sharpness) {
    constexpr size_t most_intervals = size_t{1} << 25;
    if (!session.device.simulated || session.names(variant.name) || variant.quadrature != launch_quadrature_even)
        return false;
    const size_t intervals = size_t{1} << (quadrature_bits * reference_of_peak(sharpness).shortest);
    if (intervals <= most_intervals) return false;
    session.detail(text("{} is left out at {}: {} intervals would take long; name it with --kernel to run it",
                        variant.name, sharpness, intervals));
    return true;
}

void run_integrals(Session& session, Bench& bench) {
    for (size_t sharpness : session.own<NestedOptions>().sharpness.on(session.device)) {
        std::optional<QuadratureLab> lab;  // made when the first variant needs it
        Cases cases;
        for (const NestedVariant* variant : session.selected<NestedVariant>()) {
            if (!variant->quadrature || takes_long(session, *variant, sharpness)) continue;
            if (!lab) lab.emplace(session, sharpness);
            cases.push_back(std::make_unique<QuadratureCase>(session, *variant, *lab));
        }
        run_kind(session, bench, cases);
    }
}

void run(Session& session) {
    if (const auto& threads = session.own<NestedOptions>().hello) return say_hello(session, *threads);
    refuse_unused_options(session);
    const PendingLaunches pending(most_pending_launches(session));
    Bench bench(session);
    run_grids(session, bench);
    run_chains(session, bench);
    run_images(session, bench);
    run_integrals(session, bench);
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(nested_program, run)
#endif
