// Files in a folder that several processes see, on one machine or several: each appears with its content and locked,
// and its lock ends with the process that made it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// An open file, whose lock ends with it.
class OpenFile {
public:
    explicit OpenFile(int number) : number_(number) {}
    ~OpenFile();
    OpenFile(OpenFile&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    OpenFile& operator=(OpenFile&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }

    // Overwrites the beginning. Whether it could.
    bool write(const void* bytes, std::size_t count) const;

private:
    int number_;
};

// Makes a folder of this user's alone, or finds it. Throws Failure.
void make_shared_folder(const std::string& folder);
std::vector<std::string> names_in_folder(const std::string& folder);
// Removes folders of this user whose names begin so, beside this one, if their processes are gone: nobody holds a lock in
// them, and nothing in them has changed for an hour.
void remove_abandoned_folders(const std::string& folder, const std::string& prefix);

// The file appears complete; nothing, if there is one of this name. Throws Failure if it cannot be made.
std::optional<OpenFile> publish(const std::string& folder, const std::string& name, const std::string& content);
std::optional<std::string> read_shared_file(const std::string& path);
bool is_locked(const std::string& path);
// Throws Failure for what could not be done with a file or folder, as errno says.
[[noreturn]] void fail_shared(const char* what, const std::string& path, int error);

// A network file system shows what other machines have made in a folder once this machine has changed it: this changes
// it.
void look_afresh(const std::string& folder);

std::uint64_t random_number();  // not 0
