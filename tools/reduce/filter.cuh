// reduce as a filter: one number for all numbers of an input, read and reduced in chunks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/staged_copy.cuh"
#include "common/io/numbers.hpp"
#include "tools/reduce/table.cuh"
#include "tools/reduce/workspace.cuh"

namespace BACKEND {

// Holds the sum of as many 64-bit numbers as there can be.
using ExactSum = __int128;

// The total of the chunks so far. It starts in integers and switches to floating point when the input does.
struct RunningTotal {
    bool floating = false;
    ExactSum integer = 0;
    double real = 0;
    size_t count = 0;
    DType dtype = DType::i64;
};

inline bool fits_i64(ExactSum sum) { return sum == static_cast<std::int64_t>(sum); }

inline std::string exact_text(ExactSum sum) {
    const bool negative = sum < 0;
    auto rest = negative ? -static_cast<unsigned __int128>(sum) : static_cast<unsigned __int128>(sum);
    std::string digits;
    do digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    while ((rest /= 10) > 0);
    return (negative ? "-" : "") + digits;
}

// Whether the elements are so few or so small that no partial sum can leave 64 bits.
inline bool sums_fit(const Chunk& chunk) {
    const auto* values = chunk.as<std::int64_t>();
    std::uint64_t largest = 0;
    for (size_t i = 0; i < chunk.count; ++i)
        largest = std::max(largest, values[i] < 0 ? -static_cast<std::uint64_t>(values[i]) : values[i]);
    return static_cast<unsigned __int128>(largest) * chunk.count < (std::uint64_t{1} << 63);
}

template <typename T>
bool is_all_finite(const Chunk& chunk) {
    const T* values = chunk.as<T>();
    return std::all_of(values, values + chunk.count, [](T value) { return std::isfinite(value); });
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
            const Chunk typed = chunk.converted_to(session_.options.dtype.value_or(chunk.dtype));
            with_dtype(typed.dtype, [&](auto zero) { add<decltype(zero)>(typed); });
        }
        write_result(path);
    }

private:
    template <typename T>
    void add(const Chunk& chunk) {
        if constexpr (std::is_floating_point_v<T>) {
            const auto partial = double(reduce_on_device<T>(chunk));
            if (!std::isfinite(partial) && is_all_finite<T>(chunk)) refuse_overflow(chunk.dtype);
            const double nothing = identity_of<T>(operation_);
            const double before = total_.count == 0 ? nothing : total_.floating ? total_.real : double(total_.integer);
            total_.real = combine<T>(operation_, before, partial);
            total_.floating = true;
        } else if (operation_ == Operation::sum) {
            total_.integer += exact_sum(chunk.converted_to(DType::i64));
        } else {
            const std::int64_t partial = reduce_on_device<T>(chunk);
            const auto before = static_cast<std::int64_t>(total_.integer);
            total_.integer = total_.count == 0 ? partial : combine<T>(operation_, before, partial);
        }
        total_.count += chunk.count;
        total_.dtype = chunk.dtype;
    }

    // Numbers whose sum might leave 64 bits are added by halves: v is 2^32 times its upper half plus the lower one.
    ExactSum exact_sum(const Chunk& chunk) {
        if (sums_fit(chunk)) return reduce_on_device<std::int64_t>(chunk);
        Chunk upper = chunk, lower = chunk;
        for (size_t i = 0; i < chunk.count; ++i) {
            upper.as<std::int64_t>()[i] >>= 32;
            lower.as<std::int64_t>()[i] &= 0xffffffff;
        }
        const ExactSum upper_sum = reduce_on_device<std::int64_t>(upper);
        return upper_sum * (ExactSum{1} << 32) + reduce_on_device<std::int64_t>(lower);
    }

    [[noreturn]] static void refuse_overflow(DType dtype) {
        fail(Exit::bad_input, "the sum of these finite numbers is outside the range of {}{}", name_of(dtype),
             dtype == DType::f64 ? "; scale them down" : "; use -t f64");
    }

    template <typename T>
    T reduce_on_device(const Chunk& chunk) {
        const auto& variant = session_.filter_variant<ReduceVariant>("tagged");
        const DeviceBuffer<T> d_input(chunk.count), d_result(1);
        copier_.to_device(d_input.data(), chunk.as<T>(), d_input.bytes());
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
        const std::string result = total_.floating ? real_result() : integer_result();
        if (session_.options.format)
            session_.output.write(text("{{{},\"op\":\"{}\",\"result\":{}}}\n",
                                       json_members("reduce", total_.dtype, total_.count), name_of(asked_),
                                       json_value(result)));
        else session_.output.write(result + "\n");
        session_.output.flush();
    }

    std::string real_result() const {
        if (asked_ == ReduceOperation::mean) return number_text(total_.real / double(total_.count));
        if (total_.dtype != DType::f32) return number_text(total_.real);
        const auto narrow = static_cast<float>(total_.real);
        if (std::isinf(narrow) && std::isfinite(total_.real)) refuse_overflow(DType::f32);
        return number_text(narrow);
    }

    // A mean that is no whole number is the nearest f64.
    std::string integer_result() const {
        if (asked_ == ReduceOperation::mean) {
            const auto count = static_cast<ExactSum>(total_.count);
            if (total_.integer % count == 0) return exact_text(total_.integer / count);
            return number_text(double(static_cast<long double>(total_.integer) / static_cast<long double>(count)));
        }
        if (!fits_i64(total_.integer))
            fail(Exit::bad_input, "the sum is {}, which does not fit into 64 bits; use -t f64 for a rounded one",
                 exact_text(total_.integer));
        return exact_text(total_.integer);
    }

    Session& session_;
    const ReduceOperation asked_;
    const Operation operation_;
    StagedCopier copier_;
    RunningTotal total_;
};

}  // namespace BACKEND
