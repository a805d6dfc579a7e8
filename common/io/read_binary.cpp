// SPDX-License-Identifier: MIT
// Raw little-endian arrays and NumPy's .npy files.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/io/machine.hpp"
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

// An element type in files, and our type that it is read as.
struct StoredType {
    const char* code;  // .npy's, without the byte order
    std::size_t size;
    DType stored;  // the type itself if it is one of ours, else `dtype`
    DType dtype;
    void (*widen)(const std::byte* from, std::byte* to, std::size_t n);  // nullptr: no conversion
    bool is_unsigned_64 = false;  // f64 from the first chunk on that has a number too large for i64

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
    widened<Float8E4M3, float>(as_it_is<Float8E4M3>().code, DType::e4m3),
    widened<Float8E5M2, float>(as_it_is<Float8E5M2>().code, DType::e5m2),
    widened<std::int8_t, std::int32_t>("i1"),
    widened<std::uint8_t, std::int32_t>("u1"),
    widened<std::uint8_t, std::int32_t>("b1"),
    widened<std::int16_t, std::int32_t>("i2"),
    widened<std::uint16_t, std::int32_t>("u2"),
    widened<std::uint32_t, std::int64_t>("u4"),
    {"u8", 8, DType::i64, DType::i64, nullptr, true},
};

template <typename Word>
void swap_bytes(std::byte* bytes, std::size_t n, Word (*swapped)(Word)) {
    for (std::size_t i = 0; i < n; ++i) {
        Word word;
        std::memcpy(&word, bytes + i * sizeof(Word), sizeof word);
        word = swapped(word);
        std::memcpy(bytes + i * sizeof(Word), &word, sizeof word);
    }
}

void swap_bytes(std::byte* bytes, std::size_t n, std::size_t size) {
    switch (size) {
        case 2: return swap_bytes<std::uint16_t>(bytes, n, [](std::uint16_t word) { return __builtin_bswap16(word); });
        case 4: return swap_bytes<std::uint32_t>(bytes, n, [](std::uint32_t word) { return __builtin_bswap32(word); });
        case 8: return swap_bytes<std::uint64_t>(bytes, n, [](std::uint64_t word) { return __builtin_bswap64(word); });
        default: return;
    }
}

class BinaryReader final : public NumberReader {
public:
    // `promised`: how many elements the header announces; -1 without a header, if the end of the input decides.
    // `swapped`: big-endian. `member`: the archive's member that has the elements, if any.
    BinaryReader(std::unique_ptr<InputFile> file, NumberLayout layout, const StoredType& stored, long long promised,
                 bool swapped = false, std::unique_ptr<ArchiveMember> member = nullptr)
        : file_(std::move(file)),
          member_(std::move(member)),
          layout_(std::move(layout)),
          stored_(stored),
          promised_(promised),
          swapped_(swapped) {
        if (member_ && !member_->can_hold(static_cast<std::uint64_t>(promised_) * stored_.size))
            file_->fail("the header promises {} elements, more than the archive holds; is it damaged?", promised_);
        if (file_->size() < 0 || member_) return;
        // A file's size is known: refuse a wrong header or a truncated element before any work is done.
        const long long present = std::max<long long>(0, file_->size() - static_cast<long long>(file_->offset()));
        const long long size = static_cast<long long>(stored_.size);
        if (promised_ < 0 && present % size != 0) fail_torn(static_cast<std::size_t>(file_->size()));
        if (promised_ >= 0 && (present / size != promised_ || present % size != 0))
            fail_size(static_cast<std::size_t>(present));
        in_file_ = present / size;
    }

    const NumberLayout& layout() const override { return layout_; }
    long long count() const override { return in_file_; }

    Chunk read(std::size_t most) override {
        if (promised_ >= 0) most = std::min(most, static_cast<std::size_t>(promised_) - taken_);
        expect_memory_for(most);
        Slot nothing;
        if (promised_ == 0) take(nothing, 0, Cut::exactly);  // there may be data all the same
        return NumberReader::read(most);
    }

