// SPDX-License-Identifier: MIT
// A pattern on a path, ready to run, and what its results have to be.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "common/measure/bench.cuh"
#include "tools/texture/table.cuh"

namespace BACKEND {

// The right results of the last reads asked for: most paths of a pattern share them.
template <typename T>
class Expected {
public:
    // The channels of all results.
    const std::vector<float>& results_of(const Reads& reads, const float* h_data) {
        const auto key = [](const Reads& of) {
            return std::make_tuple(of.pattern, of.width, of.beyond, of.rounds_weights,
                                   of.pattern->slides ? of.block.y : 0);
        };
        if (!last_ || key(*last_) != key(reads)) compute(reads, h_data);
        last_ = reads;
        return results_;
    }

    // How far a right result may be from that. Sums are exact, except those of bytes that became fractions, which round
    // at each conversion and addition. Numbers to interpolate are no more than 1 apart, on both axes: so much counts
    // the error of a weight, in a coordinate's last bits; and with a texture one step of 1/256, since CUDA says that
    // weights have 8 fractional bits, but not how they are rounded.
    static double allowed_error(const Reads& reads, double value) {
        constexpr double unit = 0x1p-23;
        if (reads.pattern->interpolates) {
            const double farthest = double(std::max(reads.shape.rows, reads.shape.columns)) / reads.width + 1;
            return 2 * ((reads.rounds_weights ? 1.0 / 256 : 0) + farthest * unit) + 8 * unit;
        }
        return is_normalized<T> ? unit * (reads.most_samples() + 2) * std::fabs(value) : 0;
    }

private:
    void compute(const Reads& reads, const float* h_data) {
        const size_t across = reads.across(), columns = reads.shape.columns;
        constexpr size_t channels = channels_of<T>;
        results_.resize(reads.results() * channels);
        parallel_for(reads.results(), [&](size_t begin, size_t end) {
            Places places;
            for (size_t i = begin; i < end; ++i) {
                places.clear();
                reads.pattern->places(reads, i % across, i / across, places);
                double sums[channels] = {};
                for (const Place& one : places) {
                    const std::optional<Place> place = reads.resolved(one);
                    if (!place) continue;  // the border is zero
                    const float* const element = h_data + (size_t(place->y) * columns + size_t(place->x)) * channels;
                    for (size_t c = 0; c < channels; ++c) sums[c] += place->weight * double(element[c]);
                }
                for (size_t c = 0; c < channels; ++c) results_[i * channels + c] = float(result_channel<T>(sums[c]));
            }
        });
    }

    std::optional<Reads> last_;
    std::vector<float> results_;
};

// What all reads of a matrix share.
template <typename T>
struct Experiment {
    using Value = typename TextureValue<T>::type;

    Experiment(const Session& session, const MatrixShape& shape, Texel texel_)
        : texel(texel_), matrix(session, shape), h_out(shape.elements() * channels_of<T>), d_out(shape.elements()) {}

    Texel texel;
    Matrix<T> matrix;
    std::vector<ResultChannel<T>> h_out;
    DeviceBuffer<Value> d_out;
    Expected<T> expected;
};

// Why a path cannot have these reads; "" if it can.
template <typename T>
std::string obstacle(Experiment<T>& experiment, const TextureVariant& variant, const Reads& reads) {
    if (reads.pattern->interpolates && experiment.texel == Texel::uchar4)
        return "there is nothing between integers; unorm4 reads such bytes as fractions";
    if (reads.beyond != Addressing::clamp && experiment.texel != Texel::f32)
        return text("--address {} is for f32", word_of(addressings, reads.beyond));
    return is_texture(variant.path) ? experiment.matrix.in(memory_of(variant.path)).no_texture() : "";
}

template <typename T>
class ReadCase final : public Case {
public:
    ReadCase(const Session& session, const TextureVariant& variant_, Experiment<T>& experiment, const Reads& reads)
        : Case(variant_, problem_of(reads)),
          session_(session),
          launch_(variant_.launch.template get<T>()),
          experiment_(experiment),
          reads_(reads),
          memory_(memory_of(variant_.path)) {
        reads_.rounds_weights = reads.pattern->interpolates && is_texture(variant_.path);
        Matrix<T>& matrix = experiment.matrix;
        const MatrixMemory<T>& read = reads.pattern->copies ? matrix.copy(memory_) : matrix.in(memory_);
        if (is_texture(variant_.path)) texture_ = read.texture(reads.beyond, reads.pattern->interpolates);
        arguments_.d_in = read.d_data();
        arguments_.stride = read.stride();
        arguments_.texture = texture_.object();
        arguments_.rows = int(reads.shape.rows);
        arguments_.columns = int(reads.shape.columns);
        arguments_.beyond = MatrixMemory<T>::address_mode(reads.beyond);
        arguments_.d_out = experiment.d_out.data();
        arguments_.width = int(reads.width);
        arguments_.block = dim3(reads.block.x, reads.block.y);
        if (reads.pattern->copies) {
            const MatrixMemory<T>& original = matrix.in(memory_ == Memory::array ? Memory::pitched : memory_);
            surface_ = read.surface();
            arguments_.d_original = original.d_data();
            arguments_.original_stride = original.stride();
            arguments_.d_copy = read.d_data();
            arguments_.surface = surface_.object();
        }
        cells_ = cells(variant_.path, read.stride());
    }

