// SPDX-License-Identifier: MIT
#include "common/gang/exchanges.cuh"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "common/cuda/buffers.cuh"
#include "common/gang/nccl_call.cuh"
#include "common/io/process.hpp"

namespace BACKEND {

// For the exchange behind it, a rank's work is just something that ends.
__global__ void stand_in_for_work() {}

static LaunchShape launch_stand_in(const Gang& gang, size_t rank) {
    stand_in_for_work<<<1, 32, 0, gang.stream(rank)>>>();
    return {dim3(1), dim3(32), 0};
}

// A case that verifies nothing: each rank runs the stand-in for work, followed by `join` if it is not empty.
static Case case_behind_work(Gang& gang, const Variant& variant, const std::function<void()>& join) {
    Case one;
    one.variant = &variant;
    GangWork work;
    work.launch = [&gang](size_t rank) { return launch_stand_in(gang, rank); };
    work.join = join;
    work.poison = [](size_t) {};
    work.check = [](size_t) { return Verdict{}; };
    set_work(one, gang, work);
    return one;
}

// A case of one NCCL operation on its own buffers. The elements are zeros, which nobody checks.
static Case exchange_case(Gang& gang, const Variant& variant, const CollectiveShape& shape) {
    using Buffers = std::map<size_t, DeviceBuffer<float>>;
    const auto inputs = std::make_shared<Buffers>(), outputs = std::make_shared<Buffers>();
    gang.on_each([&](size_t rank) {
        for (const auto& buffers : {inputs, outputs}) {
            const DeviceBuffer<float>& buffer = buffers->try_emplace(rank, shape.total()).first->second;
            fill_device(buffer.data(), 0, buffer.bytes());
        }
    });
    const auto exchange = [=, &gang] {
        const Communicators& communicators = gang.communicators();
        gang.nccl().group([&] {
            gang.on_each([&](size_t rank) {
                NcclPart{gang.nccl(),
                         shape,
                         rank,
                         inputs->at(rank).data(),
                         outputs->at(rank).data(),
                         sizeof(float),
                         nccl_type<float>(),
                         ncclSum,
                         communicators[rank],
                         gang.stream(rank)}
                    .call();
            });
        });
    };
    Case one = case_behind_work(gang, variant, exchange);
    one.problem.dtype = DType::f32, one.problem.n = shape.n;
    return one;
}

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
    std::vector<Case> cases = {case_behind_work(gang, work, {}), exchange_case(gang, variant, shape)};
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
