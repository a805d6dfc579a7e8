// SPDX-License-Identifier: MIT
// WMMA and the matrix instructions of PTX: prints which elements the lanes hold, and results that are exact.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

using namespace nvcuda;

#define CHECK(call)                                                                    \
    do {                                                                               \
        const cudaError_t error = (call);                                              \
        if (error != cudaSuccess) {                                                    \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            std::exit(1);                                                              \
        }                                                                              \
    } while (0)

// ---- every shape, type and layout: the elements of the lanes, and D = A B + C of small integers

/// The sum over what a lane holds, weighed by the element's place in the fragment: it differs for other layouts.
template <typename Fragment>
__device__ unsigned hash_of(const Fragment& fragment) {
    unsigned hash = 0;
    for (int i = 0; i < fragment.num_elements; ++i) hash = hash * 31 + unsigned(int(float(fragment.x[i])) + 1000);
    return hash;
}

template <typename T, typename In, typename Out, typename Sum, int m, int n, int k, typename LayoutA, typename LayoutB>
__global__ void multiply(const In* a, const In* b, const Sum* c, Out* d, unsigned lda, unsigned ldb, unsigned ldc,
                         wmma::layout_t layout, unsigned* hashes) {
    wmma::fragment<wmma::matrix_a, m, n, k, T, LayoutA> left;
    wmma::fragment<wmma::matrix_b, m, n, k, T, LayoutB> right;
    wmma::fragment<wmma::accumulator, m, n, k, Sum> sums;
    wmma::fragment<wmma::accumulator, m, n, k, Out> result;
    wmma::load_matrix_sync(left, a, lda);
    wmma::load_matrix_sync(right, b, ldb);
    wmma::load_matrix_sync(sums, c, ldc, layout);
    hashes[threadIdx.x] = hash_of(left) ^ hash_of(right) * 7 ^ hash_of(sums) * 11;
    wmma::mma_sync(result, left, right, sums);
    for (int i = 0; i < result.num_elements; ++i) result.x[i] = Out(float(result.x[i]) * 2.0f);  // uniformly
    wmma::store_matrix_sync(d, result, ldc, layout);
}

template <typename T>
T* managed(size_t count) {
    T* memory = nullptr;
    CHECK(cudaMallocManaged(&memory, count * sizeof(T)));
    return memory;
}

template <typename T, typename In, typename Out, typename Sum, int m, int n, int k, bool row_a, bool row_b>
void run(const char* name) {
    const auto stride_for = [](int length) { return unsigned(length + 31) / 16 * 16; };
    const unsigned lda = stride_for(row_a ? k : m), ldb = stride_for(row_b ? n : k);
    In *a = managed<In>(48 * 48), *b = managed<In>(48 * 48);
    Sum* c = managed<Sum>(48 * 48);
    Out* d = managed<Out>(48 * 48);
    unsigned* hashes = managed<unsigned>(32);
    for (const wmma::layout_t layout : {wmma::mem_row_major, wmma::mem_col_major}) {
        const bool row_c = layout == wmma::mem_row_major;
        const unsigned ldc = stride_for(row_c ? n : m);
        const auto at = [](bool row_major, int y, int x, unsigned stride) {
            return row_major ? y * stride + x : x * stride + y;
        };
        for (int y = 0; y < m; ++y)
            for (int x = 0; x < k; ++x) a[at(row_a, y, x, lda)] = In(float((y * 5 + x * 3) % 11));
        for (int y = 0; y < k; ++y)
            for (int x = 0; x < n; ++x) b[at(row_b, y, x, ldb)] = In(float((y * 7 + x * 2) % 9));
        for (int y = 0; y < m; ++y)
            for (int x = 0; x < n; ++x) c[at(row_c, y, x, ldc)] = Sum(float((y * 3 + x) % 17));
        using A = std::conditional_t<row_a, wmma::row_major, wmma::col_major>;
        using B = std::conditional_t<row_b, wmma::row_major, wmma::col_major>;
        multiply<T, In, Out, Sum, m, n, k, A, B><<<1, 32>>>(a, b, c, d, lda, ldb, ldc, layout, hashes);
        CHECK(cudaDeviceSynchronize());
        unsigned hash = 0, wrong = 0;
        for (int lane = 0; lane < 32; ++lane) hash = hash * 33 + hashes[lane];
        for (int y = 0; y < m; ++y) {
            for (int x = 0; x < n; ++x) {
                float sum = float(c[at(row_c, y, x, ldc)]);
                for (int i = 0; i < k; ++i) sum += float(a[at(row_a, y, i, lda)]) * float(b[at(row_b, i, x, ldb)]);
                wrong += float(d[at(row_c, y, x, ldc)]) != 2.0f * float(Out(sum));
            }
        }
        std::printf("%s %dx%dx%d %c%c%c: lanes %08x, %u wrong\n", name, m, n, k, row_a ? 'r' : 'c', row_b ? 'r' : 'c',
                    row_c ? 'r' : 'c', hash, wrong);
    }
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d), cudaFree(hashes);
}

