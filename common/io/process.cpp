// (simcc links this file without the rest of common/io, and so without its libraries.)
#include "common/io/process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/io/failure.hpp"

extern char** environ;

namespace {

std::vector<char*> pointers_to(std::vector<std::string>& words) {
    std::vector<char*> all;
    for (std::string& word : words) all.push_back(word.data());
    all.push_back(nullptr);
    return all;
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

}  // namespace

pid_t start_program(const std::vector<std::string>& command, const ProgramStart& how) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (how.output >= 0) posix_spawn_file_actions_adddup2(&actions, how.output, STDOUT_FILENO);
    if (how.errors >= 0) posix_spawn_file_actions_adddup2(&actions, how.errors, STDERR_FILENO);
    if (!how.log.empty()) {
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
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

int shell_status(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

TemporaryFolder::TemporaryFolder(const std::string& name, bool ends_by_signals) {
    const char* const parent = std::getenv("TMPDIR");
    path_ = std::string(parent != nullptr && *parent != '\0' ? parent : "/tmp") + "/" + name + ".XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) {
        throw Failure(Exit::cuda_error, path_ + ": cannot make a temporary folder: " + std::strerror(errno) +
                                            "; set TMPDIR to a writable folder");
    }
    if (ends_by_signals) removed_at_end_.emplace(path_);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::write(const std::string& name, const std::string& text) const {
    std::ofstream out(file(name), std::ios::binary);
    if (!(out << text).flush()) {
        throw Failure(Exit::cuda_error, "cannot write " + file(name) + ": " + std::strerror(errno) +
                                            "; set TMPDIR to a folder with room");
    }
    return file(name);
}
