// SPDX-License-Identifier: MIT
// cuda_fp8.h on the host and in kernels. Every conversion goes into a hash of what all of them gave so far; built with
// nvcc or, against NVIDIA's header, with g++ -DHOST_ONLY -x c++, the program prints the same.
#include <cuda_fp8.h>

#include <cstdio>
#include <cstring>

template <class To, class From>
static To same_bits(From from) {
    To to = {};
    std::memcpy(&to, &from, sizeof from < sizeof to ? sizeof from : sizeof to);
    return to;
}

class Hash {
public:
    void add(unsigned long word) { hash_ = (hash_ ^ word) * 1099511628211UL; }
    template <class T>
    void add_bits(T value) {
        if (value == value) add(same_bits<unsigned>(value));  // NaN has several
    }
    unsigned long value() const { return hash_; }

private:
    unsigned long hash_ = 1469598103934665603UL;
};

static void functions(Hash& hash, __nv_fp8_interpretation_t kind) {
    for (auto saturate : {__NV_NOSAT, __NV_SATFINITE}) {
        for (unsigned long bits = 0; bits <= 0xffffffff; bits += 16381)
            hash.add(__nv_cvt_float_to_fp8(same_bits<float>(static_cast<unsigned>(bits)), saturate, kind));
        for (unsigned long i = 0; i < 300000; ++i) {
            unsigned long bits = i * 0x9E3779B97F4A7C15UL;
            if (i % 3) bits = (bits & 0x800fffffffffffffUL) | ((1023UL - 22 + i % 44) << 52);  // near the type's range
            if (i % 3 == 1) bits &= 0xffff800000000000UL;                                      // ties
            const double value = same_bits<double>(bits);
            hash.add(__nv_cvt_double_to_fp8(value, saturate, kind));
            hash.add(__nv_cvt_double2_to_fp8x2({value, 1 - value}, saturate, kind));
        }
        for (unsigned bits = 0; bits < 65536; ++bits) {
            const auto low = static_cast<unsigned short>(bits), high = static_cast<unsigned short>(7 * bits);
            __half_raw half;
            __half2_raw halves;
            __nv_bfloat16_raw bfloat16;
            __nv_bfloat162_raw bfloat16s;
            half.x = bfloat16.x = halves.x = bfloat16s.x = low;
            halves.y = bfloat16s.y = high;
            hash.add(__nv_cvt_halfraw_to_fp8(half, saturate, kind));
            hash.add(__nv_cvt_bfloat16raw_to_fp8(bfloat16, saturate, kind));
            hash.add(__nv_cvt_halfraw2_to_fp8x2(halves, saturate, kind));
            hash.add(__nv_cvt_bfloat16raw2_to_fp8x2(bfloat16s, saturate, kind));
            hash.add(__nv_cvt_float2_to_fp8x2({float(bits), float(bits) * -0.001f}, saturate, kind));
        }
    }
}

