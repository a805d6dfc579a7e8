// SPDX-License-Identifier: MIT
// WMMA: products of matrices by a warp, in fragments that the lanes hold together.
//
// The elements lie in the lanes' registers as on GPUs since Ampere: in the layouts of PTX's mma (matrix_product.hpp), of
// which a fragment of 16 x 16 is one or two. A load or store is one access of each lane for every run of neighbors that
// it holds. How exact a product is says matrix_product.hpp.
#pragma once

#ifdef __CUDACC__

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "simt/matrix_product.hpp"
#include "simt/vector_copy.hpp"

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental
enum layout_t { mem_row_major, mem_col_major };

/// The float whose low 13 bits are zero that is nearest; ties go away from zero.
SIMT_INLINE float __float_to_tf32(float value) { return ::simt::matrix::to_tf32(value); }

}  // namespace wmma
}  // namespace nvcuda

// ---- what the types of elements are in memory and in registers

namespace simt {
namespace matrix {

/// The type that a fragment stores, the type of simt::matrix that it stands for, the bits of an element, and the type
/// of pointers to a matrix.
template <typename T>
struct WmmaElement {
    using Storage = T;
    using Type = T;
    using Memory = T;
    static constexpr unsigned bits = 8 * sizeof(T);
};
#define SIMT_WMMA_ELEMENT(T, Storage_, Type_, Memory_, bits_) \
    template <>                                               \
    struct WmmaElement<T> {                                   \
        using Storage = Storage_;                             \
        using Type = Type_;                                   \
        using Memory = Memory_;                               \
        static constexpr unsigned bits = bits_;               \
    };
SIMT_WMMA_ELEMENT(__half, __half, Half, __half, 16)
SIMT_WMMA_ELEMENT(__nv_bfloat16, __nv_bfloat16, Bfloat16, __nv_bfloat16, 16)
SIMT_WMMA_ELEMENT(nvcuda::wmma::precision::tf32, float, Tf32, float, 32)
SIMT_WMMA_ELEMENT(nvcuda::wmma::experimental::precision::u4, unsigned, Int4<false>, void, 4)
SIMT_WMMA_ELEMENT(nvcuda::wmma::experimental::precision::s4, int, Int4<true>, void, 4)
SIMT_WMMA_ELEMENT(nvcuda::wmma::experimental::precision::b1, unsigned, Bits32, void, 1)
#undef SIMT_WMMA_ELEMENT

/// Keeps a parameter out of the deduction of template arguments.
template <typename T>
struct NotDeduced {
    using type = T;
};

/// What fills a register with elements of this value.
template <unsigned bits, typename T>
SIMT_INLINE T repeated(T value) {
    if constexpr (bits == 4) return static_cast<T>((static_cast<unsigned>(value) & 15) * 0x11111111u);
    else if constexpr (bits == 1) return static_cast<T>(0 - (static_cast<unsigned>(value) & 1));
    else return value;
}

// ---- the layouts of fragments

/// A and B^T are cut into pieces of 16 or 8 rows, C into pieces of 16 x 8; one follows the other in a lane's registers.
template <unsigned rows, unsigned columns, unsigned packed>
struct WmmaLayoutA {
    static constexpr unsigned row_count = rows, column_count = columns, elements = rows * columns / 32;
    static SIMT_INLINE constexpr Position at(unsigned lane, unsigned i) {
        constexpr unsigned piece_rows = rows < 16 ? rows : 16;
        using Piece = LayoutA<piece_rows, columns, packed>;
        const Position in_piece = Piece::at(lane, i % Piece::elements);
        return {i / Piece::elements * piece_rows + in_piece.row, in_piece.column};
    }
};
template <typename Layout>
struct Transposed {
    static constexpr unsigned row_count = Layout::column_count, column_count = Layout::row_count,
                              elements = Layout::elements;
    static SIMT_INLINE constexpr Position at(unsigned lane, unsigned i) {
        const Position position = Layout::at(lane, i);
        return {position.column, position.row};
    }
};
template <unsigned rows, unsigned columns, unsigned packed>
struct WmmaLayoutB {
    static constexpr unsigned row_count = rows, column_count = columns, elements = rows * columns / 32;
    static SIMT_INLINE constexpr Position at(unsigned lane, unsigned i) {
        using Piece = LayoutB<rows, 8, packed>;
        const Position in_piece = Piece::at(lane, i % Piece::elements);
        return {in_piece.row, i / Piece::elements * 8 + in_piece.column};
    }
};
template <unsigned rows, unsigned columns>
struct WmmaLayoutC {
    static constexpr unsigned row_count = rows, column_count = columns, elements = rows * columns / 32;
    static SIMT_INLINE constexpr Position at(unsigned lane, unsigned i) {
        constexpr unsigned piece_rows = rows < 16 ? rows : 16, pieces_across = columns / 8;
        using Piece = LayoutC<piece_rows, 8>;
        const unsigned piece = i / Piece::elements;
        const Position in_piece = Piece::at(lane, i % Piece::elements);
        return {piece / pieces_across * piece_rows + in_piece.row, piece % pieces_across * 8 + in_piece.column};
    }
};

/// Elements of one bit are loaded and multiplied 32 at a time.
template <typename T>
constexpr unsigned steps_in_word(unsigned k) {
    return WmmaElement<T>::bits == 1 ? k / 32 : k;
}
/// How many neighbors along k share a register.
template <typename T>
constexpr unsigned packed_in_register() {
    constexpr unsigned bits = WmmaElement<T>::bits;
    return bits == 1 || bits >= 32 ? 1 : 32 / bits;
}

template <typename Use, unsigned m, unsigned n, unsigned k, typename T>
struct WmmaLayout;
template <unsigned m, unsigned n, unsigned k, typename T>
struct WmmaLayout<nvcuda::wmma::matrix_a, m, n, k, T> {
    using type = WmmaLayoutA<m, steps_in_word<T>(k), packed_in_register<T>()>;
};
template <unsigned m, unsigned n, unsigned k, typename T>
struct WmmaLayout<nvcuda::wmma::matrix_b, m, n, k, T> {
    using type = WmmaLayoutB<steps_in_word<T>(k), n, packed_in_register<T>()>;
};
template <unsigned m, unsigned n, unsigned k, typename T>
struct WmmaLayout<nvcuda::wmma::accumulator, m, n, k, T> {
    using type = WmmaLayoutC<m, n>;
};
// A product of 8 x 32 is made as that of the transposed matrices.
template <unsigned k, typename T>
struct WmmaLayout<nvcuda::wmma::matrix_b, 8, 32, k, T> {
    using type = Transposed<WmmaLayoutA<32, k, packed_in_register<T>()>>;
};
template <unsigned k, typename T>
struct WmmaLayout<nvcuda::wmma::accumulator, 8, 32, k, T> {
    using type = Transposed<WmmaLayoutC<32, 8>>;
};

/// Whether C has such fragments.
template <typename T>
constexpr bool has_wmma_shape(int m, int n, int k) {
    const bool is_wide = (m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32);
    switch (WmmaElement<T>::bits) {
        case 64: return m == 8 && n == 8 && k == 4;
        case 4: return m == 8 && n == 8 && k == 32;
        case 1: return m == 8 && n == 8 && k == 128;
        default: return is_wide && k == 16;
    }
}
template <>
constexpr bool has_wmma_shape<nvcuda::wmma::precision::tf32>(int m, int n, int k) {
    return m == 16 && n == 16 && k == 8;
}
template <>
constexpr bool has_wmma_shape<float>(int m, int n, int k) {
    return has_wmma_shape<__half>(m, n, k) || has_wmma_shape<nvcuda::wmma::precision::tf32>(m, n, k);
}
template <>
constexpr bool has_wmma_shape<int>(int m, int n, int k) {
    return has_wmma_shape<signed char>(m, n, k) || (m == 8 && n == 8 && (k == 32 || k == 128));
}

}  // namespace matrix
}  // namespace simt

