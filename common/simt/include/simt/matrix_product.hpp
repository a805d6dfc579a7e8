// SPDX-License-Identifier: MIT
// Products of small matrices by a warp, as tensor cores make them: what WMMA (mma.h) and PTX's mma share.
//
// Each lane holds some elements of the matrices in registers. A layout says which. The lanes meet and tell each other
// where their registers are. Then the first to go on makes the whole product and writes every lane's results.
//
// D = A B + C is exact to the last step: the products of f16, bf16, tf32 and 8-bit factors have no rounding error, and
// the sum is made in double (of integers: in 64 bits), C first, then the products in the order of k. It is rounded once,
// to the nearest number of D's type. Products of doubles are accumulated by fused multiply-adds in the order of k.
#pragma once

#include <math.h>

#include "simt/small_float.hpp"
#include "simt/warp.hpp"

namespace simt {
namespace matrix {

// ---- elements

// For each type of element: the type to calculate in, and how element i is read from registers and written to them.

/// The types of elements that are no types of C++.
struct Tf32 {};
template <bool is_signed>
struct Int4 {};
struct Bits32 {};  ///< 32 elements of one bit
struct Half {};
struct Bfloat16 {};

/// A factor whose products are not rounded by themselves.
struct Fused {
    double value;
    Fused() = default;
    SIMT_INLINE Fused(double of) : value(of) {}
};

template <typename T>
SIMT_INLINE T element_at(const void* registers, unsigned i) {
    T value;
    __builtin_memcpy(&value, static_cast<const char*>(registers) + i * sizeof value, sizeof value);
    return value;
}
template <typename T>
SIMT_INLINE void set_element(void* registers, unsigned i, T value) {
    __builtin_memcpy(static_cast<char*>(registers) + i * sizeof value, &value, sizeof value);
}

/// A NaN from a tensor core has all bits but the sign set.
SIMT_INLINE float to_float(double value) {
    return value != value ? reinterpret_bits<float>(0x7fffffffu) : static_cast<float>(value);
}
/// The nearest float whose low 13 bits are zero; ties go away from zero.
SIMT_INLINE float to_tf32(float value) {
    const auto bits = reinterpret_bits<unsigned>(value);
    if ((bits & 0x7f800000) == 0x7f800000) return bits << 9 ? reinterpret_bits<float>(0x7fffffffu) : value;
    return reinterpret_bits<float>((bits + 0x1000) & ~0x1fffu);
}
SIMT_INLINE int to_int(long long value, bool saturates) {
    if (saturates && value > 0x7fffffff) return 0x7fffffff;
    if (saturates && value < -0x7fffffff - 1) return -0x7fffffff - 1;
    return static_cast<int>(value);
}

template <typename T>
struct Element;
template <>
struct Element<Half> {
    using Number = double;
    static SIMT_INLINE double get(const void* x, unsigned i) {
        return widen<HalfFormat>(element_at<unsigned short>(x, i));
    }
    static SIMT_INLINE void set(void* x, unsigned i, double value, bool) {
        set_element(x, i, narrow<HalfFormat, Rounding::nearest>(value));
    }
};
template <>
struct Element<Bfloat16> {
    using Number = double;
    static SIMT_INLINE double get(const void* x, unsigned i) {
        return widen<Bfloat16Format>(element_at<unsigned short>(x, i));
    }
};
/// The low 13 bits of a float are ignored.
template <>
struct Element<Tf32> {
    using Number = double;
    static SIMT_INLINE double get(const void* x, unsigned i) {
        return reinterpret_bits<float>(element_at<unsigned>(x, i) & ~0x1fffu);
    }
};
template <>
struct Element<float> {
    static SIMT_INLINE double get(const void* x, unsigned i) { return element_at<float>(x, i); }
    static SIMT_INLINE void set(void* x, unsigned i, double value, bool) { set_element(x, i, to_float(value)); }
};
template <>
struct Element<double> {
    using Number = Fused;
    static SIMT_INLINE double get(const void* x, unsigned i) { return element_at<double>(x, i); }
    static SIMT_INLINE void set(void* x, unsigned i, double value, bool) { set_element(x, i, value); }
};
template <>
struct Element<signed char> {
    using Number = int;
    static SIMT_INLINE int get(const void* x, unsigned i) { return element_at<signed char>(x, i); }
};
template <>
struct Element<unsigned char> {
    using Number = int;
    static SIMT_INLINE int get(const void* x, unsigned i) { return element_at<unsigned char>(x, i); }
};
template <bool is_signed>
struct Element<Int4<is_signed>> {
    using Number = int;
    static SIMT_INLINE int get(const void* x, unsigned i) {
        const int digit = element_at<unsigned char>(x, i / 2) >> i % 2 * 4 & 15;
        return is_signed ? (digit ^ 8) - 8 : digit;
    }
};
template <>
struct Element<Bits32> {
    using Number = unsigned;
    static SIMT_INLINE unsigned get(const void* x, unsigned i) { return element_at<unsigned>(x, i); }
};
template <>
struct Element<int> {
    static SIMT_INLINE long long get(const void* x, unsigned i) { return element_at<int>(x, i); }
    static SIMT_INLINE void set(void* x, unsigned i, long long value, bool saturates) {
        set_element(x, i, to_int(value, saturates));
    }
};

/// What the sums of a product are made in, by the type of D.
template <typename T>
struct SumOf {
    using type = double;
};
template <>
struct SumOf<int> {
    using type = long long;
};

// ---- layouts

/// An element's row and column in the matrix, counted from 0.
struct Position {
    unsigned row, column;
};

// The layouts of PTX's mma. Eight groups of four lanes share the rows of A, the columns of B and the rows of C; the
// lanes of a group share the steps along k. A register of A or B holds `packed` neighbors along k.

template <unsigned rows, unsigned columns, unsigned packed>
struct LayoutA {
    static constexpr unsigned row_count = rows, column_count = columns, elements = rows * columns / 32;
    static SIMT_INLINE constexpr Position at(unsigned lane, unsigned i) {
        constexpr unsigned halves = rows / 8;
        const unsigned register_ = i / packed;
        return {lane / 4 + register_ % halves * 8, (register_ / halves * 4 + lane % 4) * packed + i % packed};
    }
};
template <unsigned rows, unsigned columns, unsigned packed>
struct LayoutB {
    static constexpr unsigned row_count = rows, column_count = columns, elements = rows * columns / 32;
    static SIMT_INLINE constexpr Position at(unsigned lane, unsigned i) {
        return {(i / packed * 4 + lane % 4) * packed + i % packed, lane / 4};
    }
};
template <unsigned rows, unsigned columns>
struct LayoutC {
    static constexpr unsigned row_count = rows, column_count = columns, elements = rows * columns / 32;
    static SIMT_INLINE constexpr Position at(unsigned lane, unsigned i) {
        return {lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2};
    }
};

/// The elements of all lanes as one matrix.
template <typename Layout, typename T, unsigned rows, unsigned columns, typename Number>
SIMT_INLINE void gather(void* const* registers, Number (&matrix)[rows][columns]) {
    for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned i = 0; i < Layout::elements; ++i) {
            const Position at = Layout::at(lane, i);
            matrix[at.row][at.column] = Element<T>::get(registers[lane], i);
        }
    }
}
template <typename Layout, typename T, unsigned rows, unsigned columns, typename Number>
SIMT_INLINE void scatter(void* const* registers, const Number (&matrix)[rows][columns], bool saturates) {
    for (unsigned lane = 0; lane < 32; ++lane) {
        for (unsigned i = 0; i < Layout::elements; ++i) {
            const Position at = Layout::at(lane, i);
            Element<T>::set(registers[lane], i, matrix[at.row][at.column], saturates);
        }
    }
}

