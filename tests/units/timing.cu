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

Case case_of(Session& session, const SpinVariant& variant, size_t n) {
    const auto inside = std::make_shared<DeviceBuffer<long long>>(2);
    const bool in_cycles = variant.in_cycles;
    Case one;
    one.variant = &variant;
    one.problem = {DType::i64, n, 0, 0};
    one.launch = [=](cudaStream_t stream) {
#ifndef __SIMCC__
        (in_cycles ? spin_cycles : spin_nanoseconds)<<<1, 1, 0, stream>>>(static_cast<long long>(n), inside->data(),
                                                                          inside->data() + 1);
#else
        static_cast<void>(stream);
#endif
        return LaunchShape{dim3(1), dim3(1), 0};
    };
    one.check = [] { return Verdict{}; };  // only the time is checked, once it is known
    one.own_cells = [=, &session](double median_ns) {
        long long counted[2] = {};
        CHECK(cudaMemcpy(counted, inside->data(), sizeof counted, cudaMemcpyDeviceToHost));
        // Cycles are converted to time by the clock rate inside the kernel: cycles and nanoseconds of the same span.
        const double expected = in_cycles ? double(n) * double(counted[0]) / double(counted[1]) : double(n);
        const double error_percent = 100 * (median_ns - expected) / expected;
        if (!(std::fabs(error_percent) <= 2)) {
            session.complain(text("{}: measured {:.0f} ns, expected {:.0f} ns", variant.name, median_ns, expected));
            session.found_wrong_result();
        }
        return std::vector<Cell>{Fixed{expected, 1}, Fixed{error_percent, 3}};
    };
    return one;
}

void run(Session& session) {
    Bench bench(session);
    for (size_t n : session.sizes()) {
        std::vector<Case> cases;
        for (const SpinVariant* variant : session.selected<SpinVariant>())
            cases.push_back(case_of(session, *variant, n));
        bench.run(cases);
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(program, run)
