// SPDX-License-Identifier: MIT
// Functions for what Hopper (compute capability 9.0) adds to move data without threads: barriers in shared memory that
// count bytes, bulk tensor copies by TMA (the tensor memory accelerator) that report to them, clusters of blocks that
// see each other's shared memory, and warpgroups that hand registers to each other. Thin wrappers around PTX; its
// manual has the exact rules. For nvcc only, in code for sm_90 or later. The registers need sm_90a: such kernels guard
// their bodies with HOPPER_CODE.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define HOPPER_CODE 1
#else
#define HOPPER_CODE 0
#endif

namespace BACKEND {

/// The most shared memory that a block can have.
constexpr int most_shared_bytes = 227 * 1024;

/// What the system takes of it for each block of a multiprocessor.
constexpr int system_shared_bytes = 1024;

/// The most that a block can have if a multiprocessor is to hold `resident` of them.
constexpr int most_shared_bytes_of(int resident) {
    return (most_shared_bytes + system_shared_bytes) / resident - system_shared_bytes;
}

/// The address of an object in shared memory, as PTX takes it.
__device__ inline std::uint32_t shared_address(const void* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

// ---- barriers in shared memory. A phase ends when `arrivals` threads have arrived and all announced bytes are there.

__device__ inline void barrier_init(std::uint64_t* barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(arrivals));
}

/// Makes initialized barriers visible to TMA and to the other blocks of the cluster.
__device__ inline void fence_barrier_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ inline void barrier_arrive(std::uint64_t* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}

/// Arrives and announces that copies will write `bytes`.
__device__ inline void barrier_arrive_and_expect(std::uint64_t* barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}

/// Arrives at the barrier at the same address in block `rank` of the cluster. It signals that data were read, not
/// written: a cluster-wide release would wait for memory, and products took twice as long.
__device__ inline void barrier_arrive_at_block(std::uint64_t* barrier, unsigned rank) {
    asm volatile(
        "{\n"
        ".reg .b32 remote;\n"
        "mapa.shared::cluster.u32 remote, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [remote];\n"
        "}" ::"r"(shared_address(barrier)),
        "r"(rank)
        : "memory");
}

/// Waits for the phase with this parity to end: 0 for the first phase, 1 for the second, then alternating.
__device__ inline void barrier_wait(std::uint64_t* barrier, unsigned parity) {
    asm volatile(
        "{\n"
        ".reg .pred complete;\n"
        "WAIT:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 complete, [%0], %1;\n"
        "@complete bra DONE;\n"
        "bra WAIT;\n"
        "DONE:\n"
        "}" ::"r"(shared_address(barrier)),
        "r"(parity)
        : "memory");
}

// ---- kernels that overlap (programmatic dependent launch)

/// Lets the next kernel of the stream begin, if it was launched to overlap this one. Call it as early as possible: what
/// this kernel writes is seen after wait_for_previous_kernel() all the same.
__device__ inline void let_next_kernel_begin() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

/// Waits until the previous kernel has ended and its writes can be seen; returns at once in a launch without overlap.
__device__ inline void wait_for_previous_kernel() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

// ---- clusters

/// Arrives at the cluster's barrier; threads that wait there see what this thread has written to shared memory.
__device__ inline void cluster_arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }

/// Waits until all threads of all blocks of the cluster have arrived, or exited.
__device__ inline void cluster_wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }

__device__ inline void cluster_barrier() {
    cluster_arrive();
    cluster_wait();
}

/// Loads four floats from the same address in block `rank` of the cluster. 16-byte aligned.
__device__ inline float4 load_from_block(const float* shared, unsigned rank) {
    float4 value;
    asm volatile(
        "{\n"
        ".reg .b32 remote;\n"
        "mapa.shared::cluster.u32 remote, %4, %5;\n"
        "ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [remote];\n"
        "}"
        : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
        : "r"(shared_address(shared)), "r"(rank)
        : "memory");
    return value;
}

/// Stores four floats at the same address in block `rank` of the cluster. 16-byte aligned.
__device__ inline void store_to_block(float4* shared, unsigned rank, const float4& value) {
    asm volatile(
        "{\n"
        ".reg .b32 remote;\n"
        "mapa.shared::cluster.u32 remote, %0, %1;\n"
        "st.shared::cluster.v4.f32 [remote], {%2, %3, %4, %5};\n"
        "}" ::"r"(shared_address(shared)),
        "r"(rank), "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w)
        : "memory");
}

