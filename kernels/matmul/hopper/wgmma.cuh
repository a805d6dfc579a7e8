// SPDX-License-Identifier: MIT
#pragma once
// Hopper's warpgroup matrix multiply-accumulate: 128 threads multiply a 64-row tile. Thin wrappers around PTX.
//   D (64 x tile_n, f32, in registers) += A (64 x 32, 16 or 8) * B (32, 16 or 8 x tile_n)
// For nvcc only, in code compiled for sm_90a. The instruction runs asynchronously: between its issue and wgmma_wait()
// no thread may touch its registers or the shared memory it reads.
//
// Thread t of the warpgroup, with warp w = t / 32 and lane l = t % 32, holds these elements of D, for each group j of 8
// columns:
//     d[4 j], d[4 j + 1]       row 16 w + l / 4,      columns 8 j + 2 (l % 4) and the next
//     d[4 j + 2], d[4 j + 3]   row 16 w + l / 4 + 8,  the same columns
#include "common/cuda/bulk_copy.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace BACKEND {

/// Orders earlier accesses to the registers before the next wgmma.
__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

/// Ends a group of wgmmas.
__device__ inline void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

/// Waits until at most `pending` groups are unfinished.
template <int pending>
__device__ inline void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(pending) : "memory");
}

/// Call it after wgmma_wait(): it keeps the compiler from reading the results earlier.
template <int count>
__device__ inline void wgmma_settle(float (&d)[count]) {
#pragma unroll
    for (int i = 0; i < count; ++i) asm volatile("" : "+f"(d[i])::"memory");
}

/// Describes an operand in shared memory: in 128-byte rows whose 16-byte pieces are swizzled by the row (the pattern of
/// TMA's SWIZZLE_128B), eight rows to a 1024-byte group. `group_stride`: bytes from one group of rows to the next;
/// `block_stride`: bytes between blocks of 128 bytes side by side, for a wider operand. The descriptor counts in units
/// of 16 bytes: adding 1 moves it by 16 bytes.
__device__ inline std::uint64_t wgmma_operand(const void* shared, unsigned block_stride, unsigned group_stride) {
    constexpr std::uint64_t swizzle_128_bytes = 1, address_bits = 0x3ffff;
    return (shared_address(shared) & address_bits) >> 4 | std::uint64_t{block_stride >> 4} << 16 |
           std::uint64_t{group_stride >> 4} << 32 | swizzle_128_bytes << 62;
}

