// Other programs, and a folder for what they leave.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

using Environment = std::vector<std::pair<std::string, std::string>>;

// How a program is started, where it is not to share everything with this one.
struct ProgramStart {
    int output = -1;             // the descriptor that its standard output goes to; -1: where this program's own goes
    int errors = -1;             // the same of its standard error
    std::string log;             // the file that both its streams go to, if any; it then has nothing to read
    Environment additions = {};  // to its environment
    bool is_group = false;       // in a process group of its own, so that what it starts in turn can be ended with it
};

// Starts a program that is found through PATH, without a shell. Returns 0, with the reason in errno, if it cannot.
pid_t start_program(const std::vector<std::string>& command, const ProgramStart& how = {});

// What waitpid() says of a program, as a shell says it: its exit status, or 128 + N if signal N ended it.
int shell_status(int status);

// A folder under TMPDIR, or /tmp, that is removed with all that is in it. Without a place for one: exit code 3.
class TemporaryFolder {
public:
    // `name`: how the folder's name begins.
    explicit TemporaryFolder(const std::string& name);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    // Writes a file there; its path.
    std::string write(const std::string& name, const std::string& text) const;

private:
    std::string path_;
};