template <class One, class Two, class Four>
static void types(Hash& hash, __nv_fp8_interpretation_t kind) {
    for (unsigned bits = 0; bits < 256; ++bits) {
        One x;
        x.__x = static_cast<__nv_fp8_storage_t>(bits);
        const float value = static_cast<float>(x);
        hash.add(__nv_cvt_fp8_to_halfraw(x.__x, kind).x);
        hash.add_bits(value);
        hash.add(same_bits<unsigned>(static_cast<__half>(x)));
        if (value == value) hash.add(same_bits<unsigned>(static_cast<__nv_bfloat16>(x)));
        hash.add(static_cast<bool>(x));
        if (value == value) hash.add(One(value).__x);
        if (!(value - value == 0)) continue;
        hash.add(static_cast<unsigned long>(static_cast<long>(static_cast<double>(x) * 0x1p20)));
        for (long i : {long(static_cast<signed char>(x)), long(static_cast<unsigned char>(x)), long(static_cast<char>(x)),
                       long(static_cast<short>(x)), long(static_cast<int>(x)), static_cast<long>(x),
                       long(static_cast<long long>(x))})
            hash.add(static_cast<unsigned long>(i));
        if (value >= 0)
            for (unsigned long i : {static_cast<unsigned long>(static_cast<unsigned short>(x)),
                                    static_cast<unsigned long>(static_cast<unsigned>(x)), static_cast<unsigned long>(x),
                                    static_cast<unsigned long>(static_cast<unsigned long long>(x))})
                hash.add(i);
    }
    for (unsigned bits = 0; bits < 65536; ++bits) {
        Two pair;
        pair.__x = static_cast<__nv_fp8x2_storage_t>(bits);
        const float2 values = static_cast<float2>(pair);
        const __half2_raw halves = __nv_cvt_fp8x2_to_halfraw2(pair.__x, kind);
        hash.add(halves.x + 65536UL * halves.y);
        hash.add_bits(values.x);
        hash.add_bits(values.y);
        if (values.x == values.x && values.y == values.y) hash.add(Two(values).__x);
        Four four;
        four.__x = 65521 * bits;
        hash.add_bits(static_cast<float4>(four).z);
        hash.add(Four(float4{float(bits) * 0.01f, float(bits) * -0.5f, 1 / (float(bits) + 1), 1e9f}).__x);
    }
    for (int i = -70000; i < 70000; i += 7) {
        const float third = float(i) / 3;
        for (One one : {One(i), One(short(i)), One(long(i) * i), One(static_cast<long long>(i)), One(unsigned(i)),
                        One(static_cast<unsigned short>(i)), One(static_cast<unsigned long>(i)),
                        One(static_cast<unsigned long long>(i)), One(i / 3.0), One(__half(third)),
                        One(__nv_bfloat16(third))})
            hash.add(one.__x);
    }
}

#ifndef HOST_ONLY
// Reads four elements at once, as kernels that multiply 8-bit matrices do.
__global__ void dot(const __nv_fp8x4_e4m3* a, const __nv_fp8x4_e5m2* b, float* sum, __nv_fp8_e4m3* rounded) {
    __shared__ float sums[32];
    const float4 x = float4(a[threadIdx.x]), y = float4(b[threadIdx.x]);
    sums[threadIdx.x] = x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    __syncthreads();
    if (threadIdx.x > 0) return;
    *sum = 0;
    for (float one : sums) *sum += one;
    *rounded = __nv_fp8_e4m3(*sum);
}
#endif

int main() {
    Hash hash;
    functions(hash, __NV_E4M3);
    functions(hash, __NV_E5M2);
    std::printf("functions %lx\n", hash.value());
    types<__nv_fp8_e4m3, __nv_fp8x2_e4m3, __nv_fp8x4_e4m3>(hash, __NV_E4M3);
    types<__nv_fp8_e5m2, __nv_fp8x2_e5m2, __nv_fp8x4_e5m2>(hash, __NV_E5M2);
    std::printf("types %lx, %zu %zu %zu bytes\n", hash.value(), sizeof(__nv_fp8_e4m3), sizeof(__nv_fp8x2_e5m2),
                sizeof(__nv_fp8x4_e4m3));
#ifndef HOST_ONLY
    __nv_fp8x4_e4m3* a;
    __nv_fp8x4_e5m2* b;
    float* sum;
    __nv_fp8_e4m3* rounded;
    cudaMallocManaged(&a, 32 * sizeof *a);
    cudaMallocManaged(&b, 32 * sizeof *b);
    cudaMallocManaged(&sum, sizeof *sum);
    cudaMallocManaged(&rounded, sizeof *rounded);
    for (int i = 0; i < 32; ++i) {
        a[i] = __nv_fp8x4_e4m3(make_float4(float(i % 8), 1, -2, 0.5f));
        b[i] = __nv_fp8x4_e5m2(make_float4(1, float(i % 4), 3, -4));
    }
    dot<<<1, 32>>>(a, b, sum, rounded);
    cudaDeviceSynchronize();
    std::printf("dot %g, rounded %g, %s\n", *sum, float(*rounded), cudaGetErrorString(cudaGetLastError()));
#endif
}
