// The properties that devquery shows. Those that CUDA 13 removed from cudaDeviceProp are still attributes, so most are read so.
#pragma once

#include <cuda_runtime.h>

#include <string>

#include "common/cuda/device_info.hpp"

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

// Multiply-adds per clock and multiprocessor: CUDA C++ Programming Guide, "Arithmetic Instructions"; the tensor cores' dense
// f16 rate with f32 accumulation from the architectures' white papers. All 0 for a compute capability not in the table.
struct Throughput {
    int compute_capability, f32, f64, f16_tensor;
};

inline Throughput throughput_of(int compute_capability) {
    constexpr Throughput known[] = {
        {60, 64, 32, 0},     {61, 128, 4, 0},      {70, 64, 32, 512},   {75, 64, 2, 512},     {80, 64, 32, 1024},
        {86, 128, 2, 256},   {87, 128, 2, 512},    {89, 128, 2, 256},   {90, 128, 64, 2048},  {100, 128, 64, 4096},
        {103, 128, 2, 4096}, {120, 128, 2, 256},
    };
    for (const Throughput& row : known)
        if (row.compute_capability == compute_capability) return row;
    return {compute_capability, 0, 0, 0};
}

inline std::string device_label(const DeviceInfo& device) {
    return device.simulated && device.ordinal == 0 ? "sim" : (device.simulated ? "sim" : "") + std::to_string(device.ordinal);
}

}  // namespace BACKEND
