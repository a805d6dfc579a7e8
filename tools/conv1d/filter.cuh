// conv1d as a filter: an input convolved with the weights, written in its format while it is read.
#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/slots.cuh"
#include "common/io/numbers.hpp"
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

// Results are f32 or f64: f32 and f16 stay as precise as they are, all other types become f64.
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
          stream_(reader, taps_.width(), session.own<ConvolutionOptions>().border),
          writer_(writer) {
        if (variant_.method == Method::copy)
            fail(Exit::usage, "copy convolves nothing: choose another --kernel, or none");
        if (!on_host_) shape_ = {2, 2};
        for (unsigned i = 0; i < shape_.slots(); ++i) slots_.push_back(std::make_unique<ConvolutionSlot>(on_host_));
    }

    void run() {
        run_pipeline(shape_, {[this](size_t slot) { return take(slot); }, [this](size_t slot) { work(*slots_[slot]); },
                              [this](size_t slot) { finish(slot); }});
        pending_.complete_all();
        // The result's type is known also where nothing was read.
        if (written_ == 0) writer_.append(Piece{dtype_of<T>, 0, nullptr});
    }

private:
    struct ConvolutionSlot {
        explicit ConvolutionSlot(bool on_host) : room(on_host ? pageable_memory : pinned_memory) {
            if (!on_host) device = std::make_unique<DeviceSlot>(), stream = std::make_unique<Stream>();
        }
        Slot numbers;
        std::vector<T> inputs;
        SlotBuffer room;
        Piece outputs;
        std::string text;
        // On a device:
        std::unique_ptr<DeviceSlot> device;
        std::unique_ptr<Stream> stream;
        DeviceBuffer<T> d_outputs;
        ReadyMethod ready;
    };

    bool take(size_t slot) {
        ConvolutionSlot& one = *slots_[slot];
        if (!on_host_) {
            CHECK(cudaSetDevice(session_.device.ordinal));
            one.device->wait_for_upload();
        }
        const size_t most = on_host_ ? host_piece_bytes / sizeof(T) : device_piece_elements;
        return stream_.next(one.numbers, most, one.inputs);
    }

    void work(ConvolutionSlot& one) {
        if (!on_host_) {
            std::byte* const inputs = one.device->host.values.reserve(one.inputs.size() * sizeof(T));
            std::memcpy(inputs, one.inputs.data(), one.inputs.size() * sizeof(T));
            one.device->host.piece = {dtype_of<T>, one.inputs.size(), inputs};
            return;
        }
        make_room_for_outputs(one);
        const size_t n = one.outputs.count;
        convolve_piece(one.inputs.data(), taps_.h_taps.data(), taps_.width(), one.outputs.template as<T>(), n);
        writer_.format(one.outputs, one.text);
    }

    void make_room_for_outputs(ConvolutionSlot& one) {
        const size_t n = stream_.outputs_of(one.inputs);
        one.outputs = {dtype_of<T>, n, one.room.reserve(n * sizeof(T))};
    }

    // On a device the slot's outputs are those of its piece before until these are written.
    void finish(size_t slot) {
        ConvolutionSlot& one = *slots_[slot];
        if (on_host_) return write(one, one.inputs.data());
        pending_.complete(slot);
        make_room_for_outputs(one);
        if (one.outputs.count == 0) return;
        convolve_on_device(one);
        pending_.push(slot, *one.stream, [this, &one] {
            writer_.format(one.outputs, one.text);
            write(one, nullptr);
        });
    }

    void convolve_on_device(ConvolutionSlot& one) {
        const cudaStream_t stream = *one.stream;
        const size_t n = one.outputs.count;
        if (one.d_outputs.size() < n) one.d_outputs = DeviceBuffer<T>(n);
        one.device->upload(stream);
        const Signal<T> signal{one.device->d_piece.template as<T>(), one.device->d_piece.count, Border::valid};
        one.ready = make_ready(variant_, arguments_on(session_, session_.device, taps_, signal, one.d_outputs.data()));
        if (!one.ready.launch) fail(Exit::unavailable, "{}: {}", variant_.name, one.ready.why_not);
        if (one.ready.prepare) one.ready.prepare(stream);
        one.ready.launch(stream);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(one.outputs.bytes, one.d_outputs.data(), n * sizeof(T), cudaMemcpyDeviceToHost, stream));
    }

    void write(ConvolutionSlot& one, const T* inputs) {
        if (!is_all_finite(one.outputs.template as<T>(), one.outputs.count)) refuse_overflow(one, inputs);
        writer_.append(one.outputs, one.text);
        written_ += one.outputs.count;
    }

    // Exit status 4 at the first element that is infinite, or no number, although all its inputs are finite: of a method
    // whose results depend on more than them, all of the piece. Those on the device are still there.
    void refuse_overflow(const ConvolutionSlot& one, const T* inputs) const {
        const size_t count = one.outputs.count + taps_.width() - 1;
        std::vector<T> from_device;
        if (!inputs) {
            from_device.resize(count);
            CHECK(cudaMemcpy(from_device.data(), one.device->d_piece.bytes, count * sizeof(T), cudaMemcpyDeviceToHost));
            inputs = from_device.data();
        }
        if (one.ready.fft_length > 0 && !is_all_finite(inputs, count)) return;
        for (size_t i = 0; i < one.outputs.count; ++i) {
            if (std::isfinite(one.outputs.template as<T>()[i]) || !is_all_finite(inputs + i, taps_.width())) continue;
            fail(Exit::bad_input, "element {} of the result does not fit into {}; {}", written_ + i + 1,
                 name_of(dtype_of<T>), sizeof(T) == 4 ? "use -t f64" : "scale the weights down");
        }
    }

    const Session& session_;
    const ConvolutionVariant& variant_;
    const bool on_host_;
    const TapArrays<T> taps_;
    SignalStream<T> stream_;
    NumberWriter& writer_;
    PipelineShape shape_;
    std::vector<std::unique_ptr<ConvolutionSlot>> slots_;
    PendingResults pending_;
    size_t written_ = 0;
};

inline void run_convolution_filter(Session& session) {
    const std::string& path = session.options.operands.front();
    const std::string name = path == "-" ? "standard input" : path;
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
