// SPDX-License-Identifier: MIT
// timing-test: the timing layer's own test. Kernels of known duration are measured by the method that times all
// programs; a variant is right if its median is within 2 % of the time by the GPU's own timers inside the kernel. The
// kernels are so long that the start and end of a launch, about 3 us, which events include, are well below that.
#include <cmath>
#include <memory>
#include <vector>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"

namespace BACKEND {
namespace {

struct SpinVariant : Variant {
    bool in_cycles = false;
};
const SpinVariant variants[] = {
    {{"spin-nanoseconds", "spins until the GPU's nanosecond timer has advanced by n", Needs::gpu}},
    {{"spin-cycles", "spins for n clock cycles; expected time from the SM clock that the kernel itself measures",
      Needs::gpu},
     true},
};

const Program program = {
    .name = "timing-test",
    .summary = "Times kernels that spin for a known time; exits 1 if a median is more than 2 % from it.",
    .dtypes = {DType::i64},
    .sizes = "500k,5M",
    .simulator_sizes = "500k,5M",
    .variants = variants_of(variants),
    .columns = {{"p_expected_ns", "expected us", 1e-3, 3}, {"p_error_percent", "error %", 1, 3}},
};

#ifndef __SIMCC__
__device__ long long now_ns() {
    long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// Both store the time inside the kernel in *inside_ns, and the cycles in *inside_cycles.
__global__ void spin_nanoseconds(long long duration, long long* inside_ns, long long* inside_cycles) {
    const long long begin = now_ns(), begin_cycles = clock64();
    while (now_ns() - begin < duration) {}
    *inside_ns = now_ns() - begin;
    *inside_cycles = clock64() - begin_cycles;
}

__global__ void spin_cycles(long long cycles, long long* inside_ns, long long* inside_cycles) {
    const long long begin = now_ns(), begin_cycles = clock64();
    while (clock64() - begin_cycles < cycles) {}
    *inside_ns = now_ns() - begin;
    *inside_cycles = clock64() - begin_cycles;
}
#endif

class SpinCase final : public Case {
public:
    SpinCase(Session& session, const SpinVariant& variant_, size_t n)
        : Case(variant_, {DType::i64, n, 0, 0}), session_(session), in_cycles_(variant_.in_cycles), inside_(2) {}

    LaunchShape launch([[maybe_unused]] cudaStream_t stream) override {
#ifndef __SIMCC__
        (in_cycles_ ? spin_cycles : spin_nanoseconds)<<<1, 1, 0, stream>>>(static_cast<long long>(problem.n),
                                                                           inside_.data(), inside_.data() + 1);
#endif
        return {dim3(1), dim3(1), 0};
    }
    Verdict check() override { return {}; }  // only the time is checked, once it is known
    std::vector<Cell> own_cells(double median_ns) override {
        long long counted[2] = {};
        CHECK(cudaMemcpy(counted, inside_.data(), sizeof counted, cudaMemcpyDeviceToHost));
        // Cycles are converted to time by the clock rate inside the kernel: cycles and nanoseconds of the same span.
        const double n = double(problem.n), expected = in_cycles_ ? n * double(counted[0]) / double(counted[1]) : n;
        const double error_percent = 100 * (median_ns - expected) / expected;
        if (!(std::fabs(error_percent) <= 2)) {
            session_.complain(text("{}: measured {:.0f} ns, expected {:.0f} ns", variant->name, median_ns, expected));
            session_.found_wrong_result();
        }
        return {Fixed{expected, 1}, Fixed{error_percent, 3}};
    }

private:
    Session& session_;
    const bool in_cycles_;
    const DeviceBuffer<long long> inside_;
};

void run(Session& session) {
    Bench bench(session);
    for (size_t n : session.sizes()) {
        Cases cases;
        for (const SpinVariant* variant : session.selected<SpinVariant>())
            cases.push_back(std::make_unique<SpinCase>(session, *variant, n));
        bench.run(cases);
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(program, run)