/// True in one lane of a warp. Called by all its lanes. The compiler knows that one lane runs what depends on it; else
/// it makes a loop over lanes of each bulk copy.
__device__ inline bool is_elected_lane() {
    int elected;
    asm volatile(
        "{\n"
        ".reg .pred elected;\n"
        "elect.sync _|elected, 0xffffffff;\n"
        "selp.s32 %0, 1, 0, elected;\n"
        "}"
        : "=r"(elected));
    return elected != 0;
}

// ---- bulk copies of plain bytes

/// Starts copying `bytes` bytes from global to shared memory; the barrier counts them as they arrive. Both addresses
/// and the number are multiples of 16.
__device__ __forceinline__ void copy_bytes_in(void* shared, const void* global, unsigned bytes,
                                              std::uint64_t* barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :
                 : "r"(shared_address(shared)), "l"(__cvta_generic_to_global(global)), "r"(bytes),
                   "r"(shared_address(barrier))
                 : "memory");
}

// ---- bulk tensor copies of a box, shaped as the map says, with its corner at (column, row). Zeros outside the tensor.

/// Prefetches the descriptor: call it once for each map, before the first copy.
__device__ inline void prefetch_tensor_map(const CUtensorMap& map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
}

__device__ inline void copy_box_in(void* shared, const CUtensorMap& map, std::uint64_t* barrier, int column, int row) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], [%2];" ::"r"(
            shared_address(shared)),
        "l"(&map), "r"(shared_address(barrier)), "r"(column), "r"(row)
        : "memory");
}
/// The same for one of the matrices that the map describes.
__device__ inline void copy_box_in(void* shared, const CUtensorMap& map, std::uint64_t* barrier, int column, int row,
                                   int matrix) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], "
        "[%2];" ::"r"(shared_address(shared)),
        "l"(&map), "r"(shared_address(barrier)), "r"(column), "r"(row), "r"(matrix)
        : "memory");
}

/// As copy_box_in(), at the same address in some blocks of the cluster, block i if bit i of `blocks` is set; signals
/// the barrier of each.
__device__ inline void copy_box_to_blocks(void* shared, const CUtensorMap& map, std::uint64_t* barrier, int column,
                                          int row, std::uint16_t blocks) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
        "[%1, {%3, %4}], [%2], %5;" ::"r"(shared_address(shared)),
        "l"(&map), "r"(shared_address(barrier)), "r"(column), "r"(row), "h"(blocks)
        : "memory");
}

/// The same for one of the matrices that the map describes.
__device__ inline void copy_box_to_blocks(void* shared, const CUtensorMap& map, std::uint64_t* barrier, int column,
                                          int row, int matrix, std::uint16_t blocks) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
        "[%1, {%3, %4, %5}], [%2], %6;" ::"r"(shared_address(shared)),
        "l"(&map), "r"(shared_address(barrier)), "r"(column), "r"(row), "r"(matrix), "h"(blocks)
        : "memory");
}

/// Shared to global. Threads that wrote the data first call fence_shared_for_copies() and then pass a barrier.
__device__ inline void copy_box_out(const CUtensorMap& map, const void* shared, int column, int row) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%2, %3}], [%1];" ::"l"(&map),
                 "r"(shared_address(shared)), "r"(column), "r"(row)
                 : "memory");
}
__device__ inline void copy_box_out(const CUtensorMap& map, const void* shared, int column, int row, int matrix) {
    asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%2, %3, %4}], [%1];" ::"l"(&map),
                 "r"(shared_address(shared)), "r"(column), "r"(row), "r"(matrix)
                 : "memory");
}
__device__ inline void commit_copies_out() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

/// Waits until all but the last `pending` groups of copies out have read their shared memory.
template <int pending>
__device__ inline void wait_copies_out_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

/// Makes this thread's ordinary writes to shared memory visible to TMA and the tensor cores.
__device__ inline void fence_shared_for_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// ---- registers. All warps of a warpgroup call these; the kernel has __launch_bounds__ with a minimum of one block.

template <int registers>
__device__ inline void give_up_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(registers));
}
template <int registers>
__device__ inline void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(registers));
}

}  // namespace BACKEND
