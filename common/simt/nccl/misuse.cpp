// SPDX-License-Identifier: MIT
#include "common/simt/nccl/misuse.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#if __has_include(<backtrace.h>)
#include <backtrace.h>
#define SIMT_NCCL_NAMES_LINES 1
#endif

namespace simt::nccl {
namespace {

#ifdef SIMT_NCCL_NAMES_LINES

int keep_first_line(void* data, uintptr_t, const char* file, int line, const char*) {
    auto& text = *static_cast<std::string*>(data);
    if (!file || line <= 0) return 0;
    const std::string path = file;
    text = path.substr(path.rfind('/') + 1) + ":" + std::to_string(line);
    return 1;
}

std::string look_up_line(const void* pc) {
    const auto ignore = [](void*, const char*, int) {};
    static backtrace_state* const state = backtrace_create_state(nullptr, 1, ignore, nullptr);
    std::string text;
    // (The byte before: that is the call itself, not the code after it.)
    if (state) backtrace_pcinfo(state, reinterpret_cast<uintptr_t>(pc) - 1, keep_first_line, ignore, &text);
    return text;
}

#else

std::string look_up_line(const void*) { return ""; }

#endif

// The exit status of a CUDA error in all programs of gridutils.
constexpr int exit_status = 3;

constexpr size_t bytes_of_last_error = 1024;

void print(const std::string& text) {
    const std::string line = std::string(program_invocation_short_name) + ": nccl: " + text + "\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

// (The address never changes, as a program may keep the pointer. Thread-local variables are part of every block's
// shared memory, so the text itself is elsewhere.)
char* text_of_last_error() {
    static thread_local const std::unique_ptr<char[]> text(new char[bytes_of_last_error]{});
    return text.get();
}

}  // namespace

CallPlace called_from(const void* pc) { return {pc, events().library_called()}; }

std::string text_of(const CallPlace& place) {
    static std::mutex mutex;
    static auto& known = *new std::unordered_map<const void*, std::string>;
    const std::lock_guard lock(mutex);
    const auto [position, is_new] = known.try_emplace(place.pc);
    if (is_new) position->second = look_up_line(place.pc);
    return position->second;
}

void report_misuse(const std::string& text, const CallPlace& place) {
    remember_error(text);
    if (events().library_misused("NCCL: " + text, place.note)) return;
    print(text);
}

int fail_operation(const std::string& text, const CallPlace& place) {
    // If streams fail together, only one reports it.
    static std::mutex& mutex = *new std::mutex;
    static auto& told = *new std::unordered_set<std::string>;
    std::unique_lock lock(mutex);
    if (told.count(text) > 0) return cudaErrorLaunchFailure;
    if (events().library_misused("NCCL: " + text, place.note)) {
        told.insert(text);
        return cudaErrorLaunchFailure;
    }
    lock.release();
    // The program's output so far is not lost, unless another thread is printing.
    if (ftrylockfile(stdout) == 0) fflush_unlocked(stdout);
    print(text);
    _exit(exit_status);
}

void remember_error(const std::string& text) {
    std::snprintf(text_of_last_error(), bytes_of_last_error, "%s", text.c_str());
}

const char* last_error() { return text_of_last_error(); }

}  // namespace simt::nccl
