// What the planted defects of memcheckdemo have in common: where each is in the source, and what a run of one shows.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "common/cuda/buffers.cuh"
#include "common/cuda/check.cuh"
#include "common/io/text.hpp"

namespace BACKEND {

#ifdef __SIMCC__
constexpr bool simulated = true;
#else
constexpr bool simulated = false;
#endif

// The faulty statement: {__FILE__, __LINE__ - k} beside it. A race has a second one; 0 is none.
struct Place {
    const char* file;
    unsigned line;
    unsigned other_line = 0;
};

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

inline Outcome right(const std::string& detail) { return {Symptom::right, detail}; }
inline Outcome wrong(const std::string& detail) { return {Symptom::wrong, detail}; }

// The outcome of a call, or of the work that it waited for: a sticky error comes from a kernel.
inline Outcome outcome_of(cudaError_t error) {
    if (error == cudaSuccess) return right("no error");
    static_cast<void>(cudaGetLastError());
    const bool lost = cudaDeviceSynchronize() != cudaSuccess;
    return {lost ? Symptom::crash : Symptom::refused, cudaGetErrorName(error)};
}

inline cudaError_t finished() {
    const cudaError_t launched = cudaGetLastError();
    const cudaError_t ran = cudaDeviceSynchronize();
    return ran != cudaSuccess ? ran : launched;
}

// n values that differ from each other and from what memory happens to hold.
inline std::vector<int> numbers(int n, int first = 100) {
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i) values[i] = first + i;
    return values;
}

inline void upload(const DeviceBuffer<int>& to, const std::vector<int>& from) {
    CHECK(cudaMemcpy(to.data(), from.data(), from.size() * sizeof(int), cudaMemcpyHostToDevice));
}

inline DeviceBuffer<int> on_device(const std::vector<int>& values) {
    DeviceBuffer<int> buffer(values.size());
    upload(buffer, values);
    return buffer;
}

inline Outcome compare(const std::vector<int>& result, const std::vector<int>& expected) {
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (result[i] != expected[i]) return wrong(text("element {} is {}, should be {}", i, result[i], expected[i]));
    return right(expected.size() == 1 ? text("the result is {}", expected[0])
                                      : text("all {} elements are right", expected.size()));
}

// Waits for the kernels, then compares what they left in device memory.
inline Outcome outcome_of(const DeviceBuffer<int>& result, const std::vector<int>& expected) {
    if (const cudaError_t error = finished(); error != cudaSuccess) return outcome_of(error);
    std::vector<int> values(expected.size());
    CHECK(cudaMemcpy(values.data(), result.data(), values.size() * sizeof(int), cudaMemcpyDeviceToHost));
    return compare(values, expected);
}

}  // namespace BACKEND