    void read_stored(void* target, std::size_t first, std::size_t n) const override {
        file_->read_at(target, n * stored_.size, file_->offset() + first * stored_.size);
    }

    Chunk last(std::size_t n) const override {
        if (in_file_ < static_cast<long long>(n)) return {};
        Slot slot;
        slot.is_in_file = true;
        slot.count = n;
        slot.offset = file_->offset() + (static_cast<std::size_t>(in_file_) - n) * stored_.size;
        read(slot);
        const Piece& piece = slot.piece;
        return {piece.dtype, n, {piece.bytes, piece.bytes + n * size_of(piece.dtype)}};
    }

    bool take(Slot& slot, std::size_t most, Cut) override {
        const long long end = in_file_ >= 0 ? in_file_ : promised_;
        if (end >= 0) most = std::min(most, static_cast<std::size_t>(end) - taken_);
        slot.is_in_file = in_file_ >= 0;
        slot.offset = file_->offset();
        slot.count = most;
        if (slot.is_in_file) file_->claim(most * stored_.size);
        else take_in_order(slot);
        taken_ += slot.count;
        if (promised_ < 0 && taken_ == 0) file_->fail("no numbers in the input (0 bytes)");
        if (in_file_ >= 0 && slot.count == 0) file_->expect_same_size();
        return slot.count > 0;
    }

    void read(Slot& slot) const override {
        const std::size_t bytes = slot.count * stored_.size;
        std::byte* const data = slot.stored.reserve(bytes);
        if (slot.is_in_file) file_->read_at(data, bytes, slot.offset);
        if (swapped_) swap_bytes(data, slot.count, stored_.size);
        slot.piece = {stored_.dtype, slot.count, data};
        if (stored_.widen) {
            slot.piece.bytes = slot.values.reserve(slot.count * size_of(stored_.dtype));
            stored_.widen(data, slot.piece.bytes, slot.count);
        }
        if (stored_.is_unsigned_64) widen_unsigned(slot.piece);
    }

    void settle(const Slot& slot) override {
        if (stored_.is_unsigned_64 && slot.piece.dtype == DType::f64) layout_.dtype = DType::f64;
    }

private:
    // From a pipe or an archive. A header may promise more than there is, or less.
    void take_in_order(Slot& slot) {
        std::byte* const data = slot.stored.reserve(slot.count * stored_.size);
        const std::size_t wanted = slot.count * stored_.size;
        const std::size_t got = member_ ? member_->read(data, wanted) : file_->read(data, wanted);
        if (got % stored_.size != 0) fail_torn(file_->offset());
        slot.count = got / stored_.size;
        if (promised_ < 0) return;
        if (got < wanted) fail_size((taken_ + slot.count) * stored_.size);
        const bool is_at_end = taken_ + slot.count == static_cast<std::size_t>(promised_);
        if (is_at_end && member_) member_->expect_end();
        else if (is_at_end && !file_->peek(1).empty())
            file_->fail("has more data than the {} elements its header promises (from byte {})", promised_,
                        file_->offset());
    }

    // A small archive may hold a large array, and a header may promise anything. The system grants memory that it does
    // not have, and ends the program when it is used.
    void expect_memory_for(std::size_t elements) const {
        const double bytes = double(elements) * (stored_.size + (stored_.widen ? size_of(layout_.dtype) : 0));
        if (promised_ < 0 || bytes < (1 << 30)) return;
        const double available = double(available_memory());
        if (bytes > available)
            file_->fail(
                "promises {} elements at once, which need {}, but {} of memory are available; give smaller arrays",
                elements, human_bytes(bytes), human_bytes(available));
    }

    // Widens to f64 if a number is too large for i64, as text does.
    static void widen_unsigned(Piece& piece) {
        const auto* numbers = piece.as<std::uint64_t>();
        const auto is_large = [](std::uint64_t number) { return number >> 63 != 0; };
        if (!std::any_of(numbers, numbers + piece.count, is_large)) return;
        widen<std::uint64_t, double>(piece.bytes, piece.bytes, piece.count);
        piece.dtype = DType::f64;
    }

