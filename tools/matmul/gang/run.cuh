// SPDX-License-Identifier: MIT
// A benchmark of products on several devices.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
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
class ProductOfGangs final : public GangProblem {
public:
    // Timelines that the options ask for are added to `timelines`.
    ProductOfGangs(Session& session, Bench& bench, const ProductShape& shape, std::vector<Timeline>& timelines)
        : session_(session), bench_(bench), shape_(shape), timelines_(timelines) {}

    void with_cases(Gang& gang, size_t ranks, const Use& use) override {
        const bool is_share = ranks > gang.size();
        GangProduct product(session_, gang,
                            shape_of(elements_of_first(gang.size(), ranks, shape_.m, session_.options)));
        Cases cases;
        std::vector<ProductOnDevices*> drawn;
        for (const MatmulVariant* variant : session_.selected<MatmulVariant>()) {
            if (variant->needs == Needs::host) continue;
            std::string why_not;
            if (divides_by_itself(*variant)) {
                if (!is_share) why_not = add_library(cases, *variant, gang, product);
            } else {
                why_not = product.obstacle_on_any(*variant);
                if (why_not.empty()) {
                    auto one = std::make_unique<ProductOnDevices>(*variant, gang, product);
                    drawn.push_back(one.get());
                    cases.push_back(std::move(one));
                }
            }
            if (!why_not.empty()) session_.leave_out(variant->name, why_not);
        }
        use(cases);
        const auto& asked = session_.own<MatmulOptions>();
        if (is_share || !asked.draws() || gang.size() == 1) return;
        for (ProductOnDevices* const one : drawn) {
            timelines_.push_back(one->run_once(bench_.stopwatch()));
            if (asked.timeline) show(session_, draw_timeline(timelines_.back()));
        }
    }
    Row describe(const Variant&, size_t ranks, double median_ns) const override {
        const ProductShape shape = shape_of(session_.options.weak ? shape_.m * ranks : shape_.m);
        return {problem_of(session_, shape), cells_of_split(session_, shape, "none", "rows", {}, median_ns, ranks)};
    }

private:
    ProductShape shape_of(size_t rows) const { return within_limits({rows, shape_.n, shape_.k}); }

#ifndef __SIMCC__
    static bool divides_by_itself(const MatmulVariant& variant) { return variant.plans == cublasxt_plans; }
    static std::string add_library(Cases& cases, const MatmulVariant& variant, Gang& gang, const GangProduct& product) {
        auto one = std::make_unique<ProductByCublasXt>(variant, gang, product);
        const std::string why_not = one->why_not();
        if (why_not.empty()) cases.push_back(std::move(one));
        return why_not;
    }
#else
    static bool divides_by_itself(const MatmulVariant&) { return false; }
    static std::string add_library(Cases&, const MatmulVariant&, Gang&, const GangProduct&) { return ""; }
#endif

    Session& session_;
    Bench& bench_;
    const ProductShape shape_;
    std::vector<Timeline>& timelines_;
};

// Refuses a panel that is too narrow for one of the gangs.
inline void check_panel(const Session& session, size_t panel) {
    for (const std::vector<DeviceInfo>& devices : gangs_of(session.gang, session.options))
        for (const ProductShape& shape : session.own<MatmulOptions>().shapes.on(session.device)) {
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
