// SPDX-License-Identifier: MIT
// Which variants run, and with which tiles.
#pragma once

#include <string>
#include <vector>

#include "tools/matmul/product.cuh"

namespace BACKEND {

// The CPU needs minutes where the GPU needs milliseconds: beyond this many operations it runs only when it is named.
constexpr double most_host_flop = 0x1p33;

inline void explain_if_asked(const Session& session, const MatmulVariant& variant, const ProductProblem& problem,
                             const ProductMethod& method) {
    if (variant.method != fastest_method || !session.own<MatmulOptions>().explain) return;
    std::string why = "the most advanced kernel for this type that this device and build can run";
    if (method.by_cost_model)
        why = text(
            "of its tiles, {} needs the fewest cycles: waves of {} blocks (the last one filled or shared out "
            "where that is faster), times the steps of {} along k",
            method.tile, problem.device->multiprocessors, 128 / size_of(problem.dtype));
    if (!method.copied.empty()) why += "; another kernel transposes " + method.copied;
    session.notice(text("{} {} on {} (compute capability {}): fastest is {}, tile {}: {}",
                        name_of_products(problem.shape, problem.form), name_of(problem.dtype), problem.device->name,
                        capability_text(problem.device->compute_capability), method.variant, method.tile, why));
}

// A variant of the run, and, if it is a device's, how it is launched.
struct ChosenVariant {
    const MatmulVariant* variant = nullptr;
    ProductMethod method = {};
};

// The tiles that a variant is to run with: "" is its own choice.
inline std::vector<std::string> tiles_to_run(const MatmulVariant& variant, const ProductProblem& problem) {
    if (!variant.tiles || problem.forced_tile.empty()) return {""};
    if (problem.forced_tile == "all") return variant.tiles(problem);
    return split(problem.forced_tile, ',');
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
            const ProductMethod method = find_method(*variant, with_tile);
            const double wanted =
                DeviceProduct::bytes(session.device, problem.dtype, shape, problem.form, method.workspace_bytes);
            if (!method.launch) session.leave_out(name, why_not(problem, *variant));
            else if (method.workspace_bytes > 0 && !session.names(name) && wanted > free_device_bytes())
                session.leave_out(name,
                                  text("it needs {} beside A, B and C", human_bytes(double(method.workspace_bytes))));
            else chosen.push_back({variant, method});
        }
    }
    return chosen;
}

}  // namespace BACKEND
