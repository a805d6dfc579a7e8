// SPDX-License-Identifier: MIT
// transpose's problem: a matrix on the host, on a device, or shared by several. Each device holds a share of the
// matrix's rows and gets a share of the result's: it transposes its own rows, so that what each other device needs of
// them is contiguous, sends that, and places what it receives as columns.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/gang/messages.cuh"
#include "common/gang/sweep.cuh"
#include "kernels/transpose/columns.cuh"
#include "tools/transpose/inputs.cuh"
#include "tools/transpose/shares.cuh"
#include "tools/transpose/table.cuh"

namespace BACKEND {

// A random matrix, and room for its transpose, on the devices of a gang.
template <typename Word>
class MatrixOnGang {
public:
    // The gang is all of the ranks, or the first one alone: then it only does the work that messages could not hide,
    // transposing the first piece and placing the last, and its result is not a transpose.
    MatrixOnGang(Session& session, Gang& gang, size_t ranks, const MatrixShape& shape)
        : session(session),
          shares(shape, ranks, session.own<TransposeOptions>().pieces, sizeof(Word)),
          is_complete(gang.size() == ranks),
          parts_(ranks) {
        session.begin_step(text("generating a matrix, {}", shape.name()));
        const size_t offset = session.own<TransposeOptions>().offset;
        gang.on_each([&](size_t rank) { parts_[rank] = std::make_unique<Part>(shares, rank, offset); });
        gang.on_each([&](size_t rank) { upload(rank); });
    }

    // What a rank holds: its rows of the matrix and of the result. In a gang of several also its transposed rows, piece
    // after piece, and what it receives, in the order of the result's columns, with the rows of each piece contiguous.
    struct Part {
        Part(const SharedMatrix& matrix, size_t rank, size_t offset_)
            : offset(offset_),
              input_words(matrix.rows_of(rank).size * matrix.shape().columns),
              result_words(matrix.columns_of(rank).size * matrix.shape().rows),
              d_input_memory(input_words + offset),
              d_result_memory(result_words + offset),
              d_transposed(matrix.ranks() > 1 ? input_words : 0),
              d_received(matrix.ranks() > 1 ? result_words : 0) {}

        Word* d_input() const { return d_input_memory.data() + offset; }
        Word* d_result() const { return d_result_memory.data() + offset; }

        const size_t offset, input_words, result_words;
        // Allocated before the host's arrays, so that the message for too large a size names the device's free memory.
        DeviceBuffer<Word> d_input_memory, d_result_memory, d_transposed, d_received;
    };
    const Part& part(size_t rank) const { return *parts_[rank]; }
    bool is_shared() const { return shares.ranks() > 1; }
    const MatrixShape& shape() const { return shares.shape(); }

    Word input_word(size_t i) const {
        return h_input_ ? h_input_[i] : random_word<Word>(session.dtype(), session.options.seed, i);
    }
    const Word* h_input() const { return h_input_.get(); }  // null if the matrix is shared

    static Problem problem(DType dtype, const MatrixShape& shape) {
        return {dtype, shape.elements(), 2.0 * double(shape.elements()) * sizeof(Word), 0};
    }
    Problem problem() const { return problem(session.dtype(), shape()); }

    Session& session;
    const SharedMatrix shares;
    const bool is_complete;

private:
    void upload(size_t rank) {
        const Part& part = *parts_[rank];
        std::unique_ptr<Word[]> h_rows(new Word[part.input_words]);
        const size_t first = shares.rows_of(rank).begin * shape().columns;
        fill(h_rows.get(), part.input_words, [&](size_t i) { return input_word(first + i); });
        if (part.input_words > 0) copy_to_device(part.d_input(), h_rows.get(), part.input_words * sizeof(Word));
        if (!is_shared()) h_input_ = std::move(h_rows);
    }

    std::vector<std::unique_ptr<Part>> parts_;
    std::unique_ptr<Word[]> h_input_;
};

template <typename Word>
class TranspositionOnHost final : public Case {
public:
    TranspositionOnHost(const TransposeVariant& variant_, const MatrixOnGang<Word>& matrix)
        : Case(variant_, matrix.problem()),
          transpose_(variant_.on_host.get<Word>()),
          matrix_(matrix),
          h_output_(new Word[problem.n]) {}

