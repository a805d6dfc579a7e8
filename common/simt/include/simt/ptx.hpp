// SPDX-License-Identifier: MIT
// The instructions of inline PTX: simcc's rewriter turns each into a call of the function of its name here.
//
//     asm("add.sat.s32 %0, %1, 7;" : "=r"(x) : "r"(y));    ->    ptx::add<ptx::sat, ptx::s32>(register_0, register_1, 7LL)
//
// The first template argument holds the modifiers, the others are the types in the instruction's name. A register is an
// unsigned integer of its width, or bool for a predicate, whatever type an instruction takes its bits for; a number in
// the text is a long long or a double. A list in braces is an array.
#pragma once

#include "simt/async_copy.hpp"
#include "simt/atomics.hpp"
#include "simt/device_functions.hpp"
#include "simt/intrinsics.hpp"
#include "simt/matrix_product.hpp"
#include "simt/scoped_atomic.hpp"
#include "simt/vector_copy.hpp"
#include "simt/warp.hpp"

namespace simt {
inline namespace SIMT_FLAVOR {
namespace ptx {

// ---- types and modifiers

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned;
using u64 = unsigned long long;
using s8 = signed char;
using s16 = short;
using s32 = int;
using s64 = long long;
using b8 = u8;
using b16 = u16;
using b32 = u32;
using b64 = u64;
__extension__ typedef unsigned __int128 b128;
using f32 = float;
using f64 = double;
using pred = bool;
/// Floating-point numbers of 16 bits, and pairs of them.
template <typename Format_>
struct Small {
    using Format = Format_;
    unsigned short bits;
};
template <typename Format_>
struct SmallPair {
    using Format = Format_;
    unsigned short low, high;
};
using f16 = Small<HalfFormat>;
using bf16 = Small<Bfloat16Format>;
using f16x2 = SmallPair<HalfFormat>;
using bf16x2 = SmallPair<Bfloat16Format>;
struct u16x2 {
    unsigned bits;
};
struct s16x2 {
    unsigned bits;
};
struct tf32 {
    unsigned bits;
};

using Modifiers = unsigned long long;
// clang-format off
constexpr Modifiers rn = 1ull << 0, rz = 1ull << 1, rm = 1ull << 2, rp = 1ull << 3, rna = 1ull << 4, rni = 1ull << 5,
    rzi = 1ull << 6, rmi = 1ull << 7, rpi = 1ull << 8, ftz = 1ull << 9, sat = 1ull << 10, satfinite = 1ull << 11,
    relu = 1ull << 12, NaN = 1ull << 13, lo = 1ull << 14, hi = 1ull << 15, wide = 1ull << 16, approx = 1ull << 17,
    full = 1ull << 18, shiftamt = 1ull << 19, clamp = 1ull << 20, wrap = 1ull << 21, left = 1ull << 22,
    right = 1ull << 23, cc = 1ull << 24, trans = 1ull << 25, add_result = 1ull << 26, shared = 1ull << 27,
    is_volatile = 1ull << 28, relaxed = 1ull << 29, acquire = 1ull << 30, release = 1ull << 31, acq_rel = 1ull << 32,
    sc = 1ull << 33, cta = 1ull << 34, gpu = 1ull << 35, sys = 1ull << 36;
// clang-format on

template <unsigned bytes>
struct BitsOf;
// clang-format off
template <> struct BitsOf<1> { using type = u8; };
template <> struct BitsOf<2> { using type = u16; };
template <> struct BitsOf<4> { using type = u32; };
template <> struct BitsOf<8> { using type = u64; };
template <> struct BitsOf<16> { using type = b128; };
// clang-format on

template <typename T>
constexpr bool is_floating = false;
template <>
inline constexpr bool is_floating<float> = true;
template <>
inline constexpr bool is_floating<double> = true;
template <typename T>
constexpr bool is_small = false;
template <typename Format>
inline constexpr bool is_small<Small<Format>> = true;
template <typename T>
constexpr bool is_small_pair = false;
template <typename Format>
inline constexpr bool is_small_pair<SmallPair<Format>> = true;
template <typename T>
constexpr bool is_integral = !is_floating<T> && !__is_class(T);
template <typename T>
constexpr bool is_signed_integer = is_integral<T>&& static_cast<T>(-1) < static_cast<T>(1);
template <>
inline constexpr bool is_signed_integer<bool> = false;
template <>
inline constexpr bool is_signed_integer<f16> = false;

// ---- registers

/// The low bits of a register, or a number in the text, as a value of type T.
template <typename T, typename Register>
SIMT_INLINE T as(Register value) {
    if constexpr (__is_same(Register, T)) {
        return value;
    } else if constexpr (__is_same(Register, double) || __is_same(Register, long long)) {
        if constexpr (__is_class(T)) {
            using Bits = typename BitsOf<sizeof(T)>::type;
            return reinterpret_bits<T>(static_cast<Bits>(value));
        } else {
            return static_cast<T>(value);
        }
    } else if constexpr (__is_same(T, bool)) {
        return value != 0;
    } else {
        return reinterpret_bits<T>(static_cast<typename BitsOf<sizeof(T)>::type>(value));
    }
}

/// Writes a value into a register; an integer of less bits is extended according to its sign.
template <typename Register, typename T>
SIMT_INLINE void put(Register& to, T value) {
    if constexpr (is_integral<T>) to = static_cast<Register>(value);
    else to = static_cast<Register>(reinterpret_bits<typename BitsOf<sizeof(T)>::type>(value));
}

/// An operand of the asm statement as a register, and back.
template <typename Register, typename T>
SIMT_INLINE Register take(const T& operand) {
    using Value = typename Plain<T>::type;
    if constexpr (__is_enum(Value)) return static_cast<Register>(operand);
    else if constexpr (is_floating<Value> && sizeof(Value) == sizeof(Register))
        return reinterpret_bits<Register>(operand);
    else if constexpr (ShiftedInteger<Value>::value || is_floating<Value>) return static_cast<Register>(operand);
    else if constexpr (__is_class(Value)) return reinterpret_bits<Register>(operand);
    else return static_cast<Register>(reinterpret_cast<unsigned long long>(operand));
}
template <typename T, typename Register>
SIMT_INLINE void give(T& operand, Register value) {
    using Value = typename Plain<T>::type;
    if constexpr (__is_class(Value) || is_floating<Value>) operand = reinterpret_bits<Value>(value);
    else if constexpr (ShiftedInteger<Value>::value || __is_enum(Value)) operand = static_cast<Value>(value);
    else operand = reinterpret_cast<Value>(static_cast<unsigned long long>(value));
}
/// Constraints "f" and "d" convert what they are given.
template <typename T>
SIMT_INLINE unsigned take_float(const T& operand) {
    return reinterpret_bits<unsigned>(static_cast<float>(operand));
}
template <typename T>
SIMT_INLINE unsigned long long take_double(const T& operand) {
    return reinterpret_bits<unsigned long long>(static_cast<double>(operand));
}

// ---- numbers

constexpr arithmetic::Rounding mode_of(Modifiers how) {
    return how & (rz | rzi)   ? arithmetic::Rounding::zero
           : how & (rm | rmi) ? arithmetic::Rounding::down
           : how & (rp | rpi) ? arithmetic::Rounding::up
                              : arithmetic::Rounding::nearest;
}
constexpr Rounding small_mode_of(Modifiers how) {
    return how & rz ? Rounding::zero : how & rm ? Rounding::down : how & rp ? Rounding::up : Rounding::nearest;
}

template <Modifiers how>
SIMT_INLINE float flushed(float x) {
    if (!(how & ftz)) return x;
    const unsigned bits = reinterpret_bits<unsigned>(x);
    return bits & 0x7f800000 ? x : reinterpret_bits<float>(bits & 0x80000000);
}
template <Modifiers how>
SIMT_INLINE double flushed(double x) {
    return x;
}
/// The result of an operation: flushed, or between 0 and 1, as the modifiers say. A GPU has only one NaN of 32 bits.
template <Modifiers how, typename T>
SIMT_INLINE T finished(T x) {
    x = flushed<how>(x);
    if constexpr (__is_same(T, float)) {
        if (x != x && !(how & sat)) return reinterpret_bits<float>(0x7fffffffu);
    }
    if (how & sat) return x >= 1 ? T(1) : x > 0 ? x : T(0);
    return x;
}

template <typename Format>
SIMT_INLINE float widened(unsigned short bits) {
    return widen<Format>(bits);
}
template <typename Format>
SIMT_INLINE unsigned short narrowed(double exact_or_odd) {
    return narrow<Format, Rounding::nearest>(exact_or_odd);
}
template <Modifiers how, typename Format>
SIMT_INLINE unsigned short finished_small(unsigned short x) {
    if (how & sat) {
        const float value = widened<Format>(x);
        return value >= 1 ? Format::one : value > 0 ? x : 0;
    }
    if (how & relu) return (x & 0x7fff) > Format::infinity ? Format::nan : x & 0x8000 ? 0 : x;
    return x;
}
/// Applies an operation on doubles, whose result is exact or rounded to odd, to numbers of 16 bits or pairs of them.
template <Modifiers how, typename T, typename Operation, typename... More>
SIMT_INLINE T for_small(Operation operation, T x, More... more) {
    using Format = typename T::Format;
    if constexpr (is_small<T>) {
        const double result =
            operation(static_cast<double>(widened<Format>(x.bits)), static_cast<double>(widened<Format>(more.bits))...);
        return {finished_small<how, Format>(narrowed<Format>(result))};
    } else {
        const double low =
            operation(static_cast<double>(widened<Format>(x.low)), static_cast<double>(widened<Format>(more.low))...);
        const double high =
            operation(static_cast<double>(widened<Format>(x.high)), static_cast<double>(widened<Format>(more.high))...);
        return {finished_small<how, Format>(narrowed<Format>(low)),
                finished_small<how, Format>(narrowed<Format>(high))};
    }
}

template <typename T>
SIMT_INLINE T clamped(__int128 value) {
    constexpr __int128 highest = is_signed_integer<T> ? (__int128{1} << (8 * sizeof(T) - 1)) - 1
                                                      : (__int128{1} << 8 * sizeof(T)) - 1,
                       lowest = is_signed_integer<T> ? -highest - 1 : 0;
    return static_cast<T>(value < lowest ? lowest : value > highest ? highest : value);
}

/// Defines an instruction of one, two or three sources of type T, which `expression` calls x, y and z.
#define SIMT_PTX_1(name, ...)                                    \
    template <Modifiers how, typename T, typename D, typename A> \
    SIMT_INLINE void name(D& to, A a) {                          \
        [[maybe_unused]] const T x = as<T>(a);                   \
        put(to, [&]() SIMT_PTX_LAMBDA -> T { __VA_ARGS__ }());   \
    }
#define SIMT_PTX_2(name, ...)                                                \
    template <Modifiers how, typename T, typename D, typename A, typename B> \
    SIMT_INLINE void name(D& to, A a, B b) {                                 \
        const T x = as<T>(a), y = as<T>(b);                                  \
        put(to, [&]() SIMT_PTX_LAMBDA -> T { __VA_ARGS__ }());               \
    }
#define SIMT_PTX_3(name, ...)                                                            \
    template <Modifiers how, typename T, typename D, typename A, typename B, typename C> \
    SIMT_INLINE void name(D& to, A a, B b, C c) {                                        \
        const T x = as<T>(a), y = as<T>(b), z = as<T>(c);                                \
        put(to, [&]() SIMT_PTX_LAMBDA -> T { __VA_ARGS__ }());                           \
    }
#define SIMT_PTX_LAMBDA __attribute__((always_inline))

/// The unsigned integer in which integers wrap.
template <typename T>
using Wrapping = typename BitsOf<(sizeof(T) < 4 ? 4 : sizeof(T))>::type;
template <typename T>
SIMT_INLINE Wrapping<T> w(T x) {
    return static_cast<Wrapping<T>>(x);
}

// ---- addition, multiplication, division

SIMT_PTX_2(
    add,
    if constexpr (is_floating<T>) {
        return finished<how>(arithmetic::add<mode_of(how)>(flushed<how>(x), flushed<how>(y)));
    } else if constexpr (__is_same(T, u16x2) || __is_same(T, s16x2)) {
        return {__vadd2(x.bits, y.bits)};
    } else if constexpr (__is_class(T)) {
        return for_small<how>([](double p, double q) { return p + q; }, x, y);
    } else {
        if (how & sat) return clamped<T>(static_cast<__int128>(x) + y);
        return static_cast<T>(w(x) + w(y));
    })
SIMT_PTX_2(
    sub,
    if constexpr (is_floating<T>) {
        return finished<how>(arithmetic::add<mode_of(how)>(flushed<how>(x), -flushed<how>(y)));
    } else if constexpr (__is_class(T)) {
        return for_small<how>([](double p, double q) { return p - q; }, x, y);
    } else {
        if (how & sat) return clamped<T>(static_cast<__int128>(x) - y);
        return static_cast<T>(w(x) - w(y));
    })

template <typename T>
struct Twice;
// clang-format off
template <> struct Twice<u16> { using type = u32; };
template <> struct Twice<s16> { using type = s32; };
template <> struct Twice<u32> { using type = u64; };
template <> struct Twice<s32> { using type = s64; };
template <> struct Twice<u64> { __extension__ typedef unsigned __int128 type; };
template <> struct Twice<s64> { __extension__ typedef __int128 type; };
// clang-format on
/// The part of the product of integers that lo, hi or wide names.
template <Modifiers how, typename T>
SIMT_INLINE auto integer_product(T x, T y) {
    using Full = typename Twice<T>::type;
    using Bits = typename BitsOf<sizeof(Full)>::type;
    const Full product =
        static_cast<Full>(static_cast<Bits>(static_cast<Full>(x)) * static_cast<Bits>(static_cast<Full>(y)));
    if constexpr ((how & wide) != 0) return product;
    else if constexpr ((how & hi) != 0) return static_cast<T>(product >> 8 * sizeof(T));
    else return static_cast<T>(product);
}

template <Modifiers how, typename T, typename D, typename A, typename B>
SIMT_INLINE void mul(D& to, A a, B b) {
    const T x = as<T>(a), y = as<T>(b);
    if constexpr (is_floating<T>)
        put(to, finished<how>(arithmetic::multiply<mode_of(how)>(flushed<how>(x), flushed<how>(y))));
    else if constexpr (__is_class(T)) put(to, for_small<how>([](double p, double q) { return p * q; }, x, y));
    else put(to, integer_product<how>(x, y));
}

SIMT_PTX_3(
    fma,
    if constexpr (is_floating<T>) {
        return finished<how>(arithmetic::multiply_add<mode_of(how)>(flushed<how>(x), flushed<how>(y), flushed<how>(z)));
    } else { return for_small<how>([](double p, double q, double r) { return add_to_odd(p * q, r); }, x, y, z); })

template <Modifiers how, typename T, typename D, typename A, typename B, typename C>
SIMT_INLINE void mad(D& to, A a, B b, C c) {
    if constexpr (!is_integral<T>) {
        fma<how, T>(to, a, b, c);
    } else {
        const auto product = integer_product<how>(as<T>(a), as<T>(b));
        using Sum = typename Plain<decltype(product)>::type;
        if constexpr ((how & sat) != 0) put(to, clamped<Sum>(static_cast<__int128>(product) + as<Sum>(c)));
        else put(to, static_cast<Sum>(w<Sum>(product) + w<Sum>(as<Sum>(c))));
    }
}

template <Modifiers how, typename T, typename A, typename B>
SIMT_INLINE T product_of_24_bits(A a, B b) {
    s64 product;
    if constexpr (is_signed_integer<T>) product = static_cast<s64>(as<s32>(a) << 8 >> 8) * (as<s32>(b) << 8 >> 8);
    else product = static_cast<s64>(static_cast<u64>(as<u32>(a) & 0xffffff) * (as<u32>(b) & 0xffffff));
    return static_cast<T>(how & hi ? product >> 16 : product);
}
template <Modifiers how, typename T, typename D, typename A, typename B>
SIMT_INLINE void mul24(D& to, A a, B b) {
    put(to, product_of_24_bits<how, T>(a, b));
}
template <Modifiers how, typename T, typename D, typename A, typename B, typename C>
SIMT_INLINE void mad24(D& to, A a, B b, C c) {
    put(to, static_cast<T>(w(product_of_24_bits<how, T>(a, b)) + w(as<T>(c))));
}

// With a carry: the instructions with .cc set it, addc, subc and madc take it.
template <Modifiers how, typename T, typename D>
SIMT_INLINE void put_sum(D& to, b128 sum, bool& carry) {
    if (how & cc) carry = static_cast<bool>(sum >> 8 * sizeof(T) & 1);
    put(to, static_cast<T>(sum));
}
template <typename T>
using Unsigned = typename BitsOf<sizeof(T)>::type;
template <Modifiers how, typename T, typename D, typename A, typename B>
SIMT_INLINE void add_with_carry(D& to, A a, B b, bool& carry, bool takes) {
    using U = Unsigned<T>;
    put_sum<how, U>(to, static_cast<b128>(as<U>(a)) + as<U>(b) + (takes && carry), carry);
}
template <Modifiers how, typename T, typename D, typename A, typename B>
SIMT_INLINE void subtract_with_borrow(D& to, A a, B b, bool& carry, bool takes) {
    using U = Unsigned<T>;
    put_sum<how, U>(to, static_cast<b128>(as<U>(a)) - as<U>(b) - (takes && carry), carry);
}
template <Modifiers how, typename T, typename D, typename A, typename B, typename C>
SIMT_INLINE void multiply_add_with_carry(D& to, A a, B b, C c, bool& carry, bool takes) {
    using U = Unsigned<T>;
    const U product = static_cast<U>(integer_product<how>(as<T>(a), as<T>(b)));
    put_sum<how, U>(to, static_cast<b128>(product) + as<U>(c) + (takes && carry), carry);
}

SIMT_PTX_2(
    div,
    if constexpr (__is_same(T, float)) {
        return finished<how>(arithmetic::divide<mode_of(how)>(flushed<how>(x), flushed<how>(y)));
    } else if constexpr (is_floating<T>) { return arithmetic::divide<mode_of(how)>(x, y); } else {
        if (y == 0) return static_cast<T>(-1);
        if (is_signed_integer<T> && y == static_cast<T>(-1)) return static_cast<T>(0 - w(x));
        return static_cast<T>(x / y);
    })
SIMT_PTX_2(rem, if (y == 0) return static_cast<T>(-1); if (is_signed_integer<T> && y == static_cast<T>(-1)) return 0;
           return static_cast<T>(x % y);)

template <typename T>
SIMT_INLINE T without_sign(T x, Modifiers) {
    if constexpr (__is_same(T, float)) return reinterpret_bits<float>(reinterpret_bits<unsigned>(x) & 0x7fffffff);
    else if constexpr (__is_same(T, double)) return reinterpret_bits<double>(reinterpret_bits<u64>(x) << 1 >> 1);
    else if constexpr (is_small<T>) return {static_cast<u16>(x.bits & 0x7fff)};
    else if constexpr (is_small_pair<T>) return {static_cast<u16>(x.low & 0x7fff), static_cast<u16>(x.high & 0x7fff)};
    else return x < 0 ? static_cast<T>(0 - w(x)) : x;
}
SIMT_PTX_1(abs, if constexpr (is_floating<T>) return without_sign(flushed<how>(x), how);
           else return without_sign(x, how);)
SIMT_PTX_1(neg, if constexpr (is_floating<T>) return -flushed<how>(x);
           else if constexpr (is_small<T>) return {static_cast<u16>(x.bits ^ 0x8000)};
           else if constexpr (is_small_pair<T>) return {static_cast<u16>(x.low ^ 0x8000),
                                                        static_cast<u16>(x.high ^ 0x8000)};
           else return static_cast<T>(0 - w(x));)

/// One NaN is ignored, or with .NaN makes the result one. -0 is less than +0.
template <Modifiers how, bool is_max>
SIMT_INLINE double chosen(double x, double y) {
    if ((how & NaN) && (x != x || y != y)) return __builtin_nan("");
    return is_max ? device::maximum(x, y) : device::minimum(x, y);
}
template <Modifiers how, bool is_max, typename T>
SIMT_INLINE T choose(T x, T y) {
    if constexpr (is_floating<T>) {
        const T result = static_cast<T>(chosen<how, is_max>(flushed<how>(x), flushed<how>(y)));
        if constexpr (__is_same(T, float)) return result != result ? reinterpret_bits<float>(0x7fffffffu) : result;
        return result;
    } else if constexpr (__is_same(T, u16x2)) {
        return {is_max ? __vmaxu2(x.bits, y.bits) : __vminu2(x.bits, y.bits)};
    } else if constexpr (__is_same(T, s16x2)) {
        return {is_max ? __vmaxs2(x.bits, y.bits) : __vmins2(x.bits, y.bits)};
    } else if constexpr (__is_class(T)) {
        return for_small<how>([](double p, double q) { return chosen<how, is_max>(p, q); }, x, y);
    } else {
        return (x < y) == is_max ? y : x;
    }
}
SIMT_PTX_2(min, return choose<how, false>(x, y);)
SIMT_PTX_2(max, return choose<how, true>(x, y);)

SIMT_PTX_3(sad, return static_cast<T>(w(z) + (x < y ? w(y) - w(x) : w(x) - w(y)));)

// ---- functions of floating-point numbers

// The approximations are as accurate as the host's library.
SIMT_PTX_1(
    rcp, if constexpr (__is_same(T, double)) {
        const double result = arithmetic::divide<mode_of(how)>(1.0, x);
        return how & approx ? reinterpret_bits<double>(reinterpret_bits<u64>(result) & ~0xffffffffull) : result;
    } else return finished<how>(arithmetic::divide<mode_of(how)>(1.0f, flushed<how>(x)));)
SIMT_PTX_1(sqrt, return finished<how>(arithmetic::square_root<mode_of(how)>(flushed<how>(x)));)
SIMT_PTX_1(rsqrt, if constexpr (__is_same(T, double)) return 1.0 / ::sqrt(x);
           else return finished<how>(static_cast<float>(1.0 / ::sqrt(static_cast<double>(flushed<how>(x)))));)
SIMT_PTX_1(sin, return finished<how>(::sinf(flushed<how>(x)));)
SIMT_PTX_1(cos, return finished<how>(::cosf(flushed<how>(x)));)
SIMT_PTX_1(lg2, return finished<how>(::log2f(flushed<how>(x)));)
SIMT_PTX_1(ex2, if constexpr (__is_class(T)) return for_small<how>(
                    [](double p) { return static_cast<double>(::exp2f(static_cast<float>(p))); }, x);
           else return finished<how>(::exp2f(flushed<how>(x)));)
SIMT_PTX_1(tanh, if constexpr (__is_class(T)) return for_small<how>(
                     [](double p) { return static_cast<double>(::tanhf(static_cast<float>(p))); }, x);
           else return ::tanhf(x);)
/// The second operand with the sign of the first.
SIMT_PTX_2(copysign, if constexpr (__is_same(T, float)) return __builtin_copysignf(y, x);
           else return __builtin_copysign(y, x);)

// ---- bits

SIMT_PTX_2(and_, return static_cast<T>(x & y);)
SIMT_PTX_2(or_, return static_cast<T>(x | y);)
SIMT_PTX_2(xor_, return static_cast<T>(x ^ y);)
SIMT_PTX_1(not_, if constexpr (__is_same(T, bool)) return !x; else return static_cast<T>(~x);)
SIMT_PTX_1(cnot, return x == 0;)

template <Modifiers how, typename T, typename D, typename A, typename B>
SIMT_INLINE void shl(D& to, A a, B b) {
    const u32 amount = as<u32>(b);
    put(to, amount < 8 * sizeof(T) ? static_cast<T>(w(as<T>(a)) << amount) : T(0));
}
template <Modifiers how, typename T, typename D, typename A, typename B>
SIMT_INLINE void shr(D& to, A a, B b) {
    const T x = as<T>(a);
    const u32 amount = as<u32>(b), most = 8 * sizeof(T) - 1;
    put(to, amount <= most ? static_cast<T>(x >> amount) : is_signed_integer<T> ? static_cast<T>(x >> most) : T(0));
}
template <Modifiers how, typename T, typename D, typename A, typename B, typename C>
SIMT_INLINE void shf(D& to, A a, B b, C c) {
    const u32 low = as<u32>(a), high = as<u32>(b), amount = as<u32>(c);
    if constexpr ((how & left) != 0)
        put(to, how & clamp ? __funnelshift_lc(low, high, amount) : __funnelshift_l(low, high, amount));
    else put(to, how & clamp ? __funnelshift_rc(low, high, amount) : __funnelshift_r(low, high, amount));
}

template <Modifiers how, typename T, typename D, typename A>
SIMT_INLINE void popc(D& to, A a) {
    put(to, static_cast<u32>(__builtin_popcountll(as<T>(a))));
}
template <Modifiers how, typename T, typename D, typename A>
SIMT_INLINE void clz(D& to, A a) {
    const T x = as<T>(a);
    put(to, static_cast<u32>(x == 0 ? 8 * sizeof(T) : __builtin_clzll(x) - (64 - 8 * sizeof(T))));
}
/// The position of the highest bit that differs from the sign, or the amount that shifts it to the top; all ones if
/// there is none.
template <Modifiers how, typename T, typename D, typename A>
SIMT_INLINE void bfind(D& to, A a) {
    const T value = as<T>(a);
    using U = Unsigned<T>;
    const U x = static_cast<U>(is_signed_integer<T> && value < 0 ? ~value : value);
    const u32 position = x == 0 ? ~0u : 63 - static_cast<u32>(__builtin_clzll(x));
    put(to, x != 0 && (how & shiftamt) ? static_cast<u32>(8 * sizeof(T)) - 1 - position : position);
}
SIMT_PTX_1(brev, if constexpr (sizeof(T) == 4) return __brev(x); else return __brevll(x);)
template <Modifiers how, typename T, typename D, typename A, typename B, typename C>
SIMT_INLINE void bfe(D& to, A a, B b, C c) {
    const T x = as<T>(a);
    constexpr u32 width = 8 * sizeof(T);
    const u32 position = as<u32>(b) & 0xff, length = as<u32>(c) & 0xff;
    if (length == 0) return put(to, T(0));
    const u32 last = position + length - 1 < width - 1 ? position + length - 1 : width - 1;
    const bool sign = is_signed_integer<T> && (x >> last & 1);
    T result = 0;
    using U = Unsigned<T>;
    U bits = position < width ? static_cast<U>(x) >> position : 0;
    const u32 kept = position < width ? (length < width - position ? length : width - position) : 0;
    const U mask = kept >= width ? static_cast<U>(-1) : (static_cast<U>(1) << kept) - 1;
    bits = (bits & mask) | (sign ? ~mask : 0);
    if (sign && position >= width) bits = static_cast<U>(-1);
    result = static_cast<T>(bits);
    put(to, result);
}
/// The low bits of a, put into b.
template <Modifiers how, typename T, typename D, typename A, typename B, typename P, typename L>
SIMT_INLINE void bfi(D& to, A a, B b, P p, L l) {
    constexpr u32 width = 8 * sizeof(T);
    const u32 position = as<u32>(p) & 0xff, length = as<u32>(l) & 0xff;
    const T x = as<T>(a), y = as<T>(b);
    if (position >= width || length == 0) return put(to, y);
    const T low = length >= width ? static_cast<T>(-1) : (static_cast<T>(1) << length) - 1, mask = low << position;
    put(to, static_cast<T>((y & ~mask) | (x << position & mask)));
}
template <Modifiers how, typename T, typename D, typename A, typename B>
SIMT_INLINE void bmsk(D& to, A a, B b) {
    const u32 position = how & wrap ? as<u32>(a) & 31 : as<u32>(a), length = how & wrap ? as<u32>(b) & 31 : as<u32>(b);
    const u64 ones = length >= 32 ? 0xffffffffull : (1ull << length) - 1;
    put(to, position >= 32 ? 0u : static_cast<u32>(ones << position));
}
template <Modifiers how, typename T, typename D, typename A, typename B, typename C>
SIMT_INLINE void fns(D& to, A a, B b, C c) {
    put(to, __fns(as<u32>(a), as<u32>(b), as<s32>(c)));
}
template <Modifiers how, typename T, typename D, typename A, typename B, typename C, typename Table>
SIMT_INLINE void lop3(D& to, A a, B b, C c, Table table) {
    const u32 x = as<u32>(a), y = as<u32>(b), z = as<u32>(c), results = as<u32>(table);
    u32 result = 0;
    for (u32 i = 0; i < 8; ++i) {
        if (results >> i & 1) result |= (i & 4 ? x : ~x) & (i & 2 ? y : ~y) & (i & 1 ? z : ~z);
    }
    put(to, result);
}

enum class PermuteMode { index, f4e, b4e, rc8, ecl, ecr, rc16 };
/// Each of the result's bytes is one of the eight of b:a; bit 3 of its selector repeats the byte's sign instead.
template <PermuteMode mode, typename D, typename A, typename B, typename C>
SIMT_INLINE void prmt(D& to, A a, B b, C c) {
    const u64 bytes = static_cast<u64>(as<u32>(b)) << 32 | as<u32>(a);
    const u32 selector = as<u32>(c), s = selector & 3;
    u32 result = 0;
    for (u32 i = 0; i < 4; ++i) {
        u32 from = 0;
        switch (mode) {
            case PermuteMode::index: from = selector >> 4 * i & 15; break;
            case PermuteMode::f4e: from = s + i; break;
            case PermuteMode::b4e: from = (s - i) & 7; break;
            case PermuteMode::rc8: from = s; break;
            case PermuteMode::ecl: from = i < s ? s : i; break;
            case PermuteMode::ecr: from = i < s ? i : s; break;
            case PermuteMode::rc16: from = (s & 1) * 2 + i % 2; break;
        }
        u32 byte = static_cast<u32>(bytes >> 8 * (from & 7)) & 0xff;
        if (from & 8) byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * i;
    }
    put(to, result);
}

template <Modifiers how, typename T, typename U, typename D, typename A, typename B, typename C>
SIMT_INLINE void dp4a(D& to, A a, B b, C c) {
    s64 sum =
        is_signed_integer<T> || is_signed_integer<U> ? static_cast<s64>(as<s32>(c)) : static_cast<s64>(as<u32>(c));
    for (u32 shift = 0; shift < 32; shift += 8) {
        const u32 x = as<u32>(a) >> shift & 0xff, y = as<u32>(b) >> shift & 0xff;
        sum += static_cast<s64>(is_signed_integer<T> ? static_cast<s8>(x) : static_cast<s32>(x)) *
               (is_signed_integer<U> ? static_cast<s8>(y) : static_cast<s32>(y));
    }
    put(to, static_cast<u32>(sum));
}
template <Modifiers how, typename T, typename U, typename D, typename A, typename B, typename C>
SIMT_INLINE void dp2a(D& to, A a, B b, C c) {
    s64 sum = static_cast<s64>(as<u32>(c));
    for (u32 i = 0; i < 2; ++i) {
        const u32 x = as<u32>(a) >> 16 * i & 0xffff, y = as<u32>(b) >> (8 * i + (how & hi ? 16 : 0)) & 0xff;
        sum += static_cast<s64>(is_signed_integer<T> ? static_cast<s16>(x) : static_cast<s32>(x)) *
               (is_signed_integer<U> ? static_cast<s8>(y) : static_cast<s32>(y));
    }
    put(to, static_cast<u32>(sum));
}

/// Four bytes or two halves at once; with .add, the sum of the results and a fourth operand.
template <Modifiers how, typename Element, typename D, typename A, typename B, typename C, typename Operation>
SIMT_INLINE void for_elements(D& to, A a, B b, C c, Operation operation) {
    constexpr u32 width = 8 * sizeof(Element);
    u32 result = how & add_result ? as<u32>(c) : 0;
    for (u32 shift = 0; shift < 32; shift += width) {
        s32 value = operation(static_cast<s32>(static_cast<Element>(as<u32>(a) >> shift)),
                              static_cast<s32>(static_cast<Element>(as<u32>(b) >> shift)));
        if (how & sat) value = clamped<Element>(value);
        if (how & add_result) result += static_cast<u32>(value);
        else result |= static_cast<u32>(static_cast<Unsigned<Element>>(value)) << shift;
    }
    put(to, result);
}
template <typename T, bool is_byte>
struct Packed;
// clang-format off
template <> struct Packed<u32, true> { using type = u8; };
template <> struct Packed<s32, true> { using type = s8; };
template <> struct Packed<u32, false> { using type = u16; };
template <> struct Packed<s32, false> { using type = s16; };
// clang-format on
#define SIMT_PTX_PACKED(name, expression)                                                                         \
    template <Modifiers how, typename T, typename U, typename V, typename D, typename A, typename B, typename C>  \
    SIMT_INLINE void name##4(D & to, A a, B b, C c) {                                                             \
        for_elements<how, typename Packed<U, true>::type>(to, a, b, c, [](s32 x, s32 y) { return expression; });  \
    }                                                                                                             \
    template <Modifiers how, typename T, typename U, typename V, typename D, typename A, typename B, typename C>  \
    SIMT_INLINE void name##2(D & to, A a, B b, C c) {                                                             \
        for_elements<how, typename Packed<U, false>::type>(to, a, b, c, [](s32 x, s32 y) { return expression; }); \
    }
SIMT_PTX_PACKED(vadd, x + y)
SIMT_PTX_PACKED(vsub, x - y)
SIMT_PTX_PACKED(vavrg, (x + y + (x + y >= 0)) >> 1)
SIMT_PTX_PACKED(vabsdiff, x < y ? y - x : x - y)
SIMT_PTX_PACKED(vmin, x < y ? x : y)
SIMT_PTX_PACKED(vmax, x < y ? y : x)
#undef SIMT_PTX_PACKED

// ---- comparisons and choices

enum class Compare { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

template <Compare compare, typename T>
SIMT_INLINE bool holds(T x, T y) {
    if constexpr (__is_class(T)) {
        return holds<compare>(widened<typename T::Format>(x.bits), widened<typename T::Format>(y.bits));
    } else {
        const bool unordered = x != x || y != y;
        switch (compare) {
            case Compare::eq: return x == y;
            case Compare::ne: return !unordered && x != y;
            case Compare::lt: return x < y;
            case Compare::le: return x <= y;
            case Compare::gt: return x > y;
            case Compare::ge: return x >= y;
            case Compare::equ: return unordered || x == y;
            case Compare::neu: return unordered || x != y;
            case Compare::ltu: return unordered || x < y;
            case Compare::leu: return unordered || x <= y;
            case Compare::gtu: return unordered || x > y;
            case Compare::geu: return unordered || x >= y;
            case Compare::num: return !unordered;
            case Compare::nan: return unordered;
        }
        return false;
    }
}
template <Compare compare, Modifiers how, typename T, typename A, typename B>
SIMT_INLINE bool compared(A a, B b) {
    if constexpr (is_floating<T>) return holds<compare>(flushed<how>(as<T>(a)), flushed<how>(as<T>(b)));
    else return holds<compare>(as<T>(a), as<T>(b));
}
/// All ones, or 1.0, for true.
template <typename T, typename D>
SIMT_INLINE void set_to(D& to, bool value) {
    if constexpr (is_floating<T>) put(to, T(value));
    else put(to, value ? static_cast<u32>(-1) : 0u);
}

template <Modifiers how, typename T, typename D, typename A, typename B>
SIMT_INLINE void selp(D& to, A a, B b, bool condition) {
    put(to, condition ? as<T>(a) : as<T>(b));
}
template <Modifiers how, typename T, typename U, typename D, typename A, typename B, typename C>
SIMT_INLINE void slct(D& to, A a, B b, C c) {
    put(to, as<U>(c) >= 0 ? as<T>(a) : as<T>(b));
}
SIMT_PTX_1(mov, return x;)
/// Into or out of a list: the first is the lowest part.
template <typename D, typename Part, unsigned count>
SIMT_INLINE void pack(D& to, const Part (&parts)[count]) {
    D bits = 0;
    for (unsigned i = count; i-- > 0;)
        bits = static_cast<D>(bits << (8 * sizeof(D) / count)) | static_cast<D>(parts[i]);
    to = bits;
}
template <typename Part, unsigned count, typename A>
SIMT_INLINE void unpack(Part (&parts)[count], A from) {
    for (unsigned i = 0; i < count; ++i) parts[i] = static_cast<Part>(from >> (8 * sizeof(A) / count) * i);
}

template <Modifiers how, typename T, typename D, typename A>
SIMT_INLINE void testp(D& to, A a, const char* what) {
    const T x = as<T>(a);
    const bool finite = x - x == 0;
    constexpr T least = __is_same(T, float) ? T(0x1p-126) : T(0x1p-1022);
    const bool subnormal = finite && x != 0 && x < least && x > -least;
    switch (what[0]) {
        case 'f': put(to, finite); break;
        case 'i': put(to, !finite && x == x); break;
        case 'n': put(to, what[1] == 'u' ? x == x : what[2] == 't' ? x != x : finite && x != 0 && !subnormal); break;
        default: put(to, subnormal); break;
    }
}

// ---- conversions

template <typename T>
SIMT_INLINE auto value_of(T x) {
    if constexpr (is_small<T>) return widened<typename T::Format>(x.bits);
    else return x;
}
template <Modifiers how, typename To, typename From>
SIMT_INLINE To converted(From from) {
    constexpr auto mode = mode_of(how);
    constexpr bool to_whole = (how & (rni | rzi | rmi | rpi)) != 0;
    auto x = value_of(from);
    using X = decltype(x);
    if constexpr (is_floating<X>) x = flushed<how>(x);
    if constexpr (__is_same(To, tf32)) {
        if (how & rna) return {reinterpret_bits<unsigned>(matrix::to_tf32(x))};
        u32 bits = reinterpret_bits<u32>(static_cast<float>(x));
        if ((bits & 0x7f800000) != 0x7f800000) bits += how & rz ? 0 : 0xfff + (bits >> 13 & 1);
        if (x != x) return {0x7fffffffu};
        if ((how & relu) && x < 0) return {0};
        return {bits & ~0x1fffu};
    } else if constexpr (is_small<To>) {
        using Format = typename To::Format;
        unsigned short result;
        if constexpr (is_floating<X>) {
            const double value = to_whole ? arithmetic::to_whole<mode>(static_cast<double>(x)) : static_cast<double>(x);
            result = narrow<Format, small_mode_of(how)>(value);
        } else if constexpr (is_signed_integer<X>) {
            result = narrow<Format, small_mode_of(how)>(to_odd(static_cast<long long>(x)));
        } else {
            result = narrow<Format, small_mode_of(how)>(to_odd(static_cast<unsigned long long>(x)));
        }
        if ((how & satfinite) && (result & 0x7fff) == Format::infinity) result = (result & 0x8000) | Format::largest;
        return {finished_small<how, Format>(result)};
    } else if constexpr (is_floating<To>) {
        if constexpr (is_floating<X>) {
            if (to_whole) return finished<how>(static_cast<To>(arithmetic::to_whole<mode>(static_cast<double>(x))));
            if constexpr (sizeof(To) < sizeof(X)) return finished<how>(arithmetic::to_float<To, mode>(x));
            else return finished<how>(static_cast<To>(x));
        } else {
            return finished<how>(arithmetic::to_float<To, mode>(x));
        }
    } else if constexpr (is_floating<X>) {
        using Wide = typename simt::Wide<To>::type;
        const Wide wide = arithmetic::to_integer<Wide, mode>(x);
        if constexpr (sizeof(To) < 4) return clamped<To>(wide);
        else return wide;
    } else {
        if (how & sat) return clamped<To>(x);
        return static_cast<To>(x);
    }
}
template <Modifiers how, typename To, typename From, typename D, typename A>
SIMT_INLINE void cvt(D& to, A a) {
    put(to, converted<how, To>(as<From>(a)));
}
/// Two numbers into a pair: the first becomes the upper one.
template <Modifiers how, typename To, typename From, typename D, typename A, typename B>
SIMT_INLINE void cvt(D& to, A a, B b) {
    using One = Small<typename To::Format>;
    put(to, To{converted<how, One>(as<From>(b)).bits, converted<how, One>(as<From>(a)).bits});
}

// ---- memory

/// The pointer for an address in a register: in shared memory, addresses have 32 bits.
template <Modifiers how, typename A>
SIMT_INLINE char* pointer(A address, long long offset = 0) {
    if constexpr ((how & shared) != 0)
        return static_cast<char*>(__cvta_shared_to_generic(static_cast<u32>(address + static_cast<u64>(offset))));
    else return reinterpret_cast<char*>(address + static_cast<u64>(offset));
}
constexpr Scope scope_of(Modifiers how) { return how & cta ? Scope::block : how & sys ? Scope::system : Scope::device; }
constexpr int order_of(Modifiers how) {
    return how & sc        ? __ATOMIC_SEQ_CST
           : how & acq_rel ? __ATOMIC_ACQ_REL
           : how & acquire ? __ATOMIC_ACQUIRE
           : how & release ? __ATOMIC_RELEASE
                           : __ATOMIC_RELAXED;
}
constexpr bool is_strong(Modifiers how) { return (how & (relaxed | acquire | release)) != 0; }

/// A load that a thread may repeat until another has written lets the others run.
template <Modifiers how, typename T, typename D, unsigned count>
SIMT_INLINE void ld(D (&to)[count], const char* from, Site site = Site::here()) {
    constexpr unsigned bytes = sizeof(T) * count;
    T values[count];
    if constexpr (is_strong(how)) {
        for (unsigned i = 0; i < count; ++i) {
            T* const address = reinterpret_cast<T*>(const_cast<char*>(from)) + i;
            values[i] = ScopedAtomic<T, scope_of(how)>::load(address, order_of(how));
        }
        yield(site, static_cast<u64>(reinterpret_bits<Unsigned<T>>(values[0])));
    } else if constexpr ((how & is_volatile) != 0) {
        const T* const address = reinterpret_cast<const T*>(from);
        if constexpr (bytes <= 16) {
            typedef typename arithmetic::VolatileWord<bytes>::type Word;
            const Word word = *reinterpret_cast<const volatile Word*>(address);
            __builtin_memcpy(values, &word, bytes);
        } else {
            for (unsigned i = 0; i < count; ++i) values[i] = __ldcv(address + i);
        }
        yield(site, static_cast<u64>(reinterpret_bits<Unsigned<T>>(values[0])));
    } else {
        using Word = typename VectorWord<bytes>::type;
        check_alignment<bytes>(from, false);
        for (unsigned i = 0; i < bytes / sizeof(Word); ++i) {
            const Word word = reinterpret_cast<const Word*>(from)[i];
            __builtin_memcpy(reinterpret_cast<char*>(values) + i * sizeof(Word), &word, sizeof word);
        }
    }
    for (unsigned i = 0; i < count; ++i) put(to[i], values[i]);
}
template <Modifiers how, typename T, typename D, unsigned count>
SIMT_INLINE void st(char* to, const D (&from)[count]) {
    constexpr unsigned bytes = sizeof(T) * count;
    T values[count];
    for (unsigned i = 0; i < count; ++i) values[i] = as<T>(from[i]);
    if constexpr (is_strong(how)) {
        for (unsigned i = 0; i < count; ++i)
            ScopedAtomic<T, scope_of(how)>::store(reinterpret_cast<T*>(to) + i, values[i], order_of(how));
    } else if constexpr ((how & is_volatile) != 0 && bytes <= 16) {
        typedef typename arithmetic::VolatileWord<bytes>::type Word;
        Word word;
        __builtin_memcpy(&word, values, bytes);
        *reinterpret_cast<volatile Word*>(to) = word;
    } else {
        using Word = typename VectorWord<bytes>::type;
        check_alignment<bytes>(to, true);
        for (unsigned i = 0; i < bytes / sizeof(Word); ++i) {
            Word word;
            __builtin_memcpy(&word, reinterpret_cast<const char*>(values) + i * sizeof(Word), sizeof word);
            reinterpret_cast<Word*>(to)[i] = word;
        }
    }
}

// What atom and red do to memory. The old value goes into a register; red's goes nowhere.
#define SIMT_PTX_ATOMIC(name, expression)                                                                             \
    template <Modifiers how, typename T, typename D, typename A>                                                      \
    SIMT_INLINE void name(D& to, char* at, A a, Site site = Site::here()) {                                           \
        const T value = as<T>(a);                                                                                     \
        T* const address = reinterpret_cast<T*>(at);                                                                  \
        ::simt::yield_to_poll(value, site);                                                                           \
        put(to, ::simt::polled(                                                                                       \
                    value,                                                                                            \
                    ScopedAtomic<T, scope_of(how)>::update(                                                           \
                        address, [value](T before) SIMT_UNCHECKED_LAMBDA -> T { return static_cast<T>(expression); }, \
                        order_of(how), site)));                                                                       \
    }
SIMT_PTX_ATOMIC(atom_add, before + value)
SIMT_PTX_ATOMIC(atom_and, before& value)
SIMT_PTX_ATOMIC(atom_or, before | value)
SIMT_PTX_ATOMIC(atom_xor, before ^ value)
SIMT_PTX_ATOMIC(atom_min, value < before ? value : before)
SIMT_PTX_ATOMIC(atom_max, before < value ? value : before)
SIMT_PTX_ATOMIC(atom_inc, before >= value ? 0 : before + 1)
SIMT_PTX_ATOMIC(atom_dec, before == 0 || before > value ? value : before - 1)
#undef SIMT_PTX_ATOMIC
template <Modifiers how, typename T, typename D, typename A>
SIMT_INLINE void atom_exch(D& to, char* at, A a, Site site = Site::here()) {
    put(to, ScopedAtomic<T, scope_of(how)>::exchange(reinterpret_cast<T*>(at), as<T>(a), order_of(how), site));
}
template <Modifiers how, typename T, typename D, typename A, typename B>
SIMT_INLINE void atom_cas(D& to, char* at, A a, B b, Site site = Site::here()) {
    T expected = as<T>(a);
    ScopedAtomic<T, scope_of(how)>::compare_exchange(reinterpret_cast<T*>(at), expected, as<T>(b), order_of(how), site);
    put(to, expected);
}

// ---- asynchronous copies

template <typename Size, typename Source>
SIMT_INLINE void cp_async(char* to, const char* from, Size size, Source source) {
    const u32 bytes = as<u32>(size), read = as<u32>(source);
    if ((reinterpret_cast<u64>(to) | reinterpret_cast<u64>(from)) % bytes != 0)
        fail_lane("cp.async: an address is not a multiple of the number of bytes");
    start_copy(thread_rank(), {to, from, bytes, read < bytes ? bytes - read : 0});
}
SIMT_INLINE void cp_async_commit_group() { commit_copies(thread_rank()); }
template <typename N>
SIMT_INLINE void cp_async_wait_group(N groups) {
    finish_copies(as<u32>(groups));
}
SIMT_INLINE void cp_async_wait_all() {
    commit_copies(thread_rank());
    finish_copies(0);
}

// ---- barriers and warps

/// One of a block's 16 barriers, for `count` threads: those that wait and those that only arrive.
SIMT_OUT_OF_LINE void named_barrier(unsigned id, unsigned count, bool waits, Site site) {
    if (id >= named_barrier_count) fail_lane("bar.sync: there is no barrier of this number");
    TileBarrier& barrier = tile_barriers[first_named_barrier + id];
    const unsigned generation = barrier.generation;
    const unsigned* const word = &barrier.arrived[generation & 1];
    if constexpr (is_checked) check::meet_in_tile(word, true, site);
    if (++barrier.arrived[generation & 1] == count) {
        barrier.arrived[generation & 1] = 0;
        ++barrier.generation;
    }
    if (!waits) return;
    while (barrier.generation == generation) yield(site, generation);
    note_change();
    if constexpr (is_checked) check::meet_in_tile(word, false, site);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

template <typename Id, typename Count>
SIMT_INLINE void bar_sync(Id id, Count count, Site site = Site::here()) {
    named_barrier(as<u32>(id), as<u32>(count), true, site);
}
template <typename Id, typename Count>
SIMT_INLINE void bar_arrive(Id id, Count count, Site site = Site::here()) {
    named_barrier(as<u32>(id), as<u32>(count), false, site);
}

enum class Shuffle { up, down, bfly, idx };
/// `packed`: in bits 0-4 the highest or lowest lane within a segment, in 8-12 which bits of the lane are the segment's.
template <Shuffle kind, typename D, typename A, typename B, typename C, typename M>
SIMT_INLINE void shfl_sync(D& to, bool& is_inside, A a, B b, C c, M m, Site site = Site::here()) {
    const u32 lane = lane_in_warp(), by = as<u32>(b) & 31, limit = as<u32>(c) & 31, segment = as<u32>(c) >> 8 & 31;
    const u32 highest = (lane & segment) | (limit & ~segment), lowest = lane & segment;
    u32 source = 0;
    switch (kind) {
        case Shuffle::up:
            source = lane - by;
            is_inside = static_cast<s32>(source) >= static_cast<s32>(highest);
            break;
        case Shuffle::down:
            source = lane + by;
            is_inside = source <= highest;
            break;
        case Shuffle::bfly:
            source = lane ^ by;
            is_inside = source <= highest;
            break;
        case Shuffle::idx:
            source = lowest | (by & ~segment);
            is_inside = source <= highest;
            break;
    }
    to = static_cast<D>(value_of_lane(as<u32>(m), as<u32>(a), is_inside ? source : lane, site));
}
template <typename D, typename M>
SIMT_INLINE void vote_ballot(D& to, bool p, M m, Site site = Site::here()) {
    put(to, __ballot_sync(as<u32>(m), p, site));
}
template <typename M>
SIMT_INLINE void vote_all(bool& to, bool p, M m, Site site = Site::here()) {
    to = __all_sync(as<u32>(m), p, site) != 0;
}
template <typename M>
SIMT_INLINE void vote_any(bool& to, bool p, M m, Site site = Site::here()) {
    to = __any_sync(as<u32>(m), p, site) != 0;
}
template <typename M>
SIMT_INLINE void vote_uni(bool& to, bool p, M m, Site site = Site::here()) {
    to = __uni_sync(as<u32>(m), p, site) != 0;
}
template <typename T, typename D, typename A, typename M>
SIMT_INLINE void match_any(D& to, A a, M m, Site site = Site::here()) {
    put(to, __match_any_sync(as<u32>(m), as<T>(a), site));
}
template <typename T, typename D, typename A, typename M>
SIMT_INLINE void match_all(D& to, bool& all_equal, A a, M m, Site site = Site::here()) {
    int equal = 0;
    put(to, __match_all_sync(as<u32>(m), as<T>(a), &equal, site));
    all_equal = equal != 0;
}
#define SIMT_PTX_REDUX(name)                                                   \
    template <typename T, typename D, typename A, typename M>                  \
    SIMT_INLINE void redux_##name(D& to, A a, M m, Site site = Site::here()) { \
        put(to, __reduce_##name##_sync(as<u32>(m), as<T>(a), site));           \
    }
SIMT_PTX_REDUX(add)
SIMT_PTX_REDUX(min)
SIMT_PTX_REDUX(max)
SIMT_PTX_REDUX(and)
SIMT_PTX_REDUX(or)
SIMT_PTX_REDUX(xor)
#undef SIMT_PTX_REDUX
/// The lowest lane of the mask.
template <typename D, typename M>
SIMT_INLINE void elect_sync(D& to, bool& is_leader, M m, Site site = Site::here()) {
    __syncwarp(as<u32>(m), site);
    const u32 leader = static_cast<u32>(__builtin_ctz(as<u32>(m)));
    put(to, leader);
    is_leader = leader == lane_in_warp();
}

// ---- matrices

template <bool transposes, typename D, unsigned count>
SIMT_INLINE void ldmatrix(D (&to)[count], const char* row, Site site = Site::here()) {
    u64 rows[32];
    all_values(rows, reinterpret_cast<u64>(row), site);
    for (unsigned i = 0; i < count; ++i) {
        using Word = typename VectorWord<4>::type;
        const Word word = *reinterpret_cast<const Word*>(part_of_matrix(rows, i));
        u32 pair;
        __builtin_memcpy(&pair, &word, 4);
        to[i] = transposes ? transposed_pair(pair, site) : pair;
    }
}
template <bool transposes, typename D, unsigned count>
SIMT_INLINE void stmatrix(char* row, const D (&from)[count], Site site = Site::here()) {
    u64 rows[32];
    all_values(rows, reinterpret_cast<u64>(row), site);
    for (unsigned i = 0; i < count; ++i) {
        const u32 pair = transposes ? transposed_pair(static_cast<u32>(from[i]), site) : static_cast<u32>(from[i]);
        using Word = typename VectorWord<4>::type;
        Word word;
        __builtin_memcpy(&word, &pair, 4);
        *reinterpret_cast<Word*>(part_of_matrix(rows, i)) = word;
    }
}

template <typename T>
struct MatrixElement {
    using type = T;
    static constexpr unsigned packed = sizeof(T) >= 4 ? 1 : 4 / sizeof(T);
};
template <typename T, unsigned packed_>
struct MatrixElementOf {
    using type = T;
    static constexpr unsigned packed = packed_;
};
struct s4 {};
struct u4 {};
struct b1 {};
// clang-format off
template <> struct MatrixElement<f16> : MatrixElementOf<matrix::Half, 2> {};
template <> struct MatrixElement<bf16> : MatrixElementOf<matrix::Bfloat16, 2> {};
template <> struct MatrixElement<tf32> : MatrixElementOf<matrix::Tf32, 1> {};
template <> struct MatrixElement<s4> : MatrixElementOf<matrix::Int4<true>, 8> {};
template <> struct MatrixElement<u4> : MatrixElementOf<matrix::Int4<false>, 8> {};
template <> struct MatrixElement<b1> : MatrixElementOf<matrix::Bits32, 1> {};
// clang-format on

template <Modifiers how, unsigned m, unsigned n, unsigned k, typename TD, typename TA, typename TB, typename TC,
          typename Operation = matrix::MultiplyAdd, typename D, typename A, typename B, typename C, unsigned count_d,
          unsigned count_a, unsigned count_b, unsigned count_c>
SIMT_INLINE void mma(D (&d)[count_d], const A (&a)[count_a], const B (&b)[count_b], const C (&c)[count_c],
                     Site site = Site::here()) {
    using ElementA = MatrixElement<TA>;
    using ElementB = MatrixElement<TB>;
    constexpr unsigned steps = __is_same(TA, b1) ? k / 32 : k;
    using Multiplied = matrix::Product<matrix::LayoutA<m, steps, ElementA::packed>, typename ElementA::type,
                                       matrix::LayoutB<steps, n, ElementB::packed>, typename ElementB::type,
                                       matrix::LayoutC<m, n>, typename MatrixElement<TC>::type,
                                       typename MatrixElement<TD>::type, Operation, (how & satfinite) != 0>;
    multiply_in_warp<Multiplied>(a, b, c, d, site);
}

#undef SIMT_PTX_LAMBDA
#undef SIMT_PTX_1
#undef SIMT_PTX_2
#undef SIMT_PTX_3

}  // namespace ptx
}  // namespace SIMT_FLAVOR
}  // namespace simt
