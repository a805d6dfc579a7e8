// SPDX-License-Identifier: MIT
// vecadd's problem: two vectors on the host, on a device, or a share on each of several. Nobody needs anything from the
// others.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/gang/sweep.cuh"
#include "tools/vecadd/table.cuh"
#include "tools/vecadd/verify.cuh"

namespace BACKEND {

// A share of the vectors for each device of a gang, in one kind of memory.
template <typename T>
class SharedVectors {
public:
    SharedVectors(const Session& session, const Gang& gang, const MemoryKind& kind, size_t n)
        : of_rank_(gang.size()), kind_(kind), n_(n), offset_(session.own<VecaddOptions>().offset) {
        gang.on_each([&](size_t rank) {
            const Share share = share_of(n, rank, gang.size());
            of_rank_[rank] = std::make_unique<Vectors<T>>(kind, share.size, offset_, session.options.seed, share.begin);
        });
    }
    const Vectors<T>& operator[](size_t rank) const { return *of_rank_[rank]; }
    static Problem problem(size_t n) { return {dtype_of<T>, n, 3.0 * double(n) * sizeof(T), double(n)}; }
    Problem problem() const { return problem(n_); }
    std::vector<Cell> cells(const StageCosts& costs = {}) const {
        return cells_of(vecadd_columns, VecaddCells{kind_.name, offset_, costs});
    }

private:
    std::vector<std::unique_ptr<Vectors<T>>> of_rank_;  // those of this process
    const MemoryKind& kind_;
    size_t n_, offset_;
};

template <typename T>
class AdditionOnHost final : public Case {
public:
    AdditionOnHost(const Session& session, const VecaddVariant& variant_, const SharedVectors<T>& vectors)
        : Case(variant_, vectors.problem()), session_(session), add_(variant_.on_host.get<T>()), vectors_(vectors) {}

    void poison(cudaStream_t) override { std::fill_n(vectors_[0].h_c(), vectors_[0].size(), T(-77)); }
    LaunchShape launch(cudaStream_t) override {
        add_(vectors_[0]);
        return {};
    }
    Verdict check() override { return check_sum(session_, vectors_[0]); }
    std::vector<Cell> own_cells(double) override { return vectors_.cells(); }

private:
    const Session& session_;
    AddOnHost<T>* const add_;
    const SharedVectors<T>& vectors_;
};

template <typename T>
class AdditionOnDevices final : public GangCase {
public:
    AdditionOnDevices(const Session& session, const VecaddVariant& variant_, Gang& gang_,
                      const SharedVectors<T>& vectors)
        : GangCase(variant_, vectors.problem(), gang_),
          session_(session),
          add_(variant_.launch.get<T>()),
          vectors_(vectors) {}

    LaunchShape launch_on(size_t rank) override { return launch(rank, gang.stream(rank)); }
    void poison_on(size_t rank) override {
        vectors_[rank].upload(gang.stream(rank));
        vectors_[rank].poison(gang.stream(rank));
    }
    Verdict check_on(size_t rank) override {
        vectors_[rank].download(gang.stream(rank));
        CHECK(cudaStreamSynchronize(gang.stream(rank)));
        const Verdict verdict = check_sum(session_, vectors_[rank]);
        const bool timed = !session_.options.profile && !session_.device.checked;
        if (verdict.right && timed)
            costs_ = measure_stages(vectors_[rank], Stream(), [&](cudaStream_t stream) { launch(rank, stream); });
        return verdict;
    }
    std::vector<Cell> own_cells(double) override { return vectors_.cells(costs_); }

private:
    LaunchShape launch(size_t rank, cudaStream_t stream) const {
        const Vectors<T>& share = vectors_[rank];
        return add_({share.d_a(), share.d_b(), share.d_c(), share.size(), session_.options.block,
                     unsigned(gang.device(rank).multiprocessors), stream});
    }

    const Session& session_;
    AddOnDevice<T>* const add_;
    const SharedVectors<T>& vectors_;
    StageCosts costs_;
};

// Two vectors of n elements, or with --weak of n on each device.
template <typename T>
class Addition final : public GangProblem {
public:
    Addition(Session& session, size_t n) : session_(session), asked_(session.own<VecaddOptions>()), n_(n) {
        if (session.options.gang && asked_.memory != std::vector<std::string>{"device"})
            fail(Exit::usage, "--gang adds vectors that lie on the devices: leave --memory out");
    }

    void with_cases(Gang& gang, size_t ranks, const Use& use) override {
        const size_t n = elements_of_first(gang.size(), ranks, n_, session_.options);
        std::vector<std::unique_ptr<SharedVectors<T>>> vectors;  // of each kind of memory
        Cases cases;
        for (const std::string& name : asked_.memory) {
            session_.begin_step(text("generating two vectors of {} numbers", n));
            vectors.push_back(std::make_unique<SharedVectors<T>>(session_, gang, memory_kind_named(name), n));
            for (const VecaddVariant* variant : session_.selected<VecaddVariant>())
                add_case(cases, *variant, gang, *vectors.back(), name == asked_.memory.front());
        }
        use(cases);
    }
    Row describe(const Variant&, size_t ranks, double) const override {
        const Problem problem = SharedVectors<T>::problem(elements_of_first(ranks, ranks, n_, session_.options));
        return {problem, cells_of(vecadd_columns, VecaddCells{"device", asked_.offset, {}})};
    }

private:
    void add_case(Cases& cases, const VecaddVariant& variant, Gang& gang, const SharedVectors<T>& vectors,
                  bool is_first_kind) const {
        if (variant.needs == Needs::host) {
            // The CPU's time does not depend on where the device finds its vectors: measure it once.
            if (is_first_kind && !session_.options.gang)
                cases.push_back(std::make_unique<AdditionOnHost<T>>(session_, variant, vectors));
        } else if (!variant.launch.get<T>()) {
            session_.notice(text("{}: this build's toolkit lacks it", variant.name));
        } else {
            cases.push_back(std::make_unique<AdditionOnDevices<T>>(session_, variant, gang, vectors));
        }
    }

    Session& session_;
    const VecaddOptions& asked_;
    const size_t n_;
};

}  // namespace BACKEND