    void poison(cudaStream_t) override { std::fill_n(h_output_.get(), problem.n, Word(0xa5)); }
    LaunchShape launch(cudaStream_t) override {
        transpose_({matrix_.h_input(), h_output_.get(), matrix_.shape().rows, matrix_.shape().columns});
        return {};
    }
    Verdict check() override {
        const size_t rows = matrix_.shape().rows, columns = matrix_.shape().columns;
        return compare_elements(
            h_output_.get(), problem.n,
            [&](size_t i) { return static_cast<long double>(matrix_.input_word(i % rows * columns + i / rows)); },
            [](long double) { return 0; });
    }
    std::vector<Cell> own_cells(double) override { return cells_of(transpose_columns, matrix_.shape()); }

private:
    TransposeOnHost<Word>* const transpose_;
    const MatrixOnGang<Word>& matrix_;
    const std::unique_ptr<Word[]> h_output_;
};

template <typename Word>
class TranspositionOnDevices final : public GangCase {
public:
    // `messages`: null on one device.
    TranspositionOnDevices(const TransposeVariant& variant_, Gang& gang_, const MatrixOnGang<Word>& matrix,
                           const Messages* messages)
        : GangCase(variant_, matrix.problem(), gang_),
          matrix_(matrix),
          messages_(messages),
          result_(variant_.result),
          launches_(gang_.size()) {
        gang.on_each([&](size_t rank) {  // (cuBLAS has a handle per device)
            launches_[rank] = variant_.template on_device<Word>();
            if (why_not_.empty())
                why_not_ = obstacle<Word>(variant_, launches_[rank], matrix.shape(), matrix.session.dtype());
        });
        if (result_ == Result::transpose_in_place && matrix.session.options.gang)
            why_not_ = "with --gang, no matrix stays in its place";
    }

    // Why it cannot transpose this matrix here; "" if it can.
    const std::string& why_not() const { return why_not_; }

    void prepare_on(size_t rank) override {
        const auto& part = matrix_.part(rank);
        if (result_ == Result::transpose_in_place && part.input_words > 0)
            CHECK(cudaMemcpyAsync(part.d_result(), part.d_input(), part.input_words * sizeof(Word),
                                  cudaMemcpyDeviceToDevice, gang.stream(rank)));
    }
    LaunchShape launch_on(size_t rank) override { return transpose_piece(rank, 0); }

    // Sends each piece while the next is transposed, and the one before is placed.
    void join() override {
        if (!matrix_.is_shared()) return;
        const size_t pieces = matrix_.shares.pieces();
        for (size_t k = 0; messages_ && k < pieces; ++k) {
            gang.on_each([&](size_t rank) {
                messages_->wait_for_work(rank);  // the transposition of this piece
                if (k + 1 < pieces) transpose_piece(rank, k + 1);
                if (k > 0) place_piece(rank, k - 1);
            });
            messages_->exchange([&](size_t rank) { exchange_piece(rank, k); });
        }
        gang.on_each([&](size_t rank) { place_piece(rank, pieces - 1); });
    }

    void poison_on(size_t rank) override {
        const auto& part = matrix_.part(rank);
        const auto overwrite = [&](Word* d_words, size_t count) {
            if (count > 0) CHECK(cudaMemsetAsync(d_words, 0xa5, count * sizeof(Word), gang.stream(rank)));
        };
        overwrite(part.d_result(), part.result_words);
        overwrite(part.d_transposed.data(), part.d_transposed.size());
        overwrite(part.d_received.data(), part.d_received.size());
    }

    // A copy takes each piece, as it is, for its transpose.
    Verdict check_on(size_t rank) override {
        if (!matrix_.is_complete) return {};
        const auto& part = matrix_.part(rank);
        const std::unique_ptr<Word[]> h_result(new Word[part.result_words]);
        if (part.result_words > 0)
            CHECK(
                cudaMemcpy(h_result.get(), part.d_result(), part.result_words * sizeof(Word), cudaMemcpyDeviceToHost));
        const SharedMatrix& shares = matrix_.shares;
        const size_t rows = matrix_.shape().rows, columns = matrix_.shape().columns;
        const size_t first = shares.columns_of(rank).begin;
        const auto expected = [&](size_t i) {
            const size_t row = i % rows, column = first + i / rows;
            if (result_ != Result::copy) return static_cast<long double>(matrix_.input_word(row * columns + column));
            const Share& piece = shares.piece_with(row);
            const size_t within = column * piece.size + row - piece.begin;
            return static_cast<long double>(matrix_.input_word(piece.begin * columns + within));
        };
        return compare_elements(h_result.get(), part.result_words, expected, [](long double) { return 0; });
    }
    std::vector<Cell> own_cells(double) override { return cells_of(transpose_columns, matrix_.shape()); }

private:
    // Enqueues the transposition of a piece of the rank's rows.
    LaunchShape transpose_piece(size_t rank, size_t k) const {
        const auto& part = matrix_.part(rank);
        const Share rows = matrix_.shares.rows_of(rank, k);
        const size_t columns = matrix_.shape().columns;
        const size_t begin = (rows.begin - matrix_.shares.rows_of(rank).begin) * columns;
        Word* const d_output = matrix_.is_shared() ? part.d_transposed.data() + begin : part.d_result();
        return launches_[rank](
            {part.d_input() + begin, d_output, rows.size, columns, matrix_.session.options.block, gang.stream(rank)});
    }

