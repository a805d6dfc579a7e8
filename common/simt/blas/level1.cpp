// SPDX-License-Identifier: MIT
// Level 1: vectors. Sums are made in double precision.
#include <cmath>
#include <vector>

#include "common/simt/blas/call.hpp"

namespace simt::blas::vectors {
namespace {

// Element i of a vector, from the end if the stride is negative.
template <typename T>
class Vector {
public:
    Vector(T* x, Index n, Index stride) : first_(stride < 0 ? x - (n - 1) * stride : x), stride_(stride) {}
    T& operator[](Index i) const { return first_[i * stride_]; }

private:
    T* first_;
    Index stride_;
};

template <typename T, typename Work>
cublasStatus_t change_two(const char* name, cublasHandle_t handle, Index n, T* x, Index stride_x, Use use_x, T* y,
                          Index stride_y, std::vector<Buffer> others, Work work) {
    return with_context(name, handle, [&](Context& context) {
        if (n <= 0) return CUBLAS_STATUS_SUCCESS;
        others.push_back(vector_buffer("x", x, n, stride_x, use_x));
        others.push_back(vector_buffer("y", y, n, stride_y, use_x == Use::reads ? Use::reads_and_writes : use_x));
        return submit(
            context, name, [others] { return others; },
            [=] {
                const Vector<T> vx(x, n, stride_x), vy(y, n, stride_y);
                for (Index i = 0; i < n; ++i) work(vx[i], vy[i]);
            });
    });
}

template <typename T>
cublasStatus_t copy(const char* name, cublasHandle_t handle, Index n, const T* x, Index incx, T* y, Index incy) {
    return change_two(name, handle, n, const_cast<T*>(x), incx, Use::reads, y, incy, {}, [](T& a, T& b) { b = a; });
}

template <typename T>
cublasStatus_t swap(const char* name, cublasHandle_t handle, Index n, T* x, Index incx, T* y, Index incy) {
    return change_two(name, handle, n, x, incx, Use::reads_and_writes, y, incy, {}, [](T& a, T& b) {
        const T kept = a;
        a = b, b = kept;
    });
}

template <typename T>
cublasStatus_t axpy(const char* name, cublasHandle_t handle, Index n, const T* alpha, const T* x, Index incx, T* y,
                    Index incy) {
    return with_context(name, handle, [&](Context& context) {
        if (!alpha) return CUBLAS_STATUS_INVALID_VALUE;
        const Scalar<T> factor(context, alpha);
        return change_two(name, handle, n, const_cast<T*>(x), incx, Use::reads, y, incy, {factor.buffer("alpha")},
                          [factor](T& a, T& b) { b += factor.get() * a; });
    });
}

// F: the factor's type, which is real for Csscal and Zdscal.
template <typename T, typename F>
cublasStatus_t scal(const char* name, cublasHandle_t handle, Index n, const F* alpha, T* x, Index incx) {
    return with_context(name, handle, [&](Context& context) {
        if (!alpha) return CUBLAS_STATUS_INVALID_VALUE;
        if (n <= 0 || incx <= 0) return CUBLAS_STATUS_SUCCESS;
        const Scalar<F> factor(context, alpha);
        return submit(
            context, name,
            [=] {
                return std::vector<Buffer>{factor.buffer("alpha"),
                                           vector_buffer("x", x, n, incx, Use::reads_and_writes)};
            },
            [=] {
                const F value = factor.get();
                for (Index i = 0; i < n; ++i) {
                    T& element = x[i * incx];
                    if constexpr (is_complex<T> && !is_complex<F>) element = {element.re * value, element.im * value};
                    else element = value * element;
                }
            });
    });
}

template <bool conjugates, typename T>
cublasStatus_t dot(const char* name, cublasHandle_t handle, Index n, const T* x, Index incx, const T* y, Index incy,
                   T* result) {
    return with_context(name, handle, [&](Context& context) {
        const Index count = n > 0 ? n : 0;
        return submit_result(
            context, name, result,
            [=] {
                return std::vector<Buffer>{vector_buffer("x", x, count, incx), vector_buffer("y", y, count, incy)};
            },
            [=] {
                const Vector<const T> vx(x, count, incx), vy(y, count, incy);
                WideOf<T> sum = 0;
                for (Index i = 0; i < count; ++i) sum += wide(conj_if(conjugates, vx[i])) * wide(vy[i]);
                return narrow<T>(sum);
            });
    });
}

// A number that all elements of a vector make; 0 if there is none.
template <typename T, typename R, typename Make>
cublasStatus_t reduce(const char* name, cublasHandle_t handle, Index n, const T* x, Index incx, R* result, Make make) {
    return with_context(name, handle, [&](Context& context) {
        const Index count = n > 0 && incx > 0 ? n : 0;
        return submit_result(
            context, name, result, [=] { return std::vector<Buffer>{vector_buffer("x", x, count, incx)}; },
            [=]() -> R { return count == 0 ? R(0) : make(x, count, incx); });
    });
}

template <typename T, typename R>
cublasStatus_t asum(const char* name, cublasHandle_t handle, Index n, const T* x, Index incx, R* result) {
    return reduce(name, handle, n, x, incx, result, [](const T* from, Index count, Index stride) {
        double sum = 0;
        for (Index i = 0; i < count; ++i) {
            if constexpr (is_complex<T>)
                sum += std::abs(static_cast<double>(from[i * stride].re)) +
                       std::abs(static_cast<double>(from[i * stride].im));
            else sum += std::abs(static_cast<double>(from[i * stride]));
        }
        return static_cast<R>(sum);
    });
}

// The squares of doubles may overflow or vanish, so they are made of multiples of the largest part.
template <typename T, typename R>
cublasStatus_t nrm2(const char* name, cublasHandle_t handle, Index n, const T* x, Index incx, R* result) {
    return reduce(name, handle, n, x, incx, result, [](const T* from, Index count, Index stride) {
        double largest = 0;
        bool has_nan = false;
        const auto for_each_part = [&](auto use) {
            for (Index i = 0; i < count; ++i) {
                if constexpr (is_complex<T>) use(from[i * stride].re), use(from[i * stride].im);
                else use(from[i * stride]);
            }
        };
        for_each_part([&](double part) {
            largest = std::fmax(largest, std::abs(part));
            has_nan |= std::isnan(part);
        });
        if (has_nan) return static_cast<R>(NAN);
        if (largest == 0 || std::isinf(largest)) return static_cast<R>(largest);
        const double unit = largest > 1e-140 && largest < 1e140 ? 1 : largest;
        double sum = 0;
        for_each_part([&](double part) { sum += (part / unit) * (part / unit); });
        return static_cast<R>(unit * std::sqrt(sum));
    });
}

template <bool wants_least, typename T>
cublasStatus_t extreme(const char* name, cublasHandle_t handle, Index n, const T* x, Index incx, int* result) {
    return reduce(name, handle, n, x, incx, result, [](const T* from, Index count, Index stride) {
        Index best = 0;
        for (Index i = 1; i < count; ++i) {
            const auto size = size_of(from[i * stride]), before = size_of(from[best * stride]);
            if (wants_least ? size < before : size > before) best = i;
        }
        return static_cast<int>(best + 1);
    });
}

// ---- rotations

// S: the sine's type.
template <typename T, typename R, typename S>
cublasStatus_t rot(const char* name, cublasHandle_t handle, Index n, T* x, Index incx, T* y, Index incy, const R* c,
                   const S* s) {
    return with_context(name, handle, [&](Context& context) {
        if (!c || !s) return CUBLAS_STATUS_INVALID_VALUE;
        const Scalar<R> cosine(context, c);
        const Scalar<S> sine(context, s);
        return change_two(name, handle, n, x, incx, Use::reads_and_writes, y, incy,
                          {cosine.buffer("c"), sine.buffer("s")}, [=](T& a, T& b) {
                              const T kept = a, co(cosine.get()), si(sine.get());
                              a = co * kept + si * b;
                              b = co * b - conj(si) * kept;
                          });
    });
}

// Numbers that a function changes, in host memory or on the device.
template <typename Work>
cublasStatus_t change_numbers(const char* name, cublasHandle_t handle, std::vector<Buffer> numbers, Work work) {
    return with_context(name, handle, [&](Context& context) {
        for (const Buffer& number : numbers) {
            if (!number.pointer) return CUBLAS_STATUS_INVALID_VALUE;
        }
        if (context.takes_host_scalars()) numbers.clear();
        return submit(
            context, name, [numbers] { return numbers; }, work, context.takes_host_scalars());
    });
}

template <typename T>
Buffer number(const char* name, const T* pointer, Use use = Use::reads_and_writes, size_t count = 1) {
    return {name, pointer, count * sizeof(T), 1, 0, use};
}

template <typename R>
void make_rotation(R* a, R* b, R* c, R* s) {
    const R larger = std::abs(*a) > std::abs(*b) ? *a : *b;
    const R scale = std::abs(*a) + std::abs(*b);
    if (scale == 0) {
        *c = 1, *s = 0, *a = 0, *b = 0;
        return;
    }
    const R length =
        std::copysign(scale * std::sqrt((*a / scale) * (*a / scale) + (*b / scale) * (*b / scale)), larger);
    *c = *a / length, *s = *b / length;
    const R z = std::abs(*a) > std::abs(*b) ? *s : *c != 0 ? 1 / *c : R(1);
    *a = length, *b = z;
}

template <typename R>
void make_rotation(Complex<R>* a, Complex<R>* b, R* c, Complex<R>* s) {
    const R size_a = std::hypot(a->re, a->im), size_b = std::hypot(b->re, b->im);
    if (size_a == 0) {
        *c = 0, *s = 1, *a = *b;
        return;
    }
    const R length = std::hypot(size_a, size_b);
    const Complex<R> phase = {a->re / size_a, a->im / size_a};
    *c = size_a / length;
    *s = phase * conj(*b) * Complex<R>(1 / length);
    *a = phase * Complex<R>(length);
}

template <typename T, typename R>
cublasStatus_t rotg(const char* name, cublasHandle_t handle, T* a, T* b, R* c, T* s) {
    return change_numbers(name, handle,
                          {number("a", a), number("b", b), number("c", c, Use::writes), number("s", s, Use::writes)},
                          [=] { make_rotation(a, b, c, s); });
}

// The matrix of a modified rotation: the flag says which of its elements are stored.
template <typename T>
struct Modified {
    T flag, h11, h21, h12, h22;

