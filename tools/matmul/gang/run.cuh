// SPDX-License-Identifier: MIT
// A benchmark of products on several devices.
#pragma once

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "common/gang/sweep.cuh"
#include "tools/matmul/gang/product.cuh"

namespace BACKEND {

// Shows a picture below the human table, else on standard error.
inline void show(const Session& session, const std::string& picture) {
    if (session.format() == Format::human) session.output.write(picture);
    else std::fputs(picture.c_str(), stderr);
}

// A product, or with --weak one of so many rows for each device. Rows are independent, so a prediction is the time of
// the first rank's rows.
inline GangProblem gang_problem_of(Session& session, const ProductShape& shape, std::vector<Timeline>& timelines) {
    const MeasureSettings& settings = session.options;
    const auto shape_of = [=](size_t rows) { return within_limits({rows, shape.n, shape.k}); };
    GangProblem problem;
    problem.with_cases = [=, &session, &settings, &timelines](Gang& gang, size_t ranks, const GangProblem::Use& use) {
        GangProduct product(session, gang, shape_of(elements_of_first(gang.size(), ranks, shape.m, settings)));
        std::vector<Case> cases = product.cases();
        const bool is_share = ranks > gang.size();
        // (A library divides the product by itself.)
        const auto is_whole = [](const Case& one) { return !one.flushes; };
        if (is_share) cases.erase(std::remove_if(cases.begin(), cases.end(), is_whole), cases.end());
        use(cases);
        if (is_share || !session.own<MatmulOptions>().draws() || gang.size() == 1) return;
        for (const Case& one : cases) {
            if (is_whole(one)) continue;
            timelines.push_back(product.run_once(one));
            if (session.own<MatmulOptions>().timeline) show(session, draw_timeline(timelines.back()));
        }
    };
    problem.describe = [=, &session, &settings](const Variant& variant, size_t ranks) {
        const auto& of_matmul = static_cast<const MatmulVariant&>(variant);
        return describe_product(session, of_matmul, shape_of(settings.weak ? shape.m * ranks : shape.m), ranks);
    };
    problem.exchanges = [](size_t) { return std::vector<Exchange>{}; };
    return problem;
}

// Refuses a panel that is too narrow for one of the gangs.
inline void check_panel(const Session& session, size_t panel) {
    for (const std::vector<DeviceInfo>& devices : gangs_of(session.gang, session.options))
        for (const ProductShape& shape : session.own<MatmulOptions>().shapes.on(session.device.simulated)) {
            const GangGrid grid = grid_of(devices.size());
            const size_t least = least_panel_columns(shape, grid.rows, grid.columns);
            if (devices.size() > 1 && whole_granules(panel) < least)
                fail(Exit::usage,
                     "--panel {}: {} devices would exchange B of {} in more rounds than can be enqueued at once; give "
                     "--panel {} or more",
                     panel, devices.size(), shape.name(), least);
        }
}

// Refuses options that need --gang, or do not go with it.
inline void check_gang_options(const Session& session) {
    const auto& asked = session.own<MatmulOptions>();
    const bool tiles = asked.split == GangSplit::tiles;
    if (asked.split && !session.options.gang)
        fail(Exit::usage, "--split says what each of several devices computes: add --gang, or leave it out");
    if (asked.panel && !tiles) fail(Exit::usage, "--panel is for tiles: add --split tiles, or leave it out");
    if (asked.draws() && !tiles)
        fail(Exit::usage, "--timeline and --trace show how tiles travel: add --split tiles, or leave them out");
    if (!session.options.gang) return;
    if (tiles && !session.options.predict.gangs.empty())
        fail(Exit::usage, "--predict does not model how tiles travel during products: predict rows");
    if (asked.draws() && session.options.team->processes() > 1)
        fail(Exit::usage, "--timeline and --trace show the devices of one process: start one only");
    if (asked.form.batch || asked.form.transposed.any())
        fail(Exit::usage, "--gang multiplies two matrices as they are: leave --batch and --transpose out");
    if (is_float8(session.dtype()))
        fail(Exit::usage, "--gang has no 8-bit floats; choose -t bf16 or another type, or leave --gang out");
    if (asked.tile == "all" || asked.tile == "plans" || asked.tile.find(',') != asked.tile.npos)
        fail(Exit::usage, "--gang runs a variant with one tile, and --tile {} are several: name one", asked.tile);
    if (asked.panel) check_panel(session, *asked.panel);
}

}  // namespace BACKEND
