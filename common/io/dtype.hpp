// The element types of the programs, by the names that options, tables and .npy files use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

enum class DType { f32, f64, i32, i64, f16, bf16, tf32 };  // tf32: stored as f32, multiplied with 10 bits of fraction

template <typename T> struct DTypeOf;
template <> struct DTypeOf<float> { static constexpr DType value = DType::f32; };
template <> struct DTypeOf<double> { static constexpr DType value = DType::f64; };
template <> struct DTypeOf<std::int32_t> { static constexpr DType value = DType::i32; };
template <> struct DTypeOf<std::int64_t> { static constexpr DType value = DType::i64; };

template <typename T> constexpr DType dtype_of = DTypeOf<T>::value;

const char* name_of(DType dtype);
std::size_t size_of(DType dtype);

// The type of that name; a usage error naming `allowed` (comma separated) if it is not one of those.
DType parse_dtype(const std::string& name, const std::string& allowed);

// Calls action(T{}) with the C++ type of a dtype: one of the first four, which every host compiler knows.
template <typename Action>
auto with_dtype(DType dtype, Action action) {
    switch (dtype) {
        case DType::f32: return action(float{});
        case DType::f64: return action(double{});
        case DType::i32: return action(std::int32_t{});
        default: return action(std::int64_t{});
    }
}
