// reduce as a filter: one number for all numbers of an input, read and reduced in chunks.
#pragma once

#include <algorithm>
#include <limits>

#include "common/cuda/buffers.cuh"
#include "common/io/numbers.hpp"
#include "common/cli/session.hpp"
#include "tools/reduce/table.cuh"

namespace BACKEND {

// What the chunks so far add up to. It begins in integers and goes on in floating point when the input does.
struct RunningTotal {
    bool floating = false;
    std::int64_t integer = 0;
    double real = 0;
    size_t count = 0;
    DType dtype = DType::i64;
};

// A 64-bit sum that wraps around would be a wrong number: refuse it instead. Elements that are small enough cannot overflow.
inline void refuse_overflow(const Chunk& chunk, const RunningTotal& total) {
    const auto* values = chunk.as<std::int64_t>();
    double largest = 0;
    for (size_t i = 0; i < chunk.count; ++i) largest = std::max(largest, std::fabs(double(values[i])));
    if (largest * double(chunk.count) + std::fabs(double(total.integer)) >= 0x1p63)
        fail(Exit::bad_input, "the sum may not fit in 64 bits; use -t f64 for a rounded one");
}

class ReduceFilter {
public:
    explicit ReduceFilter(Session& session) : session_(session), operation_(session.own<ReduceOptions>().operation) {}

    // Reduces all of the input and writes the result as one line.
    void run(const std::string& path) {
        const auto reader = NumberReader::open(path, session_.options.input_format);
        constexpr size_t chunk_elements = size_t{1} << 24;
        for (Chunk chunk = reader->read(chunk_elements); chunk.count > 0; chunk = reader->read(chunk_elements)) {
            const Chunk typed = chunk.converted_to(type_for(chunk.dtype));
            with_dtype(typed.dtype, [&](auto zero) { add(typed, operation_on<decltype(zero)>(operation_)); });
        }
        write_result(path);
    }

private:
    bool adds() const { return operation_ == ReduceOperation::sum || operation_ == ReduceOperation::mean; }

    // -t, or the input's own type; 32-bit integers are summed in 64 bits.
    DType type_for(DType stored) const {
        if (session_.options.dtype) return *session_.options.dtype;
        return adds() && stored == DType::i32 ? DType::i64 : stored;
    }

    template <typename T>
    void add(const Chunk& chunk, const Operation<T>& operation) {
        if (operation.adds && chunk.dtype == DType::i64) refuse_overflow(chunk, total_);
        const auto partial = static_cast<Wide<T>>(reduce_on_device(chunk, operation));
        if constexpr (std::is_floating_point_v<T>) {
            const double before = total_.count == 0 ? operation.identity : total_.floating ? total_.real : double(total_.integer);
            total_.real = operation.combine(before, partial);
            total_.floating = true;
        } else {
            total_.integer = operation.combine(total_.count == 0 ? operation.identity : total_.integer, partial);
        }
        total_.count += chunk.count;
        total_.dtype = chunk.dtype;
    }

    template <typename T>
    T reduce_on_device(const Chunk& chunk, const Operation<T>& operation) {
        const Method<T>& method = operation.method_named(session_.filter_variant("tagged").name);
        const unsigned multiprocessors = unsigned(session_.device.multiprocessors);
        const unsigned block_size = session_.options.block;
        const DeviceBuffer<T> d_input(chunk.count), d_result(1);
        const DeviceBuffer<unsigned char> d_workspace(method.workspace(chunk.count, block_size, multiprocessors));
        if (d_workspace.size() > 0) CHECK(cudaMemset(d_workspace.data(), 0, d_workspace.size()));
        CHECK(cudaMemcpy(d_input.data(), chunk.as<T>(), d_input.bytes(), cudaMemcpyHostToDevice));
        method.launch({d_input.data(), chunk.count, d_result.data(), d_workspace.data(), d_workspace.size(), block_size,
                       multiprocessors, nullptr});
        CHECK(cudaGetLastError());
        T result{};
        CHECK(cudaMemcpy(&result, d_result.data(), sizeof(T), cudaMemcpyDeviceToHost));
        return result;
    }

    void write_result(const std::string& path) {
        const std::string input = path == "-" ? "standard input" : path;
        if (total_.count == 0 && operation_ != ReduceOperation::sum)
            fail(Exit::bad_input, "{}: there is no {} of no numbers", input, name_of(operation_));
        const double real = total_.floating ? total_.real : double(total_.integer);
        std::string result;
        if (operation_ == ReduceOperation::mean) result = number_text(real / double(total_.count));
        else if (!total_.floating) result = number_text(static_cast<long long>(total_.integer));
        else result = total_.dtype == DType::f32 ? number_text(static_cast<float>(real)) : number_text(real);
        session_.output.write(result + "\n");
        session_.output.flush();
    }

    Session& session_;
    const ReduceOperation operation_;
    RunningTotal total_;
};

}  // namespace BACKEND