    explicit Modified(const T* parameters)
        : flag(parameters[0]), h11(parameters[1]), h21(parameters[2]), h12(parameters[3]), h22(parameters[4]) {
        if (flag == 0) h11 = h22 = 1;
        if (flag == 1) h21 = -1, h12 = 1;
        if (flag == -2) h11 = h22 = 1, h12 = h21 = 0;
    }
};

template <typename T>
cublasStatus_t rotm(const char* name, cublasHandle_t handle, Index n, T* x, Index incx, T* y, Index incy,
                    const T* parameters) {
    return with_context(name, handle, [&](Context& context) {
        if (!parameters) return CUBLAS_STATUS_INVALID_VALUE;
        const bool is_known = context.takes_host_scalars();
        std::vector<T> known;
        if (is_known) known.assign(parameters, parameters + 5);
        std::vector<Buffer> others;
        if (!is_known) others.push_back(number("param", parameters, Use::reads, 5));
        return change_two(name, handle, n, x, incx, Use::reads_and_writes, y, incy, others, [=](T& a, T& b) {
            const Modified<T> h(is_known ? known.data() : parameters);
            const T kept = a;
            a = h.h11 * kept + h.h12 * b;
            b = h.h21 * kept + h.h22 * b;
        });
    });
}

// As the reference BLAS does: Lawson, Hanson, Kincaid, Krogh, ACM TOMS 5 (1979).
template <typename T>
void make_modified(T* d1, T* d2, T* x1, T y1, T* parameters) {
    constexpr T gamma = 4096, gamma2 = gamma * gamma;
    T flag = 0, h11 = 0, h21 = 0, h12 = 0, h22 = 0;
    const T p2 = *d2 * y1, p1 = *d1 * *x1, q2 = p2 * y1, q1 = p1 * *x1;
    const auto give_up = [&] {
        flag = -1, h11 = h21 = h12 = h22 = 0;
        *d1 = *d2 = *x1 = 0;
    };
    if (*d1 < 0) {
        give_up();
    } else if (p2 == 0) {
        parameters[0] = -2;
        return;
    } else if (std::abs(q1) > std::abs(q2)) {
        h21 = -y1 / *x1, h12 = p2 / p1;
        const T u = 1 - h12 * h21;
        if (u > 0) *d1 /= u, *d2 /= u, *x1 *= u;
        else give_up();
    } else if (q2 < 0) {
        give_up();
    } else {
        flag = 1, h11 = p1 / p2, h22 = *x1 / y1;
        const T u = 1 + h11 * h22, kept = *d2 / u;
        *d2 = *d1 / u, *d1 = kept, *x1 = y1 * u;
    }
    const auto fill_in = [&] {
        if (flag == 0) h11 = h22 = 1;
        if (flag == 1) h21 = -1, h12 = 1;
        flag = -1;
    };
    while (*d1 != 0 && (*d1 <= 1 / gamma2 || *d1 >= gamma2)) {
        fill_in();
        const bool is_small = *d1 <= 1 / gamma2;
        const T up = is_small ? gamma : 1 / gamma;
        *d1 *= up * up, *x1 /= up, h11 /= up, h12 /= up;
    }
    while (*d2 != 0 && (std::abs(*d2) <= 1 / gamma2 || std::abs(*d2) >= gamma2)) {
        fill_in();
        const bool is_small = std::abs(*d2) <= 1 / gamma2;
        const T up = is_small ? gamma : 1 / gamma;
        *d2 *= up * up, h21 /= up, h22 /= up;
    }
    parameters[0] = flag;
    if (flag < 0) parameters[1] = h11, parameters[2] = h21, parameters[3] = h12, parameters[4] = h22;
    if (flag == 0) parameters[2] = h21, parameters[3] = h12;
    if (flag > 0) parameters[1] = h11, parameters[4] = h22;
}

template <typename T>
cublasStatus_t rotmg(const char* name, cublasHandle_t handle, T* d1, T* d2, T* x1, const T* y1, T* parameters) {
    return change_numbers(name, handle,
                          {number("d1", d1), number("d2", d2), number("x1", x1), number("y1", y1, Use::reads),
                           number("param", parameters, Use::writes, 5)},
                          [=] { make_modified(d1, d2, x1, *y1, parameters); });
}

}  // namespace
}  // namespace simt::blas::vectors

