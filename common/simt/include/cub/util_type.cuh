// SPDX-License-Identifier: MIT
// Types that CUB's algorithms take and give, and the order of keys as bits.
#ifndef SIMT_CUB_UTIL_TYPE
#define SIMT_CUB_UTIL_TYPE

#include <float.h>

#include <type_traits>

#include "../cuda_bf16.h"
#include "../cuda_fp16.h"
#include "../simt/cub.hpp"

CUB_NAMESPACE_OPEN

/// The values of a sort of keys only.
struct NullType {
    template <typename T>
    NullType& operator=(const T&) {
        return *this;
    }
    bool operator==(const NullType&) const { return true; }
    bool operator!=(const NullType&) const { return false; }
};

template <int value>
struct Int2Type {
    enum { VALUE = value };
};

template <typename KeyT, typename ValueT>
struct KeyValuePair {
    using Key = KeyT;
    using Value = ValueT;
    KeyT key;
    ValueT value;

    KeyValuePair() = default;
    constexpr KeyValuePair(const KeyT& key, const ValueT& value) : key(key), value(value) {}
    bool operator==(const KeyValuePair& other) const { return key == other.key && value == other.value; }
    bool operator!=(const KeyValuePair& other) const { return !(*this == other); }
};

/// Two buffers, of which a sort may use both; Current() is the one with the result.
template <typename T>
struct DoubleBuffer {
    T* d_buffers[2] = {nullptr, nullptr};
    int selector = 0;

    DoubleBuffer() = default;
    DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
    T* Current() { return d_buffers[selector]; }
    T* Alternate() { return d_buffers[selector ^ 1]; }
};

/// An initial value that an earlier kernel computes.
template <typename T, typename IterT = T*>
struct FutureValue {
    using value_type = T;
    using iterator_type = IterT;
    explicit FutureValue(IterT iterator) : iterator_(iterator) {}
    operator T() const { return *iterator_; }

private:
    IterT iterator_;
};

/// Room for an object without its constructor.
template <typename T>
struct Uninitialized {
    alignas(T) unsigned char storage[sizeof(T)];
    T& Alias() { return reinterpret_cast<T&>(storage); }
};

template <int N, int CURRENT_VAL = N, int COUNT = 0>
struct Log2 {
    enum { VALUE = Log2<N, (CURRENT_VAL >> 1), COUNT + 1>::VALUE };
};
template <int N, int COUNT>
struct Log2<N, 0, COUNT> {
    enum { VALUE = (1 << (COUNT - 1) < N) ? COUNT : COUNT - 1 };
};
template <int N>
struct PowerOfTwo {
    enum { VALUE = (N & (N - 1)) == 0 };
};

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };

/// Numbers as unsigned integers in the same order.
template <Category category, bool primitive, bool null_type, typename Unsigned, typename T>
struct BaseTraits {
    static constexpr Category CATEGORY = category;
    enum { PRIMITIVE = primitive, NULL_TYPE = null_type };
};

namespace simt_parts {

template <Category category, typename Unsigned, typename T>
struct OrderedTraits : BaseTraits<category, true, false, Unsigned, T> {
    using UnsignedBits = Unsigned;
    static constexpr Unsigned high_bit = static_cast<Unsigned>(Unsigned(1) << (8 * sizeof(Unsigned) - 1));
    static constexpr UnsignedBits LOWEST_KEY = category == SIGNED_INTEGER   ? high_bit
                                               : category == FLOATING_POINT ? static_cast<Unsigned>(-1)
                                                                            : Unsigned(0);
    static constexpr UnsignedBits MAX_KEY =
        category == UNSIGNED_INTEGER ? static_cast<Unsigned>(-1) : static_cast<Unsigned>(high_bit - 1);

    static constexpr UnsignedBits TwiddleIn(UnsignedBits bits) {
        if (category == UNSIGNED_INTEGER) return bits;
        const bool flips_all = category == FLOATING_POINT && (bits & high_bit);
        return static_cast<Unsigned>(flips_all ? ~bits : bits ^ high_bit);
    }
    static constexpr UnsignedBits TwiddleOut(UnsignedBits bits) {
        if (category == UNSIGNED_INTEGER) return bits;
        const bool flips_all = category == FLOATING_POINT && !(bits & high_bit);
        return static_cast<Unsigned>(flips_all ? ~bits : bits ^ high_bit);
    }
};

template <int bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
    using type = unsigned char;
};
template <>
struct UnsignedOf<2> {
    using type = unsigned short;
};
template <>
struct UnsignedOf<4> {
    using type = unsigned int;
};
template <>
struct UnsignedOf<8> {
    using type = unsigned long long;
};
template <>
struct UnsignedOf<16> {
    using type = unsigned __int128;
};

