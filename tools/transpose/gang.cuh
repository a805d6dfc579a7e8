// SPDX-License-Identifier: MIT
// transpose on several devices. Each holds a share of the matrix's rows and gets a share of the result's: it transposes
// its own rows, so that what each other device needs of them is contiguous, sends that, and places what it receives as
// columns.
#pragma once

#include <functional>
#include <memory>
#include <optional>
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

// A variant's row, without its launch.
template <typename Word>
Case describe_gang(const Session& session, const Variant& variant, const MatrixShape& shape) {
    Case one;
    one.variant = &variant;
    one.problem = {session.dtype(), shape.elements(), 2.0 * double(shape.elements()) * sizeof(Word), 0};
    one.own_cells = [shape](double) { return cells_of(transpose_columns, shape); };
    return one;
}

// A matrix shared by the devices of a gang, and the variants as cases over it.
template <typename Word>
class GangTransposition {
public:
    // The gang is all of the ranks, or the first one alone: then it only does the work that messages could not hide,
    // transposing the first piece and placing the last, and its result is not a transpose.
    GangTransposition(Session& session, Gang& gang, size_t ranks, const MatrixShape& shape)
        : session_(session),
          gang_(gang),
          matrix_(shape, ranks, session.own<TransposeOptions>().pieces, sizeof(Word)),
          parts_(ranks) {
        if (gang.size() > 1) messages_ = std::make_unique<Messages>(gang);
        session.begin_step(text("generating a matrix, {}", shape.name()));
        const size_t offset = session.own<TransposeOptions>().offset;
        gang.on_each([&](size_t rank) { parts_[rank] = std::make_unique<Part>(matrix_, rank, offset); });
        gang.on_each([&](size_t rank) { upload(rank); });
    }

    // Empty if the variant cannot transpose this matrix here.
    std::optional<Case> case_of(const TransposeVariant& variant) {
        const auto launches = std::make_shared<Launches>(gang_.size());
        std::string why_not;
        gang_.on_each([&](size_t rank) {  // (cuBLAS has a handle per device)
            (*launches)[rank] = variant.on_device<Word>();
            if (!why_not.empty()) return;
            why_not = obstacle<Word>(variant, (*launches)[rank], matrix_.shape(), session_.dtype());
        });
        if (variant.result == Result::transpose_in_place) why_not = "with --gang, no matrix stays in its place";
        if (!why_not.empty()) {
            say_left_out(session_, variant, matrix_.shape(), why_not);
            return {};
        }
        Case one = describe_gang<Word>(session_, variant, matrix_.shape());
        GangWork work;
        work.launch = [this, launches](size_t rank) { return transpose_piece(*launches, rank, 0); };
        if (messages_) work.join = [this, launches] { exchange(*launches); };
        else if (is_shared()) work.join = [this] { place_last_piece(); };
        work.poison = [this](size_t rank) { poison(rank); };
        work.check = [this, copies = variant.result == Result::copy](size_t rank) { return check(rank, copies); };
        set_work(one, gang_, work);
        return one;
    }

private:
    bool is_shared() const { return matrix_.ranks() > 1; }

