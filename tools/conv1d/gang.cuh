// SPDX-License-Identifier: MIT
// conv1d on several devices. Each convolves its share of the signal; what it needs from the others' shares, the halos,
// arrives while it computes the outputs that need none.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/gang/messages.cuh"
#include "common/gang/sweep.cuh"
#include "common/measure/random.hpp"
#include "tools/conv1d/method.cuh"
#include "tools/conv1d/rank_signal.cuh"
#include "tools/conv1d/shares.cuh"

namespace BACKEND {

// A variant's row, without its launch.
template <typename T>
Case describe_gang(const Session& session, const ConvolutionVariant& variant, size_t n, unsigned width) {
    const ConvolutionOptions& own = session.own<ConvolutionOptions>();
    const double outputs = double(output_length(n, width, own.border));
    const double flop = variant.method == Method::copy ? 0 : 2.0 * width * outputs;
    Case one;
    one.variant = &variant;
    one.problem = {dtype_of<T>, n, (double(n) + outputs) * sizeof(T), flop};
    one.problem.elements = outputs;
    one.own_cells = [&own, width](double) {
        return cells_of(convolution_columns, ConvolutionCells{width, own.border, own.offset});
    };
    return one;
}

// A signal shared by the devices of a gang, one filter, and the variants as cases over them.
template <typename T>
class GangConvolution {
public:
    // The gang is all of the ranks, or the first one alone: then it receives no halos, and its result is not right.
    GangConvolution(Session& session, Gang& gang, size_t ranks, size_t n, const std::vector<double>& weights)
        : session_(session),
          own_(session.own<ConvolutionOptions>()),
          gang_(gang),
          n_(n),
          h_taps_(taps_of<T>(weights)),
          signal_(n, ranks, width(), own_.border),
          parts_(ranks) {
        if (gang.size() > 1) messages_ = std::make_unique<Messages>(gang);
        for (size_t rank = 0; messages_ && rank < ranks; ++rank) halos_.push_back(signal_.halos_of(rank));
        session.begin_step(text("generating {} numbers", n));
        gang.on_each([&](size_t rank) {
            parts_[rank] = std::make_unique<RankSignal<T>>(signal_, rank, h_taps_, own_.offset, session.options.seed);
        });
        if (!session.options.verify || !is_complete()) return;
        session.begin_step(text("convolving {} numbers on the host, for the reference", n));
        gang.on_each([&](size_t rank) { parts_[rank]->reference = make_reference(rank); });
    }

    void add_case(std::vector<Case>& cases, const ConvolutionVariant& variant) {
        const auto methods = std::make_shared<std::vector<Methods>>(gang_.size());
        std::string why_not;
        gang_.on_each([&](size_t rank) {
            (*methods)[rank] = methods_of(variant, rank);
            for (const ReadyMethod& method : (*methods)[rank].all())
                if (!method.launch) why_not = method.why_not;
        });
        if (!why_not.empty()) return session_.leave_out(variant.name, why_not);
        const bool copies = variant.method == Method::copy;
        Case one = describe_gang<T>(session_, variant, n_, width());
        GangWork work;
        work.prepare = [this, methods](size_t rank) { (*methods)[rank].prepare(gang_.stream(rank)); };
        work.launch = [this, methods](size_t rank) {
            if (messages_) messages_->wait_for_work(rank);
            return Methods::launch((*methods)[rank].interior, gang_.stream(rank));
        };
        if (!copies) work.join = [this, methods] { convolve_edges(*methods); };
        work.poison = [this](size_t rank) { poison(rank); };
        work.check = [this, methods, copies](size_t rank) { return check(rank, (*methods)[rank], copies); };
        set_work(one, gang_, work);
        cases.push_back(one);
    }

private:
    bool is_shared() const { return signal_.ranks() > 1; }
    bool is_complete() const { return gang_.size() == signal_.ranks(); }

    // A variant on a rank: its launches for outputs that need no halo, and for those on either side.
    struct Methods {
        std::vector<ReadyMethod> interior, edges;

        std::vector<ReadyMethod> all() const {
            std::vector<ReadyMethod> both = interior;
            both.insert(both.end(), edges.begin(), edges.end());
            return both;
        }
        // All share one filter.
        void prepare(cudaStream_t stream) const {
            const auto& any = interior.empty() ? edges : interior;
            if (!any.empty() && any.front().prepare) any.front().prepare(stream);
        }
        size_t fft_length() const {
            size_t longest = 0;
            for (const ReadyMethod& method : all()) longest = std::max(longest, method.fft_length);
            return longest;
        }
        static LaunchShape launch(const std::vector<ReadyMethod>& methods, cudaStream_t stream) {
            LaunchShape shape;
            for (const ReadyMethod& method : methods) shape = method.launch(stream);
            return shape;
        }
    };

    unsigned width() const { return unsigned(h_taps_.size()); }

    Methods methods_of(const ConvolutionVariant& variant, size_t rank) const {
        const RankSignal<T>& part = *parts_[rank];
        Methods methods;
        const auto add = [&](std::vector<ReadyMethod>& to, const Range& outputs) {
            if (outputs.size() == 0) return;
            const Range inputs = signal_.inputs_of(outputs);
            Signal<T> signal{part.at(inputs.begin), inputs.size(), Border::valid};
            if (!is_shared()) signal = {part.d_window, n_, own_.border};
            if (variant.method == Method::copy) signal = {part.at(outputs.begin), outputs.size(), Border::zero};
            to.push_back(make_ready(variant, arguments_on(session_, gang_.device(rank), part.taps, signal,
                                                          part.d_output + (outputs.begin - part.outputs.begin))));
        };
        const bool is_whole = !is_shared() || variant.method == Method::copy;
        const Range interior = is_whole ? part.outputs : signal_.interior_of(rank);
        add(methods.edges, {part.outputs.begin, interior.begin});
        add(methods.interior, interior);
        add(methods.edges, {interior.end, part.outputs.end});
        return methods;
    }

