// SPDX-License-Identifier: MIT
// One product on several devices: its reference, and the variants as cases that all devices compute together.
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

// A row for the product by rows on so many ranks, without its launch.
inline Case describe_product(const Session& session, const MatmulVariant& variant, const ProductShape& shape,
                             size_t ranks) {
    Case one;
    one.variant = &variant;
    one.problem = {session.dtype(), shape.n, shape.elements() * double(size_of(session.dtype())), shape.flop(),
                   double(shape.m) * double(shape.n)};
    one.own_cells = [=, &session](double median_ns) {
        return cells_of_split(session, shape, "none", "rows", {}, median_ns, ranks);
    };
    return one;
}

class GangProduct {
public:
    GangProduct(Session& session, Gang& gang, const ProductShape& shape)
        : session_(session),
          gang_(gang),
          shape_(shape),
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

    // The selected variants that all devices can run.
    std::vector<Case> cases() {
        std::vector<Case> cases;
        for (const MatmulVariant* variant : session_.selected<MatmulVariant>()) {
            if (variant->needs == Needs::host) continue;
#ifndef __SIMCC__
            if (variant->plans == cublasxt_plans) {
                const auto product = std::make_shared<CublasXtProduct>(gang_, shape_, session_.dtype());
                const std::string why = product->obstacle();
                if (why.empty()) cases.push_back(case_of(*variant, product));
                else session_.leave_out(variant->name, why);
                continue;
            }
#endif
            const std::string why = obstacle_on_any(*variant);
            if (why.empty()) cases.push_back(case_of(*variant, std::make_shared<Schedule>(schedule_of(*variant))));
            else session_.leave_out(variant->name, why);
        }
        return cases;
    }

    // Runs a case once more.
    Timeline run_once(const Case& one) const {
        one.time();
        Timeline timeline{text("{} on {} devices", one.variant->name, gang_.size()),
                          session_.device.simulated ? "time of the simulation" : "time of the GPUs", ""};
        split_->add_to(timeline);
        return timeline;
    }

private:
    // The products of a rank's stage, and how a variant computes each.
    struct Stage {
        std::vector<LocalProduct> products;
        Plans plans;
    };
    using Schedule = std::vector<std::vector<Stage>>;  // by rank

    bool uses_tiles() const { return gang_.size() > 1 && session_.own<MatmulOptions>().split == GangSplit::tiles; }

    // A single device computes all rows.
    std::unique_ptr<SplitProduct> make_split() {
        const auto& asked = session_.own<MatmulOptions>();
        if (!uses_tiles()) return std::make_unique<RowsOfProduct>(gang_, shape_, session_.dtype());
        const GangGrid grid = grid_of(gang_.size());
        const size_t panel = std::max(default_panel_columns, least_panel_columns(shape_, grid.rows, grid.columns));
        return std::make_unique<TilesOfProduct>(gang_, shape_, session_.dtype(), asked.panel.value_or(panel),
                                                asked.draws());
    }

    // Generates what this process's ranks need of A and B, and copies it to their devices.
    void make_parts() {
        const std::vector<ProductBlock> parts = split_->parts();
        std::vector<ProductBlock> own;
        for (const auto& [rank, number] : own_parts_) own.push_back(parts[rank]);
        host_ = make_host_part(session_.dtype(), shape_, own,
                               {session_.options.seed, session_.options.verify, session_.options.tolerance});
        host_->make([&](const HostBlock& a) { gang_.on_each([&](size_t rank) { split_->upload_a(rank, a); }); },
                    [&](const HostBlock& b) { gang_.on_each([&](size_t rank) { split_->upload_b(rank, b); }); });
    }

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
    std::string obstacle(const MatmulVariant& variant, ProductProblem problem) const {
        std::vector<ProductShape> shapes = split_->shapes();
        if (shapes.empty()) shapes = {shape_};
        std::set<std::pair<size_t, size_t>> seen;
        for (const ProductShape& shape : shapes) {
            problem.shape = shape;
            if (seen.insert({shape.m, shape.n}).second && !find_plan(variant, problem).launch)
                return why_not(problem, variant);
        }
        return "";
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
                explain_if_asked(session_, worker.problem(first.products.front()), first.plans.front(),
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

    Case case_of(const MatmulVariant& variant) const {
        return describe_product(session_, variant, shape_, gang_.size());
    }
    std::vector<Cell> own_cells(const std::string& tile, const char* split, const LaunchShape& launch,
                                double median_ns) const {
        return cells_of_split(session_, shape_, tile, split, launch, median_ns, gang_.size());
    }

#ifndef __SIMCC__
    // The library does everything from the host, and returns when it is done.
    Case case_of(const MatmulVariant& variant, const std::shared_ptr<CublasXtProduct>& product) {
        product->upload(*host_);
        Case one = case_of(variant);
        one.problem.gang = gang_.size();
        one.poison = [=](cudaStream_t) { product->poison(); };
        one.launch = [=](cudaStream_t) {
            product->multiply();
            return LaunchShape{};
        };
        one.time = [=] { return host_time([&] { product->multiply(); }); };
        one.timer = "host";
        one.check = [=] { return product->check(*host_, split_->parts()); };
        one.own_cells = [=](double median_ns) { return own_cells(product->tile(), "none", {}, median_ns); };
        return one;
    }
#endif

    Case case_of(const MatmulVariant& variant, const std::shared_ptr<Schedule>& schedule) {
        const auto launched = std::make_shared<LaunchShape>();  // by rank 0
        Case one = case_of(variant);
        one.own_cells = [=](double median_ns) {
            const std::vector<Stage>& of_first = schedule->front();
            const bool computes = !of_first.empty() && !of_first.front().plans.empty();
            return own_cells(computes ? of_first.front().plans.front().tile : "none", uses_tiles() ? "tiles" : "rows",
                             *launched, median_ns);
        };
        GangWork work;
        work.launch = [=](size_t rank) {
            split_->begin(rank);
            const LaunchShape shape = run_stage(*schedule, rank, 0);
            if (rank == 0) *launched = shape;
            return shape;
        };
        work.join = [=] {
            for (size_t stage = 1; stage < split_->stages(); ++stage) {
                split_->exchange(stage);
                gang_.on_each([&](size_t rank) { run_stage(*schedule, rank, stage); });
            }
        };
        work.poison = [=](size_t rank) { split_->poison(rank); };
        work.check = [=](size_t rank) {
            split_->download(rank, host_->c());
            return host_->check(own_parts_.at(rank));
        };
        set_work(one, gang_, work);
        return one;
    }

    Session& session_;
    Gang& gang_;
    const ProductShape shape_;
    const ProductProblem problem_;  // of the first device, but for the shape
    const std::unique_ptr<SplitProduct> split_;
    std::map<size_t, size_t> own_parts_;  // the number of each of this process's ranks among them
    std::unique_ptr<HostPart> host_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace BACKEND
