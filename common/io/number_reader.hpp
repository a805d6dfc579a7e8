// SPDX-License-Identifier: MIT
// Numbers into a Unix filter: text, raw little-endian and .npy (versions 1 to 3), in chunks.
//
// The room turns bytes into numbers and numbers into bytes. In come files and standard input (input_file), whose readers
// (readers.hpp) fill chunks or, where several parts are read at once, slots with elements of a type (dtype.hpp); and
// tables (table_reader). Out go numbers (number_writer) and tables (table), through an output into a file that is
// complete or not there (output, output_file). Beside them: failures and messages (failure, text), what a terminal shows
// meanwhile (progress), stages that work side by side (pipeline), other programs (process), and the machine.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/io/chunk.hpp"
#include "common/io/quantities.hpp"
#include "common/io/slot.hpp"

// The format that --input-format sets instead of the detected one.
struct InputFormat {
    NumberFormat format;
    DType dtype;  // of raw data
};

// "text", "npy" or "raw:f32". Failure(usage) for any other.
InputFormat parse_input_format(const std::string& words);

// All formats that parse_input_format() knows, in its order.
std::vector<std::string> input_formats();

// How an input is cut into parts. Where a part of text with an exact number of elements ends is known only once it has
// been parsed. If the number does not matter, several threads can parse parts at once.
enum class Cut { anywhere, exactly };

// Bytes of text that are read as one piece, if it may end anywhere. Devices ask for pieces of many elements, and get
// larger ones: copying a piece and starting its kernels takes 40 us of one thread after the other.
constexpr std::size_t text_block_bytes = std::size_t{1} << 18, large_text_block_bytes = 2 * text_block_bytes,
                      elements_of_large_piece = std::size_t{1} << 20;

// What a reader returns: numbers of our types or, for .npy and raw data, the bytes as stored. As stored, any type of
// fixed size can be read, and `dtype` means nothing.
enum class Elements { numbers, as_stored };

class NumberReader {
public:
    virtual ~NumberReader() = default;

    // Opens a file, or standard input for "-". Without a `format`, it is .npy if it begins with the magic bytes of .npy
    // or .npz, else text. `count`, if given, counts the bytes that are read. Here and in read(): Failure(bad_input)
    // names the input, the line or byte offset, and what was expected.
    static std::unique_ptr<NumberReader> open(const std::string& path, const std::optional<InputFormat>& format,
                                              StepCount* count = nullptr, Elements elements = Elements::numbers);

    virtual const NumberLayout& layout() const = 0;
    // Up to `most` elements; fewer only at the end, none after it. Text may widen from i64 to f64 between two chunks.
    virtual Chunk read(std::size_t most);

    // The same in parts, as the stages of a pipeline (see pipeline.hpp), so that several parts are read and parsed at
    // once. take() claims up to `most` elements; false after the last ones. read() turns them into slot.piece. settle()
    // reports what is wrong with them and updates the layout. A part may be empty without being the last.
    virtual bool take(Slot& slot, std::size_t most, Cut cut) = 0;  // one at a time, in order
    virtual void read(Slot& slot) const = 0;                       // several at a time
    virtual void settle(const Slot& slot) = 0;                     // one at a time, in order
    // The size of an element in a piece: the stored size, if elements are read as stored.
    std::size_t element_bytes(DType dtype) const {
        return layout().stored_bytes > 0 ? layout().stored_bytes : size_of(dtype);
    }
    // The last n elements, before any are taken, if they can be read first; otherwise none.
    virtual Chunk last(std::size_t n) const { return static_cast<void>(n), Chunk{}; }
    // How many elements there are, if that is known before they are read, as it is of a file; otherwise -1.
    virtual long long count() const { return -1; }
    // Whether elements come one after the other and need no parsing: a pipe delivers fewer than one core can add up,
    // and other threads would only get in its way.
    bool is_slower_than_a_core() const { return count() < 0 && layout().format != NumberFormat::text; }
    // If count() is known, and before any are taken: reads n elements from number `first` on, as they are stored, on
    // any thread.
    virtual void read_stored(void* target, std::size_t first, std::size_t n) const {
        static_cast<void>(target), static_cast<void>(first), static_cast<void>(n);
        throw std::logic_error("these elements come one after the other");
    }
};

// The same array in row-major order: a reader of column-major data is replaced with one that transposes it all.
std::unique_ptr<NumberReader> in_row_order(std::unique_ptr<NumberReader> reader);
