// SPDX-License-Identifier: MIT
// The properties that devquery shows. Most are read as attributes, which still include those that CUDA 13 removed from
// cudaDeviceProp.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/cuda/capabilities.hpp"
#include "common/cuda/check.cuh"
#include "common/cuda/device.cuh"
#include "common/cuda/device_info.hpp"
#include "common/cuda/throughput.hpp"
#include "common/io/table.hpp"
#include "common/io/text.hpp"
#include "common/measure/nvml.hpp"

namespace BACKEND {

struct Property {
    std::string group, name, value, unit, source;
};

struct Attribute {
    const char* group;
    const char* property;
    const char* unit;
    cudaDeviceAttr attribute;
};

constexpr Attribute attributes[] = {
    {"memory", "constant_memory_bytes", "byte", cudaDevAttrTotalConstantMemory},
    {"memory", "l2_cache_bytes", "byte", cudaDevAttrL2CacheSize},
    {"memory", "max_persisting_l2_bytes", "byte", cudaDevAttrMaxPersistingL2CacheSize},
    {"memory", "bus_width_bits", "bit", cudaDevAttrGlobalMemoryBusWidth},
    {"memory", "max_pitch_bytes", "byte", cudaDevAttrMaxPitch},
    {"memory", "texture_alignment_bytes", "byte", cudaDevAttrTextureAlignment},
    {"memory", "ecc", "bool", cudaDevAttrEccEnabled},
    {"multiprocessors", "multiprocessors", "multiprocessor", cudaDevAttrMultiProcessorCount},
    {"multiprocessors", "warp_size", "lane", cudaDevAttrWarpSize},
    {"multiprocessors", "threads_per_multiprocessor", "thread", cudaDevAttrMaxThreadsPerMultiProcessor},
    {"multiprocessors", "blocks_per_multiprocessor", "block", cudaDevAttrMaxBlocksPerMultiprocessor},
    {"multiprocessors", "registers_per_multiprocessor", "register", cudaDevAttrMaxRegistersPerMultiprocessor},
    {"multiprocessors", "shared_memory_per_multiprocessor_bytes", "byte", cudaDevAttrMaxSharedMemoryPerMultiprocessor},
    {"limits", "threads_per_block", "thread", cudaDevAttrMaxThreadsPerBlock},
    {"limits", "registers_per_block", "register", cudaDevAttrMaxRegistersPerBlock},
    {"limits", "shared_memory_per_block_bytes", "byte", cudaDevAttrMaxSharedMemoryPerBlock},
    {"limits", "shared_memory_per_block_optin_bytes", "byte", cudaDevAttrMaxSharedMemoryPerBlockOptin},
    {"limits", "reserved_shared_memory_per_block_bytes", "byte", cudaDevAttrReservedSharedMemoryPerBlock},
    {"limits", "max_block_dim_x", "thread", cudaDevAttrMaxBlockDimX},
    {"limits", "max_block_dim_y", "thread", cudaDevAttrMaxBlockDimY},
    {"limits", "max_block_dim_z", "thread", cudaDevAttrMaxBlockDimZ},
    {"limits", "max_grid_dim_x", "block", cudaDevAttrMaxGridDimX},
    {"limits", "max_grid_dim_y", "block", cudaDevAttrMaxGridDimY},
    {"limits", "max_grid_dim_z", "block", cudaDevAttrMaxGridDimZ},
    {"limits", "kernel_timeout", "bool", cudaDevAttrKernelExecTimeout},
    {"features", "copy_engines", "engine", cudaDevAttrAsyncEngineCount},
    {"features", "concurrent_kernels", "bool", cudaDevAttrConcurrentKernels},
    {"features", "unified_addressing", "bool", cudaDevAttrUnifiedAddressing},
    {"features", "managed_memory", "bool", cudaDevAttrManagedMemory},
    {"features", "concurrent_managed_access", "bool", cudaDevAttrConcurrentManagedAccess},
    {"features", "pageable_memory_access", "bool", cudaDevAttrPageableMemoryAccess},
    {"features", "map_host_memory", "bool", cudaDevAttrCanMapHostMemory},
    {"features", "host_native_atomics", "bool", cudaDevAttrHostNativeAtomicSupported},
    {"features", "memory_pools", "bool", cudaDevAttrMemoryPoolsSupported},
    {"features", "cooperative_launch", "bool", cudaDevAttrCooperativeLaunch},
    {"features", "stream_priorities", "bool", cudaDevAttrStreamPrioritiesSupported},
    {"features", "compute_preemption", "bool", cudaDevAttrComputePreemptionSupported},
    {"features", "global_l1_cache", "bool", cudaDevAttrGlobalL1CacheSupported},
    {"features", "integrated", "bool", cudaDevAttrIntegrated},
    {"features", "tcc_driver", "bool", cudaDevAttrTccDriver},
    {"features", "compute_mode", "none", cudaDevAttrComputeMode},
    {"clocks", "sm_clock_khz", "kHz", cudaDevAttrClockRate},
    {"clocks", "memory_clock_khz", "kHz", cudaDevAttrMemoryClockRate},
};

// The peaks that follow from multiprocessors, clock and what one multiprocessor does in a cycle.
struct Peak {
    const char* property;
    const char* unit;
    ThroughputRate multiply_adds;
};

constexpr Peak peaks[] = {
    {"peak_f32_tflop_per_s", "TFLOP/s", &Throughput::f32},
    {"peak_f64_tflop_per_s", "TFLOP/s", &Throughput::f64},
    {"peak_f16_tflop_per_s", "TFLOP/s", &Throughput::f16},
    {"peak_f16_tensor_tflop_per_s", "TFLOP/s", &Throughput::tensor_f16},
    {"peak_bf16_tensor_tflop_per_s", "TFLOP/s", &Throughput::tensor_bf16},
    {"peak_tf32_tensor_tflop_per_s", "TFLOP/s", &Throughput::tensor_tf32},
    {"peak_f64_tensor_tflop_per_s", "TFLOP/s", &Throughput::tensor_f64},
    {"peak_i8_tensor_top_per_s", "TOP/s", &Throughput::tensor_i8},
};

constexpr const char* by_capability = "programming guide by compute capability";

// ---- which device it is, and which CUDA it runs

// A version as CUDA encodes it: 13000 is 13.0.
inline std::string version_text(int version) { return text("{}.{}", version / 1000, version % 1000 / 10); }

inline std::vector<Property> identity_of(const DeviceInfo& device) {
    int driver = 0, runtime = 0;
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    const char* cuda = "CUDA runtime";
    const Capability* const capability = capability_of(device.compute_capability);
    return {
        {"identity", "name", device.name, "none", cuda},
        {"identity", "ordinal", std::to_string(device.ordinal), "none", cuda},
        {"identity", "uuid", device.uuid, "none", cuda},
        {"identity", "pci_bus_id", device.pci_bus_id, "none", cuda},
        {"identity", "simulated", device.simulated ? "1" : "0", "bool", "this build"},
        {"identity", "compute_capability", capability_text(device.compute_capability), "none", cuda},
        {"identity", "architecture", capability ? capability->architecture : "unknown", "none", by_capability},
        {"identity", "driver_cuda_version", version_text(driver), "none", cuda},
        {"identity", "runtime_cuda_version", version_text(runtime), "none", cuda},
    };
}

// What came with the device's architecture.
inline std::vector<Property> features_of(const DeviceInfo& device) {
    const std::string features = features_of_architecture(device.compute_capability);
    return {{"features", "features", features.empty() ? "unknown" : features, "none", by_capability}};
}

// ---- all of them, by group

inline std::vector<Property> memory_of(const DeviceInfo& device) {
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, device.ordinal));
    CHECK(cudaSetDevice(device.ordinal));
    size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    const char* cuda = "CUDA runtime";
    return {
        {"memory", "total_memory_bytes", std::to_string(properties.totalGlobalMem), "byte", cuda},
        {"memory", "free_memory_bytes", std::to_string(free_bytes), "byte", cuda},
    };
}