// clang-format off
#define WGMMA_FLOATS_4(d, i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define WGMMA_FLOATS_8(d, i) WGMMA_FLOATS_4(d, i), WGMMA_FLOATS_4(d, i + 4)
#define WGMMA_FLOATS_16(d, i) WGMMA_FLOATS_8(d, i), WGMMA_FLOATS_8(d, i + 8)
#define WGMMA_FLOATS_32(d, i) WGMMA_FLOATS_16(d, i), WGMMA_FLOATS_16(d, i + 16)
#define WGMMA_FLOATS_36(d, i) WGMMA_FLOATS_32(d, i), WGMMA_FLOATS_4(d, i + 32)
#define WGMMA_FLOATS_40(d, i) WGMMA_FLOATS_32(d, i), WGMMA_FLOATS_8(d, i + 32)
#define WGMMA_FLOATS_44(d, i) WGMMA_FLOATS_36(d, i), WGMMA_FLOATS_8(d, i + 36)
#define WGMMA_FLOATS_48(d, i) WGMMA_FLOATS_32(d, i), WGMMA_FLOATS_16(d, i + 32)
#define WGMMA_FLOATS_52(d, i) WGMMA_FLOATS_44(d, i), WGMMA_FLOATS_8(d, i + 44)
#define WGMMA_FLOATS_56(d, i) WGMMA_FLOATS_52(d, i), WGMMA_FLOATS_4(d, i + 52)
#define WGMMA_FLOATS_60(d, i) WGMMA_FLOATS_52(d, i), WGMMA_FLOATS_8(d, i + 52)
#define WGMMA_FLOATS_64(d, i) WGMMA_FLOATS_60(d, i), WGMMA_FLOATS_4(d, i + 60)
#define WGMMA_FLOATS_72(d, i) WGMMA_FLOATS_64(d, i), WGMMA_FLOATS_8(d, i + 64)
#define WGMMA_FLOATS_80(d, i) WGMMA_FLOATS_64(d, i), WGMMA_FLOATS_16(d, i + 64)
#define WGMMA_FLOATS_84(d, i) WGMMA_FLOATS_52(d, i), WGMMA_FLOATS_32(d, i + 52)
#define WGMMA_FLOATS_88(d, i) WGMMA_FLOATS_84(d, i), WGMMA_FLOATS_4(d, i + 84)
#define WGMMA_FLOATS_92(d, i) WGMMA_FLOATS_88(d, i), WGMMA_FLOATS_4(d, i + 88)
#define WGMMA_FLOATS_96(d, i) WGMMA_FLOATS_64(d, i), WGMMA_FLOATS_32(d, i + 64)
#define WGMMA_FLOATS_100(d, i) WGMMA_FLOATS_96(d, i), WGMMA_FLOATS_4(d, i + 96)
#define WGMMA_FLOATS_104(d, i) WGMMA_FLOATS_100(d, i), WGMMA_FLOATS_4(d, i + 100)
#define WGMMA_FLOATS_108(d, i) WGMMA_FLOATS_104(d, i), WGMMA_FLOATS_4(d, i + 104)
#define WGMMA_FLOATS_112(d, i) WGMMA_FLOATS_108(d, i), WGMMA_FLOATS_4(d, i + 108)
#define WGMMA_FLOATS_116(d, i) WGMMA_FLOATS_112(d, i), WGMMA_FLOATS_4(d, i + 112)
#define WGMMA_FLOATS_120(d, i) WGMMA_FLOATS_116(d, i), WGMMA_FLOATS_4(d, i + 116)
#define WGMMA_FLOATS_124(d, i) WGMMA_FLOATS_120(d, i), WGMMA_FLOATS_4(d, i + 120)
#define WGMMA_FLOATS_128(d, i) WGMMA_FLOATS_124(d, i), WGMMA_FLOATS_4(d, i + 124)
#define WGMMA_NAMES_8 "%0, %1, %2, %3, %4, %5, %6, %7"
#define WGMMA_NAMES_16 WGMMA_NAMES_8 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define WGMMA_NAMES_32 WGMMA_NAMES_16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define WGMMA_NAMES_36 WGMMA_NAMES_32 ", %32, %33, %34, %35"
#define WGMMA_NAMES_40 WGMMA_NAMES_36 ", %36, %37, %38, %39"
#define WGMMA_NAMES_44 WGMMA_NAMES_36 ", %36, %37, %38, %39, %40, %41, %42, %43"
#define WGMMA_NAMES_48 WGMMA_NAMES_44 ", %44, %45, %46, %47"
#define WGMMA_NAMES_52 WGMMA_NAMES_44 ", %44, %45, %46, %47, %48, %49, %50, %51"
#define WGMMA_NAMES_56 WGMMA_NAMES_52 ", %52, %53, %54, %55"
#define WGMMA_NAMES_60 WGMMA_NAMES_52 ", %52, %53, %54, %55, %56, %57, %58, %59"
#define WGMMA_NAMES_64 WGMMA_NAMES_60 ", %60, %61, %62, %63"
#define WGMMA_NAMES_72 WGMMA_NAMES_64 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define WGMMA_NAMES_80 WGMMA_NAMES_72 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define WGMMA_NAMES_84 WGMMA_NAMES_72 ", %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83"
#define WGMMA_NAMES_88 WGMMA_NAMES_84 ", %84, %85, %86, %87"
#define WGMMA_NAMES_92 WGMMA_NAMES_88 ", %88, %89, %90, %91"
#define WGMMA_NAMES_96 WGMMA_NAMES_84 ", %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define WGMMA_NAMES_100 WGMMA_NAMES_96 ", %96, %97, %98, %99"
#define WGMMA_NAMES_104 WGMMA_NAMES_100 ", %100, %101, %102, %103"
#define WGMMA_NAMES_108 WGMMA_NAMES_104 ", %104, %105, %106, %107"
#define WGMMA_NAMES_112 WGMMA_NAMES_108 ", %108, %109, %110, %111"
#define WGMMA_NAMES_116 WGMMA_NAMES_112 ", %112, %113, %114, %115"
#define WGMMA_NAMES_120 WGMMA_NAMES_116 ", %116, %117, %118, %119"
#define WGMMA_NAMES_124 WGMMA_NAMES_120 ", %120, %121, %122, %123"
#define WGMMA_NAMES_128 WGMMA_NAMES_124 ", %124, %125, %126, %127"
// clang-format on

