// SPDX-License-Identifier: MIT
// The elements of cuBLAS's matrices: float, double, and complex numbers of both.
#pragma once

#include <cmath>
#include <type_traits>

#include "common/simt/include/cublas_api.h"

namespace simt::blas {

/// Laid out as cuComplex. (The products of std::complex look for infinities, which costs more than the product.)
template <typename R>
struct Complex {
    R re = 0, im = 0;

    Complex() = default;
    Complex(R re_, R im_ = 0) : re(re_), im(im_) {}

    Complex operator-() const { return {-re, -im}; }
    friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
    friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
    friend Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
    /// (Divided by the larger part of the divisor first, whose square may overflow.)
    friend Complex operator/(Complex a, Complex b) {
        if (std::abs(b.re) < std::abs(b.im)) return Complex(a.im, -a.re) / Complex(b.im, -b.re);
        const R ratio = b.im / b.re, size = b.re + b.im * ratio;
        return {(a.re + a.im * ratio) / size, (a.im - a.re * ratio) / size};
    }
    Complex& operator+=(Complex b) { return *this = *this + b; }
    Complex& operator-=(Complex b) { return *this = *this - b; }
    friend bool operator==(Complex a, Complex b) { return a.re == b.re && a.im == b.im; }
};

template <typename T>
struct Parts {
    using Real = T;
    using Wide = double;
    static constexpr bool is_complex = false;
};
template <typename R>
struct Parts<Complex<R>> {
    using Real = R;
    using Wide = Complex<double>;
    static constexpr bool is_complex = true;
};
template <typename T>
using RealOf = typename Parts<T>::Real;
template <typename T>
using WideOf = typename Parts<T>::Wide;  ///< sums of many elements are made in it
template <typename T>
constexpr bool is_complex = Parts<T>::is_complex;

template <typename T>
T conj(T a) {
    if constexpr (is_complex<T>) return {a.re, -a.im};
    else return a;
}
template <typename T>
T conj_if(bool condition, T a) {
    return condition ? conj(a) : a;
}
template <typename T>
RealOf<T> real_part(T a) {
    if constexpr (is_complex<T>) return a.re;
    else return a;
}
/// |re| + |im|, by which BLAS compares complex numbers.
template <typename T>
RealOf<T> size_of(T a) {
    if constexpr (is_complex<T>) return std::abs(a.re) + std::abs(a.im);
    else return std::abs(a);
}
template <typename T>
WideOf<T> wide(T a) {
    if constexpr (is_complex<T>) return {static_cast<double>(a.re), static_cast<double>(a.im)};
    else return a;
}
template <typename T>
T narrow(WideOf<T> a) {
    using R = RealOf<T>;
    if constexpr (is_complex<T>) return {static_cast<R>(a.re), static_cast<R>(a.im)};
    else return static_cast<R>(a);
}

/// The type of ours that a type of cuBLAS's functions stands for.
template <typename T>
struct Ours {
    using Type = T;
};
template <>
struct Ours<cuComplex> {
    using Type = Complex<float>;
};
template <>
struct Ours<cuDoubleComplex> {
    using Type = Complex<double>;
};

/// The same pointer, to elements of our types.
template <typename T>
auto* ours(T* pointer) {
    if constexpr (std::is_const_v<T>)
        return reinterpret_cast<const typename Ours<std::remove_const_t<T>>::Type*>(pointer);
    else return reinterpret_cast<typename Ours<T>::Type*>(pointer);
}

}  // namespace simt::blas
