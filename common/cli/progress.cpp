#include "common/cli/progress.hpp"

#include <unistd.h>

#include <cstdio>

Progress::Progress(const Options& options) : begin_(std::chrono::steady_clock::now()) {
    enabled_ = options.progress == When::always ||
               (options.progress == When::automatic && !options.quiet && isatty(STDERR_FILENO));
}

void Progress::show(const std::string& line) {
    if (!enabled_ || std::chrono::steady_clock::now() - begin_ < std::chrono::seconds(1)) return;
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
    shown_ = true;
}

void Progress::clear() {
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
}
