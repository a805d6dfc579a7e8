#include "common/io/output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "common/io/text.hpp"

void hold_standard_descriptors() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(descriptor, F_GETFD) >= 0) continue;
        // It takes the lowest free number, which is this one. (Uses of it fail as before.)
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
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail_write();
}

void Output::flush() {
    if (std::fflush(file_) != 0) fail_write();
}

void Output::commit() {
    flush();
    if (!target_) return;
    if (std::fclose(std::exchange(file_, nullptr)) != 0) fail_write();
    target_->commit();
}

bool Output::is_terminal() const { return file_ && isatty(fileno(file_)); }
