// SPDX-License-Identifier: MIT
#include "common/gang/exchanges.cuh"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "common/cuda/buffers.cuh"
#include "common/gang/nccl_call.cuh"
#include "common/io/process.hpp"

namespace BACKEND {

// For the exchange behind it, a rank's work is just something that ends.
__global__ void stand_in_for_work() {}

namespace {

// Verifies nothing: each rank runs the stand-in for work.
class Work : public GangCase {
public:
    Work(Gang& gang_, const Variant& variant_, const Problem& problem_ = {}) : GangCase(variant_, problem_, gang_) {}

    LaunchShape launch_on(size_t rank) final {
        stand_in_for_work<<<1, 32, 0, gang.stream(rank)>>>();
        return {dim3(1), dim3(32), 0};
    }
    void poison_on(size_t) final {}
    Verdict check_on(size_t) final { return {}; }
};

// The same, followed by an NCCL operation on its own buffers. The elements are zeros, which nobody checks.
class WorkAndExchange final : public Work {
public:
    WorkAndExchange(Gang& gang_, const Variant& variant_, const CollectiveShape& shape)
        : Work(gang_, variant_, {DType::f32, shape.n}), shape_(shape) {
        gang.on_each([&](size_t rank) {
            for (Buffers* const buffers : {&inputs_, &outputs_}) {
                const DeviceBuffer<float>& buffer = buffers->try_emplace(rank, shape.total()).first->second;
                fill_device(buffer.data(), 0, buffer.bytes());
            }
        });
    }

    void join() override {
        const Communicators& communicators = gang.communicators();
        gang.nccl().group([&] {
            gang.on_each([&](size_t rank) {
                NcclPart{gang.nccl(),
                         shape_,
                         rank,
                         inputs_.at(rank).data(),
                         outputs_.at(rank).data(),
                         sizeof(float),
                         nccl_type<float>(),
                         ncclSum,
                         communicators[rank],
                         gang.stream(rank)}
                    .call();
            });
        });
    }

private:
    using Buffers = std::map<size_t, DeviceBuffer<float>>;
    const CollectiveShape shape_;
    Buffers inputs_, outputs_;
};

}  // namespace

Exchanges::Exchanges(Run& run) : run_(run), known_(default_terms(run.settings.predict)) {
    const std::string& links = run.settings.predict.links;
    if (!links.empty()) given_ = read_terms(links, known_);
}

static size_t elements_of(const Exchange& exchange) {
    constexpr size_t most_elements = size_t{64} << 20;
    return std::clamp(size_t(std::ceil(exchange.bytes / sizeof(float))), size_t{1}, most_elements);
}

void Exchanges::measure(Gang& gang, Bench& bench, const std::vector<Exchange>& wanted) {
    if (!run_.settings.predict.links.empty() || gang.size() < 2) return;
    std::map<Collective, std::vector<size_t>> elements;
    for (const Exchange& one : wanted) elements[one.operation].push_back(elements_of(one));
    for (auto& [operation, sizes] : elements) {
        std::sort(sizes.begin(), sizes.end());
        const size_t fewest = sizes.front(), most = sizes.back();
        sizes = {fewest, most};
        // Libraries treat short and long messages differently.
        if (most / fewest >= 64) sizes.push_back(size_t(std::sqrt(double(fewest) * double(most))));
        for (const size_t n : sizes) measure(gang, bench, {operation, n, gang.size()});
    }
}

double Exchanges::predicted_ns(const Exchange& exchange, size_t ranks) {
    if (run_.settings.predict.links.empty()) return exchange_ns(exchange, ranks, measured_terms(exchange, ranks));
    const auto given = given_.find(exchange.operation);
    if (given == given_.end())
        fail(Exit::bad_input, "{} has no row of {}: {} --fit -k {} writes it", run_.settings.predict.links,
             name_of(exchange.operation), called("collective"), name_of(exchange.operation));
    return exchange_ns(exchange, ranks, given->second);
}

void Exchanges::measure(Gang& gang, Bench& bench, const CollectiveShape& shape) {
    const double bytes = double(shape.total()) * sizeof(float);
    for (const TimedExchange& row : rows_[shape.operation])
        if (row.ranks == shape.ranks && row.exchange.bytes == bytes) return;
    const Variant work = {"work", "", Needs::nothing}, variant = {name_of(shape.operation), "", Needs::nothing};
    Cases cases;
    cases.push_back(std::make_unique<Work>(gang, work));
    cases.push_back(std::make_unique<WorkAndExchange>(gang, variant, shape));
    const std::vector<Measurement> measured = bench.time(cases);
    if (measured.size() < 2) return;
    const double work_ns = ::summarize(measured[0].samples_ns).median, ns = ::summarize(measured[1].samples_ns).median;
    // (With times as noisy as the simulator's, the difference may be zero or negative.)
    rows_[shape.operation].push_back({{shape.operation, bytes}, shape.ranks, std::max(ns - work_ns, 0.1 * ns)});
}

ExchangeTerms Exchanges::measured_terms(const Exchange& exchange, size_t ranks) {
    std::vector<TimedExchange> smaller;
    for (const TimedExchange& row : rows_[exchange.operation])
        if (row.ranks < ranks && row.ranks <= known_.per_machine) smaller.push_back(row);
    if (smaller.empty() && !said_[exchange.operation]) {
        said_[exchange.operation] = true;
        run_.notice(
            text("no gang smaller than {} shows what {} costs: its prediction uses the defaults "
                 "of gridutils(7), SCALE",
                 ranks, name_of(exchange.operation)));
    }
    return fitted(smaller, known_);
}

}  // namespace BACKEND
