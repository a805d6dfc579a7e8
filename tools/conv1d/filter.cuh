// conv1d as a filter: an input convolved with the weights, read and processed in chunks that overlap, in its format.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/io/numbers.hpp"
#include "tools/conv1d/method.cuh"

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

// Convolves a stream. It sees the signal with what lies beyond its ends already added: for the kernels the border is
// `valid`, and each piece begins with the last width - 1 elements of the one before.
template <typename T>
class StreamConvolution {
public:
    StreamConvolution(const Session& session, const std::vector<double>& weights, NumberWriter& writer)
        : session_(session),
          variant_(session.filter_variant<ConvolutionVariant>("fastest")),
          taps_(taps_of<T>(weights)),
          writer_(writer) {
        if (variant_.method == Method::copy)
            fail(Exit::usage, "copy convolves nothing: choose another --kernel, or none");
    }

    size_t halo() const { return taps_.width() - 1; }

    void feed(const T* values, size_t count) {
        piece_.insert(piece_.end(), values, values + count);
        if (piece_.size() <= halo()) return;
        convolve_piece();
        piece_.erase(piece_.begin(), piece_.end() - static_cast<std::ptrdiff_t>(halo()));
    }
    void feed(size_t count, T value) {
        const std::vector<T> values(count, value);
        feed(values.data(), count);
    }

    // The result's type is known also where nothing was fed.
    void finish() { append({}); }

private:
    void convolve_piece() {
        const size_t count = piece_.size() - halo();
        const DeviceBuffer<T> d_piece(piece_.size()), d_output(count);
        CHECK(cudaMemcpy(d_piece.data(), piece_.data(), d_piece.bytes(), cudaMemcpyHostToDevice));
        const Signal<T> signal{d_piece.data(), piece_.size(), Border::valid};
        const ReadyMethod ready = make_ready(variant_, arguments_on(session_, taps_, signal, d_output.data()));
        if (!ready.launch) fail(Exit::unavailable, "{}: {}", variant_.name, ready.why_not);
        if (ready.prepare) ready.prepare(nullptr);
        ready.launch(nullptr);
        CHECK(cudaGetLastError());
        std::vector<T> output(count);
        CHECK(cudaMemcpy(output.data(), d_output.data(), d_output.bytes(), cudaMemcpyDeviceToHost));
        refuse_overflow(output, ready.fft_length > 0);
        append(output);
        written_ += count;
    }

    // Exit status 4 at the first element that is infinite, or no number, although all its inputs are finite: of a method
    // whose results depend on more than them, all of the piece.
    void refuse_overflow(const std::vector<T>& output, bool spreads) const {
        const auto finite = [](T value) { return std::isfinite(value); };
        if (spreads && !std::all_of(piece_.begin(), piece_.end(), finite)) return;
        for (size_t i = 0; i < output.size(); ++i) {
            const T* inputs = piece_.data() + i;
            if (finite(output[i]) || !std::all_of(inputs, inputs + taps_.width(), finite)) continue;
            const char* type = name_of(dtype_of<T>);
            fail(Exit::bad_input, "element {} of the result does not fit into {}; {}", written_ + i + 1, type,
                 sizeof(T) == 4 ? "use -t f64" : "scale the weights down");
        }
    }

    void append(const std::vector<T>& output) {
        Chunk chunk;
        chunk.dtype = dtype_of<T>;
        chunk.count = output.size();
        chunk.bytes.resize(output.size() * sizeof(T));
        std::copy(output.begin(), output.end(), chunk.as<T>());
        writer_.append(chunk);
    }

    const Session& session_;
    const ConvolutionVariant& variant_;
    const TapArrays<T> taps_;
    NumberWriter& writer_;
    std::vector<T> piece_;
    size_t written_ = 0;
};

// Feeds a whole signal, chunk by chunk, with its borders.
template <typename T>
void convolve_stream(NumberReader& reader, StreamConvolution<T>& stream, Border border) {
    constexpr size_t chunk_elements = size_t{1} << 22;
    const auto read = [&](size_t most) { return reader.read(most).converted_to(dtype_of<T>); };
    const unsigned width = unsigned(stream.halo()) + 1, before = taps_before(width, border);
    const unsigned after = border == Border::valid ? 0 : width - 1 - before;
    if (border == Border::wrap) {  // its first output needs its last elements
        std::vector<T> all;
        for (Chunk chunk = read(chunk_elements); chunk.count > 0; chunk = read(chunk_elements))
            all.insert(all.end(), chunk.as<T>(), chunk.as<T>() + chunk.count);
        if (all.empty()) return stream.finish();
        const Signal<T> signal{all.data(), all.size(), border};
        std::vector<T> beyond;
        for (unsigned k = 0; k < before; ++k) beyond.push_back(signal.at(std::int64_t(k) - before));
        stream.feed(beyond.data(), before);
        for (size_t first = 0; first < all.size(); first += chunk_elements)
            stream.feed(all.data() + first, std::min(chunk_elements, all.size() - first));
        beyond.clear();
        for (unsigned k = 0; k < after; ++k) beyond.push_back(signal.at(std::int64_t(all.size() + k)));
        stream.feed(beyond.data(), after);
        return stream.finish();
    }
    T first = 0, last = 0;
    bool empty = true;
    for (Chunk chunk = read(chunk_elements); chunk.count > 0; chunk = read(chunk_elements)) {
        const T* values = chunk.as<T>();
        if (border == Border::clamp) first = values[0], last = values[chunk.count - 1];
        if (empty) stream.feed(before, first);
        empty = false;
        stream.feed(values, chunk.count);
    }
    if (!empty) stream.feed(after, last);
    stream.finish();
}

inline void run_convolution_filter(Session& session) {
    const std::string& path = session.options.operands.front();
    const std::string name = path == "-" ? "standard input" : path;
    const Border border = session.own<ConvolutionOptions>().border;
    const std::vector<double> weights = given_weights(session.own<ConvolutionOptions>().weights, path == "-");
    const auto reader =
        NumberReader::open(path, session.options.input_format, &session.begin_step("reading " + name, StepUnit::bytes));
    NumberLayout layout = reader->layout();
    if (layout.format == NumberFormat::npy)
        layout.shape = text("({},)", output_length(signal_length(name, layout), unsigned(weights.size()), border));
    NumberWriter writer(layout, session.options.format ? "conv1d" : "");
    with_dtype(result_dtype(session, layout), [&](auto zero) {
        using T = decltype(zero);
        if constexpr (std::is_floating_point_v<T>) {
            StreamConvolution<T> stream(session, weights, writer);
            convolve_stream(*reader, stream, border);
        }
    });
    session.write(writer);
}

}  // namespace BACKEND
