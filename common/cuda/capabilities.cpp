// SPDX-License-Identifier: MIT
#include "common/cuda/capabilities.hpp"

#include <algorithm>
#include <string_view>

#include "common/io/text.hpp"

std::size_t MultiprocessorLimits::most_shared_bytes() const {
    const bool can_opt_in = compute_capability >= 70 || compute_capability == 0;
    return can_opt_in ? shared_bytes() - reserved_shared_bytes()
                      : std::min(shared_bytes(), shared_bytes_without_asking);
}

std::size_t MultiprocessorLimits::shared_granularity() const {
    if (compute_capability >= 80 || compute_capability / 10 == 2) return 128;
    return compute_capability / 10 == 1 ? 512 : 256;
}

std::string MultiprocessorLimits::name() const {
    if (compute_capability == 0) return "own";
    return text("{}.{}", compute_capability / 10, compute_capability % 10);
}

const std::vector<Capability>& capabilities() {
    static const std::vector<unsigned> to_96 = {0, 8, 16, 32, 64, 96}, to_100 = {0, 8, 16, 32, 64, 100},
                                       to_164 = {0, 8, 16, 32, 64, 100, 132, 164},
                                       to_228 = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
    const RegisterRules tesla8 = {256, true, 2, 124}, tesla16 = {512, true, 2, 124}, fermi = {64, false, 2, 63},
                        kepler = {256, false, 4, 63}, pascal = {256, false, 2, 255},
                        small = {256, false, 4, 255, 32768};
    static const std::vector<Capability> table = {
        {"Tesla",
         "GeForce 8800 GTX",
         "threads in blocks; shared memory; barriers",
         {10, 768, 8, {16}, 8192, tesla8, 512}},
        {"Tesla",
         "GeForce 9800 GTX",
         "atomics on 32-bit integers in global memory",
         {11, 768, 8, {16}, 8192, tesla8, 512}},
        {"Tesla",
         "GeForce GT 240",
         "atomics in shared memory; 64-bit atomics; votes of warps; coalescing in any order",
         {12, 1024, 8, {16}, 16384, tesla16, 512}},
        {"Tesla", "GeForce GTX 280", "double precision", {13, 1024, 8, {16}, 16384, tesla16, 512}},
        {"Fermi",
         "GeForce GTX 480",
         "ballots; atomics on 32-bit floats; grids in 3 dimensions; L1 and L2 caches; __syncthreads_count; surfaces; "
         "printf; recursion",
         {20, 1536, 8, {16, 48}, 32768, fermi}},
        {"Fermi", "GeForce GTX 460", "two instructions per scheduler and cycle", {21, 1536, 8, {16, 48}, 32768, fermi}},
        {"Kepler",
         "GeForce GTX 680",
         "shuffles; unified memory; bindless textures; 2^31-1 blocks in x",
         {30, 2048, 16, {16, 32, 48}, 65536, kepler}},
        {"Kepler",
         "Jetson TK1",
         "funnel shifts; 64-bit atomic minimum and bitwise operations",
         {32, 2048, 16, {16, 32, 48}, 65536, small}},
        {"Kepler",
         "Tesla K40",
         "dynamic parallelism; Hyper-Q; 255 registers per thread; __ldg",
         {35, 2048, 16, {16, 32, 48}}},
        {"Kepler", "Tesla K80", "twice the registers; 112 KiB of shared memory", {37, 2048, 16, {80, 96, 112}, 131072}},
        {"Maxwell",
         "GeForce GTX 750 Ti",
         "shared-memory atomics in hardware; shared memory apart from L1",
         {50, 2048, 32, {64}}},
        {"Maxwell", "GeForce GTX 980", "96 KiB of shared memory", {52, 2048, 32, {96}}},
        {"Maxwell", "Jetson Nano", "arithmetic in half precision", {53, 2048, 32, {64}, 65536, small}},
        {"Pascal",
         "Tesla P100",
         "atomics on 64-bit floats; page faults of unified memory; compute preemption; NVLink; half precision at twice "
         "the rate",
         {60, 2048, 32, {64}, 65536, pascal}},
        {"Pascal", "GeForce GTX 1080", "dot products of 8-bit integers", {61, 2048, 32, {96}}},
        {"Pascal", "Jetson TX2", "half precision at twice the rate", {62, 2048, 32, {64}, 65536, small}},
        {"Volta",
         "Tesla V100",
         "tensor cores; threads of a warp scheduled by themselves; matches of warps; L1 and shared memory in one",
         {70, 2048, 32, to_96}},
        {"Volta", "Jetson AGX Xavier", "tensor cores for 8-bit integers", {72, 2048, 32, to_96}},
        {"Turing",
         "GeForce RTX 2080 Ti",
         "integer and float instructions at once; tensor cores for 8, 4 and 1 bits; uniform registers; ray tracing "
         "(not in CUDA)",
         {75, 1024, 16, {32, 64}}},
        {"Ampere",
         "A100",
         "residency in L2; asynchronous copies to shared memory; barriers split in arrive and wait; reductions of "
         "warps; bf16, tf32 and f64 on tensor cores; sparsity",
         {80, 2048, 32, to_164}},
        {"Ampere", "GeForce RTX 3090", "twice the f32 lanes", {86, 1536, 16, to_100}},
        {"Ampere", "Jetson AGX Orin", "164 KiB of shared memory", {87, 1536, 16, to_164}},
        {"Ampere", "none", "none", {88, 1536, 16, to_100}},
        {"Ada Lovelace",
         "GeForce RTX 4090",
         "8-bit floats on tensor cores; up to 96 MiB of L2",
         {89, 1536, 24, to_100}},
        {"Hopper",
         "H100",
         "clusters of blocks; distributed shared memory; tensor memory accelerator; tensor cores for groups of warps; "
         "8-bit floats; DPX instructions; 128-bit atomic exchange",
         {90, 2048, 32, to_228}},
        {"Blackwell",
         "B200",
         "tensor memory; tensor cores for pairs of blocks; 4- and 6-bit floats; cluster launch control; f32 operations "
         "in pairs",
         {100, 2048, 32, to_228}},
        {"Blackwell", "Jetson T5000", "none", {101, 1536, 24, to_228}},
        {"Blackwell", "B300", "4-bit floats at 1.5 times the rate", {103, 2048, 32, to_228}},
        {"Blackwell", "Jetson T5000", "10.1 under another number, since CUDA 13", {110, 1536, 24, to_228}},
        {"Blackwell",
         "GeForce RTX 5090",
         "4- and 6-bit floats on tensor cores; cluster launch control",
         {120, 1536, 24, to_100}},
        {"Blackwell", "GB10 (DGX Spark)", "none", {121, 1536, 24, to_100}},
    };
    return table;
}

const Capability* capability_of(int compute_capability) {
    for (const Capability& capability : capabilities())
        if (capability.limits.compute_capability == compute_capability) return &capability;
    return nullptr;
}

const MultiprocessorLimits* limits_of(int compute_capability) {
    const Capability* const capability = capability_of(compute_capability);
    return capability ? &capability->limits : nullptr;
}

std::string features_of_architecture(int compute_capability) {
    const Capability* const of = capability_of(compute_capability);
    std::string features;
    for (const Capability& capability : capabilities()) {
        const bool is_part = of && std::string_view(capability.architecture) == of->architecture &&
                             capability.limits.compute_capability <= compute_capability;
        if (is_part && std::string_view(capability.introduced) != "none")
            features += (features.empty() ? "" : "; ") + std::string(capability.introduced);
    }
    return features;
}
