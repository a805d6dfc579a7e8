// SPDX-License-Identifier: MIT
// The signal as a stream of pieces: what lies beyond its ends, and what each piece needs from earlier ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "common/io/number_reader.hpp"
#include "tools/conv1d/host.cuh"

namespace BACKEND {

// Several threads read pieces at once. Then, in the order of the signal, each piece gets the width - 1 elements before
// it, so that it can be convolved with border `valid`. What lies beyond the signal's start goes ahead of the first
// piece, and what lies beyond its end is a piece of its own.
template <typename T>
class SignalStream {
public:
    SignalStream(NumberReader& reader, unsigned width, Border border)
        : reader_(reader),
          border_(border),
          before_(taps_before(width, border)),
          after_(border == Border::valid ? 0 : width - 1 - before_),
          halo_(width - 1) {}

    // Elements that a piece shares with those before it.
    size_t halo() const { return halo_; }
    // How many outputs so many consecutive elements have.
    size_t outputs_of(size_t elements) const { return elements - std::min(halo_, elements); }

    // The stages of a pipeline. Claims the next piece, of up to `most` elements; false if there is none left.
    bool take(Slot& slot, size_t most) {
        if (!is_open_) open();
        if (!is_kept_) return reader_.take(slot, most, Cut::anywhere);
        const size_t count = std::min(most, kept_.size() - taken_);
        slot.piece = {dtype_of<T>, count, reinterpret_cast<std::byte*>(kept_.data() + taken_)};
        taken_ += count;
        return count > 0;
    }

    void read(Slot& slot) const {
        if (!is_kept_) {
            reader_.read(slot);
            return slot.convert_piece(dtype_of<T>);
        }
        const size_t bytes = slot.piece.count * sizeof(T);
        std::byte* const room = slot.values.reserve(bytes);
        std::memcpy(room, slot.piece.bytes, bytes);
        slot.piece.bytes = room;
    }

    void settle(const Slot& slot) {
        if (!is_kept_) reader_.settle(slot);
    }

    // Copies to `room` the elements ahead of a piece that its outputs need. For settled pieces, in their order.
    Piece ahead_of(const Piece& piece, SlotBuffer& room) {
        const T* const values = piece.as<T>();
        if (!has_begun_ && piece.count > 0) begin(values, piece.count);
        const Piece ahead{dtype_of<T>, shared_.size(), room.reserve(shared_.size() * sizeof(T))};
        std::copy(shared_.begin(), shared_.end(), ahead.as<T>());
        const size_t fresh = std::min(halo_, piece.count);
        const size_t stale = shared_.size() + fresh - std::min(halo_, shared_.size() + fresh);
        shared_.erase(shared_.begin(), shared_.begin() + std::ptrdiff_t(stale));
        shared_.insert(shared_.end(), values + piece.count - fresh, values + piece.count);
        if (piece.count > 0) last_ = values[piece.count - 1];
        return ahead;
    }

    // After the last piece: makes what lies beyond it the slot's piece. False if there is nothing.
    bool put_end(Slot& slot) const {
        if (!has_begun_ || after_ == 0) return false;
        slot.piece = {dtype_of<T>, after_, slot.values.reserve(after_ * sizeof(T))};
        for (unsigned k = 0; k < after_; ++k)
            slot.piece.as<T>()[k] = border_ == Border::clamp  ? last_
                                    : border_ != Border::wrap ? T(0)
                                    : is_kept_                ? kept_signal().at(std::int64_t(kept_.size() + k))
                                                              : first_[k];
        return true;
    }

private:
    // The first output of a signal that wraps around needs its last elements: a file's are read first, any other input
    // is kept as a whole.
    void open() {
        is_open_ = true;
        if (border_ != Border::wrap) return;
        last_of_file_ = reader_.last(halo_).converted_to(dtype_of<T>);
        if (last_of_file_.count == halo_) return;
        is_kept_ = true;
        const Chunk all = reader_.read(std::numeric_limits<size_t>::max()).converted_to(dtype_of<T>);
        kept_.assign(all.template as<T>(), all.template as<T>() + all.count);
    }

    // Prepares what lies before the signal, given its first elements.
    void begin(const T* values, size_t count) {
        has_begun_ = true;
        shared_.assign(before_, border_ == Border::clamp ? values[0] : T(0));
        for (unsigned k = 0; border_ == Border::wrap && k < before_; ++k)
            shared_[k] = is_kept_ ? kept_signal().at(std::int64_t(k) - before_)
                                  : last_of_file_.template as<T>()[halo_ - before_ + k];
        if (border_ == Border::wrap && !is_kept_) first_.assign(values, values + std::min<size_t>(after_, count));
    }

    Signal<T> kept_signal() const { return {kept_.data(), kept_.size(), border_}; }

    NumberReader& reader_;
    const Border border_;
    const unsigned before_, after_;  // elements that are needed beyond the ends
    const size_t halo_;
    bool is_open_ = false, has_begun_ = false;
    std::vector<T> shared_;  // the last elements of the pieces before
    T last_ = 0;             // of the signal, for clamp
    // For wrap:
    Chunk last_of_file_;
    std::vector<T> first_, kept_;
    bool is_kept_ = false;
    size_t taken_ = 0;
};

}  // namespace BACKEND
