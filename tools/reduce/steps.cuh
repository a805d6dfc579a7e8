// SPDX-License-Identifier: MIT
// reduce --steps: how one small block reduces its numbers, from what its threads do in the simulator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/io/number_reader.hpp"
#include "common/measure/steps.hpp"
#include "tools/reduce/reference.cuh"
#include "tools/reduce/table.cuh"
#include "tools/reduce/workspace.cuh"

namespace BACKEND {

constexpr size_t numbers_stepped = 16, most_stepped_numbers = 1024;

// Those that are drawn: all that can be, or the chosen ones.
inline std::vector<const ReduceVariant*> variants_with_steps(const Session& session) {
    std::vector<std::string> names;
    for (const ReduceVariant& variant : reduce_variants)
        if (variant.has_steps()) names.push_back(variant.name);
    std::vector<const ReduceVariant*> chosen;
    for (const ReduceVariant* variant : session.selected<ReduceVariant>()) {
        if (variant->has_steps()) chosen.push_back(variant);
        else if (session.names(variant->name))
            fail(Exit::usage, "{} has no steps to show; these have: {}", variant->name, list_text(names, "and"));
    }
    if (chosen.empty())
        fail(Exit::usage, "none of the chosen variants has steps to show; these have: {}", list_text(names, "and"));
    return chosen;
}

// Enough threads for the numbers where each takes one; --block may name fewer, or more.
inline unsigned stepped_block(const Session& session, size_t n) {
    if (session.options.block <= most_stepped_threads) return session.options.block;
    unsigned block = 2;
    while (block < n && block < most_stepped_threads) block *= 2;
    return block;
}

template <typename T>
class StepsOfReduction {
public:
    StepsOfReduction(Session& session, const T* h_values, size_t n)
        : session_(session),
          table_(session.output, session.format(), session.options.header, step_columns()),
          h_values_(h_values, h_values + n),
          d_values_(n),
          d_result_(1) {}

    // Whether it could.
    bool show(const ReduceVariant& variant) {
        const Operation operation = operation_on_device(session_.own<ReduceOptions>().operations.front());
        ReduceArguments<T> arguments;
        if (!h_values_.empty()) copy_to_device(d_values_.data(), h_values_.data(), h_values_.size() * sizeof(T));
        arguments.d_input = d_values_.data();
        arguments.n = h_values_.size();
        arguments.d_result = d_result_.data();
        arguments.operation = operation;
        arguments.block_size = stepped_block(session_, arguments.n);
        arguments.smallest_block = 2;
        arguments.multiprocessors = 1;
        const DeviceBuffer<unsigned char> workspace = give_workspace(variant, arguments);
        CHECK(cudaDeviceSynchronize());
        simt::check::take_traces();
        const LaunchShape shape = variant.launch.template get<T>()(arguments);
        CHECK(cudaDeviceSynchronize());
        const std::vector<simt::check::TracedBlock> blocks = simt::check::take_traces();
        if (shape.grid.x > 1) {
            const std::string why =
                text("--steps shows one block, and {} needs {} of {} threads for {} numbers: give it fewer{}",
                     variant.name, shape.grid.x, shape.block.x, arguments.n,
                     shape.block.x < most_stepped_threads ? ", or a larger --block" : "");
            if (session_.names(variant.name)) fail(Exit::usage, "{}", why);
            session_.detail(why);
            return false;
        }
        SteppedLaunch launch;
        launch.kernel = variant.name;
        launch.dtype = dtype_of<T>;
        for (const T value : h_values_) launch.input.push_back(element_bits(value));
        launch.input_address = reinterpret_cast<std::uintptr_t>(arguments.d_input);
        launch.in_place = variant.destroys_input;
        launch.result_address = reinterpret_cast<std::uintptr_t>(arguments.d_result);
        T result{};
        CHECK(cudaMemcpy(&result, d_result_.data(), sizeof result, cudaMemcpyDeviceToHost));
        launch.result = element_bits(result);
        launch.adds = operation == Operation::sum;
        launch.combine = combining<T>(
            [operation](T a, T b) { return with_operator<T>(operation, [=](auto op) { return op.combine(a, b); }); });
        const CombiningSteps steps(launch, blocks.back());
        if (session_.format() != Format::human) {
            steps.add_rows(table_);
            table_.flush();
            return true;
        }
        if (has_drawn_) session_.output.write("\n");
        has_drawn_ = true;
        steps.draw(session_.output);
        return true;
    }

private:
    Session& session_;
    Table table_;
    const std::vector<T> h_values_;
    const DeviceBuffer<T> d_values_, d_result_;
    bool has_drawn_ = false;
};

template <typename T>
void show_steps_of(Session& session, const T* values, size_t n) {
    StepsOfReduction<T> steps(session, values, n);
    bool any = false;
    for (const ReduceVariant* variant : variants_with_steps(session)) any |= steps.show(*variant);
    if (!any)
        fail(Exit::usage, "--steps shows one block of at most {} threads, and {} numbers need several: give it fewer",
             most_stepped_threads, n);
}

inline void refuse_many_numbers(size_t n) {
    if (n > most_stepped_numbers)
        fail(Exit::usage, "--steps is for a few numbers, and {} are more than {}", n, most_stepped_numbers);
}

inline void show_steps_of_file(Session& session, const std::string& path) {
    Chunk chunk = NumberReader::open(path, session.options.input_format)->read(most_stepped_numbers + 1);
    refuse_many_numbers(chunk.count);
    chunk = chunk.converted_to(session.options.dtype.value_or(chunk.dtype));
    with_dtype(chunk.dtype, [&](auto zero) { show_steps_of(session, chunk.as<decltype(zero)>(), chunk.count); });
}

inline void show_steps(Session& session) {
    const ReduceOptions& asked = session.own<ReduceOptions>();
    const bool is_mean = asked.operations.front() == ReduceOperation::mean;  // a sum, and a division on the host
    if (!is_combination(asked.operations) || is_mean || asked.accuracy != Accuracy::plain || asked.axis)
        fail(Exit::usage, "--steps shows how one of sum, min and max is found, without --accurate, --exact and --axis");
    if (!session.options.operands.empty()) return show_steps_of_file(session, session.options.operands.front());
    for (const size_t n : session.options.sizes.given ? session.sizes() : std::vector<size_t>{numbers_stepped}) {
        refuse_many_numbers(n);
        with_dtype(session.dtype(), [&](auto zero) {
            using T = decltype(zero);
            std::vector<T> values(n);
            fill_values(values.data(), n, values_for<T>(asked, asked.operations), session.options.seed);
            show_steps_of(session, values.data(), n);
        });
    }
}

}  // namespace BACKEND
