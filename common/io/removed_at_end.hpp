// Files and folders that go when std::quick_exit() or a signal ends the program before they are finished.
#pragma once

#include <string>

// From now on the path goes at the end. It must stay where it is in memory until forget(). `is_own`: this process, not
// another, gives the file its name.
void remember(const std::string& path, bool is_own);
// It stays from now on; clears the path.
void forget(std::string& path);

// To be called before a file is made that others would remember.
void catch_ends_once();

// While it lives, a temporary folder is remembered, with all that is in it.
class RemovedAtEnd {
public:
    explicit RemovedAtEnd(const std::string& folder);
    ~RemovedAtEnd();
    RemovedAtEnd(const RemovedAtEnd&) = delete;
    RemovedAtEnd& operator=(const RemovedAtEnd&) = delete;

private:
    std::string folder_;
};
