// SPDX-License-Identifier: MIT
// cuFFT: transforms of many lengths and layouts against sums by definition. Prints how many elements were compared, and
// each kind of transform that was wrong.
#include <cuda_runtime.h>
#include <cufft.h>
#include <cufftXt.h>

#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

using Complex = std::complex<double>;
static int compared = 0, wrong = 0;

static void check(const char* what, int status) {
    if (status == 0) return;
    ++wrong;
    std::printf("%s: status %d\n", what, status);
}

static double number(size_t i) { return static_cast<double>(i * 7919 % 101) / 50 - 1; }

// The transform of a dense array, one dimension after another, by definition.
static std::vector<Complex> transformed(std::vector<Complex> data, std::vector<int> n, int direction) {
    const double pi = 3.14159265358979323846;
    size_t stride = 1;
    for (size_t d = n.size(); d-- > 0;) {
        const auto length = static_cast<size_t>(n[d]);
        std::vector<Complex> roots(length), line(length);
        for (size_t k = 0; k < length; ++k) roots[k] = std::polar(1., direction * 2 * pi * double(k) / double(length));
        for (size_t first = 0; first < data.size(); ++first) {
            if (first / stride % length != 0) continue;
            for (size_t k = 0; k < length; ++k) {
                line[k] = 0;
                for (size_t i = 0; i < length; ++i) line[k] += data[first + i * stride] * roots[k * i % length];
            }
            for (size_t k = 0; k < length; ++k) data[first + k * stride] = line[k];
        }
        stride *= length;
    }
    return data;
}

static void compare(const char* what, size_t n, Complex result, Complex expected, double tolerance) {
    ++compared;
    if (std::abs(result - expected) <= tolerance * double(n)) return;
    if (++wrong < 20) std::printf("%s of %zu elements: %g %g instead of %g %g\n", what, n, result.real(), result.imag(), expected.real(), expected.imag());
}

template <typename T>
T* allocate(size_t n) {
    T* data;
    cudaMallocManaged(&data, n * sizeof(T));
    return data;
}

static size_t size_of(const std::vector<int>& n) {
    size_t size = 1;
    for (const int extent : n) size *= static_cast<size_t>(extent);
    return size;
}

// Complex transforms, forward and back, in float and double.
static void complex_transforms(std::vector<int> n, int batch) {
    const size_t size = size_of(n), all = size * static_cast<size_t>(batch);
    auto* z = allocate<cufftDoubleComplex>(all);
    auto* c = allocate<cufftComplex>(all);
    auto* out = allocate<cufftComplex>(all);
    for (size_t i = 0; i < all; ++i) {
        z[i] = {number(i), number(3 * i + 1)};
        c[i] = {float(z[i].x), float(z[i].y)};
    }
    cufftHandle plan, doubles;
    const int rank = static_cast<int>(n.size());
    check("PlanMany", cufftPlanMany(&plan, rank, n.data(), nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, batch));
    check("PlanMany", cufftPlanMany(&doubles, rank, n.data(), nullptr, 1, 0, nullptr, 1, 0, CUFFT_Z2Z, batch));
    for (const int direction : {CUFFT_FORWARD, CUFFT_INVERSE}) {
        std::vector<Complex> expected;
        for (int b = 0; b < batch; ++b) {
            std::vector<Complex> one(size);
            for (size_t i = 0; i < size; ++i) one[i] = {z[b * size + i].x, z[b * size + i].y};
            for (const Complex& value : transformed(one, n, direction)) expected.push_back(value);
        }
        check("C2C", cufftExecC2C(plan, c, out, direction));
        check("Z2Z", cufftExecZ2Z(doubles, z, z, direction));
        cudaDeviceSynchronize();
        for (size_t i = 0; i < all; ++i) {
            compare("C2C", size, {out[i].x, out[i].y}, expected[i], direction == CUFFT_FORWARD ? 1e-6 : 1e-6 * double(size));
            compare("Z2Z", size, {z[i].x, z[i].y}, expected[i], direction == CUFFT_FORWARD ? 1e-14 : 1e-14 * double(size));
            c[i] = {float(z[i].x), float(z[i].y)};
        }
    }
    cufftDestroy(plan), cufftDestroy(doubles);
    cudaFree(z), cudaFree(c), cudaFree(out);
}

