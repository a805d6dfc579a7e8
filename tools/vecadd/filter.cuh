// vecadd as a filter: the element-wise sum of two inputs, read and added in chunks, written in the first one's format.
#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/staged_copy.cuh"
#include "common/io/numbers.hpp"
#include "tools/vecadd/table.cuh"

namespace BACKEND {

// The narrowest of our types that holds both: integers of different width meet in i64, integers and fractions in f64.
inline DType common_type(DType a, DType b) {
    if (a == b) return a;
    const bool integers = (a == DType::i32 || a == DType::i64) && (b == DType::i32 || b == DType::i64);
    return integers ? DType::i64 : DType::f64;
}

// Whether the sum is one: no integer that has wrapped around, no infinity that was in neither input.
template <typename T>
bool is_sum(T a, T b, T sum) {
    if constexpr (std::is_integral_v<T>) {
        T exact;
        return !__builtin_add_overflow(a, b, &exact) && exact == sum;
    } else {
        return std::isfinite(sum) || !std::isfinite(a) || !std::isfinite(b);
    }
}

// Exit status 4 at the first element whose sum does not fit; `before` elements came in earlier chunks.
template <typename T>
void refuse_overflow(const Chunk& a, const Chunk& b, const Chunk& sum, size_t before) {
    for (size_t i = 0; i < sum.count; ++i)
        if (!is_sum(a.as<T>()[i], b.as<T>()[i], sum.as<T>()[i]))
            fail(Exit::bad_input, "element {}: {} + {} does not fit into {}; choose another --dtype", before + i + 1,
                 a.as<T>()[i], b.as<T>()[i], name_of(sum.dtype));
}

template <typename T>
Chunk add_chunks(const Session& session, const VecaddVariant& variant, StagedCopier& copier, const Chunk& a,
                 const Chunk& b) {
    const auto launch = variant.launch.get<T>();
    if (!launch) fail(Exit::unavailable, "{}: this build's toolkit lacks it; choose another kernel", variant.name);
    const DeviceBuffer<T> d_a(a.count), d_b(a.count), d_c(a.count);
    copier.to_device(d_a.data(), a.as<T>(), d_a.bytes());
    copier.to_device(d_b.data(), b.as<T>(), d_b.bytes());
    const unsigned multiprocessors = unsigned(session.device.multiprocessors);
    launch({d_a.data(), d_b.data(), d_c.data(), a.count, session.options.block, multiprocessors, nullptr});
    CHECK(cudaGetLastError());
    Chunk sum;
    sum.dtype = a.dtype;
    sum.count = a.count;
    sum.bytes.resize(d_c.bytes());
    copier.to_host(sum.as<T>(), d_c.data(), d_c.bytes());
    return sum;
}

inline void run_vecadd_filter(Session& session) {
    const std::vector<std::string>& operands = session.options.operands;
    if (operands.size() != 2) fail(Exit::usage, "two operands are needed, A and B; {} was given", operands.size());
    if (operands[0] == "-" && operands[1] == "-") fail(Exit::usage, "only one of A and B can be standard input");
    StepCount& count = session.begin_step(text("reading {} and {}", operands[0], operands[1]), StepUnit::bytes);
    auto reader_a = NumberReader::open(operands[0], session.options.input_format, &count);
    auto reader_b = NumberReader::open(operands[1], session.options.input_format, &count);
    // Two arrays in Fortran order are added as they lie, into a third.
    const bool keeps_order = reader_a->layout().fortran_order && reader_b->layout().fortran_order;
    if (!keeps_order || session.options.format) {
        reader_a = in_row_order(std::move(reader_a));
        reader_b = in_row_order(std::move(reader_b));
    }
    const NumberLayout &layout_a = reader_a->layout(), &layout_b = reader_b->layout();
    if (!layout_a.shape.empty() && !layout_b.shape.empty() && layout_a.shape != layout_b.shape)
        fail(Exit::bad_input, "{} has shape {} and {} has shape {}: they must be the same", operands[0], layout_a.shape,
             operands[1], layout_b.shape);

    const auto& variant = session.filter_variant<VecaddVariant>("vector4");
    NumberWriter writer(layout_a, session.options.format ? "vecadd" : "");
    StagedCopier copier;
    size_t added = 0;
    constexpr size_t chunk_elements = size_t{1} << 22;
    for (;;) {
        const Chunk a = reader_a->read(chunk_elements), b = reader_b->read(chunk_elements);
        if (a.count != b.count)
            fail(Exit::bad_input, "{} ends after {} elements, {} goes on: the vectors must have the same length",
                 operands[a.count < b.count ? 0 : 1], added + std::min(a.count, b.count),
                 operands[a.count < b.count ? 1 : 0]);
        if (a.count == 0) break;
        const DType dtype = session.options.dtype.value_or(common_type(a.dtype, b.dtype));
        with_dtype(dtype, [&](auto zero) {
            using T = decltype(zero);
            const Chunk of_a = a.converted_to(dtype), of_b = b.converted_to(dtype);
            const Chunk sum = add_chunks<T>(session, variant, copier, of_a, of_b);
            refuse_overflow<T>(of_a, of_b, sum, added);
            writer.append(sum);
        });
        added += a.count;
    }
    session.write(writer);
}

}  // namespace BACKEND
