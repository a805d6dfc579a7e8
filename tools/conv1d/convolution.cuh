// SPDX-License-Identifier: MIT
// conv1d's problem: a signal on the host, on a device, or shared by several. Each device convolves its share; what it
// needs from the others' shares, the halos, arrives while it computes the outputs that need none.
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
#include "tools/conv1d/shares.cuh"

namespace BACKEND {

// A rank's window of the signal with its own elements, and room for its outputs. Elements and outputs begin `offset`
// elements past an aligned address. Halos arrive later; zeros beyond the signal's ends are there from the start.
template <typename T>
struct RankSignal {
    RankSignal(const SharedSignal& signal, size_t rank, const std::vector<T>& h_taps, size_t offset, std::uint64_t seed)
        : window(signal.window_of(rank)), outputs(signal.outputs_of(rank)), taps(h_taps) {
        const Range elements = signal.elements_of(rank);
        const size_t halo = size_t(elements.begin - window.begin);
        const size_t lead = divide_up(halo, vector_bytes) * vector_bytes - halo + offset;
        d_window_memory = DeviceBuffer<T>(lead + window.size());
        d_output_memory = DeviceBuffer<T>(offset + outputs.size());
        d_window = d_window_memory.data() + lead;
        d_output = d_output_memory.data() + offset;
        if (elements.size() == 0) return;
        std::vector<T> h_elements(elements.size());
        fill(h_elements.data(), h_elements.size(),
             [=](size_t i) { return uniform<T>(seed, size_t(elements.begin) + i); });
        fill_device(d_window, 0, window.size() * sizeof(T));
        copy_to_device(at(elements.begin), h_elements.data(), elements.size() * sizeof(T));
    }

    T* at(std::int64_t element) const { return d_window + (element - window.begin); }

    const Range window, outputs;
    const TapArrays<T> taps;
    DeviceBuffer<T> d_window_memory, d_output_memory;
    T *d_window = nullptr, *d_output = nullptr;
    std::unique_ptr<Reference<T>> reference;  // none with --no-verify
};

// A signal of n random numbers and one filter, on the devices of a gang.
template <typename T>
class SignalOnGang {
public:
    // The gang is all of the ranks, or the first one alone: then it receives no halos, and its result is not right.
    SignalOnGang(Session& session, Gang& gang, size_t ranks, size_t n, const std::vector<double>& weights)
        : session(session),
          n(n),
          border(session.own<ConvolutionOptions>().border),
          h_taps(taps_of<T>(weights)),
          shares(n, ranks, width(), border),
          is_complete(gang.size() == ranks),
          parts_(ranks),
          halos_(ranks) {
        for (size_t rank = 0; gang.size() > 1 && rank < ranks; ++rank) halos_[rank] = shares.halos_of(rank);
        session.begin_step(text("generating {} numbers", n));
        const size_t offset = session.own<ConvolutionOptions>().offset;
        gang.on_each([&](size_t rank) {
            parts_[rank] = std::make_unique<RankSignal<T>>(shares, rank, h_taps, offset, session.options.seed);
        });
        if (!session.options.verify || !is_complete) return;
        session.begin_step(text("convolving {} numbers on the host, for the reference", n));
        gang.on_each([&](size_t rank) { parts_[rank]->reference = make_reference(rank); });
    }

    unsigned width() const { return unsigned(h_taps.size()); }
    bool is_shared() const { return shares.ranks() > 1; }
    const RankSignal<T>& part(size_t rank) const { return *parts_[rank]; }
    const std::vector<Halo>& halos(size_t rank) const { return halos_[rank]; }  // none on one device
    T element(size_t i) const { return uniform<T>(session.options.seed, i); }

    // `fft_length`: of a method by FFT, else 0.
    Verdict compare(size_t rank, const T* h_output, size_t fft_length) const {
        return part(rank).reference->compare(h_output, session.options.tolerance, fft_length);
    }

    Session& session;
    const size_t n;
    const Border border;
    const std::vector<T> h_taps;
    const SharedSignal shares;
    const bool is_complete;

private:
    // Computes the rank's inputs from the definition of the borders.
    std::unique_ptr<Reference<T>> make_reference(size_t rank) const {
        const Range outputs = shares.outputs_of(rank), inputs = shares.inputs_of(outputs);
        if (outputs.size() == 0) return nullptr;
        std::vector<T> h_inputs(inputs.size());
        fill(h_inputs.data(), h_inputs.size(), [&](size_t k) {
            const auto length = std::int64_t(n), i = inputs.begin + std::int64_t(k);
            if (i >= 0 && i < length) return element(size_t(i));
            if (border == Border::zero) return T(0);
            return element(size_t(border == Border::wrap ? (i % length + length) % length : i < 0 ? 0 : length - 1));
        });
        const HostConvolution<T> host{{h_inputs.data(), h_inputs.size(), Border::valid}, h_taps};
        return std::make_unique<Reference<T>>(host);
    }