    [[noreturn]] void fail_torn(std::size_t end) const {
        file_->fail("ends at byte {} inside an element of {} bytes", end, stored_.size);
    }

    [[noreturn]] void fail_size(std::size_t present) const {
        file_->fail("the header promises {} elements ({} bytes), but there are {} bytes of data", promised_,
                    static_cast<std::size_t>(promised_) * stored_.size, present);
    }

    std::unique_ptr<InputFile> file_;
    std::unique_ptr<ArchiveMember> member_;
    NumberLayout layout_;
    const StoredType stored_;
    long long promised_;
    bool swapped_;
    long long in_file_ = -1;  // elements, if the size of the file says it
    std::size_t taken_ = 0;
};

// The header of a .npy file: a dictionary as Python writes one down, read as ast.literal_eval() does. White space,
// comments, either kind of quote, the order of the keys and a last comma do not matter, and integers may have the L of
// Python 2.
class NpyHeader {
public:
    NpyHeader(const InputFile& file, std::string_view text) : file_(file), rest_(text) {
        expect('{');
        while (!is_next('}')) {
            const std::string key = word();
            expect(':');
            read_value(key);
            if (!is_next(',') && (rest_.empty() || rest_[0] != '}')) refuse("',' or '}'");
        }
        skip_space();
        if (!rest_.empty()) refuse("the end");
        for (const auto& [key, is_there] :
             {std::pair{"descr", has_descr_}, std::pair{"fortran_order", has_order_}, std::pair{"shape", has_shape_}})
            if (!is_there) file.fail(".npy header has no '{}'; is the file damaged?", key);
    }

    const std::string& descr() const { return descr_; }  // "<f4"; of a structured type, the text of its list
    bool fortran_order() const { return fortran_order_; }
    // As NumPy writes it: "()", "(3,)" or "(2, 3)".
    std::string shape() const {
        std::string text;
        for (const std::string& extent : extents_) text += (text.empty() ? "" : ", ") + extent;
        return "(" + text + (extents_.size() == 1 ? ",)" : ")");
    }
    long long elements() const {
        long long elements = 1;
        for (const std::string& extent : extents_)
            if (extent.size() > 18 || __builtin_mul_overflow(elements, std::stoll(extent), &elements) ||
                elements > std::numeric_limits<long long>::max() / 16)
                file_.fail(".npy header: shape {} is not a tuple of sizes that fit in memory", shape());
        return elements;
    }

private:
    void read_value(const std::string& key) {
        skip_space();
        const std::string_view value = rest_;
        if (key == "descr") {
            has_descr_ = true;
            descr_ = is_string() ? word() : (skip_value(), std::string(value.substr(0, value.size() - rest_.size())));
        } else if (key == "fortran_order") {
            has_order_ = true;
            skip_value();
            const std::string_view order = value.substr(0, value.size() - rest_.size());
            fortran_order_ = order == "True";
            if (!fortran_order_ && order != "False")
                file_.fail(".npy header: fortran_order {} is neither True nor False; is the file damaged?",
                           std::string(order));
        } else if (key == "shape") {
            has_shape_ = true;
            read_shape();
        } else {
            is_string() ? void(word()) : skip_value();
        }
    }

    void read_shape() {
        extents_.clear();
        expect('(');
        bool has_comma = false;
        while (!is_next(')')) {
            if (!extents_.empty() && !has_comma) refuse("',' or ')'");
            extents_.push_back(integer());
            has_comma = is_next(',');
        }
        if (extents_.size() == 1 && !has_comma) refuse("',' behind the only size: (3,) is a tuple, (3) is not");
    }

