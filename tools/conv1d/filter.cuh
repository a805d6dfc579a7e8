// SPDX-License-Identifier: MIT
// conv1d as a filter: convolves an input with the weights, and writes the result in the input's format as it reads.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/slots.cuh"
#include "common/io/number_reader.hpp"
#include "common/io/number_writer.hpp"
#include "tools/conv1d/convolution_slot.cuh"
#include "tools/conv1d/host_pieces.hpp"
#include "tools/conv1d/method.cuh"
#include "tools/conv1d/signal_stream.cuh"

namespace BACKEND {

// The extent of a .npy shape with one dimension: "(5,)".
inline size_t signal_length(const std::string& name, const NumberLayout& layout) {
    const bool is_vector = layout.shape.size() > 3 && layout.shape.find(',') == layout.shape.size() - 2;
    if (!is_vector) fail(Exit::bad_input, "{} has shape {}: a signal has one dimension", name, layout.shape);
    return parse_count(layout.shape.substr(1, layout.shape.size() - 3), "shape");
}

// Results are f32 or f64: f32 for f32 and f16 (which is read as f32), f64 for all other types.
inline DType result_dtype(const Session& session, const NumberLayout& layout) {
    return session.options.dtype.value_or(layout.dtype == DType::f32 ? DType::f32 : DType::f64);
}

// Convolves the pieces of a signal, and writes the results as they come.
template <typename T>
class ConvolutionFilter {
public:
    ConvolutionFilter(const Session& session, NumberReader& reader, const std::vector<double>& weights,
                      NumberWriter& writer)
        : session_(session),
          variant_(session.filter_variant<ConvolutionVariant>("fastest")),
          on_host_(session.computes_on_host()),
          taps_(taps_of<T>(weights)),
          stream_(reader, unsigned(taps_.size()), session.own<ConvolutionOptions>().border),
          writer_(writer) {
        if (variant_.method == Method::copy)
            fail(Exit::usage, "copy convolves nothing: choose another --kernel, or none");
        if (on_host_) {
            for (unsigned i = 0; i < shape_.slots(); ++i) slots_.push_back(std::make_unique<ConvolutionSlot<T>>());
        } else {
            const SlotDevices devices(session.gang, bytes_of_slot(reader.layout(), writer),
                                      reader.layout().format == NumberFormat::text);
            shape_ = devices.shape();
            slots_ = devices.for_each_slot(
                [this](const DeviceInfo& device) { return std::make_unique<ConvolutionSlot<T>>(device, taps_); });
            for (size_t i = 0; i < session.gang.size(); ++i) prepare_device(*slots_[i]);
        }
    }

    void run() {
        run_pipeline(shape_, {[this](size_t slot) { return take(slot); }, [this](size_t slot) { work(*slots_[slot]); },
                              [this](size_t slot) { finish(slot); }});
        finish_end();
        pending_.complete_all();
        // An empty result has a type, too.
        if (written_ == 0) writer_.append(Piece{dtype_of<T>, 0, nullptr});
    }

private:
    // Bytes of the largest piece, as it is read and as it is convolved, and of its outputs and their text.
    static size_t bytes_of_slot(const NumberLayout& layout, const NumberWriter& writer) {
        const size_t elements = layout.format == NumberFormat::text ? most_text_elements : device_piece_elements;
        const size_t converted = layout.dtype == dtype_of<T> ? 0 : sizeof(T);
        return elements * (size_of(layout.dtype) + converted + sizeof(T) + writer.text_bytes());
    }

    // Puts the taps, which all launches share, where the variant finds them on a slot's device.
    void prepare_device(const ConvolutionSlot<T>& one) const {
        const auto prepare = variant_.prepare.template get<T>();
        if (!prepare) return;
        const OnDevice there(one.device.ordinal);
        auto arguments = arguments_on(session_, one.device, *one.taps, Signal<T>{}, static_cast<T*>(nullptr));
        arguments.stream = *one.stream;
        prepare(arguments);
        one.stream->synchronize();
    }

    bool take(size_t slot) {
        ConvolutionSlot<T>& one = *slots_[slot];
        if (!on_host_) enter(one);
        return stream_.take(one.signal(), on_host_ ? host_piece_bytes / sizeof(T) : device_piece_elements);
    }

    // Makes a slot's device the current one, once its memory on the host may be written.
    static void enter(ConvolutionSlot<T>& one) {
        CHECK(cudaSetDevice(one.device.ordinal));
        one.on_device->wait_for_upload();
    }

    void work(ConvolutionSlot<T>& one) {
        stream_.read(one.signal());
        if (on_host_) convolve_on_host(one.signal().piece.template as<T>(), one.signal().piece.count, one.outputs);
    }

    void finish(size_t slot) {
        stream_.settle(slots_[slot]->signal());
        join(slot);
    }

    // What lies beyond the signal's last element is one more piece.
    void finish_end() {
        ConvolutionSlot<T>& one = *slots_.front();
        if (!on_host_) enter(one);
        if (!stream_.put_end(one.signal())) return;
        if (on_host_) one.outputs.make_room(0), one.outputs.text.clear();  // they all need what is ahead
        join(0);
    }

    // Gives a piece what it needs from earlier ones, and writes its outputs. On a device, the slot keeps the outputs of
    // its previous piece until they are written.
    void join(size_t slot) {
        ConvolutionSlot<T>& one = *slots_[slot];
        const Piece& piece = one.signal().piece;
        if (piece.count == 0) return;
        if (!on_host_) pending_.complete(slot);
        const Piece ahead = stream_.ahead_of(piece, one.ahead_room);
        if (on_host_) return write_from_host(one, ahead);
        one.outputs.make_room(stream_.outputs_of(ahead.count + piece.count));
        if (one.outputs.piece.count == 0) return;
        convolve_on_device(one, ahead);
        pending_.push(slot, *one.stream, [this, &one] { write_from_device(one); });
    }

