// The signal as it streams by, piece by piece: with what lies beyond its ends, and with what the pieces share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/io/numbers.hpp"
#include "tools/conv1d/host.cuh"

namespace BACKEND {

// To those that convolve a piece the border is `valid`: each begins with the last width - 1 elements of the one before.
template <typename T>
class SignalStream {
public:
    SignalStream(NumberReader& reader, unsigned width, Border border)
        : reader_(reader),
          border_(border),
          before_(taps_before(width, border)),
          after_(border == Border::valid ? 0 : width - 1 - before_),
          halo_(width - 1) {}

    // Makes `piece` the next one, of up to `most` new elements besides; false if there is none left. It may be shorter
    // than the filter is wide, and then has no outputs.
    bool next(Slot& slot, size_t most, std::vector<T>& piece) {
        if (has_ended_) return false;
        const bool is_first = !has_begun_;
        if (is_first) begin();
        piece.assign(shared_.begin(), shared_.end());
        const size_t count = take(slot, most, piece);
        if (is_first && count == 0) return false;
        if (is_first) add_beginning(piece);
        if (border_ == Border::clamp && count > 0) last_ = piece.back();
        if (count < most) add_end(piece);
        shared_.assign(piece.end() - static_cast<std::ptrdiff_t>(std::min(halo_, piece.size())), piece.end());
        return true;
    }

    size_t outputs_of(const std::vector<T>& piece) const { return piece.size() - std::min(halo_, piece.size()); }

private:
    void begin() {
        has_begun_ = true;
        if (border_ != Border::wrap) return;
        // Its first output needs its last elements: those of a file are read first, anything else is kept as a whole.
        last_of_file_ = reader_.last(halo_).converted_to(dtype_of<T>);
        if (last_of_file_.count == halo_) return;
        is_kept_ = true;
        const Chunk all = reader_.read(std::numeric_limits<size_t>::max()).converted_to(dtype_of<T>);
        kept_.assign(all.template as<T>(), all.template as<T>() + all.count);
    }

    size_t take(Slot& slot, size_t most, std::vector<T>& piece) {
        if (is_kept_) {
            const size_t count = std::min(most, kept_.size() - taken_);
            piece.insert(piece.end(), kept_.data() + taken_, kept_.data() + taken_ + count);
            taken_ += count;
            return count;
        }
        if (!reader_.take(slot, most, Cut::exactly)) return 0;
        reader_.read(slot);
        reader_.settle(slot);
        slot.convert_piece(dtype_of<T>);
        const T* const values = slot.piece.as<T>();
        piece.insert(piece.end(), values, values + slot.piece.count);
        return slot.piece.count;
    }

    // `piece` is all of the signal that has been read.
    void add_beginning(std::vector<T>& piece) {
        std::vector<T> beyond(before_, border_ == Border::clamp ? piece.front() : T(0));
        for (unsigned k = 0; border_ == Border::wrap && k < before_; ++k)
            beyond[k] = is_kept_ ? kept_signal().at(std::int64_t(k) - before_)
                                 : last_of_file_.template as<T>()[halo_ - before_ + k];
        first_.assign(piece.begin(),
                      piece.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(after_, piece.size())));
        piece.insert(piece.begin(), beyond.begin(), beyond.end());
    }

    void add_end(std::vector<T>& piece) {
        has_ended_ = true;
        for (unsigned k = 0; k < after_; ++k)
            piece.push_back(border_ == Border::clamp  ? last_
                            : border_ != Border::wrap ? T(0)
                            : is_kept_                ? kept_signal().at(std::int64_t(kept_.size() + k))
                                                      : first_[k]);
    }

    Signal<T> kept_signal() const { return {kept_.data(), kept_.size(), border_}; }

    NumberReader& reader_;
    const Border border_;
    const unsigned before_, after_;  // elements that are wanted beyond the ends
    const size_t halo_;
    bool has_begun_ = false, has_ended_ = false;
    std::vector<T> shared_;  // the end of the piece before
    T last_ = 0;             // of the signal, for clamp
    // For wrap:
    Chunk last_of_file_;
    std::vector<T> first_, kept_;
    bool is_kept_ = false;
    size_t taken_ = 0;
};

}  // namespace BACKEND
