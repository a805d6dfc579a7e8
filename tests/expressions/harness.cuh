// SPDX-License-Identifier: MIT
// What every generated file of expressions shares: the operands, and how results are recorded and printed.
//
// A kernel evaluates one batch of expressions; thread i evaluates each of them for the i-th choice of operands. NaNs
// are recorded as one bit pattern, since their sign and payload differ between processors.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>  // IWYU pragma: export
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

using i8 = signed char;
using u8 = unsigned char;
using i16 = short;
using u16 = unsigned short;
using i32 = int;
using u32 = unsigned;
using i64 = long long;
using u64 = unsigned long long;
using f32 = float;
using f64 = double;
using h16 = __half;
using b16 = __nv_bfloat16;

constexpr int operand_count = 256, choices = 64;
constexpr int results_of_one = choices + 1;  // and one for the type

struct Operands {
    bool v_bool[operand_count];
    i8 v_i8[operand_count];
    u8 v_u8[operand_count];
    i16 v_i16[operand_count];
    u16 v_u16[operand_count];
    i32 v_i32[operand_count];
    u32 v_u32[operand_count];
    i64 v_i64[operand_count];
    u64 v_u64[operand_count];
    f32 v_f32[operand_count];
    f64 v_f64[operand_count];
    u16 v_h16[operand_count], v_b16[operand_count];  // bits
    i32 v_amount[operand_count];                     // for shifts
    i64 v_amount64[operand_count];
};

struct Bits {
    u32 low : 3;
    i32 middle : 7;
    u32 high : 22;
};

// ---- recording ------------------------------------------------------------------------------------------------------
template <class T>
__device__ u64 bits_of(T value) {
    return static_cast<u64>(static_cast<i64>(value));
}
__device__ inline u64 bits_of(f32 value) { return value != value ? 0x7fffffffu : __float_as_uint(value); }
__device__ inline u64 bits_of(f64 value) {
    return value != value ? 0x7fffffffffffffffull : static_cast<u64>(__double_as_longlong(value));
}
__device__ inline u64 bits_of(h16 value) { return __hisnan(value) ? 0x7fffu : __half_as_ushort(value); }
__device__ inline u64 bits_of(b16 value) { return __hisnan(value) ? 0x7fffu : __bfloat16_as_ushort(value); }

template <class T>
struct TypeTag {
    static constexpr u64 value = sizeof(T) * 2 + (static_cast<T>(-1) < static_cast<T>(0));
};
template <>
struct TypeTag<f32> {
    static constexpr u64 value = 101;
};
template <>
struct TypeTag<f64> {
    static constexpr u64 value = 102;
};
template <>
struct TypeTag<h16> {
    static constexpr u64 value = 103;
};
template <>
struct TypeTag<b16> {
    static constexpr u64 value = 104;
};

template <class T>
__device__ void put(u64* out, int expression, int choice, T value) {
    out[expression * results_of_one + choice] = bits_of(value);
    if (choice == 0) out[expression * results_of_one + choices] = TypeTag<T>::value;
}

// ---- operands -------------------------------------------------------------------------------------------------------
// Steele, Lea and Flood's SplitMix64.
struct Random {
    u64 state;
    u64 next() {
        u64 z = state += 0x9e3779b97f4a7c15ull;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
        z = (z ^ z >> 27) * 0x94d049bb133111ebull;
        return z ^ z >> 31;
    }
};

