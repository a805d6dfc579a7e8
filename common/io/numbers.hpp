// Numbers in and out of a Unix filter: text, raw little-endian and .npy (versions 1 and 2), in chunks.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/io/dtype.hpp"
#include "common/io/output.hpp"
#include "common/io/step_count.hpp"

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

// What becomes of a finite number outside the range of a floating-point type: a number of an input is refused; the
// result of a computation is infinite.
enum class Overflow { refused, infinite };

// Consecutive elements of one input.
struct Chunk {
    DType dtype = DType::f32;
    std::size_t count = 0;
    std::vector<std::byte> bytes;

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

// What an input's header says.
struct NumberLayout {
    NumberFormat format = NumberFormat::text;
    DType dtype = DType::i64;    // for text: i64 until the first number with a fraction
    DType stored = DType::i64;   // the type in the file: f16 is read as f32
    std::string shape = {};      // .npy: "(3, 4)"
    bool fortran_order = false;  // .npy
    // Of a matrix: its numbers on one line of text; 0: a number per line. Of text that has been read: 0 if its lines
    // differ.
    std::size_t columns = 0;
    std::string stored_type = {};  // of elements as they are stored: .npy's name, ">c8"
    std::size_t stored_bytes = 0;  // of such an element
};

// The extents of a .npy header's shape: "(3, 4)" is {3, 4}.
std::vector<std::size_t> extents_of(const std::string& shape);

// What a reader makes of elements: numbers of our types, or for .npy and raw data the bytes in the file. Then any type of
// fixed size can be read, and `dtype` says nothing.
enum class Elements { numbers, as_stored };

class NumberReader {
public:
    virtual ~NumberReader() = default;

    // Opens a file, or standard input for "-". `format` is "", text, npy or raw:TYPE; "" is .npy if its magic bytes are
    // there, else text. `count`, if given, says how many bytes have been read. Here and in read(): Failure(bad_input) names the input, the line or byte offset, and what was
    // expected.
    static std::unique_ptr<NumberReader> open(const std::string& path, const std::optional<InputFormat>& format,
                                              StepCount* count = nullptr, Elements elements = Elements::numbers);

    virtual const NumberLayout& layout() const = 0;
    // Up to `most` elements; fewer only at the end, none after it. Text widens from i64 to f64 from one chunk to the next.
    virtual Chunk read(std::size_t most) = 0;
};

// The same array row by row: a reader of column-major data is replaced by one that reads and transposes all of them.
std::unique_ptr<NumberReader> in_row_order(std::unique_ptr<NumberReader> reader);

// Collects a result and hands it over only when it is complete, so that malformed input leaves nothing written.
// Small results stay in memory; large ones go to an unlinked temporary file.
class NumberWriter {
public:
    // `tool`: as one JSON object of that tool, in which "result" is a list, or a list of a matrix's rows.
    explicit NumberWriter(const NumberLayout& layout, const std::string& tool = "");
    ~NumberWriter();
    NumberWriter(const NumberWriter&) = delete;
    NumberWriter& operator=(const NumberWriter&) = delete;

    void append(const Chunk& chunk);
    // Writes the header that the layout asks for (with the type of the last chunk) and all appended elements.
    void finish(Output& output, StepCount* count = nullptr);

private:
    void spill();
    void append_text(const std::string& number);

    NumberLayout layout_;
    std::string tool_;         // "" for a result that is not JSON
    std::size_t written_ = 0;  // elements
    std::string pending_;
    std::FILE* spilled_ = nullptr;
};

// A number as a filter prints it: the shortest text that reads back as the same value of that type.
std::string number_text(double value);
std::string number_text(float value);
std::string number_text(long long value);

// The same in JSON, which has no inf and no nan: they are strings there.
std::string json_value(const std::string& number);
// "tool":"reduce","dtype":"i64","n":10: the members of a filter's JSON object before its own.
std::string json_members(const std::string& tool, DType dtype, std::size_t count);