    std::vector<std::unique_ptr<RankSignal<T>>> parts_;
    std::vector<std::vector<Halo>> halos_;
};

// What a row says besides its times.
template <typename T>
Problem problem_of(const ConvolutionVariant& variant, size_t n, unsigned width, Border border) {
    const double outputs = double(output_length(n, width, border));
    const double flop = variant.method == Method::copy ? 0 : 2.0 * width * outputs;
    return {dtype_of<T>, n, (double(n) + outputs) * sizeof(T), flop, outputs};
}
inline std::vector<Cell> cells_of_row(const Session& session, unsigned width) {
    const ConvolutionOptions& own = session.own<ConvolutionOptions>();
    return cells_of(convolution_columns, ConvolutionCells{width, own.border, own.offset});
}

template <typename T>
class ConvolutionOnHost final : public Case {
public:
    ConvolutionOnHost(const ConvolutionVariant& variant_, const SignalOnGang<T>& signal, const std::vector<T>& h_signal)
        : Case(variant_, problem_of<T>(variant_, signal.n, signal.width(), signal.border)),
          convolve_(variant_.on_host.get<T>()),
          signal_(signal),
          h_signal_(h_signal),
          h_output_(signal.shares.outputs()) {}

    void poison(cudaStream_t) override { std::fill(h_output_.begin(), h_output_.end(), T(NAN)); }
    LaunchShape launch(cudaStream_t) override {
        convolve_({{h_signal_.data(), h_signal_.size(), signal_.border}, signal_.h_taps, h_output_.data()});
        return {};
    }
    Verdict check() override { return h_output_.empty() ? Verdict{} : signal_.compare(0, h_output_.data(), 0); }
    std::vector<Cell> own_cells(double) override { return cells_of_row(signal_.session, signal_.width()); }

private:
    ConvolveOnHost<T>* const convolve_;
    const SignalOnGang<T>& signal_;
    const std::vector<T>& h_signal_;
    std::vector<T> h_output_;
};

template <typename T>
class ConvolutionOnDevices final : public GangCase {
public:
    // `messages`: null on one device.
    ConvolutionOnDevices(const ConvolutionVariant& variant_, Gang& gang_, const SignalOnGang<T>& signal,
                         const Messages* messages)
        : GangCase(variant_, problem_of<T>(variant_, signal.n, signal.width(), signal.border), gang_),
          signal_(signal),
          messages_(messages),
          copies_(variant_.method == Method::copy),
          methods_(gang_.size()) {
        gang.on_each([&](size_t rank) { make_methods(variant_, rank); });
    }

    // Why it cannot run here; "" if it can.
    const std::string& why_not() const { return why_not_; }

    void prepare_on(size_t rank) override {
        const auto& any = methods_[rank].interior.empty() ? methods_[rank].edges : methods_[rank].interior;
        if (!any.empty() && any.front().prepare) any.front().prepare(gang.stream(rank));  // all share one filter
    }
    LaunchShape launch_on(size_t rank) override {
        if (messages_) messages_->wait_for_work(rank);
        return launch(methods_[rank].interior, gang.stream(rank));
    }
    // Computes the edges once the halos have arrived, in the halos' stream, concurrently with the interior.
    void join() override {
        if (copies_ || !signal_.is_shared()) return;
        if (messages_) messages_->exchange([&](size_t rank) { exchange_halos(rank); });
        gang.on_each([&](size_t rank) {
            const cudaStream_t stream = messages_ ? messages_->stream(rank) : gang.stream(rank);
            fill_beyond(rank, stream);
            launch(methods_[rank].edges, stream);
            if (messages_) messages_->let_work_wait(rank);
        });
    }
    // Overwrites the output, and all that the rank receives or repeats, with bytes of a NaN.
    void poison_on(size_t rank) override {
        const RankSignal<T>& part = signal_.part(rank);
        const auto overwrite = [&](T* d_values, size_t count) {
            if (count > 0) CHECK(cudaMemsetAsync(d_values, 0xff, count * sizeof(T), gang.stream(rank)));
        };
        overwrite(part.d_output, part.outputs.size());
        if (!messages_) return;
        for (const Halo& halo : signal_.halos(rank)) overwrite(part.at(halo.place), halo.count);
        for (const Range& beyond : signal_.shares.beyond_of(rank)) overwrite(part.at(beyond.begin), beyond.size());
    }
    Verdict check_on(size_t rank) override {
        const RankSignal<T>& part = signal_.part(rank);
        if (part.outputs.size() == 0 || !signal_.is_complete) return {};
        std::vector<T> h_output(part.outputs.size());
        CHECK(cudaMemcpy(h_output.data(), part.d_output, h_output.size() * sizeof(T), cudaMemcpyDeviceToHost));
        if (!copies_) return signal_.compare(rank, h_output.data(), methods_[rank].fft_length);
        const auto expected = [&](size_t i) -> long double { return signal_.element(size_t(part.outputs.begin) + i); };
        return compare_elements(h_output.data(), h_output.size(), expected, [](long double) { return 0; });
    }
    std::vector<Cell> own_cells(double) override { return cells_of_row(signal_.session, signal_.width()); }

private:
    // A rank's launches: for outputs that need no halo, and for those on either side.
    struct Methods {
        std::vector<ReadyMethod> interior, edges;
        size_t fft_length = 0;  // the longest
    };