template <typename T, typename In, typename Out, typename Sum, int m, int n, int k>
void run_layouts(const char* name) {
    run<T, In, Out, Sum, m, n, k, true, true>(name);
    run<T, In, Out, Sum, m, n, k, false, false>(name);
}
template <typename T, typename Out, typename Sum>
void run_shapes(const char* name) {
    run_layouts<T, T, Out, Sum, 16, 16, 16>(name);
    run_layouts<T, T, Out, Sum, 32, 8, 16>(name);
    run_layouts<T, T, Out, Sum, 8, 32, 16>(name);
}

// ---- integers that overflow; integers of four bits and single bits

__global__ void overflow(int* out) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sums, c;
    wmma::fill_fragment(a, static_cast<signed char>(-128));
    wmma::fill_fragment(b, static_cast<signed char>(-128));
    wmma::fill_fragment(c, 0x7fffff00);
    wmma::mma_sync(sums, a, b, c);
    if (threadIdx.x == 0) out[0] = sums.x[0];
    wmma::mma_sync(sums, a, b, c, true);
    if (threadIdx.x == 0) out[1] = sums.x[0];
}

template <typename T, int k, bool of_bits>
__global__ void multiply_short(const unsigned* a, const unsigned* b, int* d) {
    wmma::fragment<wmma::matrix_a, 8, 8, k, T, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 8, 8, k, T, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 8, 8, k, int> sums;
    wmma::fill_fragment(sums, 3);
    wmma::load_matrix_sync(left, a, k);
    wmma::load_matrix_sync(right, b, k);
    if constexpr (of_bits) wmma::bmma_sync(sums, left, right, sums, wmma::experimental::bmmaBitOpAND);
    else wmma::mma_sync(sums, left, right, sums);
    wmma::store_matrix_sync(d, sums, 8, wmma::mem_row_major);
}
template <typename T, int k, bool of_bits>
void run_short(const char* name) {
    unsigned *a = managed<unsigned>(32), *b = managed<unsigned>(32);
    int* d = managed<int>(64);
    for (unsigned i = 0; i < 32; ++i) a[i] = i * 0x9e3779b9u, b[i] = ~i * 0x85ebca6bu;
    multiply_short<T, k, of_bits><<<1, 32>>>(a, b, d);
    CHECK(cudaDeviceSynchronize());
    std::printf("%s:", name);
    for (int i = 0; i < 64; ++i) std::printf(" %d", d[i]);
    std::printf("\n");
}

// ---- mma, ldmatrix and stmatrix in PTX

__device__ unsigned shared_address(const void* pointer) {
    return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// A 16 x 16 product by ldmatrix and two mma.m16n8k16; the result goes through stmatrix if it is of f16.
__global__ void by_ptx(const half* a, const half* b, float* d, unsigned* moved) {
    __shared__ __align__(16) half left[16][24], right[16][24], back[16][24];
    const unsigned lane = threadIdx.x;
    for (unsigned i = lane; i < 256; i += 32) left[i / 16][i % 16] = a[i], right[i / 16][i % 16] = b[i];
    __syncwarp();
    unsigned ra[4], rb[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
                 : "r"(shared_address(&left[lane % 16][lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(rb[0]), "=r"(rb[1]), "=r"(rb[2]), "=r"(rb[3])
                 : "r"(shared_address(&right[lane % 16][lane / 16 * 8])));
    for (int half_ = 0; half_ < 2; ++half_) {
        float c[4] = {1.0f, 2.0f, 3.0f, 4.0f};
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[2 * half_]), "r"(rb[2 * half_ + 1]));
        for (int i = 0; i < 4; ++i) d[(lane / 4 + i / 2 * 8) * 16 + half_ * 8 + lane % 4 * 2 + i % 2] = c[i];
    }
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(
                     shared_address(&back[lane % 16][0])),
                 "r"(ra[0]), "r"(ra[3])
                 : "memory");
    __syncwarp();
    moved[lane] = *reinterpret_cast<unsigned*>(&back[lane % 16][lane / 16 * 2]);
    unsigned one;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared::cta.b16 {%0}, [%1];"
                 : "=r"(one)
                 : "r"(shared_address(&left[lane % 8][8])));
    moved[32 + lane] = one;
}

