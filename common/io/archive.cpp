// SPDX-License-Identifier: MIT
#include "common/io/readers.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace {

constexpr std::string_view member_signature = "PK\x03\x04", directory_signature = "PK\x01\x02",
                           descriptor_signature = "PK\x07\x08", end_signature = "PK\x05\x06";

constexpr unsigned stored = 0, deflated = 8;

// Deflate's largest ratio: a header that claims more is wrong.
constexpr long long largest_ratio = 1032;

std::uint64_t little_endian(const char* bytes, unsigned count) {
    std::uint64_t value = 0;
    for (unsigned i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

}  // namespace

class ArchiveMember::Inflater {
public:
    explicit Inflater(InputFile& file) : file_(file) {
        // (Negative: a bare deflate stream, without zlib's own header.)
        if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    std::size_t read(void* target, std::size_t count) {
        char* const out = static_cast<char*>(target);
        std::size_t done = 0;
        while (done < count && !is_at_end_) done += step(out + done, std::min<std::size_t>(count - done, block));
        return done;
    }

    bool is_at_end() {
        char excess = 0;
        return is_at_end_ || read(&excess, 1) == 0;
    }

private:
    static constexpr std::size_t block = std::size_t{1} << 16;

    std::size_t step(char* target, std::size_t count) {
        const std::string_view packed = file_.peek(block);
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
        stream_.avail_in = static_cast<uInt>(packed.size());
        stream_.next_out = reinterpret_cast<Bytef*>(target);
        stream_.avail_out = static_cast<uInt>(count);
        const int result = inflate(&stream_, Z_NO_FLUSH);
        file_.skip(packed.size() - stream_.avail_in);
        is_at_end_ = result == Z_STREAM_END;
        if (result == Z_MEM_ERROR) throw std::bad_alloc();
        if (result == Z_BUF_ERROR && packed.empty())
            file_.fail("ends inside its compressed data, at byte {}; copy or save it again", file_.offset());
        if (result != Z_OK && result != Z_STREAM_END)
            file_.fail("its compressed data are damaged near byte {}; copy or save it again", file_.offset());
        return count - stream_.avail_out;
    }

    InputFile& file_;
    z_stream stream_ = {};
    bool is_at_end_ = false;
};

bool ArchiveMember::begins(InputFile& file) { return file.peek(member_signature.size()) == member_signature; }

ArchiveMember::ArchiveMember(InputFile& file) : file_(file) {
    char header[30] = {};
    if (file.read(header, sizeof header) < sizeof header) file.fail("ends inside the archive's header");
    const auto flags = little_endian(header + 6, 2), method = little_endian(header + 8, 2);
    if (method != stored && method != deflated)
        file.fail("is compressed by method {}; save it with numpy.savez or numpy.savez_compressed", method);
    if ((flags & 1) != 0) file.fail("is encrypted; save it with numpy.savez or numpy.savez_compressed");
    has_descriptor_ = (flags & 8) != 0;
    expected_sum_ = static_cast<std::uint32_t>(little_endian(header + 14, 4));
    packed_size_ = static_cast<long long>(little_endian(header + 18, 4));
    size_ = static_cast<long long>(little_endian(header + 22, 4));
    std::string name(little_endian(header + 26, 2), '\0');
    if (file.read(name.data(), name.size()) < name.size()) file.fail("ends inside the archive's header");
    read_sizes(little_endian(header + 28, 2));
    if (method == deflated) inflater_ = std::make_unique<Inflater>(file);
    const bool is_right = method == stored ? size_ == packed_size_ : size_ / largest_ratio <= packed_size_;
    if (size_ >= 0 && !is_right)
        file.fail("the archive's header says that {} bytes are stored as {}; copy or save it again", size_,
                  packed_size_);
}

ArchiveMember::~ArchiveMember() = default;

// The extra fields after the name. One of them has 64-bit sizes, which NumPy always writes.
void ArchiveMember::read_sizes(std::size_t length) {
    constexpr long long elsewhere = 0xffffffff;
    constexpr unsigned of_64_bits = 1;
    std::string fields(length, '\0');
    if (file_.read(fields.data(), length) < length) file_.fail("ends inside the archive's header");
    for (std::size_t at = 0, size = 0; at + 4 <= length; at += 4 + size) {
        size = little_endian(&fields[at + 2], 2);
        if (little_endian(&fields[at], 2) != of_64_bits) continue;
        std::size_t next = at + 4;
        for (long long* const one : {&size_, &packed_size_}) {
            if (*one != elsewhere || next + 8 > std::min(length, at + 4 + size)) continue;
            *one = static_cast<long long>(little_endian(&fields[next], 8) & ~(std::uint64_t{1} << 63));
            next += 8;
        }
    }
    if (has_descriptor_) size_ = packed_size_ = -1;
}

std::size_t ArchiveMember::read(void* target, std::size_t count) {
    const std::size_t got = inflater_ ? inflater_->read(target, count) : file_.read(target, count);
    for (std::size_t at = 0; at < got;) {
        const std::size_t part = std::min(got - at, std::size_t{1} << 30);
        sum_ = static_cast<std::uint32_t>(crc32(sum_, static_cast<const Bytef*>(target) + at, static_cast<uInt>(part)));
        at += part;
    }
    return got;
}

// A member is followed by its descriptor, if the archive was written to a pipe, and then by the archive's directory.
void ArchiveMember::expect_end() {
    if (std::exchange(is_ended_, true)) return;
    if (inflater_ && !inflater_->is_at_end())
        file_.fail("has more data than the header of its array promises; copy or save it again");
    std::string rest(std::size_t{1} << 16, '\0');
    rest.resize(file_.read(rest.data(), rest.size()));
    const auto begins = [&rest](std::size_t at, std::string_view signature) {
        return rest.size() > at && rest.compare(at, signature.size(), signature) == 0;
    };
    // A checksum and two sizes of 4 or 8 bytes, perhaps behind a signature, which a checksum may look like.
    std::size_t next = 0;
    for (const std::size_t length : {16, 24, 12, 20}) {
        const bool is_signed = length % 8 == 0,
                   follows = begins(length, directory_signature) || begins(length, member_signature);
        if (!has_descriptor_ || next > 0 || !follows || (is_signed && !begins(0, descriptor_signature))) continue;
        expected_sum_ = static_cast<std::uint32_t>(little_endian(&rest[is_signed ? 4 : 0], 4));
        next = length;
    }
    if (begins(next, member_signature)) file_.fail("has more than one array; numpy.save one of them");
    if ((has_descriptor_ && next == 0) || !begins(next, directory_signature) ||
        rest.find(end_signature, next) == rest.npos)
        file_.fail("has no directory after its array; is the file damaged?");
    if (sum_ != expected_sum_) file_.fail("its data do not match their checksum; copy or save it again");
}
