#include "common/io/numbers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
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

// The type that the host computes with: the 16-bit types are only stored.
template <typename T>
using Computed = std::conditional_t<std::is_arithmetic_v<T>, T, float>;

template <typename From>
[[noreturn]] static void refuse_range(From value, DType wanted) {
    fail(Exit::bad_input, "{} does not fit into {}; choose another --dtype", value, name_of(wanted));
}

// A value in another type; integers drop the fraction, other types round. A value outside an integer type's range is
// always refused.
template <typename To, typename From>
static To converted(From value, DType wanted, Overflow overflow) {
    if constexpr (!std::is_arithmetic_v<From>) return converted<To>(static_cast<float>(value), wanted, overflow);
    else if constexpr (!std::is_integral_v<To>) {
        const To rounded = To(static_cast<Computed<To>>(value));
        const bool overflows =
            std::isinf(static_cast<Computed<To>>(rounded)) && !std::isinf(static_cast<double>(value));
        if (overflows && overflow == Overflow::refused) refuse_range(value, wanted);
        return rounded;
    } else if constexpr (std::is_floating_point_v<From> || sizeof(From) > sizeof(To)) {
        constexpr double limit = -static_cast<double>(std::numeric_limits<To>::min());  // a power of two: exact
        if (!(static_cast<double>(value) >= -limit && static_cast<double>(value) < limit)) refuse_range(value, wanted);
        return static_cast<To>(value);
    } else return static_cast<To>(value);
}

Chunk Chunk::converted_to(DType wanted, Overflow overflow) const {
    if (wanted == dtype) return *this;
    Chunk other;
    other.dtype = wanted;
    other.count = count;
    other.bytes.resize(count * size_of(wanted));
    with_element_type(dtype, [&](auto from) {
        with_element_type(wanted, [&](auto to) {
            using To = typename decltype(to)::Element;
            const auto* source = as<typename decltype(from)::Element>();
            auto* target = other.as<To>();
            for (std::size_t i = 0; i < count; ++i) target[i] = converted<To>(source[i], wanted, overflow);
        });
    });
    return other;
}

// (The sign of a NaN says nothing.)
std::string number_text(double value) {
    if (std::isnan(value)) return "nan";
    // Whole numbers that a double holds exactly read best without an exponent.
    if (value == std::floor(value) && std::fabs(value) < 0x1p53) return fmt::format("{:.0f}", value);
    return fmt::format("{}", value);
}

std::string number_text(float value) {
    if (std::isnan(value)) return "nan";
    if (value == std::floor(value) && std::fabs(value) < 0x1p24f) return fmt::format("{:.0f}", value);
    return fmt::format("{}", value);
}

std::string number_text(long long value) { return fmt::format("{}", value); }

constexpr std::size_t bytes_kept_in_memory = std::size_t{64} << 20;

NumberWriter::NumberWriter(const NumberLayout& layout, const std::string& tool) : layout_(layout), tool_(tool) {
    if (!tool_.empty()) layout_.format = NumberFormat::text;
}

NumberWriter::~NumberWriter() {
    if (spilled_) std::fclose(spilled_);
}

void NumberWriter::append(const Chunk& chunk) {
    if (layout_.format != NumberFormat::text && written_ > 0 && chunk.dtype != layout_.dtype)
        fail(Exit::bad_input, "after {} elements of {} there are {}: give a --dtype for all of them", written_,
             name_of(layout_.dtype), name_of(chunk.dtype));
    layout_.dtype = chunk.dtype;
    if (layout_.format == NumberFormat::text) {
        with_element_type(chunk.dtype, [&](auto row) {
            using T = typename decltype(row)::Element;
            using Printed = std::conditional_t<std::is_integral_v<T>, long long, Computed<T>>;
            for (std::size_t i = 0; i < chunk.count; ++i) append_text(number_text(Printed(chunk.as<T>()[i])));
        });
    } else {
        pending_.append(reinterpret_cast<const char*>(chunk.bytes.data()), chunk.count * size_of(chunk.dtype));
        written_ += chunk.count;
    }
    if (pending_.size() > bytes_kept_in_memory) spill();
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
    constexpr std::size_t block_bytes = std::size_t{1} << 16;  // what a pipe holds: it may be read slowly
    const auto write = [&](std::string_view bytes) {
        output.write(bytes);
        if (count) count->done += bytes.size();
    };
    if (spilled_) spill();
    if (count) count->total = (spilled_ ? static_cast<std::size_t>(std::ftell(spilled_)) : 0) + pending_.size();
    if (layout_.format == NumberFormat::npy) output.write(npy_header(layout_));
    if (!tool_.empty()) output.write(fmt::format("{{{},\"result\":[", json_members(tool_, layout_.dtype, written_)));
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
