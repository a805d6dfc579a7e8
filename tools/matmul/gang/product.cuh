// SPDX-License-Identifier: MIT
// One product on several devices: its parts and reference, and the variants as cases that all devices compute together.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/matmul/gang/rows.cuh"
#include "tools/matmul/gang/tiles.cuh"
#include "tools/matmul/selection.cuh"
#ifndef __SIMCC__
#include "tools/matmul/gang/cublasxt.cuh"
#endif

namespace BACKEND {

// Columns of B that devices exchange at once by default: wide enough for the largest tiles to fill waves.
constexpr size_t default_panel_columns = 4096;

inline std::vector<Cell> cells_of_split(const Session& session, const ProductShape& shape, const std::string& tile,
                                        const char* split, const LaunchShape& launch, double median_ns, size_t ranks) {
    MatmulCells cells{shape, {}, tile};
    cells.bytes = shape.elements() * double(size_of(session.dtype()));
    cells.split = split;
    return cells_of_product(session, session.dtype(), cells, launch, median_ns, ranks);
}

inline Problem problem_of(const Session& session, const ProductShape& shape) {
    return {session.dtype(), shape.n, shape.elements() * double(size_of(session.dtype())), shape.flop(),
            double(shape.m) * double(shape.n)};
}

// The matrices on the devices, and what each rank computes with.
class GangProduct {
public:
    GangProduct(Session& session_, Gang& gang, const ProductShape& shape_)
        : session(session_),
          shape(shape_),
          gang_(gang),
          problem_(problem_on(session, session.device, session.dtype())),
          split_(make_split()),
          workers_(gang.size()) {
        gang.on_each([&](size_t rank) {
            split_->allocate(rank);
            own_parts_.emplace(rank, own_parts_.size());
        });
        session.begin_step(text("generating A and B, {}, and copying them to {} device{}", shape.name(), gang.size(),
                                gang.size() == 1 ? "" : "s"));
        make_parts();
        if (!host_->checks_all()) session.detail(how_large_is_checked(shape));
        gang.on_each([&](size_t rank) {
            workers_[rank] = std::make_unique<Worker>(session, gang.device(rank), session.dtype(),
                                                      split_->exchange_multiprocessors());
            CHECK(cudaDeviceSynchronize());  // memory is filled in another stream than the rank's
        });
    }

    // The products of a rank's stage, and how a variant computes each.
    struct Stage {
        std::vector<LocalProduct> products;
        Plans plans;
    };
    using Schedule = std::vector<std::vector<Stage>>;  // by rank

    // Why the variant cannot compute all of the ranks' products on some model of this process's devices; "" if it can.
    // Processes with the same models come to the same result.
    std::string obstacle_on_any(const MatmulVariant& variant) const {
        std::string why = obstacle(variant, problem_);
        gang_.on_each([&](size_t rank) {
            const bool is_same = gang_.device(rank).name == problem_.device->name;
            if (why.empty() && !is_same) why = obstacle(variant, workers_[rank]->problem({}));
        });
        return why;
    }

    Schedule schedule_of(const MatmulVariant& variant) {
        Schedule schedule(gang_.size());
        gang_.on_each([&](size_t rank) {
            Worker& worker = *workers_[rank];
            for (size_t number = 0; number < split_->stages(); ++number) {
                const std::vector<LocalProduct> products = split_->products(rank, number);
                const Plans stage_plans = worker.plans(variant, products);
                worker.make_room(stage_plans);
                schedule[rank].push_back({products, stage_plans});
            }
            const Stage& first = schedule[rank].front();
            if (rank == 0 && !first.products.empty() && variant.plans == fastest_plans)
                explain_if_asked(session, worker.problem(first.products.front()), first.plans.front(),
                                 "the best estimate");
        });
        return schedule;
    }

    // Enqueues a stage of a rank. Returns the first launch.
    LaunchShape run_stage(const Schedule& schedule, size_t rank, size_t number) const {
        const Stage& stage = schedule[rank][number];
        LaunchShape first;
        split_->await(rank, number);
        for (size_t i = 0; i < stage.products.size(); ++i) {
            const LaunchShape shape = workers_[rank]->launch(stage.products[i], stage.plans[i], gang_.stream(rank));
            if (i == 0) first = shape;
        }
        split_->end(rank, number);
        return first;
    }

    Verdict check(size_t rank) const {
        split_->download(rank, host_->c());
        return host_->check(own_parts_.at(rank));
    }

    SplitProduct& split() const { return *split_; }
    HostPart& host() const { return *host_; }
    bool uses_tiles() const { return gang_.size() > 1 && session.own<MatmulOptions>().split == GangSplit::tiles; }

