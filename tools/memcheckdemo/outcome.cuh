// SPDX-License-Identifier: MIT
// One run of a plant, and what it shows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/io/text.hpp"
#include "tools/memcheckdemo/plant.cuh"

namespace BACKEND {

enum class Symptom {
    right,    // the result is what it should be, whatever happened on the way
    wrong,    // it is not
    refused,  // a runtime call returned an error, and the device goes on
    crash,    // a kernel crashed: the context is lost
};

struct Outcome {
    Symptom symptom;
    std::string detail;
};

// A sticky error comes from a kernel.
inline Outcome outcome_of(cudaError_t error) {
    static_cast<void>(cudaGetLastError());
    const bool lost = cudaDeviceSynchronize() != cudaSuccess;
    return {lost ? Symptom::crash : Symptom::refused, cudaGetErrorName(error)};
}

inline Outcome compare(const std::vector<int>& result, const std::vector<int>& expected) {
    if (result.size() != expected.size())
        return {Symptom::wrong, text("{} elements, should be {}", result.size(), expected.size())};
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (result[i] != expected[i])
            return {Symptom::wrong, text("element {} is {}, should be {}", i, result[i], expected[i])};
    return {Symptom::right, expected.size() == 1 ? text("the result is {}", expected[0])
                                                 : text("all {} elements are right", expected.size())};
}

inline Outcome run_code(const Code& code, bool fixed) {
    constexpr unsigned seed = 1;
    const std::vector<int> in = code.input(seed), expected = code.expected(in);
    std::vector<int> out(expected.size(), -1);
    const cudaError_t error = (fixed ? code.fixed : code.faulty)(in, out);
    if (error != cudaSuccess) return outcome_of(error);
    Outcome outcome = compare(out, expected);
    const cudaError_t ignored = cudaGetLastError();
    if (ignored != cudaSuccess) outcome.detail += text("; ignored: {}", cudaGetErrorName(ignored));
    return outcome;
}

}  // namespace BACKEND
