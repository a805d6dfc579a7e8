// SPDX-License-Identifier: MIT
#include "common/simt/nccl/reduction.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "common/simt/include/simt/small_float.hpp"

namespace simt::nccl {
namespace {

// How a type is stored, and in which type it is computed.
template <typename T>
struct Number {
    using Stored = T;
    using Computed = T;
    static T load(T value) { return value; }
    static T store(T value) { return value; }
};

template <typename Format>
struct SmallFloat {
    using Stored = uint16_t;
    using Computed = float;
    static float load(uint16_t bits) { return widen<Format>(bits); }
    static uint16_t store(float value) { return narrow_nearest<Format>(value); }
};

// Calls body(Number<T>()) for the type.
template <typename Body>
void with_type(ncclDataType_t type, Body body) {
    switch (type) {
        case ncclInt8: return body(Number<int8_t>());
        case ncclUint8: return body(Number<uint8_t>());
        case ncclInt32: return body(Number<int32_t>());
        case ncclUint32: return body(Number<uint32_t>());
        case ncclInt64: return body(Number<int64_t>());
        case ncclUint64: return body(Number<uint64_t>());
        case ncclFloat16: return body(SmallFloat<HalfFormat>());
        case ncclFloat32: return body(Number<float>());
        case ncclFloat64: return body(Number<double>());
        case ncclBfloat16: return body(SmallFloat<Bfloat16Format>());
        default: return;
    }
}

template <typename T>
T add(T a, T b) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    else return a + b;
}

template <typename T>
T multiply(T a, T b) {
    if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    else return a * b;
}

// A number wins over a NaN.
template <typename T>
T largest(T a, T b) {
    if constexpr (std::is_integral_v<T>) return a < b ? b : a;
    else return std::fmax(a, b);
}

template <typename T>
T least(T a, T b) {
    if constexpr (std::is_integral_v<T>) return b < a ? b : a;
    else return std::fmin(a, b);
}

template <typename Type, typename Step>
void for_each_pair(void* sum, const void* values, size_t count, Step step) {
    auto* const to = static_cast<typename Type::Stored*>(sum);
    auto* const from = static_cast<const typename Type::Stored*>(values);
    for (size_t i = 0; i < count; ++i) to[i] = Type::store(step(Type::load(to[i]), Type::load(from[i])));
}

}  // namespace

size_t bytes_of(ncclDataType_t type) {
    static constexpr size_t bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    return type >= 0 && type < ncclNumTypes ? bytes[type] : 0;
}

const char* name_of(ncclDataType_t type) {
    static constexpr const char* names[] = {"int8",    "uint8",   "int32",   "uint32",   "int64",      "uint64",
                                            "float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2"};
    return type >= 0 && type < ncclNumTypes ? names[type] : "no type";
}

const char* name_of_operation(int operation) {
    static constexpr const char* names[] = {"sum", "prod", "max", "min", "avg", "premulsum"};
    return operation >= 0 && operation <= ncclNumOps ? names[operation] : "no operator";
}

bool can_reduce(ncclDataType_t type) { return type != ncclFloat8e4m3 && type != ncclFloat8e5m2; }

void prepare(void* values, size_t count, ncclDataType_t type, const Operator& how, int ranks) {
    if (how.operation != ncclAvg && how.operation != ncclNumOps) return;
    with_type(type, [&](auto number) {
        using Type = decltype(number);
        using Computed = typename Type::Computed;
        Computed factor = 1;
        if (how.operation == ncclNumOps) {
            typename Type::Stored stored;
            std::memcpy(&stored, how.scalar ? how.scalar : how.immediate, sizeof stored);
            factor = Type::load(stored);
        } else if constexpr (std::is_floating_point_v<Computed>) {
            factor = Type::load(Type::store(Computed(1) / static_cast<Computed>(ranks)));
        } else {
            return;
        }
        auto* const to = static_cast<typename Type::Stored*>(values);
        for (size_t i = 0; i < count; ++i) to[i] = Type::store(multiply(Type::load(to[i]), factor));
    });
}

void combine(void* sum, const void* values, size_t count, ncclDataType_t type, const Operator& how) {
    with_type(type, [&](auto number) {
        using Type = decltype(number);
        using T = typename Type::Computed;
        switch (how.operation) {
            case ncclProd: return for_each_pair<Type>(sum, values, count, multiply<T>);
            case ncclMax: return for_each_pair<Type>(sum, values, count, largest<T>);
            case ncclMin: return for_each_pair<Type>(sum, values, count, least<T>);
            default: return for_each_pair<Type>(sum, values, count, add<T>);
        }
    });
}

void finish(void* sum, size_t count, ncclDataType_t type, const Operator& how, int ranks) {
    if (how.operation != ncclAvg) return;
    with_type(type, [&](auto number) {
        using T = typename decltype(number)::Computed;
        if constexpr (std::is_integral_v<T>) {
            auto* const to = static_cast<T*>(sum);
            for (size_t i = 0; i < count; ++i)
                to[i] = static_cast<T>(to[i] / static_cast<std::common_type_t<T, int>>(ranks));
        }
    });
}

}  // namespace simt::nccl