using namespace simt::blas;

#define SIMT_FUNCTIONS(P, T, R)                                                                              \
    cublasStatus_t cublas##P##copy(cublasHandle_t handle, int n, const T* x, int incx, T* y, int incy) {     \
        return vectors::copy("cublas" #P "copy", handle, n, ours(x), incx, ours(y), incy);                   \
    }                                                                                                        \
    cublasStatus_t cublas##P##swap(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy) {           \
        return vectors::swap("cublas" #P "swap", handle, n, ours(x), incx, ours(y), incy);                   \
    }                                                                                                        \
    cublasStatus_t cublas##P##axpy(cublasHandle_t handle, int n, const T* alpha, const T* x, int incx, T* y, \
                                   int incy) {                                                               \
        return vectors::axpy("cublas" #P "axpy", handle, n, ours(alpha), ours(x), incx, ours(y), incy);      \
    }                                                                                                        \
    cublasStatus_t cublas##P##scal(cublasHandle_t handle, int n, const T* alpha, T* x, int incx) {           \
        return vectors::scal("cublas" #P "scal", handle, n, ours(alpha), ours(x), incx);                     \
    }                                                                                                        \
    cublasStatus_t cublas##P##rotg(cublasHandle_t handle, T* a, T* b, R* c, T* s) {                          \
        return vectors::rotg("cublas" #P "rotg", handle, ours(a), ours(b), c, ours(s));                      \
    }
SIMT_BLAS_ALL(SIMT_FUNCTIONS)

#define SIMT_MODIFIED(P, T, R)                                                                                     \
    cublasStatus_t cublas##P##rotm(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, const T* param) { \
        return vectors::rotm("cublas" #P "rotm", handle, n, x, incx, y, incy, param);                              \
    }                                                                                                              \
    cublasStatus_t cublas##P##rotmg(cublasHandle_t handle, T* d1, T* d2, T* x1, const T* y1, T* param) {           \
        return vectors::rotmg("cublas" #P "rotmg", handle, d1, d2, x1, y1, param);                                 \
    }
SIMT_BLAS_REAL(SIMT_MODIFIED)

#define SIMT_DOT_OF(name, T, conjugates)                                                                               \
    cublasStatus_t cublas##name(cublasHandle_t handle, int n, const T* x, int incx, const T* y, int incy, T* result) { \
        return vectors::dot<conjugates>("cublas" #name, handle, n, ours(x), incx, ours(y), incy, ours(result));        \
    }
SIMT_DOT_OF(Sdot, float, false)
SIMT_DOT_OF(Ddot, double, false)
SIMT_DOT_OF(Cdotu, cuComplex, false)
SIMT_DOT_OF(Cdotc, cuComplex, true)
SIMT_DOT_OF(Zdotu, cuDoubleComplex, false)
SIMT_DOT_OF(Zdotc, cuDoubleComplex, true)

#define SIMT_REDUCE_BY(function, name, T, R)                                                     \
    cublasStatus_t cublas##name(cublasHandle_t handle, int n, const T* x, int incx, R* result) { \
        return vectors::function("cublas" #name, handle, n, ours(x), incx, result);              \
    }
SIMT_REDUCE_BY(nrm2, Snrm2, float, float)
SIMT_REDUCE_BY(nrm2, Dnrm2, double, double)
SIMT_REDUCE_BY(nrm2, Scnrm2, cuComplex, float)
SIMT_REDUCE_BY(nrm2, Dznrm2, cuDoubleComplex, double)
SIMT_REDUCE_BY(asum, Sasum, float, float)
SIMT_REDUCE_BY(asum, Dasum, double, double)
SIMT_REDUCE_BY(asum, Scasum, cuComplex, float)
SIMT_REDUCE_BY(asum, Dzasum, cuDoubleComplex, double)
SIMT_REDUCE_BY(extreme<false>, Isamax, float, int)
SIMT_REDUCE_BY(extreme<false>, Idamax, double, int)
SIMT_REDUCE_BY(extreme<false>, Icamax, cuComplex, int)
SIMT_REDUCE_BY(extreme<false>, Izamax, cuDoubleComplex, int)
SIMT_REDUCE_BY(extreme<true>, Isamin, float, int)
SIMT_REDUCE_BY(extreme<true>, Idamin, double, int)
SIMT_REDUCE_BY(extreme<true>, Icamin, cuComplex, int)
SIMT_REDUCE_BY(extreme<true>, Izamin, cuDoubleComplex, int)

#define SIMT_ROT_OF(name, T, R, S)                                                                        \
    cublasStatus_t cublas##name(cublasHandle_t handle, int n, T* x, int incx, T* y, int incy, const R* c, \
                                const S* s) {                                                             \
        return vectors::rot("cublas" #name, handle, n, ours(x), incx, ours(y), incy, c, ours(s));         \
    }
SIMT_ROT_OF(Srot, float, float, float)
SIMT_ROT_OF(Drot, double, double, double)
SIMT_ROT_OF(Crot, cuComplex, float, cuComplex)
SIMT_ROT_OF(Csrot, cuComplex, float, float)
SIMT_ROT_OF(Zrot, cuDoubleComplex, double, cuDoubleComplex)
SIMT_ROT_OF(Zdrot, cuDoubleComplex, double, double)

cublasStatus_t cublasCsscal(cublasHandle_t handle, int n, const float* alpha, cuComplex* x, int incx) {
    return vectors::scal("cublasCsscal", handle, n, alpha, ours(x), incx);
}
cublasStatus_t cublasZdscal(cublasHandle_t handle, int n, const double* alpha, cuDoubleComplex* x, int incx) {
    return vectors::scal("cublasZdscal", handle, n, alpha, ours(x), incx);
}

#undef SIMT_FUNCTIONS
#undef SIMT_MODIFIED
#undef SIMT_DOT_OF
#undef SIMT_REDUCE_BY
#undef SIMT_ROT_OF