    std::string integer() {
        skip_space();
        std::size_t end = 0;
        std::string digits;
        for (; end < rest_.size() && (is_digit(rest_[end]) || (rest_[end] == '_' && end > 0)); ++end)
            if (rest_[end] != '_') digits += rest_[end];
        if (digits.empty()) refuse("a size");
        rest_.remove_prefix(end);
        if (!rest_.empty() && (rest_[0] == 'L' || rest_[0] == 'l')) rest_.remove_prefix(1);
        return digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1));
    }

    // A string, perhaps with a prefix, as in u'descr'.
    bool is_string() const {
        const std::size_t quote = rest_.find_first_of("'\"");
        return quote == 0 || (quote == 1 && std::strchr("uUbBrR", rest_[0]));
    }
    std::string word() {
        skip_space();
        if (!is_string()) refuse("a string");
        const std::size_t begin = rest_.find_first_of("'\""), end = rest_.find(rest_[begin], begin + 1);
        if (end == rest_.npos) refuse("the end of a string");
        const std::string text(rest_.substr(begin + 1, end - begin - 1));
        if (text.find_first_of("\\\n") != text.npos) refuse("a string without a backslash or a new line");
        rest_.remove_prefix(end + 1);
        return text;
    }

    // Past a word, a number, or what is in brackets, with strings in it.
    void skip_value() {
        std::size_t depth = 0;
        for (skip_space(); !rest_.empty();) {
            if (is_string()) {
                word();
                continue;
            }
            const char next = rest_[0];
            if (depth == 0 && std::strchr(",}# \t\r\n\f", next)) return;
            if (std::strchr("([{", next)) ++depth;
            if (std::strchr(")]}", next)) {
                if (depth == 0) refuse("a value");
                --depth;
            }
            rest_.remove_prefix(1);
        }
    }

    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    void skip_space() {
        while (!rest_.empty() && std::strchr(" \t\r\n\f#", rest_[0]) && rest_[0] != '\0') {
            const std::size_t end = rest_[0] == '#' ? rest_.find('\n') : 1;
            rest_.remove_prefix(std::min(end, rest_.size()));
        }
    }
    bool is_next(char wanted) {
        skip_space();
        if (rest_.empty() || rest_[0] != wanted) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char wanted) {
        if (!is_next(wanted)) refuse(std::string("'") + wanted + "'");
    }
    [[noreturn]] void refuse(const std::string& wanted) const {
        file_.fail(".npy header: expected {} at '{}'; is the file damaged?", wanted, printable(rest_, 40));
    }

    const InputFile& file_;
    std::string_view rest_;
    std::string descr_;
    std::vector<std::string> extents_;
    bool fortran_order_ = false, has_descr_ = false, has_order_ = false, has_shape_ = false;
};

}  // namespace

std::vector<DType> raw_dtypes() {
    std::vector<DType> dtypes;
    for (const StoredType& stored : stored_types)
        if (stored.is_ours()) dtypes.push_back(stored.stored);
    return dtypes;
}

// Elements of so many bytes, which are never interpreted.
static StoredType bytes_as_stored(std::size_t size) { return {"", size, DType::i8, DType::i8, nullptr}; }

std::unique_ptr<NumberReader> open_raw(std::unique_ptr<InputFile> file, DType dtype, Elements elements) {
    NumberLayout layout;
    layout.format = NumberFormat::raw;
    layout.stored = dtype;
    if (elements == Elements::as_stored) {
        layout.stored_bytes = size_of(dtype);
        return std::make_unique<BinaryReader>(std::move(file), layout, bytes_as_stored(layout.stored_bytes), -1);
    }
    for (const StoredType& stored : stored_types) {
        if (!stored.is_ours() || stored.stored != dtype) continue;
        layout.dtype = stored.dtype;
        return std::make_unique<BinaryReader>(std::move(file), layout, stored, -1);
    }
    fail(Exit::usage, "raw data of type {} cannot be read", name_of(dtype));
}

// The size of an element of a NumPy type: "<c16" has 16 bytes, "<U3" three characters of 4. 0 for types without a fixed
// size, and for structured ones.
static std::size_t bytes_of_type(const std::string& type) {
    const bool is_simple = type.size() > 2 && std::strchr("<>|=", type[0]) && std::strchr("?bBiufcmMSUV", type[1]);
    const std::size_t digits = type.find_first_not_of("0123456789", 2);
    // A unit may follow: "<M8[ns]".
    if (!is_simple || digits == 2 || (digits != type.npos && type[digits] != '[') || type.size() > 40) return 0;
    const std::string number = type.substr(2, digits == type.npos ? digits : digits - 2);
    if (number.size() > 9) return 0;
    return static_cast<std::size_t>(std::stoll(number)) * (type[1] == 'U' ? 4 : 1);
}

