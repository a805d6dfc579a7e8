// SPDX-License-Identifier: MIT
// vecadd: c = a + b, the first kernel of every course: its variants, the kinds of memory, and what each stage costs.
#include <algorithm>
#include <string>
#include <vector>

#include "common/cuda/passes.hpp"
#include "tools/vecadd/table.cuh"

#if HOST_PASS
#include <memory>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/vecadd/filter.cuh"
#include "tools/vecadd/gang.cuh"
#include "tools/vecadd/memory.cuh"
#include "tools/vecadd/verify.cuh"

namespace BACKEND {
namespace {

template <typename T>
Case case_of(Session& session, const VecaddVariant& variant, const std::shared_ptr<Vectors<T>>& vectors,
             size_t offset) {
    const size_t n = vectors->size();
    const auto costs = std::make_shared<StageCosts>();
    Case one;
    one.variant = &variant;
    one.problem = {dtype_of<T>, n, 3.0 * double(n) * sizeof(T), double(n)};
    one.own_cells = [=](double) { return cells_of(vecadd_columns, VecaddCells{vectors->kind().name, offset, *costs}); };
    if (variant.needs == Needs::host) {
        const auto add = variant.on_host.get<T>();
        one.poison = [=](cudaStream_t) { std::fill_n(vectors->h_c(), n, T(-77)); };
        one.launch = [=](cudaStream_t) {
            add(*vectors);
            return LaunchShape{};
        };
        one.check = [=, &session] { return check_sum(session, *vectors); };
        return one;
    }
    const auto launch = variant.launch.get<T>();
    const unsigned block_size = session.options.block, multiprocessors = unsigned(session.device.multiprocessors);
    const auto run_kernel = [=](cudaStream_t stream) {
        return launch({vectors->d_a(), vectors->d_b(), vectors->d_c(), n, block_size, multiprocessors, stream});
    };
    one.launch = run_kernel;
    one.poison = [=](cudaStream_t stream) {
        vectors->upload(stream);
        vectors->poison(stream);
    };
    one.check = [=, &session] {
        vectors->download(nullptr);
        CHECK(cudaDeviceSynchronize());
        const Verdict verdict = check_sum(session, *vectors);
        const bool timed = !session.options.profile && !session.device.checked;
        if (verdict.right && timed) *costs = measure_stages(*vectors, Stream(), run_kernel);
        return verdict;
    };
    return one;
}

template <typename T>
void run_size(Session& session, Bench& bench, size_t n) {
    const auto& [memory, offset] = session.own<VecaddOptions>();
    std::vector<Case> cases;
    for (const std::string& name : memory) {
        const MemoryKind& kind = memory_kind_named(name);
        session.begin_step(text("generating two vectors of {} numbers", n));
        const auto vectors = std::make_shared<Vectors<T>>(kind, n, offset, session.options.seed);
        for (const VecaddVariant* variant : session.selected<VecaddVariant>()) {
            const bool on_host = variant->needs == Needs::host;
            // The CPU's time does not depend on where the device finds its vectors: measure it once.
            if (on_host && name != memory.front()) continue;
            if (!on_host && !variant->launch.get<T>()) {
                session.notice(text("{}: this build's toolkit lacks it", variant->name));
                continue;
            }
            cases.push_back(case_of(session, *variant, vectors, offset));
        }
    }
    bench.run(cases);
}

void run(Session& session) {
    if (!session.options.operands.empty()) return run_vecadd_filter(session);
    Bench bench(session);
    GangSweep sweep(session, bench, session.gang);
    for (size_t n : session.sizes())
        with_dtype(session.dtype(), [&](auto zero) {
            using T = decltype(zero);
            if (session.options.gang) sweep.run(gang_problem_of<T>(session, n));
            else run_size<T>(session, bench, n);
        });
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(vecadd_program, run)
#endif
