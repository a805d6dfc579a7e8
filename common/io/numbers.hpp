// SPDX-License-Identifier: MIT
// Numbers in and out of a Unix filter: text, raw little-endian and .npy (versions 1 to 3), in chunks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/io/dtype.hpp"
#include "common/io/output.hpp"
#include "common/io/parse_text.hpp"
#include "common/io/quantities.hpp"

enum class NumberFormat { text, npy, raw };

// The format that --input-format sets instead of the detected one.
struct InputFormat {
    NumberFormat format;
    DType dtype;  // of raw data
};

// "text", "npy" or "raw:f32". Failure(usage) for any other.
InputFormat parse_input_format(const std::string& words);

// All formats that parse_input_format() knows, in its order.
std::vector<std::string> input_formats();

// What happens to a finite number outside the range of a floating-point type: an input number is refused; the result of
// a computation becomes infinite.
enum class Overflow { refused, infinite };

// Consecutive elements of one input.
struct Chunk {
    DType dtype = DType::f32;
    std::size_t count = 0;
    std::vector<std::byte> bytes;
    std::vector<std::size_t> negative_zeros = {};  // as in a slot

    template <typename T>
    T* as() {
        return reinterpret_cast<T*>(bytes.data());
    }
    template <typename T>
    const T* as() const {
        return reinterpret_cast<const T*>(bytes.data());
    }
    // The same elements in another type.
    Chunk converted_to(DType wanted, Overflow overflow = Overflow::refused) const;
};

// Converts n numbers to another type; there is room for n at `to`.
void convert(const void* from, DType from_dtype, void* to, DType to_dtype, std::size_t n,
             Overflow overflow = Overflow::refused);

// Integers have no negative zero: the places of those in a text are kept until the numbers get another type.
void write_negative_zeros(const std::vector<std::size_t>& places, void* numbers, DType dtype);

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

// Consecutive elements of an input, in a slot.
struct Piece {
    DType dtype = DType::f32;
    std::size_t count = 0;
    std::byte* bytes = nullptr;

    template <typename T>
    T* as() const {
        return reinterpret_cast<T*>(bytes);
    }
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

// How an input is cut into parts. Where a part of text with an exact number of elements ends is known only once it has
// been parsed. If the number does not matter, several threads can parse parts at once.
enum class Cut { anywhere, exactly };

// Bytes of text that are read as one piece, if it may end anywhere. Devices ask for pieces of many elements, and get
// larger ones: copying a piece and starting its kernels takes 40 us of one thread after the other.
constexpr std::size_t text_block_bytes = std::size_t{1} << 18, large_text_block_bytes = 2 * text_block_bytes,
                      elements_of_large_piece = std::size_t{1} << 20;

// What an input's header says.
struct NumberLayout {
    NumberFormat format = NumberFormat::text;
    DType dtype = DType::i64;    // for text: i64 until the first number with a fraction
    DType stored = DType::i64;   // the type in the file: f16 is read as f32
    std::string shape = {};      // .npy: "(3, 4)"
    bool fortran_order = false;  // .npy
    // For a matrix: its numbers per line of text; 0: one number per line. For text that was read: 0 if its lines
    // differ.
    std::size_t columns = 0;
    std::size_t empty_rows = 0;    // of a matrix without columns: JSON shows them
    std::string stored_type = {};  // for elements as stored: .npy's name of their type, ">c8"
    std::size_t stored_bytes = 0;  // the size of such an element
};

// The extents of a .npy header's shape: "(3, 4)" is {3, 4}.
std::vector<std::size_t> extents_of(const std::string& shape);

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

// Writes a filter's result in the format of its layout. JSON begins with the count of the numbers, so it is collected
// until that is known: small results in memory, large ones in an unlinked temporary file. So is any other result
// without an output to stream to.
class NumberWriter {
public:
    // `tool`: write one JSON object of that tool, in which "result" is a list, or a list of a matrix's rows.
    explicit NumberWriter(const NumberLayout& layout, const std::string& tool = "", Output* as_it_comes = nullptr);
    ~NumberWriter();
    NumberWriter(const NumberWriter&) = delete;
    NumberWriter& operator=(const NumberWriter&) = delete;

    void append(const Piece& piece);
    void append(const Chunk& chunk) {
        append(Piece{chunk.dtype, chunk.count, const_cast<std::byte*>(chunk.bytes.data())});
    }
    // The same in two steps: format() makes the text of a piece, in several threads at once, and append() appends it.
    void format(const Piece& piece, std::string& bytes) const;
    void append(const Piece& piece, std::string_view formatted);
    // The bytes that format()'s text may take for each number, with the room that a string keeps; 0 if it makes none.
    std::size_t text_bytes() const { return has_lines() ? 32 : 0; }
    // Writes the header that the layout asks for (with the type of the last chunk) and all appended elements that are not
    // written yet.
    void finish(Output& output, StepCount* count = nullptr);

private:
    bool has_lines() const { return layout_.format == NumberFormat::text && tool_.empty() && layout_.columns <= 1; }
    void note(const Piece& piece);
    void pass_on();
    void spill();
    void append_text(const std::string& number);

    NumberLayout layout_;
    std::string tool_;  // "" for a result that is not JSON
    Output* as_it_comes_;
    bool has_begun_ = false;
    std::size_t written_ = 0;  // elements
    std::string pending_;
    std::FILE* spilled_ = nullptr;
};

// A number as a filter prints it: the shortest text that reads back as the same value of that type.
std::string number_text(double value);
std::string number_text(float value);
std::string number_text(long long value);

// The same in JSON, where inf and nan have to be strings.
std::string json_value(const std::string& number);
// "tool":"reduce","dtype":"i64","n":10: the members that begin a filter's JSON object.
std::string json_members(const std::string& tool, DType dtype, std::size_t count);
