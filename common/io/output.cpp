#include "common/io/output.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "common/io/text.hpp"

// The file to remove when a signal ends the program. A signal handler can only reach a global.
static char interrupted_path[PATH_MAX];

static void remove_and_end(int signal) {
    unlink(interrupted_path);
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

static void remove_on_signals(const std::string& path) {
    path.copy(interrupted_path, sizeof interrupted_path - 1);
    for (int signal : {SIGINT, SIGTERM, SIGHUP})
        if (std::signal(signal, remove_and_end) == SIG_IGN) std::signal(signal, SIG_IGN);  // as under nohup
}

Output::Output(const std::string& path) : path_(path), file_(stdout) {
    if (path.empty()) {
        // The next file to be opened would take its number, and the output with it.
        if (fcntl(STDOUT_FILENO, F_GETFD) < 0) fail_write();
        return;
    }
    struct stat existing {};
    if (stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
        // A device or a pipe cannot be replaced as a whole: write to it directly.
        if (S_ISDIR(existing.st_mode))
            fail(Exit::output_error, "cannot write '{}': it is a directory; name a file", path);
        file_ = std::fopen(path.c_str(), "wb");
    } else {
        std::string pattern = path + ".XXXXXX";
        const int descriptor = mkstemp(pattern.data());
        if (descriptor >= 0) {
            const mode_t mask = umask(0);
            umask(mask);
            fchmod(descriptor, 0666 & ~mask);
            unfinished_path_ = pattern;
            remove_on_signals(unfinished_path_);
            file_ = fdopen(descriptor, "wb");
        } else {
            file_ = nullptr;
        }
    }
    if (!file_)
        fail(Exit::output_error, "cannot write '{}': {}; choose a folder that exists and is writable", path,
             std::strerror(errno));
}

Output::~Output() {
    if (file_ && file_ != stdout) std::fclose(file_);
    if (!unfinished_path_.empty()) unlink(unfinished_path_.c_str());
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
    if (file_ == stdout) return;
    std::FILE* finished = std::exchange(file_, nullptr);
    if (std::fclose(finished) != 0) fail_write();
    if (unfinished_path_.empty()) return;
    if (std::rename(unfinished_path_.c_str(), path_.c_str()) != 0) fail_write();
    unfinished_path_.clear();
}

bool Output::is_terminal() const { return file_ && isatty(fileno(file_)); }
