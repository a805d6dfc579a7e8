// The element types of matmul on the host: how each is multiplied, and what error that allows.
#pragma once

#include <type_traits>

#include "common/io/dtype.hpp"
#include "common/io/half.hpp"

// How far a product may be off. The three roundings are relative: of an input before it is multiplied, of a running
// sum, of a result when it is stored. Below `smallest` results lose digits.
struct Roundings {
    double of_input, of_sum, of_result, smallest;
};

// Tensor cores, which multiply tf32 and the 16-bit types, truncate sums where other units round them.
inline Roundings roundings_of(DType dtype) {
    switch (dtype) {
        case DType::f64: return {0, 0x1p-53, 0x1p-53, 1e-37};
        case DType::tf32: return {0x1p-10, 0x1p-22, 0x1p-24, 1e-37};
        case DType::f16: return {0, 0x1p-22, 0x1p-11, 0x1p-24};
        case DType::bf16: return {0, 0x1p-22, 0x1p-8, 1e-37};
        case DType::f32: return {0, 0x1p-24, 0x1p-24, 1e-37};
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
        case DType::f32:
        case DType::tf32: return action(float{});
        case DType::i32:
        case DType::i64:
        case DType::i8: break;
    }
    refuse_dtype(dtype);
}
