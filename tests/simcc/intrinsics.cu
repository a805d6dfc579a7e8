// SPDX-License-Identifier: MIT
// Results of intrinsics that CUDA's manuals give or define exactly.
#include <cstdio>

__device__ int wrong = 0;
#define EXPECT(condition)                                \
    do {                                                 \
        if (!(condition)) {                              \
            printf("line %d: %s\n", __LINE__, #condition); \
            atomicAdd(&wrong, 1);                        \
        }                                                \
    } while (0)

__global__ void bits() {
    EXPECT(__popc(0xf0f0u) == 8 && __popcll(~0ull) == 64);
    EXPECT(__clz(0) == 32 && __clz(1) == 31 && __clzll(1) == 63 && __ffs(0) == 0 && __ffs(8) == 4 && __ffsll(1ll << 40) == 41);
    EXPECT(__brev(1) == 0x80000000u && __brev(0x12345678) == 0x1e6a2c48 && __brevll(1) == 1ull << 63);
    EXPECT(__byte_perm(0x33221100, 0x77665544, 0x7531) == 0x77553311 && __byte_perm(0x80, 0, 0x8888) == 0x80808080);
    EXPECT(__funnelshift_l(0x80000000u, 1, 1) == 3 && __funnelshift_r(1, 1, 1) == 0x80000000u && __funnelshift_lc(5, 1, 40) == 5);
    EXPECT(__mulhi(-1, 1) == -1 && __umulhi(1u << 31, 4) == 2 && __mul24(-3, 5) == -15 && __umul64hi(1ull << 63, 4) == 2);
    EXPECT(__sad(-5, 7, 1) == 13 && __usad(7, 5, 1) == 3 && __hadd(3, 4) == 3 && __rhadd(3, 4) == 4);
    EXPECT(__fns(0xffff, 0, 5) == 4 && __fns(0x10, 4, 0) == 4 && __fns(0x30, 5, -2) == 4);
    EXPECT(__vadd4(0xff010203, 0x01010101) == 0x00020304 && __vmaxs2(0xffff0001, 0x00010000) == 0x00010001);
    EXPECT(__vsadu4(0x01020304, 0x04030201) == 8 && __vaddss4(0x7f7f7f7f, 0x01010101) == 0x7f7f7f7f);
    EXPECT(__vcmpeq4(0x01020304, 0x01000300) == 0xff00ff00 && __dp4a(0x01020304, 0x01010101, 1) == 11);
}

__global__ void dynamic_programming() {
    EXPECT(__viaddmax_s32(0x7fffffff, 1, 5) == 5 && __viaddmin_s32_relu(-7, 2, 3) == 0 && __viaddmin_u32(5, 6, 12) == 11);
    EXPECT(__vimax3_s32(-1, 7, 3) == 7 && __vimin3_u32(9, 4, 8) == 4 && __vimax3_s32_relu(-1, -7, -3) == 0);
    EXPECT(__vimax3_s16x2(0x0001ffffu, 0x00020000u, 0x00000003u) == 0x00020003u && __vimax_s16x2_relu(0xffff0001u, 0xfffe0000u) == 1);
    EXPECT(__viaddmax_s16x2(0x7fff0001u, 0x00010001u, 0x00050001u) == 0x00050002u);
    EXPECT(__viaddmin_u16x2(0xffff0001u, 0x00020001u, 0x00050001u) == 0x00010001u);
    bool is_first, high, low;
    EXPECT(__vibmax_s32(3, 3, &is_first) == 3 && is_first && __vibmin_u32(4, 3, &is_first) == 3 && !is_first);
    EXPECT(__vibmax_s16x2(0x00010005u, 0x00020005u, &high, &low) == 0x00020005u && !high && low);
}

__global__ void conversions() {
    EXPECT(__float2int_rn(2.5f) == 2 && __float2int_rz(-2.5f) == -2 && __float2int_ru(2.1f) == 3 && __float2int_rd(-2.1f) == -3);
    EXPECT(__float2int_rz(1e20f) == 0x7fffffff && __float2uint_rz(-1.0f) == 0 && __float2int_rz(nanf("")) == 0);
    EXPECT(__int2float_rz(16777217) == 16777216.0f && __int2float_ru(16777217) == 16777218.0f);
    EXPECT(__double2float_rd(0.1) < __double2float_ru(0.1) && __double2ll_rn(-2.5) == -2);
    EXPECT(__float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f && __float_as_uint(-0.0f) == 0x80000000u);
    EXPECT(__hiloint2double(__double2hiint(3.25), __double2loint(3.25)) == 3.25 && __longlong_as_double(__double_as_longlong(7.0)) == 7.0);
}

__global__ void rounding(float third) {
    EXPECT(__fadd_ru(1.0f, 1e-10f) > 1.0f && __fadd_rd(1.0f, 1e-10f) == 1.0f && __fadd_rz(-1.0f, 1e-10f) > -1.0f);
    EXPECT(__fmul_rd(third, 3.0f) <= 1.0f && __fdiv_ru(1.0f, 3.0f) > __fdiv_rd(1.0f, 3.0f) && __frcp_rn(4.0f) == 0.25f);
    EXPECT(__fsqrt_ru(2.0f) > __fsqrt_rd(2.0f) && __fsqrt_rz(4.0f) == 2.0f && __fmaf_rn(2.0f, 3.0f, 1.0f) == 7.0f);
    EXPECT(__dadd_ru(1.0, 1e-30) > 1.0 && __dmul_rz(-0.1, 0.1) > -0.010000000000000003 && __drcp_rd(3.0) < __drcp_ru(3.0));
}

__global__ void functions(float x) {
    EXPECT(rsqrtf(4.0f) == 0.5f && rsqrt(0.25) == 2.0 && sinpi(1.0) == 0.0 && cospi(0.5) == 0.0 && sinpif(-0.5f) == -1.0f);
    EXPECT(fabs(normcdfinv(0.975) - 1.959963984540054) < 1e-12 && fabs(erfinv(0.5) - 0.4769362762044699) < 1e-12);
    EXPECT(fabsf(__expf(x) - expf(x)) < 1e-5f && fabsf(__sinf(x) - sinf(x)) < 1e-5f && __fdividef(6.0f, 3.0f) == 2.0f);
    EXPECT(__saturatef(1.5f) == 1.0f && __saturatef(-1.0f) == 0.0f && norm3df(2.0f, 3.0f, 6.0f) == 7.0f && rhypotf(3.0f, 4.0f) == 0.2f);
    EXPECT(fabs(cyl_bessel_i0f(1.0f) - 1.2660658f) < 1e-6f && fabs(erfcx(30.0) - 0.018795888861416751) < 1e-15);
    float sine, cosine;
    sincosf(x, &sine, &cosine);
    EXPECT(fabsf(sine * sine + cosine * cosine - 1.0f) < 1e-6f);
    EXPECT(min(3, 4u) == 3u && max(3.0f, 4.0) == 4.0 && min(-1, 2) == -1 && max(1ull, 2ull) == 2 && umin(1u, 2u) == 1);
    EXPECT(fminf(1.0f, nanf("")) == 1.0f && abs(-2.5f) == 2.5f && fma(2.0, 3.0, 1.0) == 7.0);
}

__global__ void hinted(const float* in, float* out) {
    __stcs(out, __ldg(in) + __ldcg(in + 1) + __ldcs(in + 2));
    __stwt(out + 1, 2);
}

int main() {
    bits<<<1, 1>>>();
    dynamic_programming<<<1, 1>>>();
    conversions<<<1, 1>>>();
    rounding<<<1, 1>>>(1.0f / 3.0f);
    functions<<<1, 1>>>(0.7f);
    float* data;
    cudaMallocManaged(&data, 5 * sizeof(float));
    for (int i = 0; i < 3; i++) data[i] = i + 1;
    hinted<<<1, 1>>>(data, data + 3);
    int count = -1;
    cudaMemcpyFromSymbol(&count, wrong, sizeof count);
    printf("%d wrong\n", count + (data[3] != 6) + (data[4] != 2));
}