    using Launches = std::vector<std::function<TransposeOnDevice<Word>>>;  // by rank

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
        DeviceBuffer<Word> d_input_memory, d_result_memory, d_transposed, d_received;
    };

    void upload(size_t rank) {
        const Part& part = *parts_[rank];
        if (part.input_words == 0) return;
        const std::unique_ptr<Word[]> h_input(new Word[part.input_words]);
        const size_t first = matrix_.rows_of(rank).begin * matrix_.shape().columns;
        fill(h_input.get(), part.input_words, [&](size_t i) { return input_word(first + i); });
        copy_to_device(part.d_input(), h_input.get(), part.input_words * sizeof(Word));
    }

    Word input_word(size_t i) const { return random_word<Word>(session_.dtype(), session_.options.seed, i); }

    // Enqueues the transposition of a piece of the rank's rows.
    LaunchShape transpose_piece(const Launches& launches, size_t rank, size_t k) const {
        const Part& part = *parts_[rank];
        const Share rows = matrix_.rows_of(rank, k);
        const size_t columns = matrix_.shape().columns;
        const size_t begin = (rows.begin - matrix_.rows_of(rank).begin) * columns;
        Word* const d_output = is_shared() ? part.d_transposed.data() + begin : part.d_result();
        return launches[rank](
            {part.d_input() + begin, d_output, rows.size, columns, session_.options.block, gang_.stream(rank)});
    }

    // Sends each piece while the next is transposed, and the one before is placed.
    void exchange(const Launches& launches) const {
        const size_t pieces = matrix_.pieces();
        for (size_t k = 0; k < pieces; ++k) {
            gang_.on_each([&](size_t rank) {
                messages_->wait_for_work(rank);  // the transposition of this piece
                if (k + 1 < pieces) transpose_piece(launches, rank, k + 1);
                if (k > 0) place_piece(rank, k - 1);
            });
            messages_->exchange([&](size_t rank) { exchange_piece(rank, k); });
        }
        place_last_piece();
    }
    void place_last_piece() const {
        gang_.on_each([&](size_t rank) { place_piece(rank, matrix_.pieces() - 1); });
    }

    void exchange_piece(size_t rank, size_t k) const {
        for (size_t peer = 0; peer < matrix_.ranks(); ++peer) {
            if (peer == rank) continue;
            messages_->send(rank, transposed(rank, k, peer), words_for(rank, k, peer), peer);
            messages_->receive(rank, received(rank, k, peer), words_for(peer, k, rank), peer);
        }
    }

    // Enqueues the placing of all that arrives of the pieces k as columns of the result.
    void place_piece(size_t rank, size_t k) const {
        if (messages_) messages_->let_work_wait(rank);
        for (size_t source = 0; source < matrix_.ranks(); ++source) {
            const Share rows = matrix_.rows_of(source, k);
            ColumnsArguments<Word> arguments;
            arguments.d_part = source == rank ? transposed(rank, k, rank) : received(rank, k, source);
            arguments.d_output = parts_[rank]->d_result();
            arguments.rows = matrix_.columns_of(rank).size;
            arguments.columns = rows.size;
            arguments.first_column = rows.begin;
            arguments.output_columns = matrix_.shape().rows;
            arguments.stream = gang_.stream(rank);
            launch_place_columns(arguments);
        }
    }

    // The words of a rank's piece k for a peer: how many, where the rank has them, and where the peer receives them.
    size_t words_for(size_t rank, size_t k, size_t peer) const {
        return matrix_.columns_of(peer).size * matrix_.rows_of(rank, k).size;
    }
    const Word* transposed(size_t rank, size_t k, size_t peer) const {
        const Share rows = matrix_.rows_of(rank, k);
        const size_t before = (rows.begin - matrix_.rows_of(rank).begin) * matrix_.shape().columns;
        return parts_[rank]->d_transposed.data() + before + matrix_.columns_of(peer).begin * rows.size;
    }
    Word* received(size_t peer, size_t k, size_t rank) const {
        return parts_[peer]->d_received.data() + matrix_.rows_of(rank, k).begin * matrix_.columns_of(peer).size;
    }

    void poison(size_t rank) const {
        const Part& part = *parts_[rank];
        const auto overwrite = [&](Word* d_words, size_t count) {
            if (count > 0) CHECK(cudaMemsetAsync(d_words, 0xa5, count * sizeof(Word), gang_.stream(rank)));
        };
        overwrite(part.d_result(), part.result_words);
        overwrite(part.d_transposed.data(), part.d_transposed.size());
        overwrite(part.d_received.data(), part.d_received.size());
    }

    // A copy takes each piece, as it is, for its transpose.
    Verdict check(size_t rank, bool copies) const {
        if (gang_.size() < matrix_.ranks()) return {};
        const Part& part = *parts_[rank];
        const std::unique_ptr<Word[]> h_result(new Word[part.result_words]);
        if (part.result_words > 0)
            CHECK(
                cudaMemcpy(h_result.get(), part.d_result(), part.result_words * sizeof(Word), cudaMemcpyDeviceToHost));
        const size_t rows = matrix_.shape().rows, columns = matrix_.shape().columns;
        const size_t first = matrix_.columns_of(rank).begin;
        const auto expected = [&](size_t i) {
            const size_t row = i % rows, column = first + i / rows;
            if (!copies) return static_cast<long double>(input_word(row * columns + column));
            const Share& piece = matrix_.piece_with(row);
            const size_t within = column * piece.size + row - piece.begin;
            return static_cast<long double>(input_word(piece.begin * columns + within));
        };
        return compare_elements(h_result.get(), part.result_words, expected, [](long double) { return 0; });
    }

    Session& session_;
    Gang& gang_;
    const SharedMatrix matrix_;
    std::unique_ptr<Messages> messages_;  // none on one device
    std::vector<std::unique_ptr<Part>> parts_;
};

// A matrix of this shape, or with --weak one with as many rows on each device.
template <typename Word>
GangProblem gang_problem_of(Session& session, const MatrixShape& shape) {
    const auto shape_on = [=, &session](size_t ranks) -> MatrixShape {
        return {session.options.weak ? ranks * shape.rows : shape.rows, shape.columns};
    };
    GangProblem problem;
    problem.with_cases = [=, &session](Gang& gang, size_t ranks, const GangProblem::Use& use) {
        GangTransposition<Word> transposition(session, gang, ranks, shape_on(ranks));
        std::vector<Case> cases;
        for (const TransposeVariant* variant : session.selected<TransposeVariant>())
            if (variant->needs != Needs::host)
                if (auto one = transposition.case_of(*variant)) cases.push_back(std::move(*one));
        use(cases);
    };
    problem.describe = [=, &session](const Variant& variant, size_t ranks) {
        return describe_gang<Word>(session, variant, shape_on(ranks));
    };
    problem.exchanges = [=, &session](size_t ranks) {
        const SharedMatrix matrix(shape_on(ranks), ranks, session.own<TransposeOptions>().pieces, sizeof(Word));
        std::vector<Exchange> exchanges;
        for (size_t k = 0; k < matrix.pieces(); ++k)
            exchanges.push_back(
                {Collective::all_to_all, double(matrix.rows_of(0, k).size * shape.columns * sizeof(Word))});
        return exchanges;
    };
    return problem;
}

}  // namespace BACKEND
