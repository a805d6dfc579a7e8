// SPDX-License-Identifier: MIT
// Compares the occupancy calculator with the toolkit's, on thousands of random resources for every compute capability.
// Prints differences and exits 1; tests/matadd.bats compiles and runs it if cuda_occupancy.h is installed.
//     occupancy [LAUNCHES]      for each capability
#include <cuda_occupancy.h>
#include <algorithm>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>

#include "common/cuda/occupancy.hpp"

// The properties from cudaGetDeviceProperties for each capability, as listed in the CUDA C++ Programming Guide.
struct Properties {
    int major, minor, threads;
    std::size_t shared_kib, optin_kib, reserved_bytes;
};

constexpr Properties properties[] = {
    {7, 0, 2048, 96, 96, 0},       {7, 2, 2048, 96, 96, 0},       {7, 5, 1024, 64, 64, 0},
    {8, 0, 2048, 164, 163, 1024},  {8, 6, 1536, 100, 99, 1024},   {8, 7, 1536, 164, 163, 1024},
    {8, 8, 1536, 100, 99, 1024},   {8, 9, 1536, 100, 99, 1024},   {9, 0, 2048, 228, 227, 1024},
    {10, 0, 2048, 228, 227, 1024}, {10, 1, 1536, 228, 227, 1024}, {10, 3, 2048, 228, 227, 1024},
    {11, 0, 1536, 228, 227, 1024}, {12, 0, 1536, 100, 99, 1024},  {12, 1, 1536, 100, 99, 1024},
};

static cudaOccDeviceProp device_of(const Properties& of) {
    cudaOccDeviceProp device;
    device.computeMajor = of.major;
    device.computeMinor = of.minor;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = of.threads;
    device.regsPerBlock = device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    device.sharedMemPerBlock = 48 * 1024;
    device.sharedMemPerMultiprocessor = of.shared_kib * 1024;
    device.numSms = 100;
    device.sharedMemPerBlockOptin = of.optin_kib * 1024;
    device.reservedSharedMemPerBlock = of.reserved_bytes;
    return device;
}

// The limiters of the result, according to the header.
static std::string limiter_of(const cudaOccResult& result) {
    std::string names;
    const auto add = [&](unsigned flag, const char* name) {
        if (result.limitingFactors & flag) names += (names.empty() ? "" : "+") + std::string(name);
    };
    add(OCC_LIMIT_WARPS, "threads");
    add(OCC_LIMIT_BLOCKS, "blocks");
    add(OCC_LIMIT_REGISTERS, "registers");
    add(OCC_LIMIT_SHARED_MEMORY, "shared-memory");
    return names;
}

class Launches {
public:
    explicit Launches(const MultiprocessorLimits& limits) : limits_(limits), random_(limits.compute_capability) {}

    BlockResources next() {
        BlockResources one;
        one.threads = draw(8) == 0 ? draw(1030) + 1 : 32 * (draw(32) + 1);
        one.registers = draw(256);
        one.static_shared_bytes = draw(2) == 0 ? 0 : draw(48 * 1024 + 1);
        // As much as a kernel may have without a request, or with one: up to all there is, and a little more.
        one.most_dynamic_shared_bytes = 48 * 1024 - one.static_shared_bytes;
        const unsigned all = static_cast<unsigned>(limits_.most_shared_bytes() - one.static_shared_bytes);
        if (draw(2) == 0) one.most_dynamic_shared_bytes = draw(all + 1);
        if (draw(2) == 0) one.dynamic_shared_bytes = draw(draw(2) == 0 ? all + 300 : 8 * 1024);
        if (draw(2) == 0) one.carveout_percent = static_cast<int>(draw(101));
        return one;
    }

private:
    unsigned draw(unsigned end) { return std::uniform_int_distribution<unsigned>(0, end - 1)(random_); }

    const MultiprocessorLimits& limits_;
    std::mt19937 random_;
};

static bool agrees(const MultiprocessorLimits& limits, const cudaOccDeviceProp& device, const BlockResources& one) {
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = INT_MAX;
    kernel.numRegs = static_cast<int>(one.registers);
    kernel.sharedSizeBytes = one.static_shared_bytes;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    // (The header applies this limit to every block, CUDA on a GPU only to those above the limit without a request.)
    kernel.maxDynamicSharedSizeBytes =
        std::max(one.most_dynamic_shared_bytes,
                 shared_bytes_without_asking - std::min(shared_bytes_without_asking, one.static_shared_bytes));
    kernel.numBlockBarriers = 1;
    cudaOccDeviceState state;
    state.carveoutConfig = one.carveout_percent;
    cudaOccResult result;
    const cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(
        &result, &device, &kernel, &state, static_cast<int>(one.threads), one.dynamic_shared_bytes);
    const Occupancy ours = occupancy_of(limits, one);
    // (The header fails for a block whose shared memory exceeds a multiprocessor's, but not the limit per block.)
    const int expected = error == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : 0;
    if (ours.blocks() == std::size_t(expected) && (error != CUDA_OCC_SUCCESS || ours.limiter() == limiter_of(result)))
        return true;
    std::printf(
        "%s: %u threads, %u registers, %zu + %zu of %zu bytes, carve-out %d: %zu blocks, %s; the header: %d, %s\n",
        limits.name().c_str(), one.threads, one.registers, one.static_shared_bytes, one.dynamic_shared_bytes,
        one.most_dynamic_shared_bytes, one.carveout_percent, ours.blocks(), ours.limiter().c_str(), expected,
        limiter_of(result).c_str());
    return false;
}

int main(int count, char** arguments) {
    const int launches = count > 1 ? std::atoi(arguments[1]) : 5000;
    int wrong = 0, compared = 0;
    for (const Properties& of : properties) {
        const MultiprocessorLimits* const limits = limits_of(10 * of.major + of.minor);
        if (!limits) std::printf("%d.%d is not known\n", of.major, of.minor), ++wrong;
        if (!limits) continue;
        const cudaOccDeviceProp device = device_of(of);
        Launches random(*limits);
        for (int i = 0; i < launches && wrong < 10; ++i, ++compared) wrong += !agrees(*limits, device, random.next());
    }
    // The header's rules are those of today's toolkits, which know nothing before 7.0.
    const auto known = std::count_if(capabilities().begin(), capabilities().end(), [](const Capability& capability) {
        return capability.limits.compute_capability >= 70;
    });
    const bool every = known == std::size(properties);
    if (!every) std::printf("%td capabilities, %zu compared\n", known, std::size(properties));
    std::printf("%d launches on %zu capabilities\n", compared, std::size(properties));
    return wrong > 0 || !every;
}
