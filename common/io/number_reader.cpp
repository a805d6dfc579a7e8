// SPDX-License-Identifier: MIT
#include "common/io/number_reader.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

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
