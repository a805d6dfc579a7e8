// SPDX-License-Identifier: MIT
// Memory in which parts of an input are read and become numbers, and which is reused from part to part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/io/chunk.hpp"
#include "common/io/parse_text.hpp"

// Allocates a slot's memory: the system's or, if a device is to read it, CUDA's.
struct SlotMemory {
    void* (*allocate)(std::size_t bytes);
    void (*release)(void* memory);
};
extern const SlotMemory pageable_memory;

// Parts of text differ by a few bytes: slots have room for some more, so that they seldom have to grow.
constexpr std::size_t roomy(std::size_t bytes) {
    constexpr std::size_t step = std::size_t{1} << 16;
    return (bytes + step - 1) / step * step;
}

// A buffer that is reused, and grows to the largest part that was in it.
class SlotBuffer {
public:
    explicit SlotBuffer(const SlotMemory& memory) : memory_(&memory) {}
    ~SlotBuffer() { clear(); }
    SlotBuffer(SlotBuffer&& other) noexcept : memory_(other.memory_) {
        std::swap(room_, other.room_), std::swap(bytes_, other.bytes_);
    }
    SlotBuffer& operator=(const SlotBuffer&) = delete;

    // Room for at least so many bytes. If the buffer has to grow, its contents are lost.
    std::byte* reserve(std::size_t bytes);
    // Whether the buffer begins there.
    bool is_at(const std::byte* place) const { return room_ && room_ == place; }

private:
    void clear();

    const SlotMemory* memory_;
    std::byte* room_ = nullptr;
    std::size_t bytes_ = 0;
};

// Where a part of an input is read and becomes numbers. A reader uses one slot after the other, and the slots of
// several threads at once.
struct Slot {
    explicit Slot(const SlotMemory& memory = pageable_memory) : stored(memory), values(memory), converted(memory) {}

    Piece piece;                              // the elements of the part
    std::vector<std::size_t> negative_zeros;  // for integers: the places of zeros that were written as -0
    std::int64_t lost = 0;                    // for f64: the sum of what rounding took from integers beyond 2^53
    SlotBuffer stored, values, converted;

    // A reader's own notes.
    std::size_t count = 0;   // elements, or bytes of text
    std::size_t offset = 0;  // if they are still in the file, the bytes before them
    bool is_in_file = false, is_ready = false, is_last = false;
    bool is_torn = false;  // text that begins within a word which is too long
    char *text = nullptr, *text_end = nullptr;
    ParsedText parsed;

    // Converts the piece to another type, in the slot's own memory. Does nothing if it has that type.
    void convert_piece(DType wanted);
    // Room outside the piece, for what is computed from it.
    std::byte* reserve_beside_piece(std::size_t bytes);
};