namespace nvcuda {
namespace wmma {

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class __attribute__((aligned(8))) fragment {
    static_assert(::simt::matrix::has_wmma_shape<T>(m, n, k), "WMMA has no fragment of this shape and type");
    using Element = ::simt::matrix::WmmaElement<T>;

public:
    using simt_layout = typename ::simt::matrix::WmmaLayout<Use, m, n, k, T>::type;
    using simt_element = Element;
    static constexpr unsigned simt_packed = Element::bits < 8 ? 32 / Element::bits : 1;
    /// Factors of type __half take 16 registers in every shape: some elements are there more than once.
    static constexpr bool simt_is_factor_of_half =
        Element::bits == 16 && !__is_same(Use, accumulator) && __is_same(T, __half);

    using element_type = T;
    using storage_element_type = typename Element::Storage;
    enum {
        num_storage_elements = simt_is_factor_of_half ? 16
                               : Element::bits == 4   ? simt_layout::elements / 8
                                                      : simt_layout::elements,
        num_elements = num_storage_elements * simt_packed
    };
    storage_element_type x[num_storage_elements];
};

}  // namespace wmma
}  // namespace nvcuda

// ---- loads and stores

namespace simt {
namespace matrix {

/// The position of an element in memory, in elements.
template <typename Layout>
SIMT_INLINE constexpr size_t offset_in_memory(unsigned lane, unsigned i, bool is_row_major, size_t stride) {
    const Position at = Layout::at(lane, i);
    return is_row_major ? at.row * stride + at.column : at.column * stride + at.row;
}

/// How many elements, beginning with every multiple of that number, are neighbors in memory.
template <typename Layout>
constexpr unsigned run_length(bool is_row_major) {
    unsigned length = 1;
    for (unsigned next = 2; next <= Layout::elements; next *= 2) {
        for (unsigned i = 0; i + 1 < Layout::elements; ++i) {
            const bool is_inside = (i + 1) % next != 0;
            if (is_inside && offset_in_memory<Layout>(1, i + 1, is_row_major, 1024) !=
                                 offset_in_memory<Layout>(1, i, is_row_major, 1024) + 1)
                return length;
        }
        length = next;
    }
    return length;
}

}  // namespace matrix

inline namespace SIMT_FLAVOR {

/// Ends the kernel if a GPU could not access the matrix; in the checked flavor also if it is not aligned as CUDA
/// requires.
SIMT_INLINE void check_matrix(const void* matrix, size_t stride, size_t bytes_of_access) {
    const auto address = reinterpret_cast<size_t>(matrix);
    const size_t least = is_checked ? 32 : bytes_of_access, least_stride = is_checked ? 16 : bytes_of_access;
    if (address % least != 0 || stride % least_stride != 0) {
        fail_lane(
            "a WMMA matrix is not aligned: its address must be a multiple of 32 bytes, and its leading dimension "
            "one of 16 bytes");
    }
}

/// Loads what the lane holds of a matrix, with one access for each run of neighbors. `stride`: in elements.
template <typename Layout, unsigned bits, bool is_row_major>
SIMT_INLINE void load_fragment(void* registers, const void* matrix, size_t stride) {
    constexpr unsigned length = matrix::run_length<Layout>(is_row_major), bytes = length * bits / 8;
    using Word = typename VectorWord<bytes>::type;
    check_matrix(matrix, stride * bits / 8, bytes);
    const unsigned lane = lane_in_warp();
    for (unsigned i = 0; i < Layout::elements; i += length) {
        const size_t offset = matrix::offset_in_memory<Layout>(lane, i, is_row_major, stride) * bits / 8;
        const Word word = *reinterpret_cast<const Word*>(static_cast<const char*>(matrix) + offset);
        __builtin_memcpy(static_cast<char*>(registers) + i * bits / 8, &word, bytes);
    }
}
template <typename Layout, unsigned bits, bool is_row_major>
SIMT_INLINE void store_fragment(void* matrix, const void* registers, size_t stride) {
    constexpr unsigned length = matrix::run_length<Layout>(is_row_major), bytes = length * bits / 8;
    using Word = typename VectorWord<bytes>::type;
    check_matrix(matrix, stride * bits / 8, bytes);
    const unsigned lane = lane_in_warp();
    for (unsigned i = 0; i < Layout::elements; i += length) {
        const size_t offset = matrix::offset_in_memory<Layout>(lane, i, is_row_major, stride) * bits / 8;
        Word word;
        __builtin_memcpy(&word, static_cast<const char*>(registers) + i * bits / 8, bytes);
        *reinterpret_cast<Word*>(static_cast<char*>(matrix) + offset) = word;
    }
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

namespace nvcuda {
namespace wmma {

template <typename Use, int m, int n, int k, typename T, typename Layout>
SIMT_INLINE void fill_fragment(
    fragment<Use, m, n, k, T, Layout>& to,
    const typename ::simt::matrix::NotDeduced<typename fragment<Use, m, n, k, T, Layout>::storage_element_type>::type&
        value) {
    for (auto& element : to.x) element = ::simt::matrix::repeated<::simt::matrix::WmmaElement<T>::bits>(value);
}

/// All lanes of the warp load a matrix together. `stride`: the distance between rows, or columns, in elements.
template <typename Use, int m, int n, int k, typename T, typename Layout>
SIMT_INLINE void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& to,
                                  const typename ::simt::matrix::WmmaElement<T>::Memory* matrix, unsigned stride,
                                  ::simt::Site site = ::simt::Site::here()) {
    using Fragment = fragment<Use, m, n, k, T, Layout>;
    using Elements = typename Fragment::simt_layout;
    constexpr unsigned bits = ::simt::matrix::WmmaElement<T>::bits == 1 ? 32 : ::simt::matrix::WmmaElement<T>::bits;
    ::simt::meet_for_matrix(site);
    ::simt::load_fragment<Elements, bits, __is_same(Layout, row_major)>(to.x, matrix,
                                                                        ::simt::matrix::steps_in_word<T>(stride));
    // Registers that hold elements again.
    for (unsigned i = Elements::elements; i < Fragment::num_elements && Fragment::simt_is_factor_of_half; ++i)
        to.x[i] = to.x[i - Elements::elements];
}
template <int m, int n, int k, typename T>
SIMT_INLINE void load_matrix_sync(fragment<accumulator, m, n, k, T>& to, const T* matrix, unsigned stride,
                                  layout_t layout, ::simt::Site site = ::simt::Site::here()) {
    using Elements = typename fragment<accumulator, m, n, k, T>::simt_layout;
    ::simt::meet_for_matrix(site);
    if (layout == mem_row_major) ::simt::load_fragment<Elements, 8 * sizeof(T), true>(to.x, matrix, stride);
    else ::simt::load_fragment<Elements, 8 * sizeof(T), false>(to.x, matrix, stride);
}
template <int m, int n, int k, typename T>
SIMT_INLINE void store_matrix_sync(T* matrix, const fragment<accumulator, m, n, k, T>& from, unsigned stride,
                                   layout_t layout, ::simt::Site site = ::simt::Site::here()) {
    using Elements = typename fragment<accumulator, m, n, k, T>::simt_layout;
    ::simt::meet_for_matrix(site);
    if (layout == mem_row_major) ::simt::store_fragment<Elements, 8 * sizeof(T), true>(matrix, from.x, stride);
    else ::simt::store_fragment<Elements, 8 * sizeof(T), false>(matrix, from.x, stride);
}

}  // namespace wmma
}  // namespace nvcuda

// ---- products

namespace simt {
namespace matrix {

/// The product of fragments; D is of type TD.
template <typename A, typename B, typename C, typename TD, typename Operation = MultiplyAdd, bool saturates = false>
using WmmaProduct = Product<typename A::simt_layout, typename A::simt_element::Type, typename B::simt_layout,
                            typename B::simt_element::Type, typename C::simt_layout, typename C::simt_element::Type,
                            typename WmmaElement<TD>::Type, Operation, saturates>;

}  // namespace matrix
}  // namespace simt

namespace nvcuda {
namespace wmma {

/// d = a b + c by all lanes of the warp. With `saturates`, integers stop at their limits instead of wrapping.
template <int m, int n, int k, typename TA, typename LayoutA, typename TB, typename LayoutB, typename TC, typename TD>
SIMT_INLINE void mma_sync(fragment<accumulator, m, n, k, TD>& d, const fragment<matrix_a, m, n, k, TA, LayoutA>& a,
                          const fragment<matrix_b, m, n, k, TB, LayoutB>& b,
                          const fragment<accumulator, m, n, k, TC>& c, bool saturates = false,
                          ::simt::Site site = ::simt::Site::here()) {
    static_assert(__is_same(TA, TB), "WMMA multiplies factors of one type");
    using A = fragment<matrix_a, m, n, k, TA, LayoutA>;
    using B = fragment<matrix_b, m, n, k, TB, LayoutB>;
    using C = fragment<accumulator, m, n, k, TC>;
    using ::simt::matrix::MultiplyAdd;
    using ::simt::matrix::WmmaProduct;
    if constexpr (__is_same(TD, int)) {
        if (saturates)
            return ::simt::multiply_in_warp<WmmaProduct<A, B, C, TD, MultiplyAdd, true>>(a.x, b.x, c.x, d.x, site);
    }
    ::simt::multiply_in_warp<WmmaProduct<A, B, C, TD>>(a.x, b.x, c.x, d.x, site);
}

/// The same for single bits: adds the number of places where both factors' bits are set, or where they differ.
template <int m, int n, int k, typename T>
SIMT_INLINE void bmma_sync(fragment<accumulator, m, n, k, int>& d, const fragment<matrix_a, m, n, k, T, row_major>& a,
                           const fragment<matrix_b, m, n, k, T, col_major>& b,
                           const fragment<accumulator, m, n, k, int>& c,
                           experimental::bmmaBitOp operation = experimental::bmmaBitOpXOR,
                           experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC,
                           ::simt::Site site = ::simt::Site::here()) {
    using A = fragment<matrix_a, m, n, k, T, row_major>;
    using B = fragment<matrix_b, m, n, k, T, col_major>;
    using C = fragment<accumulator, m, n, k, int>;
    using ::simt::matrix::AndPopc;
    using ::simt::matrix::WmmaProduct;
    using ::simt::matrix::XorPopc;
    if (operation == experimental::bmmaBitOpAND)
        ::simt::multiply_in_warp<WmmaProduct<A, B, C, int, AndPopc>>(a.x, b.x, c.x, d.x, site);
    else ::simt::multiply_in_warp<WmmaProduct<A, B, C, int, XorPopc>>(a.x, b.x, c.x, d.x, site);
}

}  // namespace wmma
}  // namespace nvcuda

#endif
