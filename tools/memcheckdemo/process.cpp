#include "tools/memcheckdemo/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "common/io/text.hpp"

extern char** environ;

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// Written by a signal handler, so it must be a global.
volatile std::sig_atomic_t caught_signal = 0;

void remember(int signal) { caught_signal = signal; }

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<char*> pointers(std::vector<std::string>& words) {
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

// This process's environment with additions, which come first: getenv() takes the first.
std::vector<std::string> with(const Environment& additions) {
    std::vector<std::string> all;
    for (const auto& [name, value] : additions) all.push_back(name + "=" + value);
    for (char** variable = environ; *variable != nullptr; ++variable) {
        bool replaced = false;
        for (const auto& [name, value] : additions)
            replaced = replaced || std::strncmp(*variable, (name + "=").c_str(), name.size() + 1) == 0;
        if (!replaced) all.emplace_back(*variable);
    }
    return all;
}

// In a group of its own, so that what it starts in turn can be ended with it.
pid_t start(std::vector<std::string> command, std::vector<std::string> environment, const std::string& log) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND,
                                     0600);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    pid_t child = 0;
    const int error = posix_spawnp(&child, command[0].c_str(), &actions, &attributes, pointers(command).data(),
                                   pointers(environment).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) fail(Exit::bad_input, "cannot run {}: {}", command[0], std::strerror(error));
    return child;
}

// Its status as waitpid() says it. At the end, or at a signal, it and all that it has started are asked to end, which
// lets compilers clear up, and then ended.
int wait_for(pid_t child, Clock::time_point end, bool& too_long) {
    constexpr std::chrono::seconds grace{2};
    int status = 0;
    bool asked = false;
    too_long = false;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (!asked && (caught_signal != 0 || Clock::now() > end)) {
            too_long = caught_signal == 0;
            asked = true;
            end = Clock::now() + grace;
            kill(-child, SIGTERM);
        } else if (asked && Clock::now() > end) {
            kill(-child, SIGKILL);
        }
        usleep(2000);
    }
    return status;
}

}  // namespace

std::string path_of_program(const std::string& name) {
    std::error_code error;
    const fs::path own = fs::canonical("/proc/self/exe", error);
    // Installed programs may have a prefix in common.
    const std::string own_name = own.filename().string(), plain = "memcheckdemo";
    const std::size_t at = own_name.rfind(plain);
    const fs::path beside = own.parent_path() / ((at == std::string::npos ? "" : own_name.substr(0, at)) + name);
    if (access(beside.c_str(), X_OK) == 0) return beside;
    const char* path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        const fs::path candidate = fs::path(folder) / name;
        if (!folder.empty() && access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate, error))
            return candidate;
    }
    return "";
}

Ended run_program(const std::vector<std::string>& command, const Environment& additions, int seconds,
                  const TemporaryFolder& folder) {
    const std::string log = folder.file("output");
    bool too_long = false;
    const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
    const int status = wait_for(start(command, with(additions), log), end, too_long);
    if (caught_signal != 0) fail(Exit::bad_input, "interrupted while {} ran", command[0]);
    const int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return {too_long ? 124 : code, contents(log)};
}

TemporaryFolder::TemporaryFolder() {
    const char* parent = std::getenv("TMPDIR");
    path_ = std::string(parent != nullptr && *parent != '\0' ? parent : "/tmp") + "/memcheckdemo.XXXXXX";
    struct sigaction action = {};
    action.sa_handler = remember;
    for (std::size_t i = 0; i < std::size(signals_); ++i) sigaction(signals_[i], &action, &previous_[i]);
    if (mkdtemp(path_.data()) == nullptr)
        fail(Exit::cuda_error, "cannot make a temporary folder {}: {}; set TMPDIR to a writable folder", path_,
             std::strerror(errno));
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    for (std::size_t i = 0; i < std::size(signals_); ++i) sigaction(signals_[i], &previous_[i], nullptr);
    if (caught_signal != 0) std::raise(caught_signal);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
    std::ofstream out(file(name), std::ios::binary);
    if (!(out << text).flush())
        fail(Exit::cuda_error, "cannot write {}: {}; set TMPDIR to a folder with room", file(name),
             std::strerror(errno));
    return file(name);
}