template <class T, class Bits>
T from_bits(Bits bits) {
    static_assert(sizeof(T) == sizeof(Bits), "");
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

// Half of the integers lie at an edge, or next to one.
template <class T>
void fill_integers(T (&values)[operand_count], Random& random) {
    constexpr int width = 8 * static_cast<int>(sizeof(T));
    for (int i = 0; i < operand_count; ++i) {
        const u64 r = random.next();
        const u64 power = u64{1} << (r >> 8) % width;
        switch (i < 12 ? 7 : r % 7) {
            case 0: values[i] = static_cast<T>(power); break;
            case 1: values[i] = static_cast<T>(power - 1); break;
            case 2: values[i] = static_cast<T>(0 - power); break;
            case 3: values[i] = static_cast<T>((r >> 16) % 100); break;
            case 4: values[i] = static_cast<T>(r >> 16 >> (r >> 8) % width % 48); break;
            case 7: {
                const u64 top = u64{1} << (width - 1);
                const u64 edges[12] = {0, 1, ~u64{0}, top, top - 1, top + 1, 2, ~u64{1}, ~u64{2}, 3, top >> 1, 100};
                values[i] = static_cast<T>(edges[i]);
                break;
            }
            default: values[i] = static_cast<T>(random.next() >> 7);
        }
    }
}

// Edges of the floats and of the integers that they are converted to, their neighbors, and numbers of all sizes.
template <class T, class Bits>
void fill_floats(T (&values)[operand_count], Random& random) {
    using Limits = std::numeric_limits<T>;
    const T edges[] = {T(0),
                       T(1),
                       T(0.5),
                       T(1.5),
                       T(2.5),
                       Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::max(),
                       Limits::min(),
                       Limits::denorm_min(),
                       T(127),
                       T(128),
                       T(255),
                       T(256),
                       T(32767),
                       T(32768),
                       T(65535),
                       T(65536),
                       T(2147483648.0),
                       T(4294967296.0),
                       T(9223372036854775808.0),
                       T(18446744073709551616.0),
                       T(16777216),
                       T(0.99999994),
                       T(1e10),
                       T(1e20),
                       T(3),
                       T(8388609),
                       T(4503599627370497.0)};
    constexpr int edge_count = static_cast<int>(sizeof edges / sizeof edges[0]);
    for (int i = 0; i < operand_count; ++i) {
        const u64 r = random.next();
        const T sign = r & 1 ? T(-1) : T(1);
        if (i < 4 * edge_count) {
            const T edge = i & 2 ? -edges[i / 4] : edges[i / 4];
            values[i] = i & 1 ? std::nextafter(edge, r & 2 ? Limits::infinity() : T(0)) : edge;
        } else if (i % 4 == 0) {
            values[i] = from_bits<T>(static_cast<Bits>(random.next()));
        } else if (i % 4 == 1) {
            values[i] = sign * static_cast<T>(static_cast<i64>(r >> 2 >> (r >> 56) % 62)) / T(8);
        } else if (i % 4 == 2) {
            values[i] = sign * std::ldexp(T(1) + static_cast<T>(r >> 12) * static_cast<T>(0x1p-52),
                                          static_cast<int>(r % 80) - 40);
        } else {
            values[i] = sign * static_cast<T>(r >> 40) * static_cast<T>(0x1p-24);
        }
    }
}

void fill_small_floats(u16 (&values)[operand_count], u16 one, u16 infinity, Random& random) {
    const u16 edges[] = {0,
                         1,
                         2,
                         static_cast<u16>(infinity - 1),
                         infinity,
                         static_cast<u16>(infinity + 1),
                         0x7fff,
                         one,
                         static_cast<u16>(one + 1),
                         static_cast<u16>(one - 1)};
    for (int i = 0; i < operand_count; ++i) {
        const u16 sign = i & 1 ? 0x8000 : 0;
        const u64 r = random.next();
        if (i < 20) {
            values[i] = static_cast<u16>(edges[i / 2] | sign);
        } else if (i % 2 == 0) {
            values[i] = static_cast<u16>(r);
        } else {
            values[i] = static_cast<u16>(((one + static_cast<int>(r % 0x2000) - 0x1000) & 0x7fff) | (r >> 20 & 0x8000));
        }
    }
}

void fill_amounts(Operands& o, Random& random) {
    const i64 edges[] = {0,       1,   7,   8,   15,  16,   30, 31, 32,  33,  40,  47,  48,  62,         63,
                         64,      65,  96,  127, 128, 1000, -1, -2, -31, -32, -33, -63, -64, 2147483647, -2147483648ll,
                         0x10000, 255, 256, 257};
    constexpr int edge_count = static_cast<int>(sizeof edges / sizeof edges[0]);
    for (int i = 0; i < operand_count; ++i) {
        const u64 r = random.next();
        const i64 value = i < 2 * edge_count ? edges[i / 2] : static_cast<i64>(r % 72);
        o.v_amount[i] = static_cast<i32>(value);
        o.v_amount64[i] = i % 8 == 7 ? value + (i64{1} << 32) : value;
    }
}

Operands* make_operands() {
    auto* o = new Operands;
    Random random = {12};
    for (int i = 0; i < operand_count; ++i) o->v_bool[i] = random.next() & 1;
    fill_integers(o->v_i8, random);
    fill_integers(o->v_u8, random);
    fill_integers(o->v_i16, random);
    fill_integers(o->v_u16, random);
    fill_integers(o->v_i32, random);
    fill_integers(o->v_u32, random);
    fill_integers(o->v_i64, random);
    fill_integers(o->v_u64, random);
    fill_floats<f32, u32>(o->v_f32, random);
    fill_floats<f64, u64>(o->v_f64, random);
    fill_small_floats(o->v_h16, 0x3c00, 0x7c00, random);
    fill_small_floats(o->v_b16, 0x3f80, 0x7f80, random);
    fill_amounts(*o, random);
    return o;
}

// ---- the run --------------------------------------------------------------------------------------------------------
#define CHECK(call)                                                                          \
    do {                                                                                     \
        const cudaError_t error = call;                                                      \
        if (error != cudaSuccess) {                                                          \
            std::fprintf(stderr, "expressions: %s: %s\n", #call, cudaGetErrorString(error)); \
            std::exit(3);                                                                    \
        }                                                                                    \
    } while (0)

using Batch = void (*)(const Operands*, u64*);

// Fowler, Noll and Vo's hash of a row of results, folded to 32 bits.
u32 hash_of(const u64* results) {
    u64 hash = 0xcbf29ce484222325ull;
    for (int i = 0; i < results_of_one; ++i) {
        for (int byte = 0; byte < 8; ++byte) hash = (hash ^ (results[i] >> 8 * byte & 0xff)) * 0x100000001b3ull;
    }
    return static_cast<u32>(hash ^ hash >> 32);
}

// `numbers` are those of the expressions, `batch_size` of them in each batch. Prints a line with number and hash for
// each; with an argument also writes all results to the file of that name.
int run_batches(const Batch* batches, const int* numbers, int expression_count, int batch_size, int argc, char** argv) {
    Operands* const host_operands = make_operands();
    Operands* operands = nullptr;
    u64* out = nullptr;
    const size_t bytes = sizeof(u64) * results_of_one * static_cast<size_t>(batch_size);
    CHECK(cudaMalloc(&operands, sizeof *operands));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemcpy(operands, host_operands, sizeof *operands, cudaMemcpyHostToDevice));
    delete host_operands;
    std::FILE* raw = argc > 1 ? std::fopen(argv[1], "wb") : nullptr;
    std::vector<u64> results(static_cast<size_t>(batch_size) * results_of_one);
    for (int first = 0; first < expression_count; first += batch_size) {
        CHECK(cudaMemset(out, 0, bytes));
        batches[first / batch_size]<<<1, choices>>>(operands, out);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(results.data(), out, bytes, cudaMemcpyDeviceToHost));
        for (int e = 0; e < batch_size && first + e < expression_count; ++e) {
            const u64* row = results.data() + static_cast<size_t>(e) * results_of_one;
            std::printf("%d %08x\n", numbers[first + e], hash_of(row));
            if (raw != nullptr) std::fwrite(row, sizeof(u64), results_of_one, raw);
        }
    }
    if (raw != nullptr && std::fclose(raw) != 0) return 5;
    CHECK(cudaFree(operands));
    CHECK(cudaFree(out));
    return 0;
}