// ---- the product

/// How two elements are combined, and the result added to a sum.
struct MultiplyAdd {
    static SIMT_INLINE void add(double& sum, double a, double b) { sum += a * b; }  // an exact product
    static SIMT_INLINE void add(double& sum, Fused a, Fused b) { sum = fma(a.value, b.value, sum); }
    static SIMT_INLINE void add(long long& sum, int a, int b) { sum += a * b; }
};
/// For single bits: the number of places where both are set, or where they differ.
struct AndPopc {
    static SIMT_INLINE void add(long long& sum, unsigned a, unsigned b) { sum += __builtin_popcount(a & b); }
};
struct XorPopc {
    static SIMT_INLINE void add(long long& sum, unsigned a, unsigned b) { sum += __builtin_popcount(a ^ b); }
};

/// A product's types and layouts. D has C's layout.
template <typename LayoutOfA, typename TypeOfA, typename LayoutOfB, typename TypeOfB, typename LayoutOfC,
          typename TypeOfC, typename TypeOfD, typename Operation = MultiplyAdd, bool saturates_ = false>
struct Product {
    using A = LayoutOfA;
    using B = LayoutOfB;
    using C = LayoutOfC;
    using ElementA = TypeOfA;
    using ElementB = TypeOfB;
    using ElementC = TypeOfC;
    using ElementD = TypeOfD;
    using Combine = Operation;
    static constexpr bool saturates = saturates_;
    static_assert(A::column_count == B::row_count && A::row_count == C::row_count && B::column_count == C::column_count,
                  "the shapes of a matrix product do not fit");
};

