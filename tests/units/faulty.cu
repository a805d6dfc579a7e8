// SPDX-License-Identifier: MIT
// faulty: every rank of a gang contributes one number to an all-reduce; in most variants the last rank fails in
// some way that the others must learn of. tests/launch.bats builds it with simcc.
#include <cstdint>
#include <vector>

#include "common/cli/registration.cuh"
#include "common/gang/devices.cuh"

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
};

Case case_of(const FaultyVariant& variant, Gang& gang, std::vector<DeviceBuffer<std::int32_t>>& d_sums) {
    Case one;
    one.variant = &variant;
    one.problem = {DType::i32, gang.size(), 4.0 * double(gang.size()), double(gang.size())};
    const size_t last = gang.size() - 1;
    GangWork work;
    work.poison = [&](size_t rank) {
        CHECK(cudaMemsetAsync(d_sums[rank].data(), 0, sizeof(std::int32_t), gang.stream(rank)));
    };
    work.launch = [&, last, fault = variant.fault](size_t rank) {
        if (rank == last && last > 0 && fault == Fault::failure)
            fail(Exit::bad_input, "the number of rank {} cannot be read", rank);
        const std::int32_t number = 1;
        CHECK(cudaMemcpyAsync(d_sums[rank].data(), &number, sizeof number, cudaMemcpyHostToDevice, gang.stream(rank)));
        return LaunchShape{};
    };
    work.join = [&] {
        gang.nccl().group([&] {
            gang.on_each([&](size_t rank) {
                gang.nccl().expect(gang.nccl().all_reduce(d_sums[rank].data(), d_sums[rank].data(), 1, ncclInt32,
                                                          ncclSum, gang.communicators()[rank], gang.stream(rank)),
                                   "ncclAllReduce");
            });
        });
    };
    work.check = [&, last, fault = variant.fault](size_t rank) {
        std::int32_t sum = 0;
        CHECK(cudaMemcpy(&sum, d_sums[rank].data(), sizeof sum, cudaMemcpyDeviceToHost));
        if (rank == last && last > 0 && fault == Fault::result) sum = -1;
        return compare_value(sum, static_cast<long double>(gang.size()), 0);
    };
    set_work(one, gang, work);
    return one;
}

void run(Session& session) {
    Bench bench(session);
    for (const std::vector<DeviceInfo>& devices : gangs_of(session.gang, session.options)) {
        Gang gang(devices, session.options);
        std::vector<DeviceBuffer<std::int32_t>> d_sums(gang.size());
        gang.on_each([&](size_t rank) { d_sums[rank] = DeviceBuffer<std::int32_t>(1); });
        std::vector<Case> cases;
        for (const FaultyVariant* variant : session.selected<FaultyVariant>())
            cases.push_back(case_of(*variant, gang, d_sums));
        bench.run(cases);
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(program, run)
