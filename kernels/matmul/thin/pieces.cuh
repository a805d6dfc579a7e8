// SPDX-License-Identifier: MIT
#pragma once
// What the kernels for thin products share. They are bound by memory, which reaches its full bandwidth with aligned
// 16-byte accesses, or with many smaller ones in flight (few rows, one column), but rows begin anywhere. With few
// columns or steps, a row is accessed in the aligned pieces that cover it. Rows whose first elements lie at the same
// place in a piece (every second, fourth or eighth) form a class; a block or a lane works on rows of one class only, so
// that its elements line up.
#include "common/cuda/arrivals.cuh"
#include "common/cuda/launch_shape.cuh"
#include "common/cuda/vector_access.cuh"

#include <cuda_runtime.h>

#include <cstddef>
#include <type_traits>

namespace BACKEND {

/// The type of sums of T.
template <typename T>
using SumOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T>
constexpr int piece_length = Vector<T>::length;

constexpr int thin_block = 256, thin_warps = thin_block / lanes_per_warp;

/// How many loads a thread has in flight where it stages elements or adds the sums of shares.
constexpr unsigned thin_in_flight = 8;

/// How many sums fit into a block's shared memory.
template <typename T>
constexpr int thin_shared_sums = 32 * 1024 / sizeof(SumOf<T>);

/// How many classes there are if rows have `row_elements` elements, and a piece `length`, a power of two.
constexpr unsigned row_classes(size_t row_elements, unsigned length) {
    unsigned classes = 1;
    for (size_t elements = row_elements; elements % length != 0; elements *= 2) classes *= 2;
    return classes;
}
template <typename T>
constexpr unsigned row_classes(size_t row_elements) {
    return row_classes(row_elements, piece_length<T>);
}

/// The least power of two of lanes, at most 32, that covers `pieces` pieces.
constexpr unsigned lanes_for(size_t pieces) {
    unsigned lanes = 1;
    while (lanes < lanes_per_warp && lanes < pieces) lanes *= 2;
    return lanes;
}

/// Calls launch(width); width is an integral_constant: the least of 1, 2, 4 and 8 that holds `count` rows or columns.
template <typename Launch>
LaunchShape with_width(size_t count, Launch launch) {
    switch (lanes_for(count)) {
        case 1: return launch(std::integral_constant<int, 1>{});
        case 2: return launch(std::integral_constant<int, 2>{});
        case 4: return launch(std::integral_constant<int, 4>{});
        default: return launch(std::integral_constant<int, 8>{});
    }
}

/// A piece as loaded from memory. (Structures of 16-bit elements would be moved element by element.)
using RawPiece = uint4;
template <int count>
using Pieces = RawPiece[count];

/// Starts loading the piece at element `first` of a matrix whose whole pieces end before element `end`. A piece that is
/// not whole is not read: see reload_last(). There is no branch, so that consecutive loads do not wait for each other.
template <typename T>
__device__ inline RawPiece load_piece(const T* matrix, size_t first, size_t end) {
    return *reinterpret_cast<const RawPiece*>(matrix + (first < end ? first : 0));
}

template <typename T>
__device__ inline T element_of(const RawPiece& piece, int e) {
    return reinterpret_cast<const Vector<T>&>(piece).values[e];
}

template <typename T>
__device__ inline void set_element(RawPiece& piece, int e, T value) {
    reinterpret_cast<Vector<T>&>(piece).values[e] = value;
}

/// Loads the piece again, element by element, if it is the matrix's last and not whole; zeros beyond the matrix.
template <typename T>
__device__ inline void reload_last(RawPiece& piece, const T* matrix, size_t first, size_t elements) {
    if (first + piece_length<T> <= elements) return;
#pragma unroll
    for (int e = 0; e < piece_length<T>; ++e)
        set_element(piece, e, first + e < elements ? matrix[first + e] : static_cast<T>(0.0f));
}

/// Where element `e` of piece `piece` of `pieces` is staged in shared memory, converted to the type of sums. A piece is
/// read as one or more vectors (parts) of that type. All first parts come first, then all second ones, and so on, so
/// that lanes which read neighboring pieces use different banks.
template <typename T>
__device__ inline int staged_place(int piece, int e, int pieces) {
    constexpr int length = Vector<SumOf<T>>::length;
    return (e / length * pieces + piece) * length + e % length;
}

/// Part `part` of a staged piece.
template <typename T>
__device__ inline Vector<SumOf<T>> staged_part(const SumOf<T>* staged, int piece, int part, int pieces) {
    return reinterpret_cast<const Vector<SumOf<T>>*>(staged)[part * pieces + piece];
}
template <typename T>
constexpr int staged_parts = piece_length<T> / Vector<SumOf<T>>::length;

/// If blocks share k, the one that finishes last adds the shares' sums. `d_sums` has room for all of them; `d_tickets`
/// is zero between launches.
template <typename Sum>
struct ThinShares {
    Sum* d_sums = nullptr;
    unsigned* d_tickets = nullptr;
};

/// Called by all threads of a block after they have written its share's sums: whether it is the last of `shares` blocks
/// with this ticket. The last block sees what all of them have written.
__device__ inline bool is_last_share(unsigned* ticket, unsigned shares) {
    __syncthreads();  // all threads have written
    return is_last_block(ticket, shares);
}

/// How many threads of a block add the shares of one vector of sums, if there are `vectors`.
__host__ __device__ constexpr unsigned adding_threads(unsigned vectors, unsigned shares) {
    const unsigned threads = vectors < thin_block ? thin_block / vectors : 1;
    return threads < shares ? threads : shares;
}

/// Called by all threads of the last block: adds the sums of all shares, `outputs` each (a multiple of a vector's
/// length), and calls store(index of a vector's first sum, the vector). `staged` is shared memory that nobody uses.
template <typename Sum, typename Store>
__device__ inline void add_shares(const Sum* d_sums, unsigned outputs, unsigned shares, Sum* staged, Store store) {
    constexpr unsigned at_once = thin_in_flight, length = piece_length<Sum>;
    const unsigned vectors = outputs / length, threads = adding_threads(vectors, shares);
    const auto add = [&](Vector<Sum>& total, const Vector<Sum>& more) {
#pragma unroll
        for (unsigned e = 0; e < length; ++e) total.values[e] += more.values[e];
    };
    const unsigned first_share = threads > 1 ? threadIdx.x / vectors : 0;
    for (unsigned vector = threadIdx.x - first_share * vectors; vector < vectors; vector += thin_block) {
        if (first_share >= threads) break;
        Vector<Sum> total = {};
        for (unsigned first = first_share; first < shares; first += at_once * threads) {
            Vector<Sum> loaded[at_once];
#pragma unroll
            for (unsigned i = 0; i < at_once; ++i) {
                const unsigned share = first + i * threads < shares ? first + i * threads : first;
                const RawPiece piece =
                    __ldcg(reinterpret_cast<const RawPiece*>(d_sums + size_t{share} * outputs) + vector);
                loaded[i] = reinterpret_cast<const Vector<Sum>&>(piece);
            }
#pragma unroll
            for (unsigned i = 0; i < at_once; ++i)
                if (first + i * threads < shares) add(total, loaded[i]);
        }
        if (threads == 1) store(vector * length, total);
        else reinterpret_cast<Vector<Sum>*>(staged)[threadIdx.x] = total;
    }
    if (threads == 1) return;
    __syncthreads();  // every thread's part is in shared memory
    if (threadIdx.x >= vectors) return;
    Vector<Sum> total = {};
    for (unsigned thread = 0; thread < threads; ++thread)
        add(total, reinterpret_cast<const Vector<Sum>*>(staged)[thread * vectors + threadIdx.x]);
    store(threadIdx.x * length, total);
}

/// The extents of a product whose grid follows from them.
struct SmallPlan {
    unsigned m = 0, n = 0, k = 0;
};

/// The index of an element that does not exist.
constexpr size_t no_element = ~size_t{0};

/// Copies `count` elements to shared memory, converted to the type of sums, with all `threads` of a block and several
/// loads in flight per thread. Element i goes to staged[place(i)] and comes from source[index(i)]; zero for no_element.
template <typename T, typename Index, typename Place>
__device__ inline void stage_elements(const T* source, SumOf<T>* staged, unsigned count, Index index, Place place,
                                      unsigned threads = thin_block) {
    constexpr unsigned at_once = thin_in_flight;
    const auto store = [&](unsigned number, size_t from, T element) {
        staged[place(number)] = from != no_element ? static_cast<SumOf<T>>(element) : SumOf<T>(0);
    };
    unsigned first = threadIdx.x;
    for (; first + (at_once - 1) * threads < count; first += at_once * threads) {
        T loaded[at_once];
        size_t from[at_once];
#pragma unroll
        for (unsigned i = 0; i < at_once; ++i) {
            from[i] = index(first + i * threads);
            loaded[i] = source[from[i] != no_element ? from[i] : 0];
        }
#pragma unroll
        for (unsigned i = 0; i < at_once; ++i) store(first + i * threads, from[i], loaded[i]);
    }
    for (; first < count; first += threads) {
        const size_t from = index(first);
        store(first, from, source[from != no_element ? from : 0]);
    }
}

}  // namespace BACKEND
