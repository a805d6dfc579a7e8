// SPDX-License-Identifier: MIT
// collective: collective operations of several devices, by NCCL and by our own kernels through peer memory, verified on
// every device and timed from a common start until the last one is done.
#include <cstdint>

#include "common/cuda/passes.hpp"
#include "kernels/collective/snapshot.cuh"
#include "tools/collective/table.cuh"

namespace BACKEND {

// Instantiated for the verification.
#define INSTANTIATE(T) template void launch_snapshot(const T*, T*, size_t n, unsigned multiprocessors, cudaStream_t)
INSTANTIATE(float);
INSTANTIATE(double);
INSTANTIATE(std::int32_t);
INSTANTIATE(std::int64_t);
INSTANTIATE(__half);
INSTANTIATE(__nv_bfloat16);
#undef INSTANTIATE

}  // namespace BACKEND

#if HOST_PASS
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/registration.cuh"
#include "common/gang/devices.cuh"
#include "common/measure/bench.cuh"
#include "tools/collective/by_kernel.cuh"
#include "tools/collective/by_nccl.cuh"
#include "tools/collective/fit.hpp"

namespace BACKEND {
namespace {

// The devices and the exchange that our kernels communicate through, which is created on first use.
struct TalkingGang : Gang {
    using Gang::Gang;

    GangExchange& exchange() {
        if (!exchange_) exchange_ = std::make_unique<GangExchange>(devices());
        return *exchange_;
    }

    PeerAccess access;

private:
    std::unique_ptr<GangExchange> exchange_;
};

// Why a variant cannot run here; "" if it can.
std::string obstacle(const Session& session, const CollectiveVariant& variant, TalkingGang& gang) {
    if (variant.by_kernel) return obstacle_to_kernels(gang.devices(), gang.access);
    if (session.own<CollectiveOptions>().in_place && !CollectiveShape{variant.operation}.may_be_in_place())
        return "it cannot be in place: a rank would overwrite what it has yet to send";
    return gang.why_not_nccl();
}

// (--fit is for NCCL's operations alone, and for gangs in which this process may drive no device.)
std::vector<const CollectiveVariant*> variants_that_run(const Session& session, TalkingGang& gang) {
    std::vector<const CollectiveVariant*> variants;
    const bool fits = session.own<CollectiveOptions>().fit;
    for (const CollectiveVariant* variant : session.selected<CollectiveVariant>()) {
        if (fits && variant->by_kernel) continue;
        const std::string why = obstacle(session, *variant, gang);
        if (why.empty()) variants.push_back(variant);
        else session.leave_out(variant->name, why);
    }
    return variants;
}

template <typename T>
std::unique_ptr<Case> case_of(const Session& session, TalkingGang& gang, const CollectiveVariant& variant, size_t n,
                              const GangBuffers<T>& buffers) {
    const CollectiveShape shape = {variant.operation, n, gang.size(), session.own<CollectiveOptions>().root};
    if (!variant.by_kernel) return std::make_unique<NcclCase<T>>(session, gang, variant, shape, buffers);
    return std::make_unique<KernelCase<T>>(session, gang, variant, shape, buffers, gang.exchange());
}

// Different operations do different work: each gets a block of the table, unless --versus compares all with one.
template <typename T>
void run_size(Session& session, TalkingGang& gang, const std::vector<const CollectiveVariant*>& variants, size_t n,
              const std::function<void(Cases&)>& measure) {
    using Element = typename OnHost<T>::Element;
    session.begin_step(text("generating {} elements for each of {} ranks", n, gang.size()));
    const Reference<Element> reference(session.options.seed, session.own<CollectiveOptions>().op,
                                       session.options.tolerance);
    const GangBuffers<T> buffers(session, gang, reference, n);
    session.end_step();
    Cases cases;
    for (size_t i = 0; i < variants.size(); ++i) {
        cases.push_back(case_of<T>(session, gang, *variants[i], n, buffers));
        const bool is_last = i + 1 == variants.size();
        if (!is_last && (!session.options.versus.empty() || variants[i + 1]->operation == variants[i]->operation))
            continue;
        measure(cases);
        cases.clear();
    }
}

template <typename T>
void run_sizes(Session& session) {
    Bench bench(session);
    TalkingGang gang(session.gang, session.options);
    const std::vector<const CollectiveVariant*> variants = variants_that_run(session, gang);
    if (variants.empty()) fail(Exit::unavailable, "none of the chosen variants can run here; -v says why");
    for (size_t n : session.sizes()) run_size<T>(session, gang, variants, n, [&](Cases& cases) { bench.run(cases); });
}

// NCCL's operations on the gangs of a ladder, from two devices up, verified and timed as usual.
template <typename T>
void fit_sizes(Session& session) {
    Bench bench(session);
    std::map<Collective, std::vector<TimedExchange>> rows;
    for (const std::vector<DeviceInfo>& devices : gangs_of(session.gang, true)) {
        if (devices.size() < 2) continue;
        TalkingGang gang(devices, session.options);
        const std::vector<const CollectiveVariant*> variants = variants_that_run(session, gang);
        for (size_t n : session.sizes())
            run_size<T>(session, gang, variants, n, [&](Cases& cases) {
                for (const Measurement& row : bench.time(cases)) {
                    if (row.problem.bytes == 0) continue;
                    const Collective operation = static_cast<const CollectiveVariant*>(row.variant)->operation;
                    rows[operation].push_back(
                        {{operation, row.problem.bytes}, gang.size(), summarize(row.samples_ns).median});
                }
            });
    }
    if (rows.empty())
        fail(Exit::unavailable, "none of the chosen operations is one of NCCL that can run here; -v says why");
    print_fits(session, rows);
}

// Refuses options that --fit would ignore.
void check_fit(const Session& session) {
    const Options& options = session.options;
    if (session.own<CollectiveOptions>().root > 0)
        fail(Exit::usage, "--fit is for gangs of several sizes, and takes rank 0 as the root: leave --root out");
    if (options.raw || options.ladder || options.profile || !options.versus.empty() || options.checks.any())
        fail(Exit::usage,
             "--fit prints a row per operation: leave --raw, --ladder, --profile, --versus and checks out");
    if (!session.options.team->is_one_machine())
        fail(Exit::usage,
             "--fit assumes that the links it measures are within one machine: start the processes on one machine");
    if (session.gang.size() < 2) fail(Exit::unavailable, "--fit needs two devices or more, and there is one");
}

template <typename T>
void measure(Session& session) {
    if (session.own<CollectiveOptions>().fit) fit_sizes<T>(session);
    else run_sizes<T>(session);
}

void run(Session& session) {
    const auto& options = session.own<CollectiveOptions>();
    if (options.root >= session.gang.size())
        fail(Exit::usage, "--root {}: there {}", options.root,
             session.gang.size() == 1 ? "is only rank 0" : text("are ranks 0 to {}", session.gang.size() - 1));
    if (options.fit) check_fit(session);
    const DType dtype = session.dtype();
    if (options.op == Reduction::average && (dtype == DType::i32 || dtype == DType::i64))
        fail(Exit::usage, "--op avg needs floating-point numbers, and {} is an integer type", name_of(dtype));
    switch (dtype) {
        case DType::f32: return measure<float>(session);
        case DType::f64: return measure<double>(session);
        case DType::i32: return measure<std::int32_t>(session);
        case DType::i64: return measure<std::int64_t>(session);
        case DType::f16: return measure<__half>(session);
        case DType::bf16: return measure<__nv_bfloat16>(session);
        default: refuse_dtype(dtype);
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(collective_program, run)
#endif
