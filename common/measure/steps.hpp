// SPDX-License-Identifier: MIT
// The steps in which a small launch combines its values, from what its lanes did in the simulator: who was active in
// each, with whom, and what came out. Nothing here knows a kernel.
//
// A step is what the threads store, shuffle or add atomically between one barrier and the next. Where a value stays in
// a register, it is what the thread gives to its next shuffle; after the last one, what the operation makes of the two
// values that the thread had.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/io/dtype.hpp"
#include "common/io/output.hpp"
#include "common/io/table.hpp"
#include "common/simt/check/trace/actions.hpp"

// More threads make no picture.
inline constexpr unsigned most_stepped_threads = 64;

template <typename T>
std::uint64_t element_bits(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

// An operation on elements as one on their bits.
template <typename T, typename Combine>
auto combining(Combine combine) {
    return [combine](std::uint64_t a, std::uint64_t b) {
        T first, second;
        std::memcpy(&first, &a, sizeof first);
        std::memcpy(&second, &b, sizeof second);
        return element_bits<T>(combine(first, second));
    };
}

// What has been launched. Values are the bits of an element, addresses those of the device.
struct SteppedLaunch {
    std::string kernel;
    DType dtype;
    std::vector<std::uint64_t> input;  // none: the threads compute their values
    std::uint64_t input_address = 0;
    bool in_place = false;  // it combines the input where it is
    std::uint64_t result_address = 0, result = 0;
    std::function<std::uint64_t(std::uint64_t, std::uint64_t)> combine;
    bool adds = true;  // combining is adding
};

// What a thread does in a step.
struct ThreadStep {
    unsigned thread;
    std::size_t index;  // of the cell that it changes; of a shuffle, the thread itself
    std::uint64_t before, value;
    std::vector<std::size_t> partners;  // the cells, or the thread, whose values it adds
    const char* from;                   // where they are: input, shared, global, shuffle, register, atomic
};

struct CombiningStep {
    enum class Kind { start, memory, registers, atomic };
    Kind kind;
    std::vector<ThreadStep> threads;                  // those that are active
    std::vector<std::optional<std::uint64_t>> cells;  // after it: of the array, or by thread; of an atomic, the total
    // The distance that all have to their partners; 0: there is none.
    std::size_t stride() const;
};

class CombiningSteps {
public:
    CombiningSteps(const SteppedLaunch& launch, const simt::check::TracedBlock& block);

    // Whether any values were combined.
    bool any() const;
    // A row for each step and thread; of an atomic operation only for the thread that makes it.
    void add_rows(Table& table) const;
    // Threads from left to right, steps from top to bottom, and the result.
    void draw(Output& output) const;

private:
    std::string shown(std::uint64_t bits) const;
    Cell cell_of(std::uint64_t bits) const;
    std::string change_of(const ThreadStep& one) const;
    std::size_t cells_that_differ(std::size_t cells, std::string& common) const;
    void draw_atomics(Output& output, std::size_t& step, std::size_t& number) const;

    const SteppedLaunch& launch_;
    unsigned threads_;
    std::vector<CombiningStep> steps_;
};

std::vector<Column> step_columns();
