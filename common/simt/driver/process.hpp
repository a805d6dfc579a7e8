#pragma once
// Running other programs, and files that vanish: what simcc needs of the operating system.

#include <string>
#include <vector>

namespace simcc {

using Command = std::vector<std::string>;

/// The exit code by shell convention: what the program returned, 128 + N when signal N ended it, 127 when it could not
/// be started (then a message is on stderr).
struct ExitCode {
    int value;
    bool ok() const { return value == 0; }
};

/// Runs a program found through PATH, without a shell, and waits for it. SIGINT, SIGTERM and SIGHUP are passed on to
/// it; afterwards interrupted_by() tells.
ExitCode run(const Command& command);

/// What the program writes to its standard output, without the last newline; empty when it fails.
std::string output_of(const Command& command);

/// The signal that asked simcc to stop, or 0.
int interrupted_by();

/// The command as a shell would take it, for -v.
std::string quoted(const Command& command);

/// A folder under TMPDIR (or /tmp) that is removed with all it holds when the object goes.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

}  // namespace simcc