/// D (+)= A * B with both operands in shared memory. 16-bit elements: each operand's rows run along k, or along m or n.
/// 8-bit floats: both along k. `accumulate` 0 overwrites D. The transposed product, D' (+)= B' * A', is the same
/// instruction with B' first: D' is 64 columns of D times tile_n of its rows.
template <typename T, int tile_n>
struct Wgmma;

#define DEFINE_WGMMA_TYPE(TYPE, NAME, WIDTH, REGISTERS, A, B, P, ALONG_M, ALONG_N)                                     \
    template <>                                                                                                        \
    struct Wgmma<TYPE, WIDTH> {                                                                                        \
        template <bool a_along_k, bool b_along_k>                                                                      \
        __device__ static void multiply(float (&d)[REGISTERS], std::uint64_t a, std::uint64_t b, int accumulate) {     \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #P                                                       \
                         ", 0;\n"                                                                                      \
                         "wgmma.mma_async.sync.aligned.m64n" #WIDTH "k16.f32." NAME "." NAME                           \
                         " {" WGMMA_NAMES_##REGISTERS "}, %" #A ", %" #B ", p, 1, 1, %" #ALONG_M ", %" #ALONG_N ";\n}" \
                         : WGMMA_FLOATS_##REGISTERS(d, 0)                                                              \
                         : "l"(a), "l"(b), "r"(accumulate), "n"(!a_along_k), "n"(!b_along_k));                         \
        }                                                                                                              \
    };
#define DEFINE_WGMMA(WIDTH, REGISTERS, A, B, P, ALONG_M, ALONG_N)                         \
    DEFINE_WGMMA_TYPE(__nv_bfloat16, "bf16", WIDTH, REGISTERS, A, B, P, ALONG_M, ALONG_N) \
    DEFINE_WGMMA_TYPE(__half, "f16", WIDTH, REGISTERS, A, B, P, ALONG_M, ALONG_N)

DEFINE_WGMMA(16, 8, 8, 9, 10, 11, 12)
DEFINE_WGMMA(32, 16, 16, 17, 18, 19, 20)
DEFINE_WGMMA(64, 32, 32, 33, 34, 35, 36)
DEFINE_WGMMA(72, 36, 36, 37, 38, 39, 40)
DEFINE_WGMMA(80, 40, 40, 41, 42, 43, 44)
DEFINE_WGMMA(88, 44, 44, 45, 46, 47, 48)
DEFINE_WGMMA(96, 48, 48, 49, 50, 51, 52)
DEFINE_WGMMA(104, 52, 52, 53, 54, 55, 56)
DEFINE_WGMMA(112, 56, 56, 57, 58, 59, 60)
DEFINE_WGMMA(120, 60, 60, 61, 62, 63, 64)
DEFINE_WGMMA(128, 64, 64, 65, 66, 67, 68)
DEFINE_WGMMA(144, 72, 72, 73, 74, 75, 76)
DEFINE_WGMMA(160, 80, 80, 81, 82, 83, 84)
DEFINE_WGMMA(168, 84, 84, 85, 86, 87, 88)
DEFINE_WGMMA(176, 88, 88, 89, 90, 91, 92)
DEFINE_WGMMA(184, 92, 92, 93, 94, 95, 96)
DEFINE_WGMMA(192, 96, 96, 97, 98, 99, 100)
DEFINE_WGMMA(200, 100, 100, 101, 102, 103, 104)
DEFINE_WGMMA(208, 104, 104, 105, 106, 107, 108)
DEFINE_WGMMA(216, 108, 108, 109, 110, 111, 112)
DEFINE_WGMMA(224, 112, 112, 113, 114, 115, 116)
DEFINE_WGMMA(232, 116, 116, 117, 118, 119, 120)
DEFINE_WGMMA(240, 120, 120, 121, 122, 123, 124)
DEFINE_WGMMA(248, 124, 124, 125, 126, 127, 128)
DEFINE_WGMMA(256, 128, 128, 129, 130, 131, 132)

