// Raw little-endian arrays and NumPy's .npy files.
#include <bit>
#include <cstring>
#include <limits>

#include "common/io/readers.hpp"

static_assert(std::endian::native == std::endian::little, "raw and .npy data are used as stored");

namespace {

template <typename From, typename To>
void widen(const std::byte* from, std::byte* to, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        From value;
        std::memcpy(&value, from + i * sizeof(From), sizeof value);
        const To wide = static_cast<To>(value);
        std::memcpy(to + i * sizeof(To), &wide, sizeof wide);
    }
}

// An element type in files, and the type of ours that it is read as.
struct StoredType {
    const char* code;  // .npy's, without the byte order
    std::size_t size;
    DType stored;  // the type itself where it is one of ours, else `dtype`
    DType dtype;
    void (*widen)(const std::byte* from, std::byte* to, std::size_t n);  // nullptr: no conversion

    bool is_ours() const { return code == std::string_view(npy_code_of(stored)); }
};

template <typename T>
constexpr StoredType as_it_is() {
    const char* const code = with_element_type(dtype_of<T>, [](auto row) { return row.npy_code; });
    return {code, sizeof(T), dtype_of<T>, dtype_of<T>, nullptr};
}

template <typename From, typename To>
constexpr StoredType widened(const char* code, DType stored = dtype_of<To>) {
    return {code, sizeof(From), stored, dtype_of<To>, widen<From, To>};
}

constexpr StoredType stored_types[] = {
    as_it_is<float>(),
    as_it_is<double>(),
    as_it_is<std::int32_t>(),
    as_it_is<std::int64_t>(),
    widened<Half, float>(as_it_is<Half>().code, DType::f16),
    widened<std::int8_t, std::int32_t>("i1"),
    widened<std::uint8_t, std::int32_t>("u1"),
    widened<std::uint8_t, std::int32_t>("b1"),
    widened<std::int16_t, std::int32_t>("i2"),
    widened<std::uint16_t, std::int32_t>("u2"),
    widened<std::uint32_t, std::int64_t>("u4"),
};

class BinaryReader final : public NumberReader {
public:
    // `promised`: how many elements the header announces; -1 if there is none and the end of the input decides.
    BinaryReader(std::unique_ptr<InputFile> file, NumberLayout layout, const StoredType& stored, long long promised)
        : file_(std::move(file)), layout_(std::move(layout)), stored_(stored), promised_(promised) {
        if (file_->size() < 0 || promised_ < 0) return;
        // A file's size is known: refuse a false header before any work is done.
        const long long present = file_->size() - static_cast<long long>(file_->offset());
        if (present / static_cast<long long>(stored_.size) != promised_ ||
            present % static_cast<long long>(stored_.size) != 0)
            fail_size(static_cast<std::size_t>(present));
    }

    const NumberLayout& layout() const override { return layout_; }

    Chunk read(std::size_t most) override {
        if (promised_ >= 0) most = std::min(most, static_cast<std::size_t>(promised_) - taken_);
        Chunk chunk;
        chunk.dtype = layout_.dtype;
        // A pipe's header may promise more than memory holds: grow as data arrive.
        constexpr std::size_t block = std::size_t{1} << 24;
        std::vector<std::byte> bytes;
        std::size_t got = 0;
        while (got < most * stored_.size) {
            const std::size_t wanted = std::min(block, most * stored_.size - got);
            bytes.resize(got + wanted);
            const std::size_t came = file_->read(bytes.data() + got, wanted);
            got += came;
            if (came < wanted) break;
        }
        if (got % stored_.size != 0)
            file_->fail("ends at byte {} inside an element of {} bytes", file_->offset(), stored_.size);
        chunk.count = got / stored_.size;
        taken_ += chunk.count;
        if (promised_ >= 0 && chunk.count < most) fail_size(taken_ * stored_.size);
        if (promised_ >= 0 && taken_ == static_cast<std::size_t>(promised_) && !file_->peek(1).empty())
            file_->fail("has more data than the {} elements its header promises (from byte {})", promised_,
                        file_->offset());
        if (promised_ < 0 && taken_ == 0) file_->fail("no numbers in the input (0 bytes)");
        if (stored_.widen) {
            chunk.bytes.resize(chunk.count * size_of(chunk.dtype));
            stored_.widen(bytes.data(), chunk.bytes.data(), chunk.count);
        } else {
            bytes.resize(got);
            chunk.bytes = std::move(bytes);
        }
        return chunk;
    }

private:
    [[noreturn]] void fail_size(std::size_t present) const {
        file_->fail("the header promises {} elements ({} bytes), but there are {} bytes of data", promised_,
                    static_cast<std::size_t>(promised_) * stored_.size, present);
    }

    std::unique_ptr<InputFile> file_;
    NumberLayout layout_;
    const StoredType& stored_;
    long long promised_;
    std::size_t taken_ = 0;
};