// Real ones, which store half of the result; in place with padded rows.
static void real_transforms(std::vector<int> n, bool in_place) {
    const size_t size = size_of(n), last = static_cast<size_t>(n.back()), half = last / 2 + 1, rows = size / last;
    auto* c = allocate<cufftDoubleComplex>(rows * half);
    auto* r = in_place ? reinterpret_cast<double*>(c) : allocate<double>(size);
    const size_t pitch = in_place ? 2 * half : last;
    std::vector<Complex> dense(size);
    for (size_t i = 0; i < size; ++i) dense[i] = r[i / last * pitch + i % last] = number(i);
    const auto expected = transformed(dense, n, CUFFT_FORWARD);
    cufftHandle there, back;
    const int rank = static_cast<int>(n.size());
    check("PlanMany", cufftPlanMany(&there, rank, n.data(), nullptr, 1, 0, nullptr, 1, 0, CUFFT_D2Z, 1));
    check("PlanMany", cufftPlanMany(&back, rank, n.data(), nullptr, 1, 0, nullptr, 1, 0, CUFFT_Z2D, 1));
    check("D2Z", cufftExecD2Z(there, r, c));
    cudaDeviceSynchronize();
    for (size_t i = 0; i < rows * half; ++i) {
        compare("D2Z", size, {c[i].x, c[i].y}, expected[i / half * last + i % half], 1e-14);
    }
    check("Z2D", cufftExecZ2D(back, c, r));
    cudaDeviceSynchronize();
    for (size_t i = 0; i < size; ++i) {
        compare("Z2D", size, r[i / last * pitch + i % last], dense[i] * double(size), 1e-14 * double(size));
    }
    cufftDestroy(there), cufftDestroy(back);
    cudaFree(c);
    if (!in_place) cudaFree(r);
}

// The columns of a matrix: elements a row apart, transforms next to each other; the result packed.
static void columns(int rows, int count) {
    auto* in = allocate<cufftComplex>(rows * count);
    auto* out = allocate<cufftComplex>(rows * count);
    for (int i = 0; i < rows * count; ++i) in[i] = {float(number(i)), float(number(i + 5))};
    cufftHandle plan;
    size_t bytes = 0;
    check("Create", cufftCreate(&plan));
    check("MakePlanMany", cufftMakePlanMany(plan, 1, &rows, &rows, count, 1, &rows, 1, rows, CUFFT_C2C, count, &bytes));
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    check("SetStream", cufftSetStream(plan, stream));
    check("C2C", cufftExecC2C(plan, in, out, CUFFT_FORWARD));
    cudaStreamSynchronize(stream);
    for (int column = 0; column < count; ++column) {
        std::vector<Complex> one(rows);
        for (int i = 0; i < rows; ++i) one[i] = {in[i * count + column].x, in[i * count + column].y};
        const auto expected = transformed(one, {rows}, CUFFT_FORWARD);
        for (int i = 0; i < rows; ++i) compare("columns", rows, {out[column * rows + i].x, out[column * rows + i].y}, expected[i], 1e-6);
    }
    cufftDestroy(plan);
    cudaStreamDestroy(stream);
    cudaFree(in), cudaFree(out);
}

int main() {
    for (const int n : {1, 2, 3, 4, 5, 8, 12, 30, 49, 64, 97, 121, 210, 251, 256}) complex_transforms({n}, 2);
    complex_transforms({6, 10}, 3);
    complex_transforms({3, 4, 5}, 2);
    complex_transforms({67, 2}, 1);
    for (const int n : {1, 2, 3, 8, 15, 50, 67}) {
        real_transforms({n}, false);
        real_transforms({n}, true);
    }
    real_transforms({4, 6}, false);
    real_transforms({5, 7}, true);
    real_transforms({3, 4, 6}, true);
    real_transforms({4, 3, 5}, false);
    columns(12, 5);
    cufftHandle plan = 0, none = 0;
    cufftComplex* data = allocate<cufftComplex>(8);
    check("Plan1d", cufftPlan1d(&plan, 8, CUFFT_C2C, 1));
    std::printf("invalid %d %d %d\n", cufftPlan1d(&none, 0, CUFFT_C2C, 1), cufftExecC2C(12345, data, data, CUFFT_FORWARD),
                cufftExecC2C(plan, data, data, 0));
    std::printf("%d compared, %d wrong\n", compared, wrong);
    return wrong != 0;
}
