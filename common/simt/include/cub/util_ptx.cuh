// SPDX-License-Identifier: MIT
// Instructions that CUB gives names to.
#ifndef SIMT_CUB_UTIL_PTX
#define SIMT_CUB_UTIL_PTX

#include "util_type.cuh"

#ifndef CUB_PTX_WARP_THREADS
#define CUB_PTX_WARP_THREADS 32
#define CUB_WARP_THREADS(arch) 32
#define CUB_PTX_LOG_WARP_THREADS 5
#endif

CUB_NAMESPACE_OPEN

template <typename UnsignedBits>
SIMT_INLINE unsigned BFE(UnsignedBits source, unsigned bit_start, unsigned num_bits) {
    return static_cast<unsigned>(source >> bit_start) & (num_bits >= 32 ? ~0u : (1u << num_bits) - 1);
}
SIMT_INLINE unsigned LaneId() { return ::simt::lane_in_warp(); }
SIMT_INLINE unsigned WarpId() { return ::simt::thread_rank() / 32; }
SIMT_INLINE unsigned LaneMaskLt() { return (1u << LaneId()) - 1; }
SIMT_INLINE unsigned LaneMaskLe() { return LaneMaskLt() | 1u << LaneId(); }
SIMT_INLINE unsigned LaneMaskGt() { return ~LaneMaskLe(); }
SIMT_INLINE unsigned LaneMaskGe() { return ~LaneMaskLt(); }
SIMT_INLINE void CTA_SYNC(::simt::Site site = ::simt::Site::here()) { ::__syncthreads(site); }
SIMT_INLINE int CTA_SYNC_AND(int p, ::simt::Site site = ::simt::Site::here()) { return ::__syncthreads_and(p, site); }
SIMT_INLINE int CTA_SYNC_OR(int p, ::simt::Site site = ::simt::Site::here()) { return ::__syncthreads_or(p, site); }
SIMT_INLINE void WARP_SYNC(unsigned mask, ::simt::Site site = ::simt::Site::here()) {
    ::simt::warp_barrier(mask, site);
}
SIMT_INLINE int RowMajorTid(int block_dim_x, int block_dim_y, int block_dim_z) {
    const uint3 index = ::simt::thread_index();
    return (block_dim_z == 1 ? 0 : static_cast<int>(index.z) * block_dim_x * block_dim_y) +
           (block_dim_y == 1 ? 0 : static_cast<int>(index.y) * block_dim_x) + static_cast<int>(index.x);
}

/// The value of another lane of the logical warp; the own one where there is none.
template <int LOGICAL_WARP_THREADS, typename T>
SIMT_INLINE T ShuffleIndex(T input, int src_lane, unsigned, ::simt::Site site = ::simt::Site::here()) {
    const simt_parts::LaneValues<T, LOGICAL_WARP_THREADS> values(input, site);
    return values[src_lane & (LOGICAL_WARP_THREADS - 1)];
}
template <int LOGICAL_WARP_THREADS, typename T>
SIMT_INLINE T ShuffleUp(T input, int src_offset, int first_thread, unsigned, ::simt::Site site = ::simt::Site::here()) {
    const simt_parts::LaneValues<T, LOGICAL_WARP_THREADS> values(input, site);
    const int source = simt_parts::LogicalWarp<LOGICAL_WARP_THREADS>::rank() - src_offset;
    return source >= first_thread ? values[source] : input;
}
template <int LOGICAL_WARP_THREADS, typename T>
SIMT_INLINE T ShuffleDown(T input, int src_offset, int last_thread, unsigned,
                          ::simt::Site site = ::simt::Site::here()) {
    const simt_parts::LaneValues<T, LOGICAL_WARP_THREADS> values(input, site);
    const int source = simt_parts::LogicalWarp<LOGICAL_WARP_THREADS>::rank() + src_offset;
    return source <= last_thread ? values[source] : input;
}

CUB_NAMESPACE_CLOSE
#endif

#ifdef THRUST_VERSION
#include_next <cub/util_ptx.cuh>
#endif