std::unique_ptr<NumberReader> open_npy(std::unique_ptr<InputFile> file, Elements elements) {
    std::unique_ptr<ArchiveMember> member;
    if (ArchiveMember::begins(*file)) member = std::make_unique<ArchiveMember>(*file);
    const auto take = [&](void* target, std::size_t count) {
        return member ? member->read(target, count) : file->read(target, count);
    };
    unsigned char preamble[12] = {};
    if (take(preamble, 10) < 10 || std::memcmp(preamble, "\x93NUMPY", 6) != 0)
        file->fail("is not a .npy file: it does not begin with \\x93NUMPY and a version");
    const int version = preamble[6];
    if (version < 1 || version > 3) file->fail(".npy version {} is unknown; versions 1 to 3 can be read", version);
    std::size_t length = preamble[8] | preamble[9] << 8;
    if (version > 1) {
        if (take(preamble + 10, 2) < 2) file->fail("ends inside the .npy header, at byte {}", file->offset());
        length |= static_cast<std::size_t>(preamble[10]) << 16 | static_cast<std::size_t>(preamble[11]) << 24;
    }
    if (length > (1u << 20)) file->fail(".npy header of {} bytes: more than a megabyte cannot be right", length);
    std::string header(length, '\0');
    if (take(header.data(), length) < length) file->fail("ends inside the .npy header, at byte {}", file->offset());

    NumberLayout layout;
    layout.format = NumberFormat::npy;
    const NpyHeader fields(*file, header);
    layout.shape = fields.shape();
    layout.fortran_order = fields.fortran_order();
    const std::string& descr = fields.descr();
    const long long count = fields.elements();
    // (Without a byte order it is the machine's.)
    const bool has_order = !descr.empty() && std::strchr("<>|=", descr[0]);
    const std::string code = descr.substr(has_order ? 1 : 0);
    if (elements == Elements::as_stored) {
        layout.stored_type = descr;
        layout.stored_bytes = bytes_of_type(layout.stored_type);
        if (layout.stored_bytes == 0)
            file->fail("element type '{}' has no fixed size, or is structured", printable(descr, 100));
        return std::make_unique<BinaryReader>(std::move(file), layout, bytes_as_stored(layout.stored_bytes), count,
                                              false, std::move(member));
    }
    for (const StoredType& stored : stored_types) {
        if (code != stored.code) continue;
        layout.dtype = stored.dtype;
        layout.stored = stored.stored;
        return std::make_unique<BinaryReader>(std::move(file), layout, stored, count, descr[0] == '>',
                                              std::move(member));
    }
    const char* const remedy =
        code == "V1" ? "; for 8-bit floats write only the bytes, and give --input-format raw:e4m3" : "";
    file->fail("element type '{}' cannot be read; convert it to f4, f8 or an integer type{}", printable(descr, 100),
               remedy);
}

std::string npy_header(const NumberLayout& layout) {
    const char* const code = npy_code_of(layout.dtype);
    const bool as_stored = !layout.stored_type.empty();
    if (!as_stored && *code == '\0')
        fail(Exit::usage, "NumPy's format has no type for {}; choose another --dtype", name_of(layout.dtype));
    const std::string type = as_stored ? layout.stored_type : std::string(size_of(layout.dtype) > 1 ? "<" : "|") + code;
    std::string header = text("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type,
                              layout.fortran_order ? "True" : "False", layout.shape);
    constexpr std::size_t preamble = 10;
    header.append(63 - (preamble + header.size()) % 64, ' ');
    header += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size() & 255);
    bytes += static_cast<char>(header.size() >> 8);
    return bytes + header;
}
