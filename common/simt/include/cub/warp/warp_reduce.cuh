// SPDX-License-Identifier: MIT
// Reductions over the threads of a logical warp. The result is in the first of its lanes, or of a segment's.
#pragma once

#include "../thread/thread_operators.cuh"

CUB_NAMESPACE_OPEN

template <typename T, int LOGICAL_WARP_THREADS = 32, int = 0>
class WarpReduce {
    using Warp = simt_parts::LogicalWarp<LOGICAL_WARP_THREADS>;

public:
    struct TempStorage {
        unsigned char unused;
    };

    SIMT_INLINE WarpReduce(TempStorage&, ::simt::Site site = ::simt::Site::here()) : site_(site) {}

    SIMT_INLINE T Sum(T input) { return Reduce(input, cub::Sum()); }
    SIMT_INLINE T Sum(T input, int valid_items) { return Reduce(input, cub::Sum(), valid_items); }
    SIMT_INLINE T Max(T input) { return Reduce(input, cub::Max()); }
    SIMT_INLINE T Min(T input) { return Reduce(input, cub::Min()); }

    template <typename ReductionOp>
    SIMT_INLINE T Reduce(T input, ReductionOp reduction_op) {
        return Reduce(input, reduction_op, LOGICAL_WARP_THREADS);
    }
    template <typename ReductionOp>
    SIMT_INLINE T Reduce(T input, ReductionOp reduction_op, int valid_items) {
        const simt_parts::LaneValues<T, LOGICAL_WARP_THREADS> values(input, site_);
        if (Warp::rank() != 0) return input;
        T result = input;
        for (int i = 1; i < LOGICAL_WARP_THREADS && i < valid_items; ++i) {
            if (values.has(i)) result = reduction_op(result, values[i]);
        }
        return result;
    }

    template <typename FlagT>
    SIMT_INLINE T HeadSegmentedSum(T input, FlagT head_flag) {
        return HeadSegmentedReduce(input, head_flag, cub::Sum());
    }
    template <typename FlagT>
    SIMT_INLINE T TailSegmentedSum(T input, FlagT tail_flag) {
        return TailSegmentedReduce(input, tail_flag, cub::Sum());
    }
    template <typename ReductionOp, typename FlagT>
    SIMT_INLINE T HeadSegmentedReduce(T input, FlagT head_flag, ReductionOp reduction_op) {
        const Flagged own{input, static_cast<bool>(head_flag)};
        const simt_parts::LaneValues<Flagged, LOGICAL_WARP_THREADS> values(own, site_);
        T result = input;
        for (int i = Warp::rank() + 1; i < LOGICAL_WARP_THREADS && values.has(i) && !values[i].flag; ++i)
            result = reduction_op(result, values[i].value);
        return result;
    }
    template <typename ReductionOp, typename FlagT>
    SIMT_INLINE T TailSegmentedReduce(T input, FlagT tail_flag, ReductionOp reduction_op) {
        const Flagged own{input, static_cast<bool>(tail_flag)};
        const simt_parts::LaneValues<Flagged, LOGICAL_WARP_THREADS> values(own, site_);
        T result = input;
        for (int i = Warp::rank() + 1; i < LOGICAL_WARP_THREADS && values.has(i) && !values[i - 1].flag; ++i)
            result = reduction_op(result, values[i].value);
        return result;
    }

private:
    struct Flagged {
        T value;
        bool flag;
    };

    const ::simt::Site site_;
};

CUB_NAMESPACE_CLOSE
