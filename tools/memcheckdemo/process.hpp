// Other programs: where they are, one run of them, and a folder for what they leave.
#pragma once

#include <csignal>
#include <string>
#include <utility>
#include <vector>

// The path of a program: beside this one, under the same prefix, or in PATH. "" if it is nowhere.
std::string path_of_program(const std::string& name);

// Removed with all that is in it. While it lives, a signal that ends a program is held: it ends the run of another
// program, and then, once the folder is gone, this one.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    // Writes a file there; its path.
    std::string write(const std::string& name, const std::string& text) const;

private:
    static constexpr int signals_[] = {SIGINT, SIGTERM, SIGHUP};

    std::string path_;
    struct sigaction previous_[3];
};

struct Ended {
    int status;          // as a shell says it; 124 if it took too long and was ended
    std::string output;  // of both streams
};

using Environment = std::vector<std::pair<std::string, std::string>>;

// Runs a program with these additions to the environment, and nothing to read.
Ended run_program(const std::vector<std::string>& command, const Environment& additions, int seconds,
                  const TemporaryFolder& folder);
