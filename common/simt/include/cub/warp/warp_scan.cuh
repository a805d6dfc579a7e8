// SPDX-License-Identifier: MIT
// Prefixes over the threads of a logical warp.
#pragma once

#include "../thread/thread_operators.cuh"

CUB_NAMESPACE_OPEN

template <typename T, int LOGICAL_WARP_THREADS = 32, int = 0>
class WarpScan {
    using Warp = simt_parts::LogicalWarp<LOGICAL_WARP_THREADS>;
    using Values = simt_parts::LaneValues<T, LOGICAL_WARP_THREADS>;

public:
    struct TempStorage {
        unsigned char unused;
    };

    SIMT_INLINE WarpScan(TempStorage&, ::simt::Site site = ::simt::Site::here()) : site_(site) {}

    SIMT_INLINE void InclusiveSum(T input, T& inclusive_output) { InclusiveScan(input, inclusive_output, cub::Sum()); }
    SIMT_INLINE void InclusiveSum(T input, T& inclusive_output, T& warp_aggregate) {
        InclusiveScan(input, inclusive_output, cub::Sum(), warp_aggregate);
    }
    SIMT_INLINE void ExclusiveSum(T input, T& exclusive_output) {
        ExclusiveScan(input, exclusive_output, T{}, cub::Sum());
    }
    SIMT_INLINE void ExclusiveSum(T input, T& exclusive_output, T& warp_aggregate) {
        ExclusiveScan(input, exclusive_output, T{}, cub::Sum(), warp_aggregate);
    }

    template <typename ScanOp>
    SIMT_INLINE void InclusiveScan(T input, T& inclusive_output, ScanOp scan_op) {
        const Values values(input, site_);
        inclusive_output = fold(values, Warp::rank() + 1, scan_op);
    }
    template <typename ScanOp>
    SIMT_INLINE void InclusiveScan(T input, T& inclusive_output, ScanOp scan_op, T& warp_aggregate) {
        const Values values(input, site_);
        inclusive_output = fold(values, Warp::rank() + 1, scan_op);
        warp_aggregate = fold(values, LOGICAL_WARP_THREADS, scan_op);
    }
    template <typename ScanOp>
    SIMT_INLINE void InclusiveScan(T input, T& inclusive_output, T initial_value, ScanOp scan_op) {
        const Values values(input, site_);
        inclusive_output = scan_op(initial_value, fold(values, Warp::rank() + 1, scan_op));
    }
    template <typename ScanOp>
    SIMT_INLINE void InclusiveScan(T input, T& inclusive_output, T initial_value, ScanOp scan_op, T& warp_aggregate) {
        const Values values(input, site_);
        inclusive_output = scan_op(initial_value, fold(values, Warp::rank() + 1, scan_op));
        warp_aggregate = fold(values, LOGICAL_WARP_THREADS, scan_op);
    }

    /// Without an initial value, that of the first lane is undefined.
    template <typename ScanOp>
    SIMT_INLINE void ExclusiveScan(T input, T& exclusive_output, ScanOp scan_op) {
        const Values values(input, site_);
        if (Warp::rank() > 0) exclusive_output = fold(values, Warp::rank(), scan_op);
    }
    template <typename ScanOp>
    SIMT_INLINE void ExclusiveScan(T input, T& exclusive_output, ScanOp scan_op, T& warp_aggregate) {
        const Values values(input, site_);
        if (Warp::rank() > 0) exclusive_output = fold(values, Warp::rank(), scan_op);
        warp_aggregate = fold(values, LOGICAL_WARP_THREADS, scan_op);
    }
    template <typename ScanOp>
    SIMT_INLINE void ExclusiveScan(T input, T& exclusive_output, T initial_value, ScanOp scan_op) {
        const Values values(input, site_);
        exclusive_output = before(values, initial_value, scan_op);
    }
    template <typename ScanOp>
    SIMT_INLINE void ExclusiveScan(T input, T& exclusive_output, T initial_value, ScanOp scan_op, T& warp_aggregate) {
        const Values values(input, site_);
        exclusive_output = before(values, initial_value, scan_op);
        warp_aggregate = fold(values, LOGICAL_WARP_THREADS, scan_op);
    }

    template <typename ScanOp>
    SIMT_INLINE void Scan(T input, T& inclusive_output, T& exclusive_output, ScanOp scan_op) {
        const Values values(input, site_);
        if (Warp::rank() > 0) exclusive_output = fold(values, Warp::rank(), scan_op);
        inclusive_output = fold(values, Warp::rank() + 1, scan_op);
    }
    template <typename ScanOp>
    SIMT_INLINE void Scan(T input, T& inclusive_output, T& exclusive_output, T initial_value, ScanOp scan_op) {
        const Values values(input, site_);
        exclusive_output = before(values, initial_value, scan_op);
        inclusive_output = scan_op(initial_value, fold(values, Warp::rank() + 1, scan_op));
    }

    SIMT_INLINE T Broadcast(T input, unsigned int src_lane) {
        const Values values(input, site_);
        return values[static_cast<int>(src_lane)];
    }

private:
    template <typename ScanOp>
    SIMT_INLINE static T fold(const Values& values, int count, ScanOp& scan_op) {
        T result = values[0];
        for (int i = 1; i < count; ++i) {
            if (values.has(i)) result = scan_op(result, values[i]);
        }
        return result;
    }
    template <typename ScanOp>
    SIMT_INLINE static T before(const Values& values, T initial_value, ScanOp& scan_op) {
        return Warp::rank() > 0 ? T(scan_op(initial_value, fold(values, Warp::rank(), scan_op))) : initial_value;
    }

    const ::simt::Site site_;
};

CUB_NAMESPACE_CLOSE
