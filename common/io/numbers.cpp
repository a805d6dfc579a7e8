// SPDX-License-Identifier: MIT
#include "common/io/numbers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>

#include "common/io/readers.hpp"

InputFormat parse_input_format(const std::string& words) {
    if (words == "text") return {NumberFormat::text, DType::i64};
    if (words == "npy") return {NumberFormat::npy, DType::i64};
    for (DType dtype : raw_dtypes())
        if (words == std::string("raw:") + name_of(dtype)) return {NumberFormat::raw, dtype};
    fail(Exit::usage, "--input-format '{}' is not one of {}", words, list_text(input_formats(), "and"));
}

std::vector<std::string> input_formats() {
    std::vector<std::string> formats = {"text", "npy"};
    for (DType dtype : raw_dtypes()) formats.push_back(std::string("raw:") + name_of(dtype));
    return formats;
}

std::unique_ptr<NumberReader> NumberReader::open(const std::string& path, const std::optional<InputFormat>& format,
                                                 StepCount* count, Elements elements) {
    auto file = std::make_unique<InputFile>(path);
    if (count) file->count_into(*count);
    constexpr std::string_view npy_magic = "\x93NUMPY", npz_magic = "PK\x03\x04";
    const bool looks_like_npy = !format && (file->peek(npy_magic.size()) == npy_magic || file->peek(4) == npz_magic);
    switch (format ? format->format : looks_like_npy ? NumberFormat::npy : NumberFormat::text) {
        case NumberFormat::npy: return open_npy(std::move(file), elements);
        case NumberFormat::raw: return open_raw(std::move(file), format->dtype, elements);
        default: return open_text(std::move(file));
    }
}

void write_negative_zeros(const std::vector<std::size_t>& places, void* numbers, DType dtype) {
    if (places.empty()) return;
    with_element_type(dtype, [&](auto row) {
        using T = typename decltype(row)::Element;
        if constexpr (!std::is_integral_v<T>)
            for (const std::size_t place : places) static_cast<T*>(numbers)[place] = T(-0.0F);
    });
}

Chunk Chunk::converted_to(DType wanted, Overflow overflow) const {
    if (wanted == dtype) return *this;
    Chunk other;
    other.dtype = wanted;
    other.count = count;
    other.bytes.resize(count * size_of(wanted));
    convert(bytes.data(), dtype, other.bytes.data(), wanted, count, overflow);
    write_negative_zeros(negative_zeros, other.bytes.data(), wanted);
    return other;
}

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

Chunk NumberReader::read(std::size_t most) {
    constexpr std::size_t part = std::size_t{1} << 16;
    Slot slot;
    Chunk chunk;
    const long long promised = count();
    while (chunk.count < most && take(slot, std::min(part, most - chunk.count), Cut::exactly)) {
        read(slot);
        settle(slot);
        const Piece& piece = slot.piece;
        if (piece.count == 0) continue;
        if (chunk.count == 0) chunk.dtype = piece.dtype;
        if (chunk.dtype != piece.dtype) chunk = chunk.converted_to(layout().dtype);
        if (chunk.dtype != piece.dtype) slot.convert_piece(chunk.dtype);
        for (const std::size_t place : slot.negative_zeros) chunk.negative_zeros.push_back(chunk.count + place);
        const std::size_t size = element_bytes(chunk.dtype);
        // If the count is known, memory is allocated only once.
        if (chunk.bytes.empty() && promised > 0)
            chunk.bytes.reserve(std::min(most, static_cast<std::size_t>(promised)) * size);
        chunk.bytes.insert(chunk.bytes.end(), piece.bytes, piece.bytes + piece.count * size);
        chunk.count += piece.count;
    }
    if (chunk.count == 0) chunk.dtype = layout().dtype;
    return chunk;
}

// (The sign of a NaN means nothing.) Whole numbers that the type holds exactly read best without an exponent.
template <typename T>
static void append_number(std::string& text, T value) {
    char digits[32];
    char* end = digits;
    if constexpr (std::is_integral_v<T>) {
        end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    } else {
        constexpr T exact = T(std::uint64_t{1} << std::numeric_limits<T>::digits);
        if (std::isnan(value)) {
            text += "nan";
            return;
        }
        if (value == std::floor(value) && std::fabs(value) < exact) {
            if (std::signbit(value)) *end++ = '-';
            end = std::to_chars(end, digits + sizeof digits, static_cast<std::int64_t>(std::fabs(value))).ptr;
        } else {
            end = fmt::format_to(digits, "{}", value);
        }
    }
    text.append(digits, end);
}

std::string number_text(double value) {
    std::string text;
    append_number(text, value);
    return text;
}

std::string number_text(float value) {
    std::string text;
    append_number(text, value);
    return text;
}

std::string number_text(long long value) { return fmt::format("{}", value); }

constexpr std::size_t bytes_kept_in_memory = std::size_t{16} << 20;

NumberWriter::NumberWriter(const NumberLayout& layout, const std::string& tool, Output* as_it_comes)
    : layout_(layout), tool_(tool), as_it_comes_(tool.empty() ? as_it_comes : nullptr) {
    if (!tool_.empty()) layout_.format = NumberFormat::text;
}

