// SPDX-License-Identifier: MIT
#include "common/io/number_writer.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "common/io/readers.hpp"

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
