// The cases whose grids only leave marks: many of them, and chains.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/check.cuh"
#include "common/measure/bench.cuh"
#include "tools/nested/on_host.cuh"
#include "tools/nested/table.cuh"

namespace BACKEND {

// A mark per grid, behind them the error.
class Marks {
public:
    explicit Marks(size_t count) : count_(count), d_words_(count + 1) {}

    NestedArguments arguments(std::uint64_t seed) const {
        NestedArguments arguments;
        arguments.d_marks = d_words_.data();
        arguments.d_error = d_words_.data() + count_;
        arguments.seed = unsigned(seed);
        return arguments;
    }

    void poison(cudaStream_t stream) const {
        CHECK(cudaMemsetAsync(d_words_.data(), poison_byte, count_ * sizeof(unsigned), stream));
        CHECK(cudaMemsetAsync(d_words_.data() + count_, 0, sizeof(unsigned), stream));
    }

    Verdict check(std::uint64_t seed) const {
        std::vector<unsigned> words(count_ + 1);
        CHECK(cudaMemcpy(words.data(), d_words_.data(), words.size() * sizeof(unsigned), cudaMemcpyDeviceToHost));
        const auto error = static_cast<cudaError_t>(words[count_]);
        const std::string cause =
            error ? text("; a launch by a kernel failed: {} ({})", cudaGetErrorString(error), cudaGetErrorName(error))
                  : "";
        for (size_t i = 0; i < count_; ++i) {
            const unsigned mark = mark_of(unsigned(seed), unsigned(i)), left = words[i] - poison_byte * 0x01010101U;
            if (left == mark) continue;
            return {false, text("grid {} of {} has {}{}", i, count_,
                                left == 0          ? "not run"
                                : left == 2 * mark ? "run twice"
                                                   : "left a wrong mark",
                                cause)};
        }
        return {error == cudaSuccess, cause};
    }

private:
    static constexpr unsigned poison_byte = 0xa5;

    size_t count_;
    DeviceBuffer<unsigned> d_words_;
};

// `count`: what the launch is told; there are `grids` marks.
inline Case case_of_marks(const Session& session, const NestedVariant& variant, size_t count, size_t grids,
                          LaunchShape (*launch)(const NestedArguments&), size_t launches, size_t depth) {
    const auto marks = std::make_shared<Marks>(grids);
    const std::uint64_t seed = session.options.seed;
    Case one;
    one.variant = &variant;
    one.problem = {std::nullopt, count, double(grids) * sizeof(unsigned), 0, 0, variant.chain ? "deep" : "launches"};
    one.poison = [=](cudaStream_t stream) { marks->poison(stream); };
    one.launch = [=](cudaStream_t stream) {
        NestedArguments arguments = marks->arguments(seed);
        arguments.count = unsigned(count);
        arguments.stream = stream;
        return launch(arguments);
    };
    one.check = [=] { return marks->check(seed); };
    one.own_cells = [=, simulated = session.device.simulated](double median_ns) {
        return cells_of(nested_columns, cells_of_launches(launches, depth, median_ns, simulated));
    };
    return one;
}

inline Case case_of_grids(const Session& session, const NestedVariant& variant, size_t count) {
    const size_t parents = variant.by_host ? 0 : 1;
    Case one = case_of_marks(session, variant, count, count, variant.grids, count + parents, count > 0 ? parents : 0);
    if (variant.by_host) time_on_host(one, session.device.simulated);
    return one;
}

inline Case case_of_chain(const Session& session, const NestedVariant& variant, size_t depth) {
    Case one = case_of_marks(session, variant, depth, depth + 1, variant.chain, depth + 1, variant.by_host ? 0 : depth);
    if (variant.by_host) time_on_host(one, session.device.simulated);
    return one;
}

}  // namespace BACKEND
