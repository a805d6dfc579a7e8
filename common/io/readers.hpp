// SPDX-License-Identifier: MIT
// The three readers behind NumberReader::open, the .npy header, and the archive that a .npy file may be in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/io/input_file.hpp"
#include "common/io/number_reader.hpp"

std::unique_ptr<NumberReader> open_text(std::unique_ptr<InputFile> file);
std::unique_ptr<NumberReader> open_raw(std::unique_ptr<InputFile> file, DType dtype,
                                       Elements elements);  // one of raw_dtypes()
std::unique_ptr<NumberReader> open_npy(std::unique_ptr<InputFile> file, Elements elements);

// The element types that raw data can have.
std::vector<DType> raw_dtypes();

// Magic, version 1.0, header length and dictionary, padded to 64 bytes (NumPy's format description, NEP 1).
std::string npy_header(const NumberLayout& layout);

// The only member of a ZIP archive, in which NumPy keeps arrays (.npz), compressed with deflate or not. Only
// archive.cpp includes zlib's header.
class ArchiveMember {
public:
    // Whether such an archive begins here.
    static bool begins(InputFile& file);

    // Reads the member's header. `file` must outlive this object.
    explicit ArchiveMember(InputFile& file);
    ~ArchiveMember();

    // Takes up to `count` bytes of the member's contents; fewer only at its end, if that is known.
    std::size_t read(void* target, std::size_t count);
    // Call this after the last read: the member must end here, have the right checksum, and be the archive's only one.
    void expect_end();
    // Whether the member can hold so many bytes. Its size is known unless the archive was written to a pipe.
    bool can_hold(std::uint64_t bytes) const { return size_ < 0 || bytes <= static_cast<std::uint64_t>(size_); }

private:
    class Inflater;

    void read_sizes(std::size_t length);

    InputFile& file_;
    long long size_ = -1, packed_size_ = -1;  // -1: not known in advance
    bool has_descriptor_ = false;             // size and sum come after the contents
    bool is_ended_ = false;
    std::uint32_t sum_ = 0, expected_sum_ = 0;
    std::unique_ptr<Inflater> inflater_;  // null: the contents are stored as they are
};