    // Computes the edges once the halos have arrived, in the halos' stream, concurrently with the interior.
    void convolve_edges(const std::vector<Methods>& methods) const {
        if (messages_) messages_->exchange([&](size_t rank) { exchange_halos(rank); });
        gang_.on_each([&](size_t rank) {
            const cudaStream_t stream = messages_ ? messages_->stream(rank) : gang_.stream(rank);
            fill_beyond(rank, stream);
            Methods::launch(methods[rank].edges, stream);
            if (messages_) messages_->let_work_wait(rank);
        });
    }

    void exchange_halos(size_t rank) const {
        const RankSignal<T>& part = *parts_[rank];
        for (size_t receiver = 0; receiver < gang_.size(); ++receiver)
            for (const Halo& halo : halos_[receiver]) {
                if (halo.owner == rank) messages_->send(rank, part.at(halo.first), halo.count, receiver);
                if (receiver == rank) messages_->receive(rank, part.at(halo.place), halo.count, halo.owner);
            }
    }

    void fill_beyond(size_t rank, cudaStream_t stream) const {
        const RankSignal<T>& part = *parts_[rank];
        for (const Range& beyond : signal_.beyond_of(rank))
            launch_fill_beyond(part.d_window, part.window.begin, signal_.own_elements(), beyond.begin, beyond.end,
                               stream);
    }

    // Overwrites the output, and all that the rank receives or repeats, with bytes of a NaN.
    void poison(size_t rank) const {
        const RankSignal<T>& part = *parts_[rank];
        const auto overwrite = [&](T* d_values, size_t count) {
            if (count > 0) CHECK(cudaMemsetAsync(d_values, 0xff, count * sizeof(T), gang_.stream(rank)));
        };
        overwrite(part.d_output, part.outputs.size());
        if (!messages_) return;
        for (const Halo& halo : halos_[rank]) overwrite(part.at(halo.place), halo.count);
        for (const Range& beyond : signal_.beyond_of(rank)) overwrite(part.at(beyond.begin), beyond.size());
    }

    // Computes the rank's inputs from the definition of the borders.
    std::unique_ptr<Reference<T>> make_reference(size_t rank) const {
        const Range outputs = signal_.outputs_of(rank), inputs = signal_.inputs_of(outputs);
        if (outputs.size() == 0) return nullptr;
        std::vector<T> h_inputs(inputs.size());
        fill(h_inputs.data(), h_inputs.size(), [&](size_t k) {
            const auto n = std::int64_t(n_), i = inputs.begin + std::int64_t(k);
            if (i >= 0 && i < n) return uniform<T>(session_.options.seed, size_t(i));
            if (own_.border == Border::zero) return T(0);
            const std::int64_t there = own_.border == Border::wrap ? (i % n + n) % n : i < 0 ? 0 : n - 1;
            return uniform<T>(session_.options.seed, size_t(there));
        });
        const HostConvolution<T> host{{h_inputs.data(), h_inputs.size(), Border::valid}, h_taps_};
        return std::make_unique<Reference<T>>(host);
    }

    Verdict check(size_t rank, const Methods& methods, bool copies) const {
        const RankSignal<T>& part = *parts_[rank];
        if (part.outputs.size() == 0 || !is_complete()) return {};
        std::vector<T> h_output(part.outputs.size());
        CHECK(cudaMemcpy(h_output.data(), part.d_output, h_output.size() * sizeof(T), cudaMemcpyDeviceToHost));
        if (!copies) return part.reference->compare(h_output.data(), session_.options.tolerance, methods.fft_length());
        const auto expected = [&](size_t i) -> long double {
            return uniform<T>(session_.options.seed, size_t(part.outputs.begin) + i);
        };
        return compare_elements(h_output.data(), h_output.size(), expected, [](long double) { return 0; });
    }

    Session& session_;
    const ConvolutionOptions& own_;
    Gang& gang_;
    const size_t n_;
    const std::vector<T> h_taps_;
    const SharedSignal signal_;
    std::unique_ptr<Messages> messages_;    // none on one device
    std::vector<std::vector<Halo>> halos_;  // of each rank
    std::vector<std::unique_ptr<RankSignal<T>>> parts_;
};

// A signal of n elements, or with --weak of n on each device.
template <typename T>
GangProblem gang_problem_of(Session& session, size_t n, const std::vector<double>& weights) {
    const auto n_on = [=, &session](size_t ranks) { return session.options.weak ? n * ranks : n; };
    GangProblem problem;
    problem.with_cases = [=, &session](Gang& gang, size_t ranks, const GangProblem::Use& use) {
        GangConvolution<T> convolution(session, gang, ranks, n_on(ranks), weights);
        std::vector<Case> cases;
        for (const ConvolutionVariant* variant : session.selected<ConvolutionVariant>())
            if (variant->needs != Needs::host) convolution.add_case(cases, *variant);
        use(cases);
    };
    const auto width = unsigned(weights.size());
    problem.describe = [=, &session](const Variant& variant, size_t ranks) {
        return describe_gang<T>(session, static_cast<const ConvolutionVariant&>(variant), n_on(ranks), width);
    };
    problem.exchanges = [=, &session](size_t ranks) -> std::vector<Exchange> {
        const Border border = session.own<ConvolutionOptions>().border;
        const size_t halo = SharedSignal(n_on(ranks), ranks, width, border).widest_halo();
        if (halo == 0) return {};
        return {{Collective::ring, double(halo * sizeof(T))}};
    };
    return problem;
}

}  // namespace BACKEND
