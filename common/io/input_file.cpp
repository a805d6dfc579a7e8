// SPDX-License-Identifier: MIT
#include "common/io/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

InputFile::InputFile(const std::string& path)
    : name_(input_name(path)), descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) fail("cannot read: {}", std::strerror(errno));
    if (S_ISDIR(status.st_mode)) fail("is a directory; name a file, or - for standard input");
    // (Files in /proc have contents, but no size, and those in /sys a size that is too large.)
    char last = 0;
    if (S_ISREG(status.st_mode) && status.st_size > 0 && pread(descriptor_, &last, 1, status.st_size - 1) == 1) {
        begin_ = lseek(descriptor_, 0, SEEK_CUR);
        size_ = std::max<long long>(0, status.st_size - begin_);
        posix_fadvise(descriptor_, begin_, 0, POSIX_FADV_SEQUENTIAL);
    }
    // A longer pipe means fewer switches between its writer and us; if the system does not allow it, it stays as it is.
    if (S_ISFIFO(status.st_mode)) fcntl(descriptor_, F_SETPIPE_SZ, 1 << 20);
}

InputFile::~InputFile() {
    if (descriptor_ > STDIN_FILENO) close(descriptor_);
}

void InputFile::count_into(StepCount& count) {
    count_ = &count;
    if (size_ > 0) count.total += static_cast<std::size_t>(size_);
}

std::size_t InputFile::read_some(void* target, std::size_t count) {
    for (;;) {
        const ssize_t got = ::read(descriptor_, target, std::min<std::size_t>(count, std::size_t{1} << 30));
        if (got >= 0 && count_) count_->done += static_cast<std::size_t>(got);
        if (got >= 0) return static_cast<std::size_t>(got);
        if (errno != EINTR) fail("cannot read: {}", std::strerror(errno));
    }
}

// (The descriptor's position is already after the bytes that were peeked at.)
void InputFile::claim(std::size_t count) {
    const std::size_t ahead = std::min(count, ahead_.size() - ahead_begin_);
    ahead_begin_ += ahead;
    offset_ += count;
    lseek(descriptor_, static_cast<off_t>(count - ahead), SEEK_CUR);
}

void InputFile::read_at(void* target, std::size_t count, std::size_t offset, bool is_counted) const {
    char* bytes = static_cast<char*>(target);
    for (std::size_t done = 0; done < count;) {
        const auto place = static_cast<off_t>(begin_ + static_cast<long long>(offset + done));
        const ssize_t got = pread(descriptor_, bytes + done, count - done, place);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail("cannot read: {}", std::strerror(errno));
        if (got == 0) {
            expect_same_size();
            fail("ends at byte {} although it has {} bytes; read it again", offset + done, size_);
        }
        if (count_ && is_counted) count_->done += static_cast<std::size_t>(got);
        done += static_cast<std::size_t>(got);
    }
}

long long InputFile::size_now() const {
    struct stat status {};
    return fstat(descriptor_, &status) == 0 ? std::max<long long>(0, status.st_size - begin_) : size_;
}

void InputFile::expect_same_size() const {
    const long long now = size_ < 0 ? size_ : size_now();
    if (now != size_)
        fail("was changed while it was read: it had {} bytes and has {}; read it again when it is complete", size_,
             now);
}

std::string_view InputFile::peek(std::size_t count) {
    if (ahead_.size() - ahead_begin_ < count) {
        ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(std::exchange(ahead_begin_, 0)));
    }
    while (ahead_.size() - ahead_begin_ < count) {
        const std::size_t before = ahead_.size();
        ahead_.resize(before + count);
        const std::size_t got = read_some(ahead_.data() + before, count);
        ahead_.resize(before + got);
        if (got == 0) break;
    }
    return {ahead_.data() + ahead_begin_, std::min(count, ahead_.size() - ahead_begin_)};
}

std::size_t InputFile::read(void* target, std::size_t count) {
    char* bytes = static_cast<char*>(target);
    std::size_t done = std::min(count, ahead_.size() - ahead_begin_);
    std::copy_n(ahead_.data() + ahead_begin_, done, bytes);
    ahead_begin_ += done;
    while (done < count) {
        const std::size_t got = read_some(bytes + done, count - done);
        if (got == 0) break;
        done += got;
    }
    offset_ += done;
    return done;
}
