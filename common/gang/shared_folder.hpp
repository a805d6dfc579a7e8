// SPDX-License-Identifier: MIT
// Files in a folder that processes on one or more machines share. Each file appears complete and locked, and its lock
// ends with the process that made it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// An open file. Closing it releases its lock.
class OpenFile {
public:
    explicit OpenFile(int number) : number_(number) {}
    ~OpenFile();
    OpenFile(OpenFile&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    OpenFile& operator=(OpenFile&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }

    // Overwrites the beginning of the file; false if that fails.
    bool write(const void* bytes, std::size_t count) const;

private:
    int number_;
};

// Makes a folder that only this user may write, unless it exists. Throws Failure if it cannot, or others may write it.
void make_shared_folder(const std::string& folder);
std::vector<std::string> names_in_folder(const std::string& folder);
// Removes this user's folders next to `folder` whose names begin with `prefix` if their processes are gone: nobody
// holds a lock in them, and nothing in them has changed for an hour.
void remove_abandoned_folders(const std::string& folder, const std::string& prefix);

// Makes a file, which appears complete and locked; none if the name is taken. Throws Failure if it cannot be made.
std::optional<OpenFile> publish(const std::string& folder, const std::string& name, const std::string& content);
std::optional<std::string> read_shared_file(const std::string& path);
bool is_locked(const std::string& path);
// Throws Failure: this process cannot `what` the file or folder, because of `error`, an errno.
[[noreturn]] void fail_shared(const char* what, const std::string& path, int error);

// Changes the folder, so that a network file system shows the files that other machines have made there.
void look_afresh(const std::string& folder);

std::uint64_t random_number();  // not 0
