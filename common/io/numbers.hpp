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
};

class NumberReader {
public:
    virtual ~NumberReader() = default;

    // Opens a file, or standard input for "-". `format` is "", text, npy or raw:TYPE; "" is .npy if its magic bytes are
    // there, else text. `count`, if given, says how many bytes have been read. Here and in read(): Failure(bad_input) names the input, the line or byte offset, and what was
    // expected.
    static std::unique_ptr<NumberReader> open(const std::string& path, const std::optional<InputFormat>& format,
                                              StepCount* count = nullptr);

    virtual const NumberLayout& layout() const = 0;
    // Up to `most` elements; fewer only at the end, none after it. Text widens from i64 to f64 from one chunk to the next.
    virtual Chunk read(std::size_t most) = 0;
};

// Collects a result and hands it over only when it is complete, so that malformed input leaves nothing written.
// Small results stay in memory; large ones go to an unlinked temporary file.
class NumberWriter {
public:
    explicit NumberWriter(const NumberLayout& layout);
    ~NumberWriter();
    NumberWriter(const NumberWriter&) = delete;
    NumberWriter& operator=(const NumberWriter&) = delete;

    void append(const Chunk& chunk);
    // Writes the header that the layout asks for (with the type of the last chunk) and all appended elements.
    void finish(Output& output);

private:
    void spill();

    NumberLayout layout_;
    std::size_t written_ = 0;  // elements
    std::string pending_;
    std::FILE* spilled_ = nullptr;
};

// A number as a filter prints it: the shortest text that reads back as the same value of that type.
std::string number_text(double value);
std::string number_text(float value);
std::string number_text(long long value);
