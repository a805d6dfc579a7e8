// SPDX-License-Identifier: MIT
// Prefixes over the threads of a block.
#pragma once

#include <type_traits>

#include "../thread/thread_scan.cuh"

CUB_NAMESPACE_OPEN

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <typename T, int BLOCK_DIM_X, BlockScanAlgorithm ALGORITHM = BLOCK_SCAN_RAKING, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int = 0>
class BlockScan {
    static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

public:
    struct TempStorage {
        simt_parts::Slots<T, threads> values;  ///< of each thread, then what precedes it
        simt_parts::Slots<T, 1> aggregate, prefix;
    };

    SIMT_INLINE BlockScan(::simt::Site site = ::simt::Site::here())
        : BlockScan(simt_parts::storage_of_block<TempStorage>(), site) {}
    SIMT_INLINE BlockScan(TempStorage& storage, ::simt::Site site = ::simt::Site::here())
        : storage_(storage), site_(site) {}

    // ---- sums: the remaining arguments are those of a scan

    template <typename Input, typename Output, typename... Results>
    SIMT_INLINE void ExclusiveSum(Input&& input, Output&& output, Results&&... results) {
        if constexpr ((is_result<Results> && ...)) {
            ExclusiveScan(input, output, T{}, cub::Sum(), results...);
        } else {
            ExclusiveScan(input, output, cub::Sum(), results...);
        }
    }
    template <typename Input, typename Output, typename... Results>
    SIMT_INLINE void InclusiveSum(Input&& input, Output&& output, Results&&... results) {
        InclusiveScan(input, output, cub::Sum(), results...);
    }

    // ---- one item of each thread

    /// Without an initial value, that of thread 0 is undefined.
    template <typename ScanOp>
    SIMT_INLINE void ExclusiveScan(T input, T& output, ScanOp scan_op) {
        scan(input, scan_op);
        if (simt_parts::thread_rank() > 0) output = preceding();
    }
    template <typename ScanOp>
    SIMT_INLINE void ExclusiveScan(T input, T& output, ScanOp scan_op, T& block_aggregate) {
        ExclusiveScan(input, output, scan_op);
        block_aggregate = storage_.aggregate[0];
    }
    template <typename ScanOp>
    SIMT_INLINE void ExclusiveScan(T input, T& output, T initial_value, ScanOp scan_op) {
        scan(input, scan_op);
        output = simt_parts::thread_rank() > 0 ? T(scan_op(initial_value, preceding())) : initial_value;
    }
    template <typename ScanOp>
    SIMT_INLINE void ExclusiveScan(T input, T& output, T initial_value, ScanOp scan_op, T& block_aggregate) {
        ExclusiveScan(input, output, initial_value, scan_op);
        block_aggregate = storage_.aggregate[0];
    }
    template <typename ScanOp, typename PrefixOp,
              typename = std::enable_if_t<!std::is_same_v<PrefixOp, T> && !std::is_convertible_v<ScanOp, T>>>
    SIMT_INLINE void ExclusiveScan(T input, T& output, ScanOp scan_op, PrefixOp& block_prefix_callback_op) {
        scan(input, scan_op);
        const T prefix = prefix_from(block_prefix_callback_op);
        output = simt_parts::thread_rank() > 0 ? T(scan_op(prefix, preceding())) : prefix;
    }

    template <typename ScanOp>
    SIMT_INLINE void InclusiveScan(T input, T& output, ScanOp scan_op) {
        scan(input, scan_op);
        output = simt_parts::thread_rank() > 0 ? T(scan_op(preceding(), input)) : input;
    }
    template <typename ScanOp>
    SIMT_INLINE void InclusiveScan(T input, T& output, ScanOp scan_op, T& block_aggregate) {
        InclusiveScan(input, output, scan_op);
        block_aggregate = storage_.aggregate[0];
    }
    template <typename ScanOp>
    SIMT_INLINE void InclusiveScan(T input, T& output, T initial_value, ScanOp scan_op) {
        InclusiveScan(input, output, scan_op);
        output = scan_op(initial_value, output);
    }
    template <typename ScanOp>
    SIMT_INLINE void InclusiveScan(T input, T& output, T initial_value, ScanOp scan_op, T& block_aggregate) {
        InclusiveScan(input, output, initial_value, scan_op);
        block_aggregate = storage_.aggregate[0];
    }
    template <typename ScanOp, typename PrefixOp,
              typename = std::enable_if_t<!std::is_same_v<PrefixOp, T> && !std::is_convertible_v<ScanOp, T>>>
    SIMT_INLINE void InclusiveScan(T input, T& output, ScanOp scan_op, PrefixOp& block_prefix_callback_op) {
        scan(input, scan_op);
        const T prefix = prefix_from(block_prefix_callback_op);
        const T own = simt_parts::thread_rank() > 0 ? T(scan_op(preceding(), input)) : input;
        output = scan_op(prefix, own);
    }

    // ---- several items of each thread, in blocked arrangement: the same over what each thread's items give