/// Where a lane keeps its registers.
struct Operands {
    const void *a, *b, *c;
    void* d;
};

}  // namespace matrix

inline namespace SIMT_FLAVOR {

/// Makes the product for all lanes.
template <typename Product>
SIMT_UNCHECKED void multiply_for_all(const unsigned long long* lanes) {
    using namespace matrix;
    constexpr unsigned m = Product::A::row_count, k = Product::A::column_count, n = Product::B::column_count;
    void* registers[4][32];
    for (unsigned lane = 0; lane < 32; ++lane) {
        const Operands& of = *reinterpret_cast<const Operands*>(lanes[lane]);
        registers[0][lane] = const_cast<void*>(of.a);
        registers[1][lane] = const_cast<void*>(of.b);
        registers[2][lane] = const_cast<void*>(of.c);
        registers[3][lane] = of.d;
    }
    typename Element<typename Product::ElementA>::Number a[m][k];
    typename Element<typename Product::ElementB>::Number b[k][n];
    gather<typename Product::A, typename Product::ElementA>(registers[0], a);
    gather<typename Product::B, typename Product::ElementB>(registers[1], b);
    typename SumOf<typename Product::ElementD>::type sums[m][n];
    gather<typename Product::C, typename Product::ElementC>(registers[2], sums);
    for (unsigned row = 0; row < m; ++row)
        for (unsigned step = 0; step < k; ++step)
            for (unsigned column = 0; column < n; ++column)
                Product::Combine::add(sums[row][column], a[row][step], b[step][column]);
    scatter<typename Product::C, typename Product::ElementD>(registers[3], sums, Product::saturates);
}

/// The lanes of a warp wait for each other before they load or store a matrix together.
SIMT_INLINE void meet_for_matrix(Site site) { exchange(every_lane, 0, site, check::Wait::matrix); }

/// Every lane of the warp calls this with its registers; afterwards d holds its part of A B + C. d may be c.
template <typename Product>
SIMT_UNCHECKED void multiply_in_warp(const void* a, const void* b, const void* c, void* d, Site site) {
    const matrix::Operands own = {a, b, c, d};
    exchange(every_lane, reinterpret_cast<unsigned long long>(&own), site, check::Wait::matrix);
    Exchange* const published = current_warp->published;
    if (published->present != every_lane) fail_lane("a product of matrices takes all 32 lanes of a warp");
    if (published->values[current_lane->lane] == 0) return;  // another lane has made the product
    multiply_for_all<Product>(published->values);
    for (unsigned long long& value : published->values) value = 0;
}

// ---- 8 x 8 matrices of 16 bits, as ldmatrix and stmatrix move them

/// Every lane's value, by lane.
SIMT_UNCHECKED void all_values(unsigned long long (&values)[32], unsigned long long own, Site site) {
    const unsigned long long* given = exchange(every_lane, own, site, check::Wait::matrix);
    __builtin_memcpy(values, given, sizeof values);
}

/// Lane l gives the address of row l % 8 of matrix l / 8, and keeps two neighbors of row l / 4: their address in matrix
/// `number`.
SIMT_INLINE char* part_of_matrix(const unsigned long long (&rows)[32], unsigned number) {
    const unsigned lane = lane_in_warp();
    const unsigned long long row = rows[number * 8 + lane / 4];
    if (row % 16 != 0) fail_lane("ldmatrix or stmatrix: the address of a row is not a multiple of 16 bytes");
    return reinterpret_cast<char*>(row) + lane % 4 * 4;
}

/// The pair of neighbors that the lane has after the matrix, of which it holds `pair`, is transposed.
SIMT_UNCHECKED unsigned transposed_pair(unsigned pair, Site site) {
    const unsigned long long* pairs = exchange(every_lane, pair, site, check::Wait::matrix);
    const unsigned lane = lane_in_warp();
    // Of rows 2 (lane % 4) and the next, column lane / 4.
    const unsigned first = lane % 4 * 8 + lane / 8, half = lane / 4 % 2 * 16;
    const auto low = static_cast<unsigned>(pairs[first]) >> half & 0xffff;
    const auto high = static_cast<unsigned>(pairs[first + 4]) >> half & 0xffff;
    return low | high << 16;
}

}  // namespace SIMT_FLAVOR
}  // namespace simt
