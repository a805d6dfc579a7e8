// SPDX-License-Identifier: MIT
#include "common/io/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "common/io/terminal.hpp"
#include "common/io/text.hpp"

void hold_standard_descriptors() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(descriptor, F_GETFD) >= 0) continue;
        // This takes the lowest free number, which is the closed one. (Its uses fail as before.)
        if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) return;
    }
}

Output::Output(const std::string& path) : path_(path == "-" ? "" : path), file_(stdout) {
    if (path_.empty()) {
        const int flags = fcntl(STDOUT_FILENO, F_GETFL);
        if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) errno = EBADF;
        if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) fail_write();
        return;
    }
    target_.emplace(path_);
    open_target();
}

void Output::open_target() {
    const int descriptor = fcntl(target_->descriptor(), F_DUPFD_CLOEXEC, 0);
    file_ = descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
    if (!file_) fail_write();
}

Output::~Output() {
    if (file_ && file_ != stdout) std::fclose(file_);
}

void Output::fail_write() const {
    fail(Exit::output_error, "cannot write to {}: {}; the output is incomplete",
         path_.empty() ? "standard output" : "'" + path_ + "'", std::strerror(errno));
}

void Output::write(std::string_view bytes) {
    if (!bytes.empty() && std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail_write();
}

void Output::flush() {
    if (std::fflush(file_) != 0) fail_write();
}

std::string Output::make_parts(std::size_t bytes) {
    const std::string remedy = "start one process, which may drive all devices";
    if (target_ && target_->is_copied_at_end())
        fail(Exit::usage,
             "several processes cannot write to '{}', which a new file cannot replace: it has other names, another "
             "owner or attributes; name another file, or {}",
             path_, remedy);
    const std::string path = target_ ? target_->unfinished_path() : "";
    if (path.empty())
        fail(Exit::usage,
             "several processes write parts of a file: name one with --output that is not a device or pipe, or {}",
             remedy);
    const auto size = static_cast<off_t>(bytes);
    // (Not every file system can reserve space.)
    if (size > 0 && fallocate(target_->descriptor(), 0, 0, size) != 0 && errno != EOPNOTSUPP && errno != ENOSYS)
        fail_write();
    if (ftruncate(target_->descriptor(), size) != 0) fail_write();
    return path;
}

void Output::join_parts(const std::string& path, const std::string& unfinished, std::size_t bytes) {
    path_ = path;
    if (file_ && file_ != stdout) std::fclose(file_);
    file_ = nullptr;
    target_.emplace(path, OutputFile::Unfinished{unfinished, static_cast<long long>(bytes)});
    open_target();
}

void Output::write_part(std::size_t place, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = pwrite(target_->descriptor(), bytes.data(), bytes.size(), static_cast<off_t>(place));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) fail_write();
        bytes.remove_prefix(static_cast<std::size_t>(written));
        place += static_cast<std::size_t>(written);
    }
}

void Output::end_parts() {
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail_write();
    open_target();
}

void Output::commit() {
    flush();
    if (!target_) return;
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail_write();
    target_->commit();
}

bool Output::is_terminal() const { return file_ && isatty(fileno(file_)); }

void Output::write_wrapped(const std::string& words) { write(wrapped(words, width()) + '\n'); }

std::size_t Output::width() const {
    return is_terminal() || std::getenv("COLUMNS") ? line_width(STDOUT_FILENO) : no_limit;
}
