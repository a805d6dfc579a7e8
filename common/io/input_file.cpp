#include "common/io/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

InputFile::InputFile(const std::string& path)
    : name_(path == "-" ? "standard input" : path),
      descriptor_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat status {};
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) fail("cannot read: {}", std::strerror(errno));
    if (S_ISDIR(status.st_mode)) fail("is a directory; name a file, or - for standard input");
    if (S_ISREG(status.st_mode)) size_ = std::max<long long>(0, status.st_size - lseek(descriptor_, 0, SEEK_CUR));
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
