// SPDX-License-Identifier: MIT
// make: simcc (which links this file without the rest of the room, and so without its libraries)
#include "common/io/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/io/failure.hpp"

extern char** environ;

namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
}

bool is_program(const std::filesystem::path& path) {
    std::error_code error;
    return access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path, error);
}

// The program NAME in this one's folder, "" if it is not there. gridutils-NAME comes first, since a plain name may be
// that of a stranger; then NAME with a prefix that this program has, too.
std::string path_beside(const std::string& name) {
    std::error_code error;
    const std::filesystem::path own = std::filesystem::canonical("/proc/self/exe", error);
    if (error) return "";
    const std::string own_name = own.filename();
    std::vector<std::string> prefixes = {"gridutils-"};
    for (std::size_t length = own_name.size() + 1; length-- > 0;) prefixes.push_back(own_name.substr(0, length));
    for (const std::string& prefix : prefixes)
        if (const auto path = own.parent_path() / (prefix + name); is_program(path)) return path;
    return "";
}

// This process's environment with additions, which replace variables with the same names.
std::vector<std::string> environment_with(const Environment& additions) {
    std::vector<std::string> all;
    for (const auto& [name, value] : additions) all.push_back(name + "=" + value);
    const auto is_replaced = [&additions](const char* variable) {
        return std::any_of(additions.begin(), additions.end(), [variable](const auto& one) {
            return std::strncmp(variable, (one.first + "=").c_str(), one.first.size() + 1) == 0;
        });
    };
    for (char** variable = environ; *variable != nullptr; ++variable) {
        if (!is_replaced(*variable)) all.emplace_back(*variable);
    }
    return all;
}

// The files and folders to remove when a signal ends the program: a signal handler can only reach a global. An entry in
// the list is reused, and never freed.
struct Unfinished {
    std::atomic<const char*> path;
    Unfinished* next;
    std::atomic<bool> is_own;
};
std::atomic<Unfinished*> unfinished_files;
struct sigaction previous_actions[NSIG];

// As the kernel lists a folder.
struct Entry {
    ino64_t number;
    off64_t next;
    unsigned short length;
    unsigned char type;
    char name[];
};

// Removes what is in an open folder, with nothing but system calls: a signal handler may do no more.
void remove_entries(int folder) {
    alignas(Entry) char buffer[2048];
    bool removed = true;
    while (std::exchange(removed, false)) {  // entries may be passed over while others are removed
        lseek(folder, 0, SEEK_SET);
        for (long bytes = 0; (bytes = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
            for (long at = 0; at < bytes;) {
                const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
                at += entry->length;
                const char* name = entry->name;
                if (name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'))) continue;
                const int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                if (inner >= 0) {
                    remove_entries(inner);
                    close(inner);
                }
                removed |= unlinkat(folder, name, inner >= 0 ? AT_REMOVEDIR : 0) == 0;
            }
    }
}

void remove_unfinished(bool own_alone) {
    for (Unfinished* one = unfinished_files; one; one = one->next) {
        if (own_alone && !one->is_own) continue;
        const char* path = one->path.exchange(nullptr);
        if (!path || unlink(path) == 0) continue;
        const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0) continue;
        remove_entries(folder);
        close(folder);
        rmdir(path);
    }
}

void remove_and_end(int signal, siginfo_t* information, void* context) {
    const int error = errno;
    // (Not the file of another process, which has to learn of the signal before it misses its file.)
    remove_unfinished(true);
    errno = error;
    // The previous handler comes next: the checkers' report, or the end by this signal.
    const struct sigaction& previous = previous_actions[signal];
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(signal, information, context);
    } else if (previous.sa_handler != SIG_DFL) {
        previous.sa_handler(signal);
    } else {
        sigaction(signal, &previous, nullptr);
        raise(signal);
    }
}

// Called once: handlers that are installed later, such as the simulator's, pass signals on to ours.
bool catch_ends() {
    struct sigaction action = {};
    action.sa_sigaction = remove_and_end;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction previous = {};
        if (!ends_programs(signal) || sigaction(signal, nullptr, &previous) != 0) continue;
        // Signals that the caller ignores stay ignored, as under nohup. (The simulator uses a real-time one for its
        // threads.)
        if (previous.sa_handler == SIG_IGN || (signal >= SIGRTMIN && previous.sa_handler != SIG_DFL)) continue;
        previous_actions[signal] = previous;
        sigaction(signal, &action, nullptr);
    }
    return std::at_quick_exit([] { remove_unfinished(false); }) == 0;
}

}  // namespace

