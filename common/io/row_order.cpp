// Converts arrays from Fortran order, where the first index runs fastest, to C order, where the last one does.
#include <algorithm>
#include <cstring>
#include <limits>

#include "common/io/numbers.hpp"

std::vector<std::size_t> extents_of(const std::string& shape) {
    std::vector<std::size_t> extents;
    bool inside = false;
    for (char letter : shape) {
        const bool is_digit = letter >= '0' && letter <= '9';
        if (is_digit && !inside) extents.push_back(0);
        if (is_digit) extents.back() = 10 * extents.back() + static_cast<std::size_t>(letter - '0');
        inside = is_digit;
    }
    return extents;
}

namespace {

class RowOrderReader final : public NumberReader {
public:
    explicit RowOrderReader(std::unique_ptr<NumberReader> reader) : reader_(std::move(reader)) {
        layout_ = reader_->layout();
        layout_.fortran_order = false;
    }

    const NumberLayout& layout() const override { return layout_; }

    bool take(Slot& slot, std::size_t most, Cut) override {
        if (!is_read_) read_all();
        const std::size_t size = size_of(all_.dtype), count = std::min(most, all_.count - taken_);
        slot.piece = {all_.dtype, count, slot.values.reserve(count * size)};
        std::memcpy(slot.piece.bytes, all_.bytes.data() + taken_ * size, count * size);
        slot.count = count;
        taken_ += count;
        return count > 0;
    }
    void read(Slot&) const override {}
    void settle(const Slot&) override {}

private:
    void read_all() {
        const Chunk columns = reader_->read(std::numeric_limits<std::size_t>::max());
        all_ = columns;
        transpose(columns);
        layout_.dtype = all_.dtype;
        is_read_ = true;
    }

    // Counts through the indices in the file's order, and tracks where each element belongs.
    void transpose(const Chunk& columns) {
        const std::vector<std::size_t> extents = extents_of(layout_.shape);
        std::vector<std::size_t> strides(extents.size(), 1), index(extents.size(), 0);
        for (std::size_t axis = extents.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * extents[axis];
        const std::size_t size = size_of(columns.dtype);
        std::size_t place = 0;
        for (std::size_t i = 0; i < columns.count; ++i) {
            std::memcpy(all_.bytes.data() + place * size, columns.bytes.data() + i * size, size);
            for (std::size_t axis = 0; axis < extents.size(); ++axis) {
                place += strides[axis];
                if (++index[axis] < extents[axis]) break;
                place -= strides[axis] * extents[axis];
                index[axis] = 0;
            }
        }
    }

    std::unique_ptr<NumberReader> reader_;
    NumberLayout layout_;
    Chunk all_;
    std::size_t taken_ = 0;
    bool is_read_ = false;
};

}  // namespace

std::unique_ptr<NumberReader> in_row_order(std::unique_ptr<NumberReader> reader) {
    if (!reader->layout().fortran_order) return reader;
    return std::make_unique<RowOrderReader>(std::move(reader));
}
