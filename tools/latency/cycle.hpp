// SPDX-License-Identifier: MIT
// A walk that visits each of n places once before it returns, in large jumps: x -> (a x + c) mod n.
#pragma once

#include <cstdint>
#include <numeric>

// It has full period (Hull, Dobell: Random number generators, 1962): c and n have no common factor, every prime factor
// of n divides a - 1, and so does 4 if it divides n. Up to 2^34 places.
struct FullCycle {
    std::uint64_t n = 1, a = 1, c = 0;

    explicit FullCycle(std::uint64_t places) : n(places > 0 ? places : 1) {
        c = n > 2 ? std::uint64_t(double(n) * 0.6180339887) | 1
                  : n - 1;  // the golden ratio spreads places where `a` is 1
        while (std::gcd(c, n) != 1) ++c;
        c %= n;
        // With 30 bits, a x does not overflow for any x below 2^34, nor does c's addition.
        constexpr std::uint64_t largest = (std::uint64_t{1} << 30) - 1;
        const std::uint64_t step = least_step();
        const std::uint64_t room = (n < largest ? n : largest) - 1;
        if (step <= room) a = 1 + step * ((room / step * 5 / 8) | 1);
        if (a >= n || a > largest) a = 1;
    }

    std::uint64_t next(std::uint64_t x) const { return (a * x + c) % n; }
    std::uint64_t after(std::uint64_t x, std::uint64_t steps) const {
        for (std::uint64_t i = 0; i < steps; ++i) x = next(x);
        return x;
    }

private:
    // The least common multiple of n's prime factors, and of 4 if it divides n.
    std::uint64_t least_step() const {
        std::uint64_t step = 1, rest = n;
        for (std::uint64_t factor = 2; factor * factor <= rest; ++factor) {
            if (rest % factor != 0) continue;
            step *= factor;
            while (rest % factor == 0) rest /= factor;
        }
        if (rest > 1) step *= rest;
        return n % 4 == 0 ? 2 * step : step;
    }
};
