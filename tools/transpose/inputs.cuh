// SPDX-License-Identifier: MIT
// The benchmark's matrices, and why a variant cannot transpose one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>

#include "common/cli/session.hpp"
#include "common/measure/random.hpp"
#include "tools/transpose/table.cuh"

namespace BACKEND {

// Element i of a random matrix, as the word that holds it: finite numbers, since geam computes with them.
template <typename Word>
Word random_word(DType dtype, std::uint64_t seed, size_t i) {
    Word word = static_cast<Word>(random_bits(seed, i));
    const auto take_bits_of = [&](const auto& element) {
        if constexpr (sizeof element == sizeof word) std::memcpy(&word, &element, sizeof word);
    };
    if (dtype == DType::f32) take_bits_of(uniform<float>(seed, i));
    if (dtype == DType::f64) take_bits_of(uniform<double>(seed, i));
    if (dtype == DType::f16) take_bits_of(Half(uniform<float>(seed, i)));
    return word;
}

// Why a variant cannot transpose such a matrix here; "" if it can. `launch` is the variant's for words of the type.
template <typename Word>
std::string obstacle(const TransposeVariant& variant, const std::function<TransposeOnDevice<Word>>& launch,
                     const MatrixShape& shape, DType dtype) {
    constexpr size_t largest_int = std::numeric_limits<int>::max();
    if (variant.peer && std::max(shape.rows, shape.columns) > largest_int)
        return "cuBLAS counts rows and columns in 32 bits";
    if (!launch) return text("cuBLAS is not installed, does not start, or has no geam for {}", name_of(dtype));
    if (variant.result == Result::transpose_in_place && shape.rows != shape.columns)
        return "only a square matrix stays in its place";
    return "";
}

// Says so at once if the variant was named, else only with -v.
inline void say_left_out(const Session& session, const Variant& variant, const MatrixShape& shape,
                         const std::string& why) {
    const std::string message = text("{} is left out at {}: {}", variant.name, shape.name(), why);
    session.names(variant.name) ? session.notice(message) : session.detail(message);
}

}  // namespace BACKEND