// The value of a key in the header's dictionary, as written: 'f4', False, (3, 4).
std::string header_value(const InputFile& file, const std::string& header, const std::string& key) {
    const std::size_t at = header.find("'" + key + "'");
    const std::size_t begin = at == header.npos ? at : header.find_first_not_of(": ", at + key.size() + 2);
    if (begin == header.npos) file.fail(".npy header has no '{}'; is the file damaged?", key);
    const char* const closing = header[begin] == '(' ? ")" : header[begin] == '\'' ? "'" : ",}";
    const std::size_t end = header.find_first_of(closing, begin + 1);
    if (end == header.npos) file.fail(".npy header: '{}' does not end; is the file damaged?", key);
    const bool closing_belongs = closing[1] == '\0';
    return header.substr(begin, end - begin + closing_belongs);
}

long long elements_of_shape(const InputFile& file, const std::string& shape) {
    long long elements = 1;
    for (std::string extent : split(shape.substr(1, shape.size() - 2), ',')) {
        extent.erase(0, extent.find_first_not_of(' '));
        if (extent.empty()) continue;
        if (extent.find_first_not_of("0123456789") != extent.npos || extent.size() > 18 ||
            __builtin_mul_overflow(elements, std::stoll(extent), &elements) ||
            elements > std::numeric_limits<long long>::max() / 16)
            file.fail(".npy header: shape {} is not a tuple of sizes that fit in memory", shape);
    }
    return elements;
}

}  // namespace

std::vector<DType> raw_dtypes() {
    std::vector<DType> dtypes;
    for (const StoredType& stored : stored_types)
        if (stored.is_ours()) dtypes.push_back(stored.stored);
    return dtypes;
}

std::unique_ptr<NumberReader> open_raw(std::unique_ptr<InputFile> file, DType dtype) {
    NumberLayout layout;
    layout.format = NumberFormat::raw;
    layout.stored = dtype;
    for (const StoredType& stored : stored_types) {
        if (!stored.is_ours() || stored.stored != dtype) continue;
        layout.dtype = stored.dtype;
        return std::make_unique<BinaryReader>(std::move(file), layout, stored, -1);
    }
    fail(Exit::usage, "raw data of type {} cannot be read", name_of(dtype));
}

std::unique_ptr<NumberReader> open_npy(std::unique_ptr<InputFile> file) {
    unsigned char preamble[12] = {};
    if (file->read(preamble, 10) < 10 || std::memcmp(preamble, "\x93NUMPY", 6) != 0)
        file->fail("is not a .npy file: it does not begin with \\x93NUMPY and a version");
    const int version = preamble[6];
    if (version < 1 || version > 3) file->fail(".npy version {} is unknown; versions 1 to 3 can be read", version);
    std::size_t length = preamble[8] | preamble[9] << 8;
    if (version > 1) {
        if (file->read(preamble + 10, 2) < 2) file->fail("ends inside the .npy header, at byte {}", file->offset());
        length |= static_cast<std::size_t>(preamble[10]) << 16 | static_cast<std::size_t>(preamble[11]) << 24;
    }
    if (length > (1u << 20)) file->fail(".npy header of {} bytes: more than a megabyte cannot be right", length);
    std::string header(length, '\0');
    if (file->read(header.data(), length) < length)
        file->fail("ends inside the .npy header, at byte {}", file->offset());

    NumberLayout layout;
    layout.format = NumberFormat::npy;
    layout.shape = header_value(*file, header, "shape");
    layout.fortran_order = header_value(*file, header, "fortran_order") == "True";
    const std::string descr = header_value(*file, header, "descr");
    if (layout.shape.front() != '(' || descr.size() < 5)
        file->fail(".npy header: descr {} and shape {} cannot be read", descr, layout.shape);
    const std::string code = descr.substr(2, descr.size() - 3);
    for (const StoredType& stored : stored_types) {
        if (code != stored.code || descr[1] == '>') continue;
        layout.dtype = stored.dtype;
        layout.stored = stored.stored;
        const long long elements = elements_of_shape(*file, layout.shape);
        return std::make_unique<BinaryReader>(std::move(file), layout, stored, elements);
    }
    file->fail("element type {} cannot be read; convert it to little-endian f4, f8, i4 or i8", descr);
}

std::string npy_header(const NumberLayout& layout) {
    const char* const code = npy_code_of(layout.dtype);
    if (*code == '\0')
        fail(Exit::usage, "NumPy's format has no type for {}; choose another --dtype", name_of(layout.dtype));
    std::string header = text("{{'descr': '<{}', 'fortran_order': {}, 'shape': {}, }}", code,
                              layout.fortran_order ? "True" : "False", layout.shape);
    constexpr std::size_t preamble = 10;
    header.append(63 - (preamble + header.size()) % 64, ' ');
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() & 255);
    bytes += static_cast<char>(header.size() >> 8);
    return bytes + header;
}
