// SPDX-License-Identifier: MIT
// Whether c is a + b.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "common/cli/session.hpp"
#include "common/measure/verify.hpp"
#include "tools/vecadd/memory.cuh"

namespace BACKEND {

// One correctly rounded addition: half a unit in the last place of T.
template <typename T>
Verdict check_sum(const Session& session, const Vectors<T>& vectors) {
    const double relative = session.options.tolerance >= 0 ? session.options.tolerance
                            : std::is_floating_point_v<T>  ? double(std::numeric_limits<T>::epsilon()) / 2
                                                           : 0;
    const T *a = vectors.h_a(), *b = vectors.h_b(), *c = vectors.h_c();
    return compare_elements(
        c, vectors.size(), [=](size_t i) { return static_cast<long double>(a[i]) + static_cast<long double>(b[i]); },
        [=](long double expected) { return relative * std::fabs(expected); });
}

}  // namespace BACKEND
