// SPDX-License-Identifier: MIT
// The element types of the programs: one table, from which names, sizes, .npy codes and conversions follow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "common/io/small_float.hpp"
#include "common/io/text.hpp"

enum class DType { f32, f64, i32, i64, f16, bf16, tf32, i8, e4m3, e5m2 };

// A row of the table. T is the type of an element in host memory.
template <typename T>
struct ElementType {
    using Element = T;
    const char* name;      // of options and tables
    const char* npy_code;  // without the byte order; "" where NumPy has no such type
};

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
// The table: calls action with the row of a type. A type that has no row does not compile.
template <typename Action>
constexpr auto with_element_type(DType dtype, Action&& action) {
    switch (dtype) {
        case DType::f32: return action(ElementType<float>{"f32", "f4"});
        case DType::f64: return action(ElementType<double>{"f64", "f8"});
        case DType::i32: return action(ElementType<std::int32_t>{"i32", "i4"});
        case DType::i64: return action(ElementType<std::int64_t>{"i64", "i8"});
        case DType::f16: return action(ElementType<Half>{"f16", "f2"});
        case DType::bf16: return action(ElementType<BFloat16>{"bf16", ""});
        case DType::tf32: return action(ElementType<float>{"tf32", "f4"});  // multiplied with 10 bits of fraction
        case DType::i8: return action(ElementType<std::int8_t>{"i8", "i1"});
        case DType::e4m3: return action(ElementType<Float8E4M3>{"e4m3", ""});
        case DType::e5m2: return action(ElementType<Float8E5M2>{"e5m2", ""});
    }
    __builtin_unreachable();
}
#pragma GCC diagnostic pop

template <typename T>
struct IsStoredAs {
    template <typename U>
    constexpr bool operator()(ElementType<U>) const {
        return std::is_same_v<T, U>;
    }
};

// The first type in the table whose elements are T; any other T does not compile.
template <typename T, int candidate = 0>
constexpr DType find_dtype() {
    if constexpr (with_element_type(static_cast<DType>(candidate), IsStoredAs<T>{}))
        return static_cast<DType>(candidate);
    else return find_dtype<T, candidate + 1>();
}
template <typename T>
constexpr DType dtype_of = find_dtype<T>();

inline const char* name_of(DType dtype) {
    return with_element_type(dtype, [](auto row) { return row.name; });
}
inline std::size_t size_of(DType dtype) {
    return with_element_type(dtype, [](auto row) { return sizeof(typename decltype(row)::Element); });
}
inline const char* npy_code_of(DType dtype) {
    return with_element_type(dtype, [](auto row) { return row.npy_code; });
}

// The type that the host computes with: smaller floating-point types are only stored.
template <typename T>
using Computed = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

// "f32, f64 or i32": for help and messages.
inline std::string names_of(const std::vector<DType>& dtypes) {
    std::vector<std::string> names;
    for (DType dtype : dtypes) names.push_back(name_of(dtype));
    return list_text(names, "or");
}

// The type in `allowed` with this name; if there is none, a usage error that lists them.
inline DType parse_dtype(const std::string& name, const std::vector<DType>& allowed) {
    for (DType dtype : allowed)
        if (name == name_of(dtype)) return dtype;
    fail(Exit::usage, "unknown element type '{}'; choose {}", name, names_of(allowed));
}

// Ends the program: it has no kernel for this type.
[[noreturn]] inline void refuse_dtype(DType dtype) {
    fail(Exit::usage, "there is no kernel for {} here; choose another --dtype", name_of(dtype));
}

// Calls action(T{}) with the C++ type of a dtype that the programs compute with and every compiler has; refuses others.
template <typename Action>
void with_dtype(DType dtype, Action action) {
    with_element_type(dtype, [&](auto row) {
        using T = typename decltype(row)::Element;
        if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 4) action(T{});
        else refuse_dtype(dtype);
    });
}