    void poison(cudaStream_t stream) override {
        if (result_bytes() > 0) CHECK(cudaMemsetAsync(arguments_.d_out, 0xa5, result_bytes(), stream));
        if (reads_.pattern->copies) experiment_.matrix.poison_copy(memory_);
    }
    LaunchShape launch(cudaStream_t stream) override {
        arguments_.stream = stream;
        return launch_(arguments_, reads_.across(), reads_.down());
    }
    Verdict check() override {
        auto& h_out = experiment_.h_out;
        CHECK(cudaMemcpy(h_out.data(), arguments_.d_out, result_bytes(), cudaMemcpyDeviceToHost));
        const float* const expected = experiment_.expected.results_of(reads_, experiment_.matrix.h_data()).data();
        const double tolerance = session_.options.tolerance;
        return compare_elements(
            h_out.data(), reads_.results() * channels_of<T>,
            [=](size_t i) { return static_cast<long double>(expected[i]); },
            [&](long double value) -> long double {
                if (tolerance >= 0) return tolerance * std::fabs(value);
                return Expected<T>::allowed_error(reads_, double(value));
            });
    }
    std::vector<Cell> own_cells(double) override { return cells_of(texture_table_columns, cells_); }

private:
    using Value = typename TextureValue<T>::type;

    static Problem problem_of(const Reads& reads) {
        const double samples = reads.samples(), results = double(reads.results());
        const double copied = reads.pattern->copies ? 2.0 * double(reads.shape.elements()) : 0;
        const double products = reads.pattern->interpolates ? samples : 0;
        return {dtype_of_texel<T>(), reads.shape.elements(),
                (samples + copied) * double(sizeof(T)) + results * double(sizeof(Value)),
                (samples - results + products) * double(channels_of<T>)};
    }

    TextureCells cells(Path path, size_t stride) const {
        const Pattern& pattern = *reads_.pattern;
        TextureCells cells;
        cells.path = name_of_path(path);
        cells.pattern = pattern.name;
        cells.texel = word_of(texels, experiment_.texel);
        cells.beyond = pattern.looks_beyond ? word_of(addressings, reads_.beyond) : "none";
        cells.width = pattern.widths == no_widths ? 0 : reads_.width;
        cells.samples = reads_.most_samples();
        cells.rows = reads_.shape.rows;
        cells.columns = reads_.shape.columns;
        // A filter fetches four elements in one request.
        const bool is_known =
            memory_ != Memory::array && !pattern.is_random && !reads_.rounds_weights && !pattern.copies;
        if (is_known) cells.sectors_per_request = textbook_sectors(reads_, stride, sizeof(T)).per_request();
        return cells;
    }
    size_t result_bytes() const { return reads_.results() * sizeof(Value); }

    const Session& session_;
    LaunchReads<T>* const launch_;
    Experiment<T>& experiment_;
    Reads reads_;
    const Memory memory_;
    Texture texture_;
    Surface surface_;
    TextureArguments<T> arguments_;
    TextureCells cells_;
};

}  // namespace BACKEND