    void exchange_piece(size_t rank, size_t k) const {
        for (size_t peer = 0; peer < matrix_.shares.ranks(); ++peer) {
            if (peer == rank) continue;
            messages_->send(rank, transposed(rank, k, peer), words_for(rank, k, peer), peer);
            messages_->receive(rank, received(rank, k, peer), words_for(peer, k, rank), peer);
        }
    }

    // Enqueues the placing of all that arrives of the pieces k as columns of the result.
    void place_piece(size_t rank, size_t k) const {
        if (messages_) messages_->let_work_wait(rank);
        for (size_t source = 0; source < matrix_.shares.ranks(); ++source) {
            const Share rows = matrix_.shares.rows_of(source, k);
            ColumnsArguments<Word> arguments;
            arguments.d_part = source == rank ? transposed(rank, k, rank) : received(rank, k, source);
            arguments.d_output = matrix_.part(rank).d_result();
            arguments.rows = matrix_.shares.columns_of(rank).size;
            arguments.columns = rows.size;
            arguments.first_column = rows.begin;
            arguments.output_columns = matrix_.shape().rows;
            arguments.stream = gang.stream(rank);
            launch_place_columns(arguments);
        }
    }

    // The words of a rank's piece k for a peer: how many, where the rank has them, and where the peer receives them.
    size_t words_for(size_t rank, size_t k, size_t peer) const {
        return matrix_.shares.columns_of(peer).size * matrix_.shares.rows_of(rank, k).size;
    }
    const Word* transposed(size_t rank, size_t k, size_t peer) const {
        const Share rows = matrix_.shares.rows_of(rank, k);
        const size_t before = (rows.begin - matrix_.shares.rows_of(rank).begin) * matrix_.shape().columns;
        return matrix_.part(rank).d_transposed.data() + before + matrix_.shares.columns_of(peer).begin * rows.size;
    }
    Word* received(size_t peer, size_t k, size_t rank) const {
        return matrix_.part(peer).d_received.data() +
               matrix_.shares.rows_of(rank, k).begin * matrix_.shares.columns_of(peer).size;
    }

    const MatrixOnGang<Word>& matrix_;
    const Messages* const messages_;
    const Result result_;
    std::vector<std::function<TransposeOnDevice<Word>>> launches_;  // by rank
    std::string why_not_;
};

// A matrix of this shape, or with --weak one with as many rows on each device.
template <typename Word>
class Transposition final : public GangProblem {
public:
    Transposition(Session& session, const MatrixShape& shape) : session_(session), shape_(shape) {}

    void with_cases(Gang& gang, size_t ranks, const Use& use) override {
        const MatrixOnGang<Word> matrix(session_, gang, ranks, shape_on(ranks));
        const std::unique_ptr<Messages> messages = gang.size() > 1 ? std::make_unique<Messages>(gang) : nullptr;
        Cases cases;
        for (const TransposeVariant* variant : session_.selected<TransposeVariant>()) {
            if (variant->needs == Needs::host) {
                if (!session_.options.gang)
                    cases.push_back(std::make_unique<TranspositionOnHost<Word>>(*variant, matrix));
                continue;
            }
            auto one = std::make_unique<TranspositionOnDevices<Word>>(*variant, gang, matrix, messages.get());
            if (one->why_not().empty()) cases.push_back(std::move(one));
            else say_left_out(session_, *variant, matrix.shape(), one->why_not());
        }
        use(cases);
    }
    Row describe(const Variant&, size_t ranks, double) const override {
        const MatrixShape shape = shape_on(ranks);
        return {MatrixOnGang<Word>::problem(session_.dtype(), shape), cells_of(transpose_columns, shape)};
    }
    std::vector<Exchange> exchanges(size_t ranks) const override {
        const SharedMatrix matrix(shape_on(ranks), ranks, session_.own<TransposeOptions>().pieces, sizeof(Word));
        std::vector<Exchange> exchanges;
        for (size_t k = 0; k < matrix.pieces(); ++k)
            exchanges.push_back(
                {Collective::all_to_all, double(matrix.rows_of(0, k).size * shape_.columns * sizeof(Word))});
        return exchanges;
    }

private:
    MatrixShape shape_on(size_t ranks) const {
        return {session_.options.weak ? ranks * shape_.rows : shape_.rows, shape_.columns};
    }

    Session& session_;
    const MatrixShape shape_;
};

}  // namespace BACKEND
