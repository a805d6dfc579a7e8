// SPDX-License-Identifier: MIT
#include "common/io/slot.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

// (Whole pages, since the system's largest copies are of pages.)
const SlotMemory pageable_memory = {
    [](std::size_t bytes) {
        void* const room = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
        return room ? room : throw std::bad_alloc();
    },
    std::free,
};

std::byte* SlotBuffer::reserve(std::size_t bytes) {
    if (bytes > bytes_ || !room_) {
        clear();
        bytes_ = roomy(std::max<std::size_t>(bytes, 1));
        room_ = static_cast<std::byte*>(memory_->allocate(bytes_));
    }
    return room_;
}

void SlotBuffer::clear() {
    if (room_) memory_->release(room_);
    room_ = nullptr;
    bytes_ = 0;
}

void Slot::convert_piece(DType wanted) {
    if (piece.dtype == wanted) return;
    std::byte* const room = reserve_beside_piece(piece.count * size_of(wanted));
    convert(piece.bytes, piece.dtype, room, wanted, piece.count);
    write_negative_zeros(negative_zeros, room, wanted);
    negative_zeros.clear();
    piece = {wanted, piece.count, room};
}

std::byte* Slot::reserve_beside_piece(std::size_t bytes) {
    return (converted.is_at(piece.bytes) ? values : converted).reserve(bytes);
}