inline std::string rate_text(double rate) { return text("{:.{}f}", rate, computed(rate, 1).digits); }

// Peak rates; "unknown" where our table of throughputs lacks one of the device's compute capability.
inline std::vector<Property> derived_of(const DeviceInfo& device) {
    const std::optional<Throughput> per_clock = throughput_of(device.compute_capability, device.name);
    const double clock_hz = 1e3 * attribute(cudaDevAttrClockRate, device.ordinal);
    std::vector<Property> properties = {
        {"derived", "fp32_cores", per_clock ? std::to_string(per_clock->f32 * device.multiprocessors) : "unknown",
         "core", by_capability},
        {"derived", "peak_memory_gbyte_per_s", rate_text(device.peak_gbyte_per_s), "GB/s",
         "bus width x memory clock x 2"},
    };
    for (const Peak& peak : peaks) {
        std::string value = "unknown";
        const int rate = per_clock ? (*per_clock).*(peak.multiply_adds) : unknown_rate;
        if (rate != unknown_rate) value = rate_text(1e-12 * peak_rate(rate, device.multiprocessors, clock_hz));
        properties.push_back(
            {"derived", peak.property, value, peak.unit, "NVIDIA's rate per multiprocessor x multiprocessors x clock"});
    }
    return properties;
}

inline std::vector<Property> clocks_of(const DeviceInfo& device) {
    const ClockMonitor clocks(device.simulated ? "" : device.uuid);
    return {
        {"clocks", "current_sm_clock_mhz", std::to_string(clocks.sm_clock_mhz()), "MHz", "NVML"},
        {"clocks", "current_memory_clock_mhz", std::to_string(clocks.memory_clock_mhz()), "MHz", "NVML"},
        {"clocks", "throttled", clocks.throttled() ? "1" : "0", "bool", "NVML"},
    };
}

inline std::vector<Property> properties_of(const DeviceInfo& device) {
    std::vector<Property> all = identity_of(device);
    const auto append = [&](const std::vector<Property>& more) { all.insert(all.end(), more.begin(), more.end()); };
    const auto append_attributes = [&](const std::string& group) {
        for (const Attribute& row : attributes)
            if (group == row.group)
                all.push_back({row.group, row.property, std::to_string(attribute(row.attribute, device.ordinal)),
                               row.unit, "CUDA attribute"});
    };
    append(memory_of(device));
    for (const char* group : {"memory", "multiprocessors", "limits"}) append_attributes(group);
    append(features_of(device));
    for (const char* group : {"features", "clocks"}) append_attributes(group);
    append(clocks_of(device));
    append(derived_of(device));
    return all;
}

}  // namespace BACKEND