    template <int N, typename ScanOp>
    SIMT_INLINE void ExclusiveScan(T (&input)[N], T (&output)[N], ScanOp scan_op) {
        T before = input[0];
        ExclusiveScan(ThreadReduce(input, scan_op), before, scan_op);
        ThreadScanExclusive(input, output, scan_op, before, simt_parts::thread_rank() > 0);
    }
    template <int N, typename ScanOp>
    SIMT_INLINE void ExclusiveScan(T (&input)[N], T (&output)[N], ScanOp scan_op, T& block_aggregate) {
        ExclusiveScan(input, output, scan_op);
        block_aggregate = storage_.aggregate[0];
    }
    template <int N, typename ScanOp>
    SIMT_INLINE void ExclusiveScan(T (&input)[N], T (&output)[N], T initial_value, ScanOp scan_op) {
        T before = initial_value;
        ExclusiveScan(ThreadReduce(input, scan_op), before, initial_value, scan_op);
        ThreadScanExclusive(input, output, scan_op, before);
    }
    template <int N, typename ScanOp>
    SIMT_INLINE void ExclusiveScan(T (&input)[N], T (&output)[N], T initial_value, ScanOp scan_op, T& block_aggregate) {
        ExclusiveScan(input, output, initial_value, scan_op);
        block_aggregate = storage_.aggregate[0];
    }
    template <int N, typename ScanOp, typename PrefixOp,
              typename = std::enable_if_t<!std::is_same_v<PrefixOp, T> && !std::is_convertible_v<ScanOp, T>>>
    SIMT_INLINE void ExclusiveScan(T (&input)[N], T (&output)[N], ScanOp scan_op, PrefixOp& block_prefix_callback_op) {
        T before = input[0];
        ExclusiveScan(ThreadReduce(input, scan_op), before, scan_op, block_prefix_callback_op);
        ThreadScanExclusive(input, output, scan_op, before);
    }

    template <int N, typename ScanOp>
    SIMT_INLINE void InclusiveScan(T (&input)[N], T (&output)[N], ScanOp scan_op) {
        T before = input[0];
        ExclusiveScan(ThreadReduce(input, scan_op), before, scan_op);
        ThreadScanInclusive(input, output, scan_op, before, simt_parts::thread_rank() > 0);
    }
    template <int N, typename ScanOp>
    SIMT_INLINE void InclusiveScan(T (&input)[N], T (&output)[N], ScanOp scan_op, T& block_aggregate) {
        InclusiveScan(input, output, scan_op);
        block_aggregate = storage_.aggregate[0];
    }
    template <int N, typename ScanOp>
    SIMT_INLINE void InclusiveScan(T (&input)[N], T (&output)[N], T initial_value, ScanOp scan_op) {
        T before = initial_value;
        ExclusiveScan(ThreadReduce(input, scan_op), before, initial_value, scan_op);
        ThreadScanInclusive(input, output, scan_op, before);
    }
    template <int N, typename ScanOp>
    SIMT_INLINE void InclusiveScan(T (&input)[N], T (&output)[N], T initial_value, ScanOp scan_op, T& block_aggregate) {
        InclusiveScan(input, output, initial_value, scan_op);
        block_aggregate = storage_.aggregate[0];
    }
    template <int N, typename ScanOp, typename PrefixOp,
              typename = std::enable_if_t<!std::is_same_v<PrefixOp, T> && !std::is_convertible_v<ScanOp, T>>>
    SIMT_INLINE void InclusiveScan(T (&input)[N], T (&output)[N], ScanOp scan_op, PrefixOp& block_prefix_callback_op) {
        T before = input[0];
        ExclusiveScan(ThreadReduce(input, scan_op), before, scan_op, block_prefix_callback_op);
        ThreadScanInclusive(input, output, scan_op, before);
    }

private:
    /// Whether an argument takes the block's aggregate; otherwise it gives a prefix.
    template <typename Argument>
    static constexpr bool is_result = std::is_same_v<std::remove_reference_t<Argument>, T>;

    template <int N, typename ScanOp>
    SIMT_INLINE static T ThreadReduce(T (&input)[N], ScanOp scan_op) {
        T total = input[0];
        for (int i = 1; i < N; ++i) total = scan_op(total, input[i]);
        return total;
    }

    SIMT_INLINE T preceding() { return storage_.values[simt_parts::thread_rank()]; }

    /// Of all threads but 0, storage_.values becomes what precedes them.
    template <typename ScanOp>
    SIMT_INLINE void scan(const T& input, ScanOp& scan_op) {
        storage_.values.put(simt_parts::thread_rank(), input);
        ::__syncthreads(site_);
        if (simt_parts::thread_rank() == 0) {
            T total = storage_.values[0];
            for (int i = 1; i < threads; ++i) {
                const T next = scan_op(total, storage_.values[i]);
                storage_.values[i] = total;
                total = next;
            }
            storage_.aggregate.put(0, total);
        }
        ::__syncthreads(site_);
    }

    /// All lanes of the first warp call it, and what lane 0 gets counts.
    template <typename PrefixOp>
    SIMT_INLINE T prefix_from(PrefixOp& block_prefix_callback_op) {
        if (simt_parts::thread_rank() < 32) {
            const T prefix = block_prefix_callback_op(storage_.aggregate[0]);
            if (simt_parts::thread_rank() == 0) storage_.prefix.put(0, prefix);
        }
        ::__syncthreads(site_);
        return storage_.prefix[0];
    }

    TempStorage& storage_;
    const ::simt::Site site_;
};

CUB_NAMESPACE_CLOSE
