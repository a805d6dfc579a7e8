// reduce as a filter: one number for all numbers of an input, read and reduced in chunks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/io/numbers.hpp"
#include "tools/reduce/table.cuh"
#include "tools/reduce/workspace.cuh"

namespace BACKEND {

// The total of the chunks so far. It starts in integers and switches to floating point when the input does.
struct RunningTotal {
    bool floating = false;
    std::int64_t integer = 0;
    double real = 0;
    size_t count = 0;
    DType dtype = DType::i64;
};

// A 64-bit sum that wraps around would be a wrong number: refuse it instead. Elements that are small enough cannot
// overflow.
inline void refuse_overflow(const Chunk& chunk, const RunningTotal& total) {
    const auto* values = chunk.as<std::int64_t>();
    double largest = 0;
    for (size_t i = 0; i < chunk.count; ++i) largest = std::max(largest, std::fabs(double(values[i])));
    if (largest * double(chunk.count) + std::fabs(double(total.integer)) >= 0x1p63)
        fail(Exit::bad_input, "the sum may not fit in 64 bits; use -t f64 for a rounded one");
}

class ReduceFilter {
public:
    explicit ReduceFilter(Session& session)
        : session_(session), asked_(session.own<ReduceOptions>().operation), operation_(operation_on_device(asked_)) {}

    // Reduces all of the input and writes the result as one line.
    void run(const std::string& path) {
        const auto reader = NumberReader::open(
            path, session_.options.input_format,
            &session_.begin_step("reading " + (path == "-" ? "standard input" : path), StepUnit::bytes));
        constexpr size_t chunk_elements = size_t{1} << 24;
        for (Chunk chunk = reader->read(chunk_elements); chunk.count > 0; chunk = reader->read(chunk_elements)) {
            const Chunk typed = chunk.converted_to(type_for(chunk.dtype));
            with_dtype(typed.dtype, [&](auto zero) { add<decltype(zero)>(typed); });
        }
        write_result(path);
    }

private:
    // -t, or the input's own type; 32-bit integers are summed in 64 bits.
    DType type_for(DType stored) const {
        if (session_.options.dtype) return *session_.options.dtype;
        return operation_ == Operation::sum && stored == DType::i32 ? DType::i64 : stored;
    }

    template <typename T>
    void add(const Chunk& chunk) {
        if (operation_ == Operation::sum && chunk.dtype == DType::i64) refuse_overflow(chunk, total_);
        const auto partial = static_cast<Wide<T>>(reduce_on_device<T>(chunk));
        const Wide<T> nothing = identity_of<T>(operation_);
        if constexpr (std::is_floating_point_v<T>) {
            const double before = total_.count == 0 ? nothing : total_.floating ? total_.real : double(total_.integer);
            total_.real = combine<T>(operation_, before, partial);
            total_.floating = true;
        } else {
            total_.integer = combine<T>(operation_, total_.count == 0 ? nothing : total_.integer, partial);
        }
        total_.count += chunk.count;
        total_.dtype = chunk.dtype;
    }

    template <typename T>
    T reduce_on_device(const Chunk& chunk) {
        const auto& variant = session_.filter_variant<ReduceVariant>("tagged");
        const DeviceBuffer<T> d_input(chunk.count), d_result(1);
        CHECK(cudaMemcpy(d_input.data(), chunk.as<T>(), d_input.bytes(), cudaMemcpyHostToDevice));
        ReduceArguments<T> arguments;
        arguments.d_input = d_input.data();
        arguments.n = chunk.count;
        arguments.d_result = d_result.data();
        arguments.operation = operation_;
        arguments.block_size = session_.options.block;
        arguments.multiprocessors = unsigned(session_.device.multiprocessors);
        const auto workspace = give_workspace(variant, arguments);
        variant.launch.get<T>()(arguments);
        CHECK(cudaGetLastError());
        T result{};
        CHECK(cudaMemcpy(&result, d_result.data(), sizeof(T), cudaMemcpyDeviceToHost));
        return result;
    }

    void write_result(const std::string& path) {
        session_.end_step();
        const std::string input = path == "-" ? "standard input" : path;
        if (total_.count == 0 && asked_ != ReduceOperation::sum)
            fail(Exit::bad_input, "{}: there is no {} of no numbers", input, name_of(asked_));
        const double real = total_.floating ? total_.real : double(total_.integer);
        std::string result;
        if (asked_ == ReduceOperation::mean) result = number_text(real / double(total_.count));
        else if (!total_.floating) result = number_text(static_cast<long long>(total_.integer));
        else result = total_.dtype == DType::f32 ? number_text(static_cast<float>(real)) : number_text(real);
        session_.output.write(result + "\n");
        session_.output.flush();
    }

    Session& session_;
    const ReduceOperation asked_;
    const Operation operation_;
    RunningTotal total_;
};

}  // namespace BACKEND