    void make_methods(const ConvolutionVariant& of, size_t rank) {
        const RankSignal<T>& part = signal_.part(rank);
        Methods& methods = methods_[rank];
        const auto add = [&](std::vector<ReadyMethod>& to, const Range& outputs) {
            if (outputs.size() == 0) return;
            const Range inputs = signal_.shares.inputs_of(outputs);
            Signal<T> signal{part.at(inputs.begin), inputs.size(), Border::valid};
            if (!signal_.is_shared()) signal = {part.d_window, signal_.n, signal_.border};
            if (copies_) signal = {part.at(outputs.begin), outputs.size(), Border::zero};
            to.push_back(make_ready(of, arguments_on(signal_.session, gang.device(rank), part.taps, signal,
                                                     part.d_output + (outputs.begin - part.outputs.begin))));
            methods.fft_length = std::max(methods.fft_length, to.back().fft_length);
            if (!to.back().launch) why_not_ = to.back().why_not;
        };
        const bool is_whole = !signal_.is_shared() || copies_;
        const Range interior = is_whole ? part.outputs : signal_.shares.interior_of(rank);
        add(methods.edges, {part.outputs.begin, interior.begin});
        add(methods.interior, interior);
        add(methods.edges, {interior.end, part.outputs.end});
    }

    static LaunchShape launch(const std::vector<ReadyMethod>& methods, cudaStream_t stream) {
        LaunchShape shape;
        for (const ReadyMethod& method : methods) shape = method.launch(stream);
        return shape;
    }

    void exchange_halos(size_t rank) const {
        const RankSignal<T>& part = signal_.part(rank);
        for (size_t receiver = 0; receiver < gang.size(); ++receiver)
            for (const Halo& halo : signal_.halos(receiver)) {
                if (halo.owner == rank) messages_->send(rank, part.at(halo.first), halo.count, receiver);
                if (receiver == rank) messages_->receive(rank, part.at(halo.place), halo.count, halo.owner);
            }
    }

    void fill_beyond(size_t rank, cudaStream_t stream) const {
        const RankSignal<T>& part = signal_.part(rank);
        for (const Range& beyond : signal_.shares.beyond_of(rank))
            launch_fill_beyond(part.d_window, part.window.begin, signal_.shares.own_elements(), beyond.begin,
                               beyond.end, stream);
    }

    const SignalOnGang<T>& signal_;
    const Messages* const messages_;
    const bool copies_;
    std::vector<Methods> methods_;  // by rank
    std::string why_not_;
};

// A signal of n elements, or with --weak of n on each device, and one filter.
template <typename T>
class Convolution final : public GangProblem {
public:
    Convolution(Session& session, size_t n, const std::vector<double>& weights)
        : session_(session), n_(n), weights_(weights), width_(unsigned(weights.size())) {}

    void with_cases(Gang& gang, size_t ranks, const Use& use) override {
        const SignalOnGang<T> signal(session_, gang, ranks, n_on(ranks), weights_);
        const std::unique_ptr<Messages> messages = gang.size() > 1 ? std::make_unique<Messages>(gang) : nullptr;
        std::vector<T> h_signal;
        Cases cases;
        for (const ConvolutionVariant* variant : session_.selected<ConvolutionVariant>()) {
            if (variant->needs == Needs::host) {
                if (session_.options.gang) continue;
                if (h_signal.empty()) {
                    h_signal.resize(signal.n);
                    fill(h_signal.data(), signal.n, [&](size_t i) { return signal.element(i); });
                }
                cases.push_back(std::make_unique<ConvolutionOnHost<T>>(*variant, signal, h_signal));
                continue;
            }
            auto one = std::make_unique<ConvolutionOnDevices<T>>(*variant, gang, signal, messages.get());
            if (one->why_not().empty()) cases.push_back(std::move(one));
            else session_.leave_out(variant->name, one->why_not());
        }
        use(cases);
    }
    Row describe(const Variant& variant, size_t ranks, double) const override {
        const auto& of = static_cast<const ConvolutionVariant&>(variant);
        const Border border = session_.own<ConvolutionOptions>().border;
        return {problem_of<T>(of, n_on(ranks), width_, border), cells_of_row(session_, width_)};
    }
    std::vector<Exchange> exchanges(size_t ranks) const override {
        const Border border = session_.own<ConvolutionOptions>().border;
        const size_t halo = SharedSignal(n_on(ranks), ranks, width_, border).widest_halo();
        if (halo == 0) return {};
        return {{Collective::ring, double(halo * sizeof(T))}};
    }

private:
    size_t n_on(size_t ranks) const { return session_.options.weak ? n_ * ranks : n_; }

    Session& session_;
    const size_t n_;
    const std::vector<double> weights_;
    const unsigned width_;
};

}  // namespace BACKEND