template <typename T>
struct IntegerTraits : OrderedTraits<(static_cast<T>(-1) < static_cast<T>(1)) ? SIGNED_INTEGER : UNSIGNED_INTEGER,
                                     typename UnsignedOf<sizeof(T)>::type, T> {
    static constexpr T Max() {
        using Bits = typename UnsignedOf<sizeof(T)>::type;
        return static_cast<T>(static_cast<Bits>(-1) >> (static_cast<T>(-1) < static_cast<T>(1)));
    }
    static constexpr T Lowest() { return static_cast<T>(-1) < static_cast<T>(1) ? static_cast<T>(-Max() - 1) : T(0); }
};

template <typename T, bool is_integer>
struct TraitsOf : BaseTraits<NOT_A_NUMBER, false, false, T, T> {};
template <typename T>
struct TraitsOf<T, true> : IntegerTraits<T> {};
template <>
struct TraitsOf<__int128, false> : IntegerTraits<__int128> {};
template <>
struct TraitsOf<unsigned __int128, false> : IntegerTraits<unsigned __int128> {};
template <>
struct TraitsOf<bool, true> : OrderedTraits<UNSIGNED_INTEGER, unsigned char, bool> {
    static constexpr bool Max() { return true; }
    static constexpr bool Lowest() { return false; }
};
template <>
struct TraitsOf<float, false> : OrderedTraits<FLOATING_POINT, unsigned int, float> {
    static constexpr float Max() { return FLT_MAX; }
    static constexpr float Lowest() { return -FLT_MAX; }
};
template <>
struct TraitsOf<double, false> : OrderedTraits<FLOATING_POINT, unsigned long long, double> {
    static constexpr double Max() { return DBL_MAX; }
    static constexpr double Lowest() { return -DBL_MAX; }
};
template <>
struct TraitsOf<__half, false> : OrderedTraits<FLOATING_POINT, unsigned short, __half> {
    static __half Max() { return __float2half(65504.0f); }
    static __half Lowest() { return __float2half(-65504.0f); }
};
template <>
struct TraitsOf<__nv_bfloat16, false> : OrderedTraits<FLOATING_POINT, unsigned short, __nv_bfloat16> {
    static __nv_bfloat16 Max() { return __float2bfloat16(3.3895314e38f); }
    static __nv_bfloat16 Lowest() { return __float2bfloat16(-3.3895314e38f); }
};
template <>
struct TraitsOf<NullType, false> : BaseTraits<NOT_A_NUMBER, false, true, NullType, NullType> {};

/// The bits of `key` from begin_bit to end_bit, in the order of a sort. (Both zeros are equal.)
template <typename T>
SIMT_INLINE auto ordered_bits(const T& key, int begin_bit, int end_bit, bool descending) {
    using Traits = TraitsOf<std::remove_cv_t<T>, std::is_integral_v<T>>;
    static_assert(Traits::PRIMITIVE, "radix sorts take numbers");
    using Bits = typename Traits::UnsignedBits;
    Bits bits;
    __builtin_memcpy(&bits, &key, sizeof bits);
    if (Traits::CATEGORY == FLOATING_POINT && bits == Traits::high_bit) bits = 0;
    bits = Traits::TwiddleIn(bits);
    if (descending) bits = static_cast<Bits>(~bits);
    const int width = end_bit - begin_bit, all = 8 * static_cast<int>(sizeof(Bits));
    bits = static_cast<Bits>(bits >> begin_bit);
    return width >= all ? bits : static_cast<Bits>(bits & static_cast<Bits>(~(~Bits(0) << width)));
}

}  // namespace simt_parts

template <typename T>
struct NumericTraits : simt_parts::TraitsOf<T, std::is_integral_v<T>> {};
template <typename T>
struct Traits : NumericTraits<std::remove_cv_t<T>> {};

CUB_NAMESPACE_CLOSE
#endif

#ifdef THRUST_VERSION
#include_next <cub/util_type.cuh>
#endif
