// SPDX-License-Identifier: MIT
// Items move between the threads of a block.
#pragma once

#include "../util_type.cuh"

CUB_NAMESPACE_OPEN

template <typename T, int BLOCK_DIM_X, int BLOCK_DIM_Y = 1, int BLOCK_DIM_Z = 1, int = 0>
class BlockShuffle {
    static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z;

public:
    struct TempStorage {
        simt_parts::Slots<T, threads> items;
    };

    SIMT_INLINE BlockShuffle(::simt::Site site = ::simt::Site::here())
        : BlockShuffle(simt_parts::storage_of_block<TempStorage>(), site) {}
    SIMT_INLINE BlockShuffle(TempStorage& storage, ::simt::Site site = ::simt::Site::here())
        : storage_(storage), site_(site) {}

    /// Where there is no such thread, the output stays as it is.
    SIMT_INLINE void Offset(T input, T& output, int distance = 1) {
        const int source = share(input) + distance;
        if (source >= 0 && source < threads) output = storage_.items[source];
    }
    SIMT_INLINE void Rotate(T input, T& output, unsigned int distance = 1) {
        const int source = static_cast<int>((static_cast<unsigned>(share(input)) + distance) % threads);
        output = storage_.items[source];
    }

    template <int N>
    SIMT_INLINE void Up(T (&input)[N], T (&prev)[N]) {
        const int rank = share(input[N - 1]);
        for (int i = N - 1; i > 0; --i) prev[i] = input[i - 1];
        if (rank > 0) prev[0] = storage_.items[rank - 1];
    }
    template <int N>
    SIMT_INLINE void Up(T (&input)[N], T (&prev)[N], T& block_suffix) {
        Up(input, prev);
        block_suffix = storage_.items[threads - 1];
    }
    template <int N>
    SIMT_INLINE void Down(T (&input)[N], T (&prev)[N]) {
        const int rank = share(input[0]);
        for (int i = 0; i + 1 < N; ++i) prev[i] = input[i + 1];
        if (rank + 1 < threads) prev[N - 1] = storage_.items[rank + 1];
    }
    template <int N>
    SIMT_INLINE void Down(T (&input)[N], T (&prev)[N], T& block_prefix) {
        Down(input, prev);
        block_prefix = storage_.items[0];
    }

private:
    SIMT_INLINE int share(const T& item) {
        storage_.items.put(simt_parts::thread_rank(), item);
        ::__syncthreads(site_);
        return simt_parts::thread_rank();
    }

    TempStorage& storage_;
    const ::simt::Site site_;
};

CUB_NAMESPACE_CLOSE
