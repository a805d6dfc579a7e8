// SPDX-License-Identifier: MIT
// transpose: the output's rows are the input's columns. Nothing is computed, so memory alone sets the pace: from a
// thread per element to within a few percent of a plain copy.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/cuda/passes.hpp"
#include "kernels/transpose/columns.cuh"
#include "tools/transpose/table.cuh"

namespace BACKEND {

// Instantiated for gangs.
#define INSTANTIATE(Word) template void launch_place_columns(const ColumnsArguments<Word>&)
INSTANTIATE(std::uint8_t);
INSTANTIATE(std::uint16_t);
INSTANTIATE(std::uint32_t);
INSTANTIATE(std::uint64_t);
#undef INSTANTIATE

}  // namespace BACKEND

#if HOST_PASS
#include <algorithm>
#include <memory>

#include "common/cli/registration.cuh"
#include "common/cuda/buffers.cuh"
#include "common/measure/bench.cuh"
#include "tools/transpose/filter.cuh"
#include "tools/transpose/gang.cuh"
#include "tools/transpose/inputs.cuh"

namespace BACKEND {
namespace {

// A matrix and its transpose (or copy), on the host and on the device.
template <typename Word>
class Transposition {
public:
    Transposition(Session& session, const MatrixShape& shape)
        : session_(session),
          shape_(shape),
          words_(shape.elements()),
          offset_(session.own<TransposeOptions>().offset),
          d_input_memory_(words_ + offset_),
          d_output_memory_(words_ + offset_),
          h_input_(new Word[words_]),
          h_output_(new Word[words_]) {
        session.begin_step(text("generating a matrix, {}", shape.name()));
        const DType dtype = session.dtype();
        const std::uint64_t seed = session.options.seed;
        fill(h_input_.get(), words_, [=](size_t i) { return random_word<Word>(dtype, seed, i); });
        if (words_ > 0) CHECK(cudaMemcpy(d_input(), h_input_.get(), words_ * sizeof(Word), cudaMemcpyHostToDevice));
    }

    // Empty if the variant cannot transpose this matrix here.
    std::optional<Case> case_of(const TransposeVariant& variant) {
        Case one;
        one.variant = &variant;
        const DType dtype = session_.dtype();
        one.problem = {dtype, words_, 2.0 * double(words_) * sizeof(Word), 0};
        one.own_cells = [this](double) { return cells_of(transpose_columns, shape_); };
        one.check = [this, &variant] { return check(variant); };
        if (variant.needs == Needs::host) {
            one.poison = [this](cudaStream_t) { std::fill_n(h_output_.get(), words_, Word(0xa5)); };
            one.launch = [this, transpose = variant.on_host.get<Word>()](cudaStream_t) {
                transpose(HostMatrix<Word>{h_input_.get(), h_output_.get(), shape_.rows, shape_.columns});
                return LaunchShape{};
            };
            return one;
        }
        const auto launch = variant.on_device<Word>();
        const std::string why_not = obstacle<Word>(variant, launch, shape_, dtype);
        if (!why_not.empty()) {
            say_left_out(session_, variant, shape_, why_not);
            return {};
        }
        const bool in_place = variant.result == Result::transpose_in_place;
        const auto fill_output = [this, in_place](cudaStream_t stream) {
            if (words_ == 0) return;
            if (in_place)
                CHECK(cudaMemcpyAsync(d_output(), d_input(), words_ * sizeof(Word), cudaMemcpyDeviceToDevice, stream));
            else CHECK(cudaMemsetAsync(d_output(), 0xa5, words_ * sizeof(Word), stream));
        };
        (in_place ? one.prepare : one.poison) = fill_output;
        one.launch = [this, launch](cudaStream_t stream) {
            return launch({d_input(), d_output(), shape_.rows, shape_.columns, session_.options.block, stream});
        };
        return one;
    }

private:
    Word* d_input() const { return d_input_memory_.data() + offset_; }
    Word* d_output() const { return d_output_memory_.data() + offset_; }

    Verdict check(const TransposeVariant& variant) const {
        if (variant.needs != Needs::host && words_ > 0)
            CHECK(cudaMemcpy(h_output_.get(), d_output(), words_ * sizeof(Word), cudaMemcpyDeviceToHost));
        const bool copies = variant.result == Result::copy;
        const auto expected = [&](size_t i) {
            const size_t row = i % shape_.rows, column = i / shape_.rows;
            return static_cast<long double>(h_input_[copies ? i : row * shape_.columns + column]);
        };
        return compare_elements(h_output_.get(), words_, expected, [](long double) { return 0; });
    }

    Session& session_;
    const MatrixShape shape_;
    const size_t words_, offset_;
    // Allocated before the host's arrays, so that the message for too large a size names the device's free memory.
    DeviceBuffer<Word> d_input_memory_, d_output_memory_;
    std::unique_ptr<Word[]> h_input_, h_output_;
};

template <typename Word>
void run_shape(Session& session, Bench& bench, GangSweep& sweep, const MatrixShape& shape) {
    if (session.options.gang) return sweep.run(gang_problem_of<Word>(session, shape));
    Transposition<Word> transposition(session, shape);
    std::vector<Case> cases;
    for (const TransposeVariant* variant : session.selected<TransposeVariant>())
        if (auto one = transposition.case_of(*variant)) cases.push_back(std::move(*one));
    bench.run(cases);
}

void run(Session& session) {
    if (!session.options.operands.empty()) return run_transpose_filter(session);
    const auto& asked = session.own<TransposeOptions>();
    if (asked.file_shape || asked.fortran_order)
        fail(Exit::usage, "--shape and --order are for files: name one, or - for standard input");
    if (asked.pieces > 0 && !session.options.gang)
        fail(Exit::usage, "--pieces says how several devices exchange a matrix: add --gang, or leave it out");
    Bench bench(session);
    GangSweep sweep(session, bench, session.gang);
    for (const MatrixShape& shape : asked.shapes.on(session.device.simulated)) {
        switch (size_of(session.dtype())) {
            case 1: run_shape<std::uint8_t>(session, bench, sweep, shape); break;
            case 2: run_shape<std::uint16_t>(session, bench, sweep, shape); break;
            case 4: run_shape<std::uint32_t>(session, bench, sweep, shape); break;
            default: run_shape<std::uint64_t>(session, bench, sweep, shape);
        }
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(transpose_program, run)
#endif
