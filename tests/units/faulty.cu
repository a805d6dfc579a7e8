// SPDX-License-Identifier: MIT
// faulty: every rank of a gang contributes one number to an all-reduce; in most variants the last rank fails in
// some way that the others must learn of. tests/launch.bats builds it with simcc.
#include <cstdint>
#include <memory>
#include <vector>

#include "common/cli/registration.cuh"
#include "common/gang/devices.cuh"
#include "common/gang/join.hpp"

namespace BACKEND {
namespace {

enum class Fault { none, result, failure };

struct FaultyVariant : Variant {
    Fault fault = Fault::none;
};
const FaultyVariant variants[] = {
    {{"right", "the sum of all ranks' numbers"}, Fault::none},
    {{"wrong", "the last rank overwrites its result"}, Fault::result},
    {{"fails", "the last rank cannot launch, and the others wait for it"}, Fault::failure},
};

const Program program = {
    .name = "faulty",
    .summary = "Adds numbers of several devices, most of its variants wrongly.",
    .simulator_sizes = "1",
    .variants = variants_of(variants),
    .gangs = Gangs::on_request,
    .join = join_process_team,
};

class FaultyCase final : public GangCase {
public:
    FaultyCase(const FaultyVariant& variant_, Gang& gang_)
        : GangCase(variant_, {DType::i32, gang_.size(), 4.0 * double(gang_.size()), double(gang_.size())}, gang_),
          fault_(variant_.fault),
          d_sums_(gang_.size()) {
        gang.on_each([&](size_t rank) { d_sums_[rank] = DeviceBuffer<std::int32_t>(1); });
    }

    void poison_on(size_t rank) override {
        CHECK(cudaMemsetAsync(d_sums_[rank].data(), 0, sizeof(std::int32_t), gang.stream(rank)));
    }
    LaunchShape launch_on(size_t rank) override {
        if (is_faulty(rank, Fault::failure)) fail(Exit::bad_input, "the number of rank {} cannot be read", rank);
        const std::int32_t number = 1;
        CHECK(cudaMemcpyAsync(d_sums_[rank].data(), &number, sizeof number, cudaMemcpyHostToDevice, gang.stream(rank)));
        return {};
    }
    void join() override {
        gang.nccl().group([&] {
            gang.on_each([&](size_t rank) {
                gang.nccl().expect(gang.nccl().all_reduce(d_sums_[rank].data(), d_sums_[rank].data(), 1, ncclInt32,
                                                          ncclSum, gang.communicators()[rank], gang.stream(rank)),
                                   "ncclAllReduce");
            });
        });
    }
    Verdict check_on(size_t rank) override {
        std::int32_t sum = 0;
        CHECK(cudaMemcpy(&sum, d_sums_[rank].data(), sizeof sum, cudaMemcpyDeviceToHost));
        if (is_faulty(rank, Fault::result)) sum = -1;
        return compare_value(sum, static_cast<long double>(gang.size()), 0);
    }

private:
    bool is_faulty(size_t rank, Fault how) const { return rank > 0 && rank == gang.size() - 1 && fault_ == how; }

    const Fault fault_;
    std::vector<DeviceBuffer<std::int32_t>> d_sums_;
};

void run(Session& session) {
    Bench bench(session);
    for (const std::vector<DeviceInfo>& devices : gangs_of(session.gang, session.options)) {
        Gang gang(devices, session.options);
        Cases cases;
        for (const FaultyVariant* variant : session.selected<FaultyVariant>())
            cases.push_back(std::make_unique<FaultyCase>(*variant, gang));
        bench.run(cases);
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(program, run)
