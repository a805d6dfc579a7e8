// SPDX-License-Identifier: MIT
// The element types of matmul on the host: how each is multiplied, and what error that allows.
#pragma once

#include <type_traits>

#include "common/io/dtype.hpp"
#include "common/io/small_float.hpp"

template <typename T>
constexpr bool is_float8_type = std::is_same_v<T, Float8E4M3> || std::is_same_v<T, Float8E5M2>;
inline bool is_float8(DType dtype) { return dtype == DType::e4m3 || dtype == DType::e5m2; }

// The type of the products of T: bf16 for 8-bit floats.
template <typename T>
using ResultElement = std::conditional_t<is_float8_type<T>, BFloat16, T>;
inline DType result_dtype(DType dtype) { return is_float8(dtype) ? DType::bf16 : dtype; }

// How products are added up: as usual for the type, which is in f32 for 8-bit floats; or, for 8-bit floats, by Hopper's
// tensor cores alone, or by these for each 128 products, whose sums are added up in f32.
enum class Sums { of_type, float8_fast, float8_promoted };

// How far a product may be off. The three roundings are relative: of an input before it is multiplied, of a running
// sum, of a result when it is stored. Below `smallest` results lose digits.
struct Roundings {
    double of_input, of_sum, of_result, smallest;
};

// Tensor cores, which multiply tf32 and the 16-bit types, truncate sums where other units round them. For 8-bit floats
// Hopper's align a sum and 32 products to the largest of them and drop what is below 13 bits of its fraction: each of
// these errors is up to 2^-13 of the sum, and all may have the same sign. That makes 2^-15 of sqrt(k) lengths or, where
// sums end after 128 products, 2^-11 of a length, whatever k is; unusually large sums lose more.
inline Roundings roundings_of(DType dtype, Sums sums = Sums::of_type) {
    if (sums == Sums::float8_fast) return {0, 0x1p-15, 0x1p-5, 1e-37};
    if (sums == Sums::float8_promoted) return {0x1p-11, 0x1p-24, 0x1p-7, 1e-37};
    switch (dtype) {
        case DType::f64: return {0, 0x1p-53, 0x1p-53, 1e-37};
        case DType::tf32: return {0x1p-10, 0x1p-22, 0x1p-24, 1e-37};
        case DType::f16: return {0, 0x1p-22, 0x1p-11, 0x1p-24};
        case DType::bf16: return {0, 0x1p-22, 0x1p-8, 1e-37};
        case DType::f32: return {0, 0x1p-24, 0x1p-24, 1e-37};
        case DType::e4m3:
        case DType::e5m2: return {0, 0x1p-24, 0x1p-8, 1e-37};
        case DType::i32:
        case DType::i64:
        case DType::i8: break;
    }
    refuse_dtype(dtype);
}

// A type that holds T exactly, and that the host computes with.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <typename T>
T narrow(double value) {
    return static_cast<T>(static_cast<Wide<T>>(value));
}

// Calls action(T{}) with the type in which the host stores elements of one of matmul's types.
template <typename Action>
auto with_element(DType dtype, Action action) {
    switch (dtype) {
        case DType::f64: return action(double{});
        case DType::f16: return action(Half{});
        case DType::bf16: return action(BFloat16{});
        case DType::e4m3: return action(Float8E4M3{});
        case DType::e5m2: return action(Float8E5M2{});
        case DType::f32:
        case DType::tf32: return action(float{});
        case DType::i32:
        case DType::i64:
        case DType::i8: break;
    }
    refuse_dtype(dtype);
}
