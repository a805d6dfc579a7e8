// SPDX-License-Identifier: MIT
// make: simcc (which links this file without the rest of the room, and so without its libraries)
#include "common/io/output_file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "common/io/failure.hpp"
#include "common/io/process.hpp"

namespace {

std::string reason() { return std::strerror(errno); }

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == path.npos ? "./" : path.substr(0, slash + 1);
}

std::string name_in(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// A path below /proc leads to an open file, which may have no name or another one, or to a setting.
bool is_in_proc(const std::string& path) {
    struct statfs system {};
    return statfs(folder_of(path).c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

// Follows the links that a user made. "" if they lead nowhere.
std::string end_of_links(std::string path) {
    for (int links = 0; links < 40; ++links) {
        char target[PATH_MAX];
        const ssize_t length = is_in_proc(path) ? -1 : readlink(path.c_str(), target, sizeof target);
        if (length < 0) return path;
        const std::string next(target, static_cast<std::size_t>(length));
        path = next[0] == '/' ? next : folder_of(path) + next;
    }
    errno = ELOOP;
    return "";
}

// Our descriptor that a path such as /dev/fd/3 or /dev/stdout names; -1 for any other path.
int own_descriptor(const std::string& path) {
    if (!is_in_proc(path)) return -1;
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::canonical(folder_of(path), error);
    if (error || folder != std::filesystem::canonical("/proc/self/fd", error)) return -1;
    const std::string name = name_in(path);
    const bool is_number = !name.empty() && name.size() < 8 && name.find_first_not_of("0123456789") == name.npos;
    return is_number ? std::stoi(name) : -1;
}

bool write_all(int descriptor, const char* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t written = ::write(descriptor, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes += written;
        count -= static_cast<std::size_t>(written);
    }
    return true;
}

// Reserves so many bytes, if the file system can; false if there is no room.
bool has_room(int descriptor, off_t bytes) {
    return bytes == 0 || fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, bytes) == 0 ||
           (errno != ENOSPC && errno != EDQUOT && errno != EFBIG);
}

// Whether the file has extended attributes that a new file would not get from its folder: a user's, or access lists.
bool has_attributes(const std::string& path) {
    std::string names(std::size_t{1} << 16, '\0');
    const ssize_t length = listxattr(path.c_str(), names.data(), names.size());
    if (length < 0) return errno == E2BIG || errno == ERANGE;
    for (std::size_t at = 0; at < static_cast<std::size_t>(length); at += std::strlen(&names[at]) + 1) {
        if (std::strncmp(&names[at], "security.", 9) != 0) return true;
    }
    return false;
}

std::string identity_of(const struct stat& status) {
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode) && !S_ISBLK(status.st_mode)) return "";
    return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

std::string identity_of_open(int descriptor) {
    struct stat status {};
    return fstat(descriptor, &status) == 0 ? identity_of(status) : "";
}

}  // namespace

std::string input_identity(const std::string& path) {
    struct stat status {};
    if (path == "-") return identity_of_open(STDIN_FILENO);
    return stat(path.c_str(), &status) == 0 ? identity_of(status) : "";
}

bool is_read_once(const std::string& path) {
    struct stat status {};
    const bool is_there = path == "-" ? fstat(STDIN_FILENO, &status) == 0 : stat(path.c_str(), &status) == 0;
    return is_there && S_ISFIFO(status.st_mode);
}

std::string output_identity(const std::string& path) {
    const std::string place = path == "-" ? "/proc/self/fd/1" : end_of_links(path);
    struct stat status {};
    const bool exists = stat(place.c_str(), &status) == 0;
    const std::string identity = exists ? identity_of(status) : "";
    if (!identity.empty()) return identity;
    if (own_descriptor(place) >= 0) return "descriptor " + std::to_string(own_descriptor(place));
    // If the file does not exist yet, its name counts.
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::canonical(folder_of(place), error);
    return exists || error ? "" : (folder / name_in(place)).string();
}

int open_unnamed_file() {
    const char* variable = std::getenv("TMPDIR");
    const std::string folder = variable && *variable ? variable : P_tmpdir;
    const int unnamed = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (unnamed >= 0 || errno == ENOENT || errno == EACCES) return unnamed;
    // Not every file system supports files without a name.
    std::string pattern = folder + "/gridutils-XXXXXX";
    const int descriptor = mkostemp(pattern.data(), O_CLOEXEC);
    if (descriptor >= 0) unlink(pattern.c_str());
    return descriptor;
}

OutputFile::OutputFile(const std::string& path) : given_(path) {
    struct stat existing {};
    const bool exists = path == "-" || stat(path.c_str(), &existing) == 0;
    if (!exists && errno != ENOENT) fail_open("choose a folder that exists and is writable");
    if (exists && S_ISDIR(existing.st_mode))
        throw Failure(Exit::output_error, "cannot write '" + given_ + "': it is a directory; name a file");
    path_ = path == "-" ? "/proc/self/fd/1" : end_of_links(path);
    if (path_.empty()) fail_open("name a file");
    if (is_in_proc(path_) || (exists && !S_ISREG(existing.st_mode))) open_directly();
    else if (!exists) open_beside();
    else if (faccessat(AT_FDCWD, path_.c_str(), W_OK, AT_EACCESS) != 0)
        fail_open("name another file, or make it writable (chmod u+w)");
    else if (!open_replacement(existing)) {
        // A new file in its place would have another owner, or cannot be created: the old one gets the new contents.
        way_ = Way::copy;
        descriptor_ = open_unnamed_file();
        if (descriptor_ < 0)
            throw Failure(Exit::output_error, "cannot keep the result in a temporary file: " + reason() +
                                                  "; set TMPDIR to a folder with room");
    }
}

