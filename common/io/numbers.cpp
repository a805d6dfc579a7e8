#include "common/io/numbers.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

#include "common/io/half.hpp"
#include "common/io/readers.hpp"

std::unique_ptr<NumberReader> NumberReader::open(const std::string& path, const std::string& format) {
    auto file = std::make_unique<InputFile>(path);
    constexpr std::string_view npy_magic = "\x93NUMPY";
    if (format == "npy" || (format.empty() && file->peek(npy_magic.size()) == npy_magic)) return open_npy(std::move(file));
    if (format.empty() || format == "text") return open_text(std::move(file));
    if (format.rfind("raw:", 0) == 0) return open_raw(std::move(file), parse_dtype(format.substr(4), "f32,f64,i32,i64,f16"));
    fail(Exit::usage, "--input-format '{}' is none of text, npy, raw:f32, raw:f64, raw:i32, raw:i64, raw:f16", format);
}

// A value in another type; fractions are cut off for integers. What an integer type does not hold is refused.
template <typename To, typename From>
static To converted(From value) {
    if constexpr (std::is_integral_v<To> && (std::is_floating_point_v<From> || sizeof(From) > sizeof(To))) {
        constexpr double limit = -static_cast<double>(std::numeric_limits<To>::min());  // a power of two: exact
        if (!(static_cast<double>(value) >= -limit && static_cast<double>(value) < limit))
            fail(Exit::bad_input, "{} does not fit into {}; choose another --dtype", value, name_of(dtype_of<To>));
    }
    return static_cast<To>(value);
}

Chunk Chunk::converted_to(DType wanted) const {
    if (wanted == dtype) return *this;
    const bool by_way_of_f32 = (dtype == DType::f16 && wanted != DType::f32) || (wanted == DType::f16 && dtype != DType::f32);
    if (by_way_of_f32) return converted_to(DType::f32).converted_to(wanted);
    Chunk other;
    other.dtype = wanted;
    other.count = count;
    other.bytes.resize(count * size_of(wanted));
    if (dtype == DType::f16) {
        std::transform(as<std::uint16_t>(), as<std::uint16_t>() + count, other.as<float>(), widen_half);
        return other;
    }
    if (wanted == DType::f16) {
        std::transform(as<float>(), as<float>() + count, other.as<std::uint16_t>(), narrow_half);
        return other;
    }
    with_dtype(dtype, [&](auto from) {
        with_dtype(wanted, [&](auto to) {
            const auto* source = as<decltype(from)>();
            auto* target = other.as<decltype(to)>();
            for (std::size_t i = 0; i < count; ++i) target[i] = converted<decltype(to)>(source[i]);
        });
    });
    return other;
}

std::string number_text(double value) {
    // Whole numbers that a double holds exactly read best without an exponent.
    if (value == std::floor(value) && std::fabs(value) < 0x1p53) return fmt::format("{:.0f}", value);
    return fmt::format("{}", value);
}

std::string number_text(float value) {
    if (value == std::floor(value) && std::fabs(value) < 0x1p24f) return fmt::format("{:.0f}", value);
    return fmt::format("{}", value);
}

std::string number_text(long long value) { return fmt::format("{}", value); }

constexpr std::size_t bytes_kept_in_memory = std::size_t{64} << 20;

NumberWriter::NumberWriter(const NumberLayout& layout) : layout_(layout) {}

NumberWriter::~NumberWriter() {
    if (spilled_) std::fclose(spilled_);
}

void NumberWriter::append(const Chunk& chunk) {
    layout_.dtype = chunk.dtype;
    if (layout_.format == NumberFormat::text) {
        if (chunk.dtype == DType::f16) return append(chunk.converted_to(DType::f32));
        with_dtype(chunk.dtype, [&](auto zero) {
            using T = decltype(zero);
            using Printed = std::conditional_t<std::is_floating_point_v<T>, T, long long>;
            for (std::size_t i = 0; i < chunk.count; ++i) pending_ += number_text(Printed(chunk.as<T>()[i])) + '\n';
        });
    } else {
        pending_.append(reinterpret_cast<const char*>(chunk.bytes.data()), chunk.count * size_of(chunk.dtype));
    }
    if (pending_.size() > bytes_kept_in_memory) spill();
}

// As std::tmpfile, which however does not look at TMPDIR. nullptr if it cannot be made.
static std::FILE* temporary_file() {
    const char* folder = std::getenv("TMPDIR");
    std::string pattern = std::string(folder && *folder ? folder : P_tmpdir) + "/gridutils-XXXXXX";
    const int descriptor = mkstemp(pattern.data());
    if (descriptor < 0) return nullptr;
    unlink(pattern.c_str());
    return fdopen(descriptor, "w+b");
}

void NumberWriter::spill() {
    if (!spilled_) spilled_ = temporary_file();
    if (!spilled_ || std::fwrite(pending_.data(), 1, pending_.size(), spilled_) != pending_.size())
        fail(Exit::output_error, "cannot keep the result in a temporary file: {}; set TMPDIR to a folder with room",
             std::strerror(errno));
    pending_.clear();
}

void NumberWriter::finish(Output& output) {
    if (layout_.format == NumberFormat::npy) output.write(npy_header(layout_));
    if (spilled_) {
        spill();
        std::rewind(spilled_);
        std::vector<char> block(std::size_t{1} << 20);
        while (const std::size_t got = std::fread(block.data(), 1, block.size(), spilled_)) output.write({block.data(), got});
    }
    output.write(pending_);
    output.flush();
}