__global__ void by_other_types(unsigned* out, double* of_doubles) {
    const unsigned lane = threadIdx.x;
    int s[4] = {1, -2, 3, -4};
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])
                 : "r"(lane * 0x01fd0307), "r"(lane * 0x050709fb), "r"(~lane), "r"(0x80ff7f01), "r"(lane * 0x11223344),
                   "r"(0xfedcba98));
    for (int i = 0; i < 4; ++i) out[lane * 12 + i] = s[i];
    float t[4] = {0, 0, 0, 0};
    const unsigned one = __float_as_uint(1.0f + lane), two = __float_as_uint(2.0f - lane);
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(t[0]), "+f"(t[1]), "+f"(t[2]), "+f"(t[3])
                 : "r"(one), "r"(two), "r"(two), "r"(one), "r"(one), "r"(two));
    for (int i = 0; i < 4; ++i) out[lane * 12 + 4 + i] = __float_as_uint(t[i]);
    unsigned h[2] = {0x3c003c00, 0x40004000};
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
                 : "+r"(h[0]), "+r"(h[1])
                 : "r"(0x40003c00), "r"(0xbc003c00), "r"(lane % 2 ? 0x3c004200 : 0x3c00bc00));
    out[lane * 12 + 8] = h[0];
    out[lane * 12 + 9] = h[1];
    double e[2] = {0.5, 0.25};
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(e[0]), "+d"(e[1])
                 : "d"(1.0 / 3 + lane), "d"(0.1 * lane));
    of_doubles[lane * 2] = e[0];
    of_doubles[lane * 2 + 1] = e[1];
}

int main() {
    run_shapes<half, float, float>("f16");
    run_layouts<half, half, half, half, 16, 16, 16>("f16 in f16");
    run_layouts<half, half, half, half, 8, 32, 16>("f16 in f16");
    run_layouts<half, half, half, float, 16, 16, 16>("f16 in f32 to f16");
    run_layouts<half, half, float, half, 32, 8, 16>("f16 in f16 to f32");
    run_shapes<__nv_bfloat16, float, float>("bf16");
    run_shapes<signed char, int, int>("s8");
    run_layouts<unsigned char, unsigned char, int, int, 16, 16, 16>("u8");
    run_layouts<wmma::precision::tf32, float, float, float, 16, 16, 8>("tf32");
    run_layouts<double, double, double, double, 8, 8, 4>("f64");
    int* two = managed<int>(2);
    overflow<<<1, 32>>>(two);
    CHECK(cudaDeviceSynchronize());
    std::printf("overflow: %x %x\n", two[0], two[1]);
    run_short<wmma::experimental::precision::s4, 32, false>("s4");
    run_short<wmma::experimental::precision::u4, 32, false>("u4");
    run_short<wmma::experimental::precision::b1, 128, true>("b1");

    half *a = managed<half>(256), *b = managed<half>(256);
    float* d = managed<float>(256);
    unsigned *moved = managed<unsigned>(64), *out = managed<unsigned>(32 * 12);
    double* of_doubles = managed<double>(64);
    for (int i = 0; i < 256; ++i) a[i] = half(float(i % 13 - 6)), b[i] = half(float(i % 7 - 3));
    by_ptx<<<1, 32>>>(a, b, d, moved);
    std::memset(out, 0, 32 * 12 * sizeof *out);
    by_other_types<<<1, 32>>>(out, of_doubles);
    CHECK(cudaDeviceSynchronize());
    std::printf("mma:");
    for (int i = 0; i < 256; ++i) std::printf(" %g", d[i]);
    std::printf("\nldmatrix, stmatrix:");
    for (int i = 0; i < 64; ++i) std::printf(" %x", moved[i]);
    for (int i = 0; i < 12; ++i) {
        std::printf("\nother %d:", i);
        for (int lane = 0; lane < 32; ++lane) std::printf(" %x", out[lane * 12 + i]);
    }
    std::printf("\ndoubles:");
    for (int i = 0; i < 64; ++i) std::printf(" %a", of_doubles[i]);
    std::printf("\n");
    return 0;
}
