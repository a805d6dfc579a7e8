// SPDX-License-Identifier: MIT
// vecadd on several devices: each adds its share of the vectors, and needs nothing from the others.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/gang/sweep.cuh"
#include "tools/vecadd/table.cuh"
#include "tools/vecadd/verify.cuh"

namespace BACKEND {

// A share of the two vectors on each device of a gang.
template <typename T>
class SharedVectors {
public:
    SharedVectors(const Gang& gang, size_t n, size_t offset, std::uint64_t seed) : of_rank_(gang.size()) {
        gang.on_each([&](size_t rank) {
            const Share share = share_of(n, rank, gang.size());
            const MemoryKind& kind = memory_kind_named("device");
            of_rank_[rank] = std::make_unique<Vectors<T>>(kind, share.size, offset, seed, share.begin);
        });
    }
    const Vectors<T>& operator[](size_t rank) const { return *of_rank_[rank]; }

private:
    std::vector<std::unique_ptr<Vectors<T>>> of_rank_;  // those of this process
};

template <typename T>
Case describe_gang(const Session& session, const Variant& variant, size_t n) {
    const size_t offset = session.own<VecaddOptions>().offset;
    Case one;
    one.variant = &variant;
    one.problem = {dtype_of<T>, n, 3.0 * double(n) * sizeof(T), double(n)};
    one.own_cells = [=](double) { return cells_of(vecadd_columns, VecaddCells{"device", offset, {}}); };
    return one;
}

template <typename T>
Case gang_case_of(const Session& session, const VecaddVariant& variant, Gang& gang, const SharedVectors<T>& vectors,
                  size_t n) {
    Case one = describe_gang<T>(session, variant, n);
    GangWork work;
    work.launch = [&, launch = variant.launch.get<T>()](size_t rank) {
        const Vectors<T>& share = vectors[rank];
        return launch({share.d_a(), share.d_b(), share.d_c(), share.size(), session.options.block,
                       unsigned(gang.device(rank).multiprocessors), gang.stream(rank)});
    };
    work.poison = [&](size_t rank) {
        vectors[rank].upload(gang.stream(rank));
        vectors[rank].poison(gang.stream(rank));
    };
    work.check = [&](size_t rank) {
        vectors[rank].download(gang.stream(rank));
        CHECK(cudaStreamSynchronize(gang.stream(rank)));
        return check_sum(session, vectors[rank]);
    };
    set_work(one, gang, work);
    return one;
}

// Two vectors of n elements, or with --weak of n on each device.
template <typename T>
GangProblem gang_problem_of(Session& session, size_t n) {
    const VecaddOptions& asked = session.own<VecaddOptions>();
    if (asked.memory != std::vector<std::string>{"device"})
        fail(Exit::usage, "--gang adds vectors that lie on the devices: leave --memory out");
    GangProblem problem;
    problem.with_cases = [=, &session, &asked](Gang& gang, size_t ranks, const GangProblem::Use& use) {
        const size_t size = elements_of_first(gang.size(), ranks, n, session.options);
        session.begin_step(text("generating two vectors of {} numbers", size));
        const SharedVectors<T> vectors(gang, size, asked.offset, session.options.seed);
        std::vector<Case> cases;
        for (const VecaddVariant* variant : session.selected<VecaddVariant>())
            if (variant->needs != Needs::host && variant->launch.get<T>())
                cases.push_back(gang_case_of(session, *variant, gang, vectors, size));
        use(cases);
    };
    problem.describe = [=, &session](const Variant& variant, size_t ranks) {
        return describe_gang<T>(session, variant, elements_of_first(ranks, ranks, n, session.options));
    };
    problem.exchanges = [](size_t) { return std::vector<Exchange>{}; };
    return problem;
}

}  // namespace BACKEND