NumberWriter::~NumberWriter() {
    if (spilled_) std::fclose(spilled_);
}

template <typename T>
using Printed = std::conditional_t<std::is_integral_v<T>, std::int64_t, Computed<T>>;

void NumberWriter::format(const Piece& piece, std::string& bytes) const {
    bytes.clear();
    if (!has_lines()) return;
    with_element_type(piece.dtype, [&](auto row) {
        using T = typename decltype(row)::Element;
        for (std::size_t i = 0; i < piece.count; ++i) {
            append_number(bytes, Printed<T>(piece.as<T>()[i]));
            bytes += '\n';
        }
    });
}

void NumberWriter::note(const Piece& piece) {
    if (layout_.format != NumberFormat::text && written_ > 0 && piece.dtype != layout_.dtype)
        fail(Exit::bad_input, "after {} elements of {} there are {}: give a --dtype for all of them", written_,
             name_of(layout_.dtype), name_of(piece.dtype));
    layout_.dtype = piece.dtype;
}

void NumberWriter::append(const Piece& piece, std::string_view formatted) {
    if (!has_lines()) return append(piece);
    note(piece);
    written_ += piece.count;
    pending_ += formatted;
    pass_on();
}

void NumberWriter::append(const Piece& piece) {
    note(piece);
    const std::size_t bytes = piece.count * size_of(piece.dtype);
    if (layout_.format == NumberFormat::text) {
        with_element_type(piece.dtype, [&](auto row) {
            using T = typename decltype(row)::Element;
            for (std::size_t i = 0; i < piece.count; ++i) {
                std::string number;
                append_number(number, Printed<T>(piece.as<T>()[i]));
                append_text(number);
            }
        });
    } else {
        written_ += piece.count;
        if (as_it_comes_) {
            pass_on();
            return as_it_comes_->write({reinterpret_cast<const char*>(piece.bytes), bytes});
        }
        pending_.append(reinterpret_cast<const char*>(piece.bytes), bytes);
    }
    pass_on();
}

// Writes what is pending or, if it has to wait and is large, moves it to a file.
void NumberWriter::pass_on() {
    if (!as_it_comes_) {
        if (pending_.size() > bytes_kept_in_memory) spill();
        return;
    }
    if (layout_.format == NumberFormat::npy && !has_begun_) as_it_comes_->write(npy_header(layout_));
    has_begun_ = true;
    as_it_comes_->write(pending_);
    pending_.clear();
}

void NumberWriter::append_text(const std::string& number) {
    const std::size_t columns = std::max<std::size_t>(layout_.columns, 1), column = written_++ % columns;
    const bool begins = column == 0, ends = column + 1 == columns;
    if (tool_.empty()) {
        pending_ += number + (ends ? '\n' : ' ');
        return;
    }
    const bool rows = layout_.columns > 0;
    pending_ += written_ > 1 ? "," : "";
    pending_ += (rows && begins ? "[" : "") + json_value(number) + (rows && ends ? "]" : "");
}

std::string json_value(const std::string& number) {
    const bool is_finite = number.find_first_of("in") == number.npos;
    return is_finite ? number : '"' + number + '"';
}

std::string json_members(const std::string& tool, DType dtype, std::size_t count) {
    return fmt::format("\"tool\":\"{}\",\"dtype\":\"{}\",\"n\":{}", tool, name_of(dtype), count);
}

void NumberWriter::spill() {
    if (!spilled_) {
        const int descriptor = open_unnamed_file();
        if (descriptor >= 0) spilled_ = fdopen(descriptor, "w+b");
    }
    if (!spilled_ || std::fwrite(pending_.data(), 1, pending_.size(), spilled_) != pending_.size())
        fail(Exit::cuda_error, "cannot keep the result in a temporary file: {}; set TMPDIR to a folder with room",
             std::strerror(errno));
    pending_.clear();
}

void NumberWriter::finish(Output& output, StepCount* count) {
    constexpr std::size_t block_bytes = std::size_t{1} << 16;  // what a pipe holds: its reader may be slow
    const auto write = [&](std::string_view bytes) {
        output.write(bytes);
        if (count) count->done += bytes.size();
    };
    if (spilled_) spill();
    if (count) count->total = (spilled_ ? static_cast<std::size_t>(std::ftell(spilled_)) : 0) + pending_.size();
    if (layout_.format == NumberFormat::npy && !has_begun_) output.write(npy_header(layout_));
    if (!tool_.empty()) output.write(fmt::format("{{{},\"result\":[", json_members(tool_, layout_.dtype, written_)));
    const bool shows_empty_rows = !tool_.empty() && written_ == 0;
    for (std::size_t i = 0; shows_empty_rows && i < layout_.empty_rows; ++i) output.write(i == 0 ? "[]" : ",[]");
    if (spilled_) {
        std::rewind(spilled_);
        std::vector<char> block(block_bytes);
        while (const std::size_t got = std::fread(block.data(), 1, block.size(), spilled_)) write({block.data(), got});
    }
    for (std::size_t at = 0; at < pending_.size(); at += block_bytes)
        write(std::string_view(pending_).substr(at, block_bytes));
    if (!tool_.empty()) output.write("]}\n");
    output.flush();
}
