#pragma once
// What the kernels for thin products share. They wait for memory, which gives all it has only to aligned accesses of 16
// bytes, but rows begin anywhere: so a row is read in the aligned pieces that cover it, and rows whose first elements
// lie at the same place in a piece, every second, fourth or eighth, are a class: a block or a lane works on rows of one
// class only, and its elements line up.
#include "common/cuda/last_block.cuh"
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

/// Shared memory of a block, in sums.
template <typename T>
constexpr int thin_shared_sums = 32 * 1024 / sizeof(SumOf<T>);

/// How many classes there are of rows with so many elements.
template <typename T>
constexpr unsigned row_classes(size_t row_elements) {
    unsigned classes = 1;
    for (size_t elements = row_elements; elements % piece_length<T> != 0; elements *= 2) classes *= 2;
    return classes;
}

/// The power of two, at most 32, of lanes that cover so many pieces.
constexpr unsigned lanes_for(size_t pieces) {
    unsigned lanes = 1;
    while (lanes < lanes_per_warp && lanes < pieces) lanes *= 2;
    return lanes;
}

/// Calls launch(width) with the least of 1, 2, 4 and 8 rows or columns, as a type, that `count` of them fit.
template <typename Launch>
LaunchShape with_width(size_t count, Launch launch) {
    switch (lanes_for(count)) {
        case 1: return launch(std::integral_constant<int, 1>{});
        case 2: return launch(std::integral_constant<int, 2>{});
        case 4: return launch(std::integral_constant<int, 4>{});
        default: return launch(std::integral_constant<int, 8>{});
    }
}

/// A piece as it comes from memory. (Structures of 16-bit elements would be moved element by element.)
using RawPiece = uint4;
template <int count>
using Pieces = RawPiece[count];

/// Starts loading the piece at element `first` of a matrix whose whole pieces end before element `end`. One that is not
/// whole is not read: see reload_last(). There are no branches, so that loads follow each other without waiting.
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

/// Makes a piece what it should have been if it is the matrix's last and not whole; zeros beyond the matrix.
template <typename T>
__device__ inline void reload_last(RawPiece& piece, const T* matrix, size_t first, size_t elements) {
    if (first + piece_length<T> <= elements) return;
#pragma unroll
    for (int e = 0; e < piece_length<T>; ++e)
        set_element(piece, e, first + e < elements ? matrix[first + e] : static_cast<T>(0.0f));
}

/// Sums in shared memory for one piece of T are read as one or two vectors of sums. Lanes that read neighbouring pieces
/// must not meet in a bank: all first vectors come first, then all second ones. Where the sum for element `e` of piece
/// `piece` of `pieces` is.
template <typename T>
__device__ inline int staged_place(int piece, int e, int pieces) {
    constexpr int length = Vector<SumOf<T>>::length;
    return (e / length * pieces + piece) * length + e % length;
}

/// Part number `part` of the sums for a piece.
template <typename T>
__device__ inline Vector<SumOf<T>> staged_part(const SumOf<T>* staged, int piece, int part, int pieces) {
    return reinterpret_cast<const Vector<SumOf<T>>*>(staged)[part * pieces + piece];
}
template <typename T>
constexpr int staged_parts = piece_length<T> / Vector<SumOf<T>>::length;

/// Shares of k whose sums are added by the block that finishes last. `d_sums` has room for all, `d_tickets` is zero
/// between launches.
template <typename Sum>
struct ThinShares {
    Sum* d_sums = nullptr;
    unsigned* d_tickets = nullptr;
};

/// By all threads of a block, after they have written its share's sums: whether it is the last of `shares` blocks with
/// this ticket. The last one then sees what all have written.
__device__ inline bool is_last_share(unsigned* ticket, unsigned shares) {
    __syncthreads();  // all threads have written
    return is_last_block(ticket, shares);
}

/// The sums from number `index` on, as many as fit a piece, of all shares, which lie `stride` apart; both are multiples
/// of as many.
template <typename Sum>
__device__ inline Vector<Sum> add_shares(const Sum* d_sums, size_t index, size_t stride, unsigned shares) {
    constexpr unsigned at_once = 8;  // on their way
    Vector<Sum> total = {};
    for (unsigned first = 0; first < shares; first += at_once) {
        RawPiece loaded[at_once];
#pragma unroll
        for (unsigned i = 0; i < at_once; ++i) {
            const unsigned share = first + i < shares ? first + i : shares - 1;
            loaded[i] = __ldcg(reinterpret_cast<const RawPiece*>(d_sums + share * stride + index));
        }
#pragma unroll
        for (unsigned i = 0; i < at_once; ++i) {
            if (first + i >= shares) break;
#pragma unroll
            for (int e = 0; e < piece_length<Sum>; ++e) total.values[e] += element_of<Sum>(loaded[i], e);
        }
    }
    return total;
}

/// Where there is no element.
constexpr size_t no_element = ~size_t{0};

/// Copies elements to sums in shared memory by all threads of a block, some on their way at once. place(i) is where
/// number `i` of `count` goes, index(i) where it comes from in `source`, or no_element for zero.
template <typename T, typename Index, typename Place>
__device__ inline void stage_elements(const T* source, SumOf<T>* staged, unsigned count, Index index, Place place) {
    constexpr unsigned at_once = 8;
    const auto store = [&](unsigned number, size_t from, T element) {
        staged[place(number)] = from != no_element ? static_cast<SumOf<T>>(element) : SumOf<T>(0);
    };
    unsigned first = threadIdx.x;
    for (; first + (at_once - 1) * thin_block < count; first += at_once * thin_block) {
        T loaded[at_once];
        size_t from[at_once];
#pragma unroll
        for (unsigned i = 0; i < at_once; ++i) {
            from[i] = index(first + i * thin_block);
            loaded[i] = source[from[i] != no_element ? from[i] : 0];
        }
#pragma unroll
        for (unsigned i = 0; i < at_once; ++i) store(first + i * thin_block, from[i], loaded[i]);
    }
    for (; first < count; first += thin_block) {
        const size_t from = index(first);
        store(first, from, source[from != no_element ? from : 0]);
    }
}

}  // namespace BACKEND
