// SPDX-License-Identifier: MIT
// Which variants run, and with which tiles.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/matmul/product.cuh"

namespace BACKEND {

// The CPU needs minutes where the GPU needs milliseconds: beyond this many operations it runs only when it is named.
constexpr double most_host_flop = 0x1p33;

// A variant of the run, and, if it is a device's, how it is launched: by its plan or, if there are several, by the one
// that turns out to be the fastest.
struct ChosenVariant {
    const MatmulVariant* variant = nullptr;
    PlansToTune plans = {};
};

// The tiles that a variant is to run with: "" is its own choice.
inline std::vector<std::string> tiles_to_run(const MatmulVariant& variant, const ProductProblem& problem) {
    if (!variant.has_tiles || problem.forced_tile.empty()) return {""};
    if (problem.forced_tile == "all") return keys_of(variant, problem);
    if (problem.forced_tile == "plans") return keys_of(variant, problem, true);
    return split(problem.forced_tile, ',');
}

// The plans of `fastest` that are to be timed, of those for which there is room beside A, B and C.
inline PlansToTune plans_to_tune(const ProductProblem& problem, double room) {
    constexpr size_t most_shares = 2, most_more_shares = 4;  // of the same tile
    std::map<std::string, size_t> plans_of_row;
    PlansToTune chosen;
    for (Plan& plan : fastest_plans(problem)) {
        if (plan.ns == 0 || double(plan.workspace_bytes) > room) continue;
        const size_t before = plans_of_row[plan.row]++;
        if (before < most_shares && chosen.first.size() < most_tuned) chosen.first.push_back(std::move(plan));
        else if (before < most_shares + most_more_shares) chosen.more_shares.push_back(std::move(plan));
    }
    return chosen;
}

// The plans with which a variant is to run; none if it has none.
inline PlansToTune plans_to_run(const Session& session, const MatmulVariant& variant, const ProductProblem& problem) {
    const bool tunes = variant.plans == fastest_plans && problem.wisdom && !session.options.profile &&
                       problem.shape.flop() * double(problem.form.products()) > 0;
    const double needed = DeviceProduct::bytes(session.device, problem.dtype, problem.shape, problem.form, 0);
    PlansToTune plans = tunes ? plans_to_tune(problem, free_device_bytes() - needed) : PlansToTune{};
    if (!plans.first.empty()) return plans;
    Plan plan = find_plan(variant, problem);
    if (plan.launch) plans.first.push_back(std::move(plan));
    return plans;
}

// The selected variants that can run.
inline std::vector<ChosenVariant> chosen_variants(Session& session, const ProductProblem& problem) {
    std::vector<ChosenVariant> chosen;
    const ProductShape& shape = problem.shape;
    for (const MatmulVariant* variant : session.selected<MatmulVariant>()) {
        const std::string name = variant->name;
        if (variant->needs == Needs::host) {
            if (variant->host_has && !variant->host_has(problem.dtype))
                session.leave_out(name,
                                  text("libopenblas.so.0 is not installed, or has no {}", name_of(problem.dtype)));
            else if (shape.flop() * double(problem.form.products()) > most_host_flop && !session.names(name))
                session.detail(text("{} is left out at {}: it would take long; name it with --kernel to run it", name,
                                    shape.name()));
            else chosen.push_back({variant});
            continue;
        }
        ProductProblem with_tile = problem;
        for (const std::string& tile : tiles_to_run(*variant, problem)) {
            with_tile.forced_tile = tile;
            const PlansToTune plans = plans_to_run(session, *variant, with_tile);
            const size_t workspace_bytes = plans.first.empty() ? 0 : plans.first.front().workspace_bytes;
            const double wanted =
                DeviceProduct::bytes(session.device, problem.dtype, shape, problem.form, workspace_bytes);
            if (plans.first.empty()) session.leave_out(name, why_not(problem, *variant));
            else if (workspace_bytes > 0 && !session.names(name) && wanted > free_device_bytes())
                session.leave_out(name, text("it needs {} beside A, B and C", human_bytes(double(workspace_bytes))));
            else chosen.push_back({variant, plans});
        }
    }
    return chosen;
}

}  // namespace BACKEND
