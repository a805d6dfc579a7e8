// SPDX-License-Identifier: MIT
// texture: the same reads of a matrix through global memory, the read-only path, a texture on an array and a texture on
// pitched memory; and constant memory.
#include <cmath>
#include <string>
#include <vector>

#include "common/cuda/passes.hpp"
#include "tools/texture/table.cuh"

#if HOST_PASS
#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <type_traits>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/texture/constants.cuh"

namespace BACKEND {
namespace {

// The right results of the last reads asked for: all paths of a pattern share them.
class Expected {
public:
    const std::vector<float>& results_of(const Reads& reads, const float* h_data) {
        if (reads.pattern != pattern_ || reads.width != width_) {
            pattern_ = reads.pattern;
            width_ = reads.width;
            compute(reads, h_data);
        }
        return results_;
    }

private:
    // The numbers are so coarse that their sums are exact.
    void compute(const Reads& reads, const float* h_data) {
        const size_t across = reads.across();
        results_.resize(reads.results());
        parallel_for(results_.size(), [&](size_t begin, size_t end) {
            Places places;
            for (size_t i = begin; i < end; ++i) {
                places.clear();
                reads.pattern->places(reads, i % across, i / across, places);
                float sum = 0;
                for (const Place& place : places) {
                    const auto [x, y] = reads.nearest(place);
                    sum += h_data[size_t(y) * reads.shape.columns + size_t(x)];
                }
                results_[i] = sum;
            }
        });
    }

    const Pattern* pattern_ = nullptr;
    unsigned width_ = 0;
    std::vector<float> results_;
};

// What all reads of a matrix share.
template <typename T>
struct Experiment {
    Experiment(const Session& session, const MatrixShape& shape)
        : matrix(session, shape), h_out(shape.elements()), d_out(shape.elements()) {}

    Matrix<T> matrix;
    std::vector<float> h_out;
    DeviceBuffer<float> d_out;
    Expected expected;
};

// Why a path cannot take this matrix; "" if it can.
template <typename T>
std::string obstacle(const Matrix<T>& matrix, Path path) {
    if (path == Path::array) return matrix.no_array();
    return path == Path::pitched ? matrix.no_pitched_texture() : "";
}

template <typename T>
Case case_of(const Session& session, const TextureVariant& variant, const std::shared_ptr<Experiment<T>>& experiment,
             const Reads& reads, const BlockShape& block, double sectors_per_request) {
    const Matrix<T>& matrix = experiment->matrix;
    const size_t results = reads.results();
    Case one;
    one.variant = &variant;
    one.problem = {std::is_same_v<T, float> ? DType::f32 : DType::f16, reads.shape.elements(),
                   reads.samples() * sizeof(T) + double(results) * sizeof(float), reads.samples() - double(results)};
    TextureArguments<T> arguments;
    arguments.d_in = matrix.d_data();
    arguments.stride = matrix.stride();
    arguments.texture = (variant.path == Path::array ? matrix.on_array() : matrix.on_pitched_memory()).object();
    arguments.rows = int(reads.shape.rows);
    arguments.columns = int(reads.shape.columns);
    arguments.d_out = experiment->d_out.data();
    arguments.width = int(reads.width);
    arguments.block = dim3(block.x, block.y);
    one.launch = [=, launch = variant.launch.get<T>()](cudaStream_t stream) mutable {
        arguments.stream = stream;
        return launch(arguments);
    };
    one.poison = [=](cudaStream_t stream) {
        if (results > 0) CHECK(cudaMemsetAsync(experiment->d_out.data(), 0xa5, results * sizeof(float), stream));
    };
    one.check = [=, &session] {
        std::vector<float>& h_out = experiment->h_out;
        CHECK(cudaMemcpy(h_out.data(), experiment->d_out.data(), results * sizeof(float), cudaMemcpyDeviceToHost));
        const float* const expected = experiment->expected.results_of(reads, experiment->matrix.h_data()).data();
        return compare_elements(
            h_out.data(), results, [=](size_t i) { return static_cast<long double>(expected[i]); },
            [&](long double value) { return std::max(session.options.tolerance, 0.0) * std::fabs(value); });
    };
    const bool has_width = reads.pattern->most_samples(2) != 1;
    const TextureCells cells = {name_of_path(variant.path), reads.pattern->name, has_width ? reads.width : 0,
                                reads.most_samples(),       reads.shape.rows,    reads.shape.columns,
                                sectors_per_request};
    one.own_cells = [=](double) { return cells_of(texture_table_columns, cells); };
    return one;
}

// A case for each path of one pattern.
template <typename T>
void append_cases(Session& session, const std::shared_ptr<Experiment<T>>& experiment, const Reads& reads,
                  const BlockShape& block, std::vector<Case>& cases) {
    double sectors = 0;
    if (!reads.pattern->is_random) sectors = textbook_sectors(reads, block, sizeof(T)).per_request();
    for (const TextureVariant* variant : session.selected<TextureVariant>()) {
        if (variant->pattern != reads.pattern) continue;
        const std::string reason = obstacle(experiment->matrix, variant->path);
        if (!reason.empty()) {
            session.notice(text("{}, {}: {}; left out", variant->name, reads.shape.name(), reason));
            continue;
        }
        const bool is_linear = variant->path != Path::array;
        cases.push_back(case_of(session, *variant, experiment, reads, block, is_linear ? sectors : 0));
    }
}

template <typename T>
void run_shape(Session& session, Bench& bench, const MatrixShape& shape, std::vector<Case>& constants) {
    constexpr size_t most = size_t(std::numeric_limits<int>::max());
    if (shape.rows > most || shape.columns > most)
        fail(Exit::usage, "size '{}' is too large: a matrix has at most {} rows and as many columns", shape.name(),
             most);
    const auto& options = session.own<TextureOptions>();
    session.begin_step(text("generating a matrix of {}", shape.name()));
    const auto experiment = std::make_shared<Experiment<T>>(session, shape);
    session.end_step();
    for (const BlockShape& block : options.blocks) {
        std::vector<Case> cases;
        for (const Pattern* pattern : patterns)
            for (unsigned width : pattern->widths(options))
                append_cases(session, experiment, {pattern, shape, width}, block, cases);
        std::move(constants.begin(), constants.end(), std::back_inserter(cases));
        constants.clear();
        bench.run(cases);
    }
}

void run(Session& session) {
    Bench bench(session);
    const std::vector<const TextureVariant*> variants = session.selected<TextureVariant>();
    std::vector<Case> constants = constant_cases(session);  // run once, with the first matrix
    const auto is_read = [](const TextureVariant* variant) { return variant->pattern != nullptr; };
    if (std::any_of(variants.begin(), variants.end(), is_read)) {
        for (const MatrixShape& shape : session.own<TextureOptions>().shapes.on(session.device.simulated)) {
            if (session.dtype() == DType::f16) run_shape<__half>(session, bench, shape, constants);
            else run_shape<float>(session, bench, shape, constants);
        }
    }
    if (!constants.empty()) bench.run(constants);
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(texture_program, run)
#endif
