// SPDX-License-Identifier: MIT
// Starting other programs, their names, a folder for their files, and what goes when a signal ends this program.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

using Environment = std::vector<std::pair<std::string, std::string>>;

// How a started program differs from this one.
struct ProgramStart {
    int output = -1;             // the descriptor of its standard output; -1: this program's own
    int errors = -1;             // the same for its standard error
    std::string log;             // the file for both, if any; it then has nothing to read
    bool has_input = true;       // without a log: whether it reads this program's standard input
    Environment additions = {};  // to its environment
    bool is_group = false;       // in its own process group, so that what it starts in turn can be ended with it
};

// Starts a program that is found through PATH, without a shell. Returns its process number; 0, and errno, on failure.
pid_t start_program(const std::vector<std::string>& command, const ProgramStart& how = {});

// Goes on as another program, with its name as the user knows it. Returns, and sets errno, only on failure.
void become_program(const std::string& path, std::vector<std::string> command);

// The status from waitpid() as a shell gives it: the exit status, or 128 + N if signal N ended the program.
int shell_status(int status);

// ---- names: all programs may be installed with a prefix, as in gu-reduce, and some as gridutils-NAME

// The path of the program NAME: beside this one if it is there, else the first in PATH; "" if there is none.
std::string path_of_program(const std::string& name);

// What the user calls the program NAME: if it is this one, the name that it was started with.
std::string called(const std::string& name);

// Whether this signal ends a program that does not handle it.
bool ends_programs(int signal);

// ---- files and folders that go when std::quick_exit() or a signal ends the program before they are finished

// From now on the path goes at the end. It must stay where it is in memory until forget(). `is_own`: this process, not
// another, gives the file its name.
void remember(const std::string& path, bool is_own);
// It stays from now on; clears the path.
void forget(std::string& path);

// A folder in TMPDIR, or /tmp, that is removed with everything in it, also when a signal ends the program. Failure
// (cuda_error) if it cannot be made.
class TemporaryFolder {
public:
    // `name`: how the folder's name begins. `ends_by_signals`: false for a program that outlives them and returns.
    explicit TemporaryFolder(const std::string& name, bool ends_by_signals = true);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    // Writes a file there and returns its path.
    std::string write(const std::string& name, const std::string& text) const;

private:
    std::string path_;
};
