// SPDX-License-Identifier: MIT
// The readers of numbers: .npy, text, and all formats by their names.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "common/io/number_reader.hpp"
#include "common/io/number_writer.hpp"
#include "common/io/readers.hpp"
#include "tests/fuzz/target.hpp"

namespace {

constexpr std::size_t everything = std::size_t{1} << 20;

// A file in memory with a name that InputFile can open.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
        if (write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
            broken("memory is enough");
    }
    ~MemoryFile() { close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    std::string name() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

// The same bytes from a pipe, whose size nobody knows. They must fit into it.
class MemoryPipe {
public:
    static constexpr std::size_t capacity = 1 << 16;

    explicit MemoryPipe(std::string_view bytes) {
        if (pipe2(ends_, O_CLOEXEC) != 0 ||
            write(ends_[1], bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
            broken("a pipe holds 64 KiB");
        close(ends_[1]);
    }
    ~MemoryPipe() { close(ends_[0]); }
    MemoryPipe(const MemoryPipe&) = delete;
    std::string name() const { return "/proc/self/fd/" + std::to_string(ends_[0]); }

private:
    int ends_[2];
};

using Said = std::optional<InputFormat>;  // none: detected from the input

constexpr InputFormat as_text = {NumberFormat::text, DType::f64}, as_npy = {NumberFormat::npy, DType::f64};

struct Outcome {
    std::optional<Exit> failure;
    std::string message;  // without the input's name
    NumberLayout layout;
    Chunk numbers;  // all that came, in the type of the last of them
};

void append(Chunk& all, const Chunk& next) {
    if (all.count == 0) all = Chunk{next.dtype, 0, {}};
    if (all.dtype != next.dtype) all = all.converted_to(next.dtype);
    const std::size_t size = size_of(next.dtype);
    if (next.bytes.size() < next.count * size) broken("a chunk holds its elements");
    all.bytes.resize(all.count * size);
    all.bytes.insert(all.bytes.end(), next.bytes.begin(),
                     next.bytes.begin() + static_cast<std::ptrdiff_t>(next.count * size));
    all.count += next.count;
}

Outcome read_all(const std::string& name, const Said& format, std::size_t most) {
    Outcome outcome;
    try {
        const std::unique_ptr<NumberReader> reader = NumberReader::open(name, format);
        for (;;) {
            const Chunk chunk = reader->read(most);
            if (chunk.count > most) broken("no chunk is larger than asked for");
            if (chunk.count == 0) break;
            append(outcome.numbers, chunk);
        }
        outcome.layout = reader->layout();
        if (reader->read(most).count != 0) broken("nothing comes after the end");
    } catch (const Failure& failure) {
        outcome.failure = failure.exit();
        outcome.message = failure.what();
        if (failure.exit() == Exit::bad_input) {
            if (outcome.message.rfind(name + ": ", 0) != 0) broken("a failure names the input", outcome.message);
            outcome.message.erase(0, name.size());
            expect_presentable(outcome.message);
        } else {
            broken("an input that cannot be read is bad", outcome.message);
        }
    }
    return outcome;
}

bool same_numbers(const Chunk& a, const Chunk& b) {
    if (a.count != b.count) return false;
    if (a.dtype != b.dtype) return false;
    bool same = false;
    with_dtype(a.dtype, [&](auto zero) {
        using T = decltype(zero);
        same = std::equal(a.as<T>(), a.as<T>() + a.count, b.as<T>(),
                          [](T x, T y) { return x == y || (x != x && y != y); });
    });
    return same;
}

void expect_same(const Outcome& a, const Outcome& b, const char* promise) {
    if (a.failure != b.failure) broken(promise, a.message + " / " + b.message);
    if (!a.failure && !same_numbers(a.numbers, b.numbers)) broken(promise, "other numbers");
}

// What a filter would write is read as the same numbers.
void expect_round_trip(const Chunk& numbers) {
    NumberLayout layout;
    layout.format = NumberFormat::npy;
    layout.dtype = numbers.dtype;
    layout.shape = "(" + std::to_string(numbers.count) + ",)";
    std::string bytes = npy_header(layout);
    bytes.append(reinterpret_cast<const char*>(numbers.bytes.data()), numbers.count * size_of(numbers.dtype));
    const Outcome npy = read_all(MemoryFile(bytes).name(), {}, everything);
    if (npy.failure || (numbers.count > 0 && !same_numbers(npy.numbers, numbers)))
        broken("a .npy file is read as it was written", npy.message);
    if (numbers.count == 0) return;
    std::string words;
    with_dtype(numbers.dtype, [&](auto zero) {
        using T = decltype(zero);
        using Printed = std::conditional_t<std::is_floating_point_v<T>, T, long long>;
        for (std::size_t i = 0; i < numbers.count; ++i) words += number_text(Printed(numbers.as<T>()[i])) + '\n';
    });
    Outcome text = read_all(MemoryFile(words).name(), as_text, everything);
    if (text.failure) broken("printed numbers are read", text.message);
    const bool is_widened = numbers.dtype == DType::f32 || numbers.dtype == DType::i32;
    Chunk back = text.numbers;
    if (is_widened || back.dtype == DType::i64) back = back.converted_to(numbers.dtype);
    if (!same_numbers(back, numbers)) broken("printed numbers are read as the same numbers", words.substr(0, 200));
}

void check(std::string_view bytes, const Said& format) {
    const MemoryFile file(bytes);
    const Outcome whole = read_all(file.name(), format, everything);
    const Outcome pieces = read_all(file.name(), format, 7);
    expect_same(whole, pieces, "the size of the chunks does not matter");
    if (whole.failure && whole.message != pieces.message)
        broken("nor for the message", whole.message + " / " + pieces.message);
    if (bytes.size() <= MemoryPipe::capacity)
        expect_same(whole, read_all(MemoryPipe(bytes).name(), format, everything), "a pipe is read as a file");
    if (!whole.failure) expect_round_trip(whole.numbers);
}

}  // namespace

// Mutations seldom keep the magic bytes and a header's length, so they are put in: the input is version, dictionary, a
// zero byte, data. An input that begins with the magic is taken as it is.
void fuzz_npy(std::string_view input) {
    if (input.substr(0, 6) == "\x93NUMPY") return check(input, as_npy);
    const std::size_t end = std::min(input.find('\0', 1), input.size());
    const std::string_view dictionary = input.empty() ? input : input.substr(1, end - 1);
    const bool is_first = input.empty() || input[0] == 1;
    std::string bytes = "\x93NUMPY";
    bytes += is_first ? '\1' : input[0];
    bytes += '\0';
    for (int byte = 0; byte < (is_first ? 2 : 4); ++byte) bytes += static_cast<char>(dictionary.size() >> 8 * byte);
    check(bytes.append(dictionary).append(input.substr(std::min(end + 1, input.size()))), {});
}

void fuzz_text(std::string_view input) { check(input, as_text); }

// The first line names the format.
void fuzz_formats(std::string_view input) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    const std::string name(input.substr(0, end));
    Said format;
    try {
        if (!name.empty()) format = parse_input_format(name);
    } catch (const Failure& failure) {
        if (failure.exit() != Exit::usage) broken("an unknown format is a usage error", failure.what());
        return;
    }
    check(input.substr(std::min(end + 1, input.size())), format);
}