    void convolve_on_host(const T* inputs, size_t count, Outputs<T>& outputs) const {
        outputs.make_room(stream_.outputs_of(count));
        convolve_piece(inputs, taps_.data(), unsigned(taps_.size()), outputs.data(), outputs.piece.count);
        writer_.format(outputs.piece, outputs.text);
    }

    void write_from_host(ConvolutionSlot<T>& one, const Piece& ahead) {
        const Piece& piece = one.signal().piece;
        const T *const first = ahead.template as<T>(), *const values = piece.template as<T>();
        std::vector<T>& inputs = one.inputs_across;
        inputs.assign(first, first + ahead.count);
        inputs.insert(inputs.end(), values, values + std::min(stream_.halo(), piece.count));
        convolve_on_host(inputs.data(), inputs.size(), one.outputs_across);
        if (!one.outputs_across.are_finite()) refuse_overflow(one.outputs_across, inputs.data(), written_);
        if (!one.outputs.are_finite()) refuse_overflow(one.outputs, values, written_ + one.outputs_across.piece.count);
        write(one.outputs_across);
        write(one.outputs);
    }

    void convolve_on_device(ConvolutionSlot<T>& one, const Piece& ahead) {
        const cudaStream_t stream = *one.stream;
        const size_t n = one.outputs.piece.count;
        const T* const d_outputs = one.d_outputs.data();
        if (one.d_outputs.size() < n) one.d_outputs = DeviceBuffer<T>(n);
        one.on_device->upload(stream, ahead);
        const Piece& d_piece = one.on_device->d_piece;
        const Signal<T> d_signal{d_piece.template as<T>(), d_piece.count, Border::valid};
        if (d_signal.values != one.d_signal.values || d_signal.n != one.d_signal.n || d_outputs != one.d_outputs.data())
            make_ready_for(one, d_signal);
        one.ready.launch(stream);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(one.outputs.data(), one.d_outputs.data(), n * sizeof(T), cudaMemcpyDeviceToHost, stream));
    }

    void make_ready_for(ConvolutionSlot<T>& one, const Signal<T>& d_signal) {
        one.d_signal = d_signal;
        one.ready = make_ready(variant_, arguments_on(session_, one.device, *one.taps, d_signal, one.d_outputs.data()));
        if (!one.ready.launch) fail(Exit::unavailable, "{}: {}", variant_.name, one.ready.why_not);
    }

    // A method by FFT may have spread an input that is not finite to outputs that do not depend on it.
    void write_from_device(ConvolutionSlot<T>& one) {
        writer_.format(one.outputs.piece, one.outputs.text);
        if (!one.outputs.are_finite()) {
            std::vector<T> inputs(one.d_signal.n);
            CHECK(cudaMemcpy(inputs.data(), one.d_signal.values, inputs.size() * sizeof(T), cudaMemcpyDeviceToHost));
            if (one.ready.fft_length == 0 || is_all_finite(inputs.data(), inputs.size()))
                refuse_overflow(one.outputs, inputs.data(), written_);
        }
        write(one.outputs);
    }

    void write(const Outputs<T>& outputs) {
        writer_.append(outputs.piece, outputs.text);
        written_ += outputs.piece.count;
    }

    // Fails with exit status 4 at the first of these outputs that is infinite or NaN although all its inputs are
    // finite. `before` outputs have been written.
    void refuse_overflow(const Outputs<T>& outputs, const T* inputs, size_t before) const {
        for (size_t i = 0; i < outputs.piece.count; ++i) {
            if (std::isfinite(outputs.data()[i]) || !is_all_finite(inputs + i, taps_.size())) continue;
            fail(Exit::bad_input, "element {} of the result does not fit into {}; {}", before + i + 1,
                 name_of(dtype_of<T>), sizeof(T) == 4 ? "use -t f64" : "scale the weights down");
        }
    }

    const Session& session_;
    const ConvolutionVariant& variant_;
    const bool on_host_;
    const std::vector<T> taps_;
    SignalStream<T> stream_;
    NumberWriter& writer_;
    PipelineShape shape_;
    std::vector<std::unique_ptr<ConvolutionSlot<T>>> slots_;
    PendingResults pending_;
    size_t written_ = 0;
};

inline void run_convolution_filter(Session& session) {
    const std::string& path = session.options.operands.front();
    const std::string name = input_name(path);
    const Border border = session.own<ConvolutionOptions>().border;
    const std::vector<double> weights = given_weights(session.own<ConvolutionOptions>().weights);
    const auto reader =
        NumberReader::open(path, session.options.input_format, &session.begin_step("reading " + name, StepUnit::bytes));
    NumberLayout layout = reader->layout();
    if (layout.format == NumberFormat::npy)
        layout.shape = text("({},)", output_length(signal_length(name, layout), unsigned(weights.size()), border));
    session.say_where_filters_compute();
    NumberWriter writer(layout, session.options.format ? "conv1d" : "", &session.output);
    with_dtype(result_dtype(session, layout), [&](auto zero) {
        using T = decltype(zero);
        if constexpr (std::is_floating_point_v<T>) ConvolutionFilter<T>(session, *reader, weights, writer).run();
    });
    session.write(writer);
}

}  // namespace BACKEND
