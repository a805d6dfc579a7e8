// SPDX-License-Identifier: MIT
// Bytes from a file or standard input, with messages that name it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/io/quantities.hpp"
#include "common/io/text.hpp"

class InputFile {
public:
    explicit InputFile(const std::string& path);  // "-" is standard input
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::string& name() const { return name_; }
    // The next bytes, without taking them: fewer than `count` only at the end.
    std::string_view peek(std::size_t count);
    // Takes up to `count` bytes into `target`; fewer only at the end.
    std::size_t read(void* target, std::size_t count);
    // Takes `count` bytes that have been peeked at.
    void skip(std::size_t count) {
        ahead_begin_ += count;
        offset_ += count;
    }
    // The size of a regular file, counted from where reading began; -1 for a pipe and anything else without a size.
    long long size() const { return size_; }
    // From here on `count` counts the bytes that are read; the size, if known, is added to its total.
    void count_into(StepCount& count);
    std::size_t offset() const { return offset_; }  // bytes taken so far

    // For a file with a known size: takes the next bytes, which read_at() then reads, on any thread and in any order.
    void claim(std::size_t count);
    // Reads `count` bytes from `offset` on, as offset() counts them; fails if they are gone. Bytes that are read again
    // are not counted.
    void read_at(void* target, std::size_t count, std::size_t offset, bool is_counted = true) const;
    // After everything has been read: fails if the size of the file has changed since the beginning.
    void expect_same_size() const;

    template <typename... Arguments>
    [[noreturn]] void fail(std::string_view format, const Arguments&... arguments) const {
        throw Failure(Exit::bad_input, name_ + ": " + printable(text(format, arguments...), 400));
    }

private:
    std::size_t read_some(void* target, std::size_t count);
    long long size_now() const;

    std::string name_;
    int descriptor_;
    long long size_ = -1;
    long long begin_ = 0;  // where in the file reading began
    StepCount* count_ = nullptr;
    std::size_t offset_ = 0;
    std::vector<char> ahead_;  // peeked at, not yet taken
    std::size_t ahead_begin_ = 0;
};