OutputFile::OutputFile(const std::string& path, const Unfinished& of_another)
    : given_(path), path_(of_another.path), way_(Way::joined) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    struct stat status {};
    const bool is_there = descriptor_ >= 0 && fstat(descriptor_, &status) == 0;
    const bool is_ours = is_there && status.st_size == of_another.bytes;
    if (is_there && !is_ours) errno = ENOENT;  // another file, in a folder with the same name
    if (!is_ours) fail_open("name a file in a folder that all processes see, and may write to");
    unfinished_ = path_;
    remember(unfinished_, false);
}

std::string OutputFile::unfinished_path() const {
    std::error_code error;
    return unfinished_.empty() ? "" : std::filesystem::absolute(unfinished_, error).string();
}

OutputFile::~OutputFile() {
    if (descriptor_ >= 0) close(descriptor_);
    discard();
}

void OutputFile::discard() {
    if (unfinished_.empty()) return;
    unlink(unfinished_.c_str());
    forget(unfinished_);
}

void OutputFile::fail_open(const std::string& remedy) const {
    throw Failure(Exit::output_error, "cannot write '" + given_ + "': " + reason() + "; " + remedy);
}

void OutputFile::open_directly() {
    const int own = given_ == "-" ? STDOUT_FILENO : own_descriptor(path_);
    descriptor_ = own >= 0 ? fcntl(own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                           : open(path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
    if (descriptor_ < 0) fail_open("name a file, a device or a pipe that can be written");
}

// The signal handler knows the new file's name before the file exists. The name is ours alone: it has our process
// number, and a file that is already there is left alone.
void OutputFile::open_beside() {
    way_ = Way::replace;
    for (int attempt = 0; attempt < 1000; ++attempt) {
        unfinished_ = folder_of(path_) + ".gridutils-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
        struct stat taken {};
        if (lstat(unfinished_.c_str(), &taken) == 0) continue;
        remember(unfinished_, true);
        descriptor_ = open(unfinished_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor_ >= 0) return;
        forget(unfinished_);
        if (errno != EEXIST) break;
    }
    unfinished_.clear();
    fail_open("choose a folder that exists and is writable");
}

// Opens a new file that can replace the existing one with the same owner, group and mode; false if there can be none.
bool OutputFile::open_replacement(const struct stat& existing) {
    const bool has_other_names = existing.st_nlink > 1;
    const bool is_ours = existing.st_uid == geteuid() || geteuid() == 0;
    if (has_other_names || has_attributes(path_) || !is_ours) return false;
    try {
        open_beside();
    } catch (const Failure&) {
        return false;
    }
    struct stat created {};
    if (fstat(descriptor_, &created) == 0 && fchmod(descriptor_, 0600) == 0 &&
        ((created.st_uid == existing.st_uid && created.st_gid == existing.st_gid) ||
         fchown(descriptor_, existing.st_uid, existing.st_gid) == 0) &&
        fchmod(descriptor_, existing.st_mode & 07777) == 0)
        return true;
    close(std::exchange(descriptor_, -1));
    discard();
    return false;
}

// Everyone who may read the file may execute it.
static mode_t with_execution(mode_t mode) { return (mode & 07777) | (mode & 0444) >> 2; }

void OutputFile::allow_execution() {
    struct stat status {};
    is_executable_ = true;
    if (way_ == Way::replace && fstat(descriptor_, &status) == 0) fchmod(descriptor_, with_execution(status.st_mode));
}

void OutputFile::commit() {
    if (way_ == Way::copy) return copy_to_path();
    if (way_ == Way::direct) return;
    if (way_ == Way::joined) return forget(unfinished_);
    if (rename(unfinished_.c_str(), path_.c_str()) != 0) fail_open("its folder has changed: write it again");
    forget(unfinished_);
}

void OutputFile::copy_to_path() {
    const int target = open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
    struct stat result {};
    if (target < 0 || fstat(descriptor_, &result) != 0) fail_open("name another file");
    bool is_fine = has_room(target, result.st_size);
    const char* const remedy = is_fine ? "it is incomplete" : "make room; it is unchanged";
    is_fine = is_fine && lseek(descriptor_, 0, SEEK_SET) == 0;
    std::vector<char> block(std::size_t{1} << 20);
    ssize_t got = 0;
    while (is_fine && (got = read(descriptor_, block.data(), block.size())) > 0)
        is_fine = write_all(target, block.data(), static_cast<std::size_t>(got));
    is_fine = is_fine && got == 0 && ftruncate(target, result.st_size) == 0;
    // (If the mode may not be changed, it stays.)
    if (is_fine && is_executable_ && fstat(target, &result) == 0) fchmod(target, with_execution(result.st_mode));
    const int error = errno;
    const bool is_closed = close(target) == 0;
    if (is_fine && is_closed) return;
    if (!is_fine) errno = error;
    fail_open(remedy);
}
