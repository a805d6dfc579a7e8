// SPDX-License-Identifier: MIT
// The inputs of the ranks, and what each rank has to receive.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/gang/operations.hpp"
#include "common/io/small_float.hpp"
#include "common/measure/random.hpp"
#include "common/measure/verify.hpp"
#include "kernels/collective/reduction.hpp"

// T: an element as the host stores it. Nothing is stored here: every element is computed from its rank and index.
template <typename T>
class Reference {
public:
    Reference(std::uint64_t seed, Reduction reduction, double tolerance)
        : seed_(seed), reduction_(reduction), tolerance_(tolerance) {}

    // Element `index` of what `rank` contributes. Sums of hundreds of them are exact in float, and so are products.
    T input(std::size_t rank, std::size_t index) const {
        const std::uint64_t place = (std::uint64_t{rank} << 44) + index;
        switch (reduction_) {
            case Reduction::sum:
            case Reduction::average: return T(exact_summand<Number>(seed_, place));
            case Reduction::product: return T(factor(random_bits(seed_, place) >> 61));
            default: return T(uniform<Number>(seed_, place));
        }
    }

    // Element i of what `rank` receives.
    long double expected(const CollectiveShape& shape, std::size_t rank, std::size_t i) const {
        const CollectiveShape::Origin origin = shape.origin(rank, i);
        if (!shape.reduces()) return static_cast<long double>(input(origin.from, origin.index));
        Wide total = static_cast<Wide>(input(0, origin.index));
        for (std::size_t r = 1; r < shape.ranks; ++r) total = combine(total, static_cast<Wide>(input(r, origin.index)));
        if (reduction_ == Reduction::average) total = static_cast<Wide>(total / static_cast<Wide>(shape.ranks));
        return static_cast<long double>(static_cast<Signed>(total));
    }

    // Inputs are below 1/2, so a partial sum of k of them is below k/2 and is rounded by at most that times the unit
    // roundoff; the bound adds this up for k from 1 to the number of ranks. For averages all that is divided by the
    // ranks, but the quotients are rounded as well, before or after the additions. An eighth more allows for rounded
    // sums that exceed the exact ones. In float and double no sum is rounded.
    double bound(const CollectiveShape& shape, long double expected) const {
        if (tolerance_ >= 0 && shape.reduces()) return tolerance_ * static_cast<double>(std::fabs(expected));
        const bool adds = reduction_ == Reduction::sum || reduction_ == Reduction::average;
        if (is_whole || !shape.reduces() || !adds) return 0;
        if (sizeof(T) > 2 && reduction_ == Reduction::sum) return 0;
        const auto ranks = static_cast<double>(shape.ranks);
        const double roundings = reduction_ == Reduction::sum ? ranks * (ranks + 1) / 4 : (ranks + 1) / 4 + 1;
        return 1.125 * roundings * unit_roundoff();
    }

    Verdict compare(const CollectiveShape& shape, std::size_t rank, const T* got, std::size_t first,
                    std::size_t count) const {
        return compare_elements(
            got, count, [&](std::size_t i) { return expected(shape, rank, first + i); },
            [&](long double want) { return bound(shape, want); }, first);
    }

private:
    static constexpr bool is_whole = std::is_integral_v<T>;
    using Number = std::conditional_t<std::is_arithmetic_v<T>, T, float>;
    // Integers wrap around, as they do on a device.
    using Wide = std::conditional_t<is_whole, std::uint64_t, long double>;
    using Signed = std::conditional_t<is_whole, T, long double>;

    static Number factor(std::uint64_t three_bits) {
        constexpr Number half = is_whole ? Number(2) : Number(0.5f);
        const Number magnitudes[] = {1, 1, 2, half};
        return three_bits & 4 ? -magnitudes[three_bits & 3] : magnitudes[three_bits & 3];
    }

    Wide combine(Wide a, Wide b) const {
        switch (reduction_) {
            case Reduction::product: return a * b;
            case Reduction::minimum: return Signed(b) < Signed(a) ? b : a;
            case Reduction::maximum: return Signed(a) < Signed(b) ? b : a;
            default: return a + b;
        }
    }

    static double unit_roundoff() {
        if (std::is_same_v<T, Half>) return 0x1p-11;
        if (std::is_same_v<T, BFloat16>) return 0x1p-8;
        return sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
    }

    const std::uint64_t seed_;
    const Reduction reduction_;
    const double tolerance_;
};