bool ends_programs(int signal) {
    for (int other : {SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH})
        if (signal == other) return false;
    return signal < SIGSYS + 1 || signal >= SIGRTMIN;
}

pid_t start_program(const std::vector<std::string>& command, const ProgramStart& how) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (how.output >= 0) posix_spawn_file_actions_adddup2(&actions, how.output, STDOUT_FILENO);
    if (how.errors >= 0) posix_spawn_file_actions_adddup2(&actions, how.errors, STDERR_FILENO);
    if (!how.log.empty() || !how.has_input)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!how.log.empty()) {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, how.log.c_str(),
                                         O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
        posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    }
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    if (how.is_group) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::vector<std::string> words = command, environment = environment_with(how.additions);
    pid_t child = 0;
    const int error = posix_spawnp(&child, words.front().c_str(), &actions, &attributes, pointers_to(words).data(),
                                   pointers_to(environment).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    errno = error;
    return error == 0 ? child : 0;
}

void become_program(const std::string& path, std::vector<std::string> command) {
    execv(path.c_str(), pointers_to(command).data());
}

int shell_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

std::string path_of_program(const std::string& name) {
    if (const std::string path = path_beside(name); !path.empty()) return path;
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');)
        for (const char* prefix : {"gridutils-", ""}) {
            const std::filesystem::path candidate = std::filesystem::path(folder) / (prefix + name);
            if (!folder.empty() && is_program(candidate)) return candidate;
        }
    return "";
}

std::string called(const std::string& name) {
    const std::string_view started_as = program_invocation_short_name;
    if (started_as.size() >= name.size() && started_as.substr(started_as.size() - name.size()) == name)
        return std::string(started_as);
    const std::string path = path_beside(name);
    return path.empty() ? name : path.substr(path.rfind('/') + 1);
}

void remember(const std::string& path, bool is_own) {
    static const bool is_caught = catch_ends();
    static_cast<void>(is_caught);
    for (Unfinished* one = unfinished_files; one; one = one->next) {
        const char* none = nullptr;
        if (one->path.compare_exchange_strong(none, path.c_str())) return void(one->is_own = is_own);
    }
    auto* const one = new Unfinished{path.c_str(), unfinished_files, is_own};
    while (!unfinished_files.compare_exchange_weak(one->next, one)) continue;
}

void forget(std::string& path) {
    for (Unfinished* one = unfinished_files; one; one = one->next) {
        const char* name = path.c_str();
        one->path.compare_exchange_strong(name, nullptr);
    }
    path.clear();
}

TemporaryFolder::TemporaryFolder(const std::string& name, bool ends_by_signals) {
    const char* const parent = std::getenv("TMPDIR");
    path_ = std::string(parent != nullptr && *parent != '\0' ? parent : "/tmp") + "/" + name + ".XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) {
        throw Failure(Exit::cuda_error, path_ + ": cannot make a temporary folder: " + std::strerror(errno) +
                                            "; set TMPDIR to a writable folder");
    }
    if (ends_by_signals) remember(path_, true);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
    forget(path_);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
    std::ofstream out(file(name), std::ios::binary);
    if (!(out << text).flush()) {
        throw Failure(Exit::cuda_error, "cannot write " + file(name) + ": " + std::strerror(errno) +
                                            "; set TMPDIR to a folder with room");
    }
    return file(name);
}