    Session& session;
    const ProductShape shape;

private:
    // A single device computes all rows.
    std::unique_ptr<SplitProduct> make_split() {
        const auto& asked = session.own<MatmulOptions>();
        if (!uses_tiles()) return std::make_unique<RowsOfProduct>(gang_, shape, session.dtype());
        const GangGrid grid = grid_of(gang_.size());
        const size_t panel = std::max(default_panel_columns, least_panel_columns(shape, grid.rows, grid.columns));
        return std::make_unique<TilesOfProduct>(gang_, shape, session.dtype(), asked.panel.value_or(panel),
                                                asked.draws());
    }

    // Generates what this process's ranks need of A and B, and copies it to their devices.
    void make_parts() {
        const std::vector<ProductBlock> parts = split_->parts();
        std::vector<ProductBlock> own;
        for (const auto& [rank, number] : own_parts_) own.push_back(parts[rank]);
        host_ = make_host_part(session.dtype(), shape, own,
                               {session.options.seed, session.options.verify, session.options.tolerance});
        host_->make([&](const HostBlock& a) { gang_.on_each([&](size_t rank) { split_->upload_a(rank, a); }); },
                    [&](const HostBlock& b) { gang_.on_each([&](size_t rank) { split_->upload_b(rank, b); }); });
    }

    std::string obstacle(const MatmulVariant& variant, ProductProblem problem) const {
        std::vector<ProductShape> shapes = split_->shapes();
        if (shapes.empty()) shapes = {shape};
        std::set<std::pair<size_t, size_t>> seen;
        for (const ProductShape& one : shapes) {
            problem.shape = one;
            if (seen.insert({one.m, one.n}).second && !find_plan(variant, problem).launch)
                return why_not(problem, variant);
        }
        return "";
    }

    Gang& gang_;
    const ProductProblem problem_;  // of the first device, but for the shape
    const std::unique_ptr<SplitProduct> split_;
    std::map<size_t, size_t> own_parts_;  // the number of each of this process's ranks among them
    std::unique_ptr<HostPart> host_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

#ifndef __SIMCC__
// The library does everything from the host, and returns when it is done.
class ProductByCublasXt final : public SelfTimedCase {
public:
    ProductByCublasXt(const MatmulVariant& variant_, Gang& gang, const GangProduct& product)
        : SelfTimedCase(variant_, problem_of(product.session, product.shape), "host"),
          product_(product),
          library_(gang, product.shape, product.session.dtype()) {
        problem.gang = gang.size();
        if (why_not().empty()) library_.upload(product.host());
    }
    std::string why_not() const { return library_.obstacle(); }

    void poison(cudaStream_t) override { library_.poison(); }
    LaunchShape launch(cudaStream_t) override {
        library_.multiply();
        return {};
    }
    double run_and_time() override {
        return host_time([&] { library_.multiply(); });
    }
    Verdict check() override { return library_.check(product_.host(), product_.split().parts()); }
    std::vector<Cell> own_cells(double median_ns) override {
        return cells_of_split(product_.session, product_.shape, library_.tile(), "none", {}, median_ns, problem.gang);
    }

private:
    const GangProduct& product_;
    CublasXtProduct library_;
};
#endif

class ProductOnDevices final : public GangCase {
public:
    ProductOnDevices(const MatmulVariant& variant_, Gang& gang_, GangProduct& product)
        : GangCase(variant_, problem_of(product.session, product.shape), gang_),
          product_(product),
          schedule_(product.schedule_of(variant_)) {}

    LaunchShape launch_on(size_t rank) override {
        product_.split().begin(rank);
        const LaunchShape shape = product_.run_stage(schedule_, rank, 0);
        if (rank == 0) launched_ = shape;
        return shape;
    }
    void join() override {
        SplitProduct& split = product_.split();
        for (size_t stage = 1; stage < split.stages(); ++stage) {
            split.exchange(stage);
            gang.on_each([&](size_t rank) { product_.run_stage(schedule_, rank, stage); });
        }
    }
    void poison_on(size_t rank) override { product_.split().poison(rank); }
    Verdict check_on(size_t rank) override { return product_.check(rank); }
    std::vector<Cell> own_cells(double median_ns) override {
        const std::vector<GangProduct::Stage>& of_first = schedule_.front();
        const bool computes = !of_first.empty() && !of_first.front().plans.empty();
        return cells_of_split(product_.session, product_.shape, computes ? of_first.front().plans.front().tile : "none",
                              product_.uses_tiles() ? "tiles" : "rows", launched_, median_ns, gang.size());
    }

    // Runs once more, and draws what each device did.
    Timeline run_once(Stopwatch& stopwatch) {
        time(stopwatch);
        const bool is_simulated = product_.session.device.simulated;
        Timeline timeline{text("{} on {} devices", variant->name, gang.size()),
                          is_simulated ? "time of the simulation" : "time of the GPUs", ""};
        product_.split().add_to(timeline);
        return timeline;
    }

private:
    GangProduct& product_;
    const GangProduct::Schedule schedule_;
    LaunchShape launched_;  // by rank 0
};

}  // namespace BACKEND