#define DEFINE_WGMMA_FLOAT8(TYPE, NAME, WIDTH, REGISTERS, A, B, P)                                                 \
    template <>                                                                                                    \
    struct Wgmma<TYPE, WIDTH> {                                                                                    \
        __device__ static void multiply(float (&d)[REGISTERS], std::uint64_t a, std::uint64_t b, int accumulate) { \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #P                                                   \
                         ", 0;\n"                                                                                  \
                         "wgmma.mma_async.sync.aligned.m64n" #WIDTH "k32.f32." NAME "." NAME                       \
                         " {" WGMMA_NAMES_##REGISTERS "}, %" #A ", %" #B ", p, 1, 1;\n}"                           \
                         : WGMMA_FLOATS_##REGISTERS(d, 0)                                                          \
                         : "l"(a), "l"(b), "r"(accumulate));                                                       \
        }                                                                                                          \
    };
DEFINE_WGMMA_FLOAT8(__nv_fp8_e4m3, "e4m3", 64, 32, 32, 33, 34)
DEFINE_WGMMA_FLOAT8(__nv_fp8_e5m2, "e5m2", 64, 32, 32, 33, 34)
DEFINE_WGMMA_FLOAT8(__nv_fp8_e4m3, "e4m3", 128, 64, 64, 65, 66)
DEFINE_WGMMA_FLOAT8(__nv_fp8_e5m2, "e5m2", 128, 64, 64, 65, 66)
DEFINE_WGMMA_FLOAT8(__nv_fp8_e4m3, "e4m3", 176, 88, 88, 89, 90)
DEFINE_WGMMA_FLOAT8(__nv_fp8_e5m2, "e5m2", 176, 88, 88, 89, 90)
DEFINE_WGMMA_FLOAT8(__nv_fp8_e4m3, "e4m3", 256, 128, 128, 129, 130)
DEFINE_WGMMA_FLOAT8(__nv_fp8_e5m2, "e5m2", 256, 128, 128, 129, 130)

/// tf32: operands in shared memory must have their rows along k. The first operand may come from registers: four values
/// per thread, rows l / 4 and l / 4 + 8 at k = l % 4, then both at l % 4 + 4. D (+)= A * B, 8 steps along k.
#define DEFINE_WGMMA_TF32(WIDTH, REGISTERS, FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH)                            \
    template <>                                                                                                    \
    struct Wgmma<float, WIDTH> {                                                                                   \
        __device__ static void multiply(float (&d)[REGISTERS], std::uint64_t a, std::uint64_t b, int accumulate) { \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #THIRD                                               \
                         ", 0;\n"                                                                                  \
                         "wgmma.mma_async.sync.aligned.m64n" #WIDTH "k8.f32.tf32.tf32 {" WGMMA_NAMES_##REGISTERS   \
                         "}, %" #FIRST ", %" #SECOND ", p, 1, 1;\n}"                                               \
                         : WGMMA_FLOATS_##REGISTERS(d, 0)                                                          \
                         : "l"(a), "l"(b), "r"(accumulate));                                                       \
        }                                                                                                          \
        __device__ static void multiply(float (&d)[REGISTERS], const std::uint32_t (&a)[4], std::uint64_t b,       \
                                        int accumulate) {                                                          \
            asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #SIXTH                                               \
                         ", 0;\n"                                                                                  \
                         "wgmma.mma_async.sync.aligned.m64n" #WIDTH "k8.f32.tf32.tf32 {" WGMMA_NAMES_##REGISTERS   \
                         "}, {%" #FIRST ", %" #SECOND ", %" #THIRD ", %" #FOURTH "}, %" #FIFTH ", p, 1, 1;\n}"     \
                         : WGMMA_FLOATS_##REGISTERS(d, 0)                                                          \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate));                   \
        }                                                                                                          \
    };

DEFINE_WGMMA_TF32(16, 8, 8, 9, 10, 11, 12, 13)
DEFINE_WGMMA_TF32(64, 32, 32, 33, 34, 35, 36, 37)
DEFINE_WGMMA_TF32(128, 64, 64, 65, 66, 67, 68, 69)
DEFINE_WGMMA_TF32(192, 96, 96, 97, 98, 99, 100, 101)
DEFINE_WGMMA_TF32(256, 128, 128, 129, 130, 131, 132, 133)

}  // namespace BACKEND
