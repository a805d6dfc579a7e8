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
#include <optional>
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
class ReadCase final : public Case {
public:
    ReadCase(const Session& session, const TextureVariant& path, Experiment<T>& experiment, const Reads& reads,
             const BlockShape& block, double sectors_per_request)
        : Case(path, {std::is_same_v<T, float> ? DType::f32 : DType::f16, reads.shape.elements(),
                      reads.samples() * sizeof(T) + double(reads.results()) * sizeof(float),
                      reads.samples() - double(reads.results())}),
          session_(session),
          launch_(path.launch.get<T>()),
          experiment_(experiment),
          reads_(reads) {
        const Matrix<T>& matrix = experiment.matrix;
        arguments_.d_in = matrix.d_data();
        arguments_.stride = matrix.stride();
        arguments_.texture = (path.path == Path::array ? matrix.on_array() : matrix.on_pitched_memory()).object();
        arguments_.rows = int(reads.shape.rows);
        arguments_.columns = int(reads.shape.columns);
        arguments_.d_out = experiment.d_out.data();
        arguments_.width = int(reads.width);
        arguments_.block = dim3(block.x, block.y);
        const bool has_width = reads.pattern->most_samples(2) != 1;
        cells_ = {name_of_path(path.path), reads.pattern->name, has_width ? reads.width : 0, reads.most_samples(),
                  reads.shape.rows,        reads.shape.columns, sectors_per_request};
    }

    void poison(cudaStream_t stream) override {
        if (result_bytes() > 0) CHECK(cudaMemsetAsync(arguments_.d_out, 0xa5, result_bytes(), stream));
    }
    LaunchShape launch(cudaStream_t stream) override {
        arguments_.stream = stream;
        return launch_(arguments_);
    }
    Verdict check() override {
        std::vector<float>& h_out = experiment_.h_out;
        CHECK(cudaMemcpy(h_out.data(), arguments_.d_out, result_bytes(), cudaMemcpyDeviceToHost));
        const float* const expected = experiment_.expected.results_of(reads_, experiment_.matrix.h_data()).data();
        return compare_elements(
            h_out.data(), reads_.results(), [=](size_t i) { return static_cast<long double>(expected[i]); },
            [&](long double value) { return std::max(session_.options.tolerance, 0.0) * std::fabs(value); });
    }
    std::vector<Cell> own_cells(double) override { return cells_of(texture_table_columns, cells_); }

private:
    size_t result_bytes() const { return reads_.results() * sizeof(float); }

    const Session& session_;
    LaunchReads<T>* const launch_;
    Experiment<T>& experiment_;
    const Reads reads_;
    TextureArguments<T> arguments_;
    TextureCells cells_;
};

// A case for each path of one pattern.
template <typename T>
void append_cases(Session& session, Experiment<T>& experiment, const Reads& reads, const BlockShape& block,
                  Cases& cases) {
    double sectors = 0;
    if (!reads.pattern->is_random) sectors = textbook_sectors(reads, block, sizeof(T)).per_request();
    for (const TextureVariant* variant : session.selected<TextureVariant>()) {
        if (variant->pattern != reads.pattern) continue;
        const std::string reason = obstacle(experiment.matrix, variant->path);
        if (!reason.empty()) {
            session.notice(text("{}, {}: {}; left out", variant->name, reads.shape.name(), reason));
            continue;
        }
        const bool is_linear = variant->path != Path::array;
        cases.push_back(
            std::make_unique<ReadCase<T>>(session, *variant, experiment, reads, block, is_linear ? sectors : 0));
    }
}

template <typename T>
void run_shape(Session& session, Bench& bench, const MatrixShape& shape, Cases& constants) {
    constexpr size_t most = size_t(std::numeric_limits<int>::max());
    if (shape.rows > most || shape.columns > most)
        fail(Exit::usage, "size '{}' is too large: a matrix has at most {} rows and as many columns", shape.name(),
             most);
    const auto& options = session.own<TextureOptions>();
    session.begin_step(text("generating a matrix of {}", shape.name()));
    Experiment<T> experiment(session, shape);
    session.end_step();
    for (const BlockShape& block : options.blocks) {
        Cases cases;
        for (const Pattern* pattern : patterns)
            for (unsigned width : pattern->widths(options))
                append_cases<T>(session, experiment, {pattern, shape, width}, block, cases);
        std::move(constants.begin(), constants.end(), std::back_inserter(cases));
        constants.clear();
        bench.run(cases);
    }
}

void run(Session& session) {
    Bench bench(session);
    const std::vector<const TextureVariant*> variants = session.selected<TextureVariant>();
    std::optional<ConstantRuns> runs;
    Cases constants = constant_cases(session, runs);  // run once, with the first matrix
    const auto is_read = [](const TextureVariant* variant) { return variant->pattern != nullptr; };
    if (std::any_of(variants.begin(), variants.end(), is_read)) {
        for (const MatrixShape& shape : session.own<TextureOptions>().shapes.on(session.device)) {
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
