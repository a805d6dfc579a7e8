// SPDX-License-Identifier: MIT
#include "common/gang/shared_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "common/io/text.hpp"

// (The clocks of the machines that write to a folder may differ by minutes.)
constexpr std::time_t seconds_until_abandoned = 3600;

static int open_shared(const std::string& path, int flags) {
    return open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600);
}

// (The lock belongs to the open file description: it remains if the process opens the file again and closes that.)
static struct flock whole_file() {
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

OpenFile::~OpenFile() {
    if (number_ >= 0) close(number_);
}

bool OpenFile::write(const void* bytes, std::size_t count) const {
    return pwrite(number_, bytes, count, 0) == static_cast<ssize_t>(count);
}

std::uint64_t random_number() {
    std::uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        fail(Exit::cuda_error, "the system gives no random number: {}", std::strerror(errno));
    return number | 1;
}

void fail_shared(const char* what, const std::string& path, int error) {
    fail(Exit::cuda_error,
         "cannot {} {}: {}; the processes of a gang find each other there: let GRIDUTILS_RENDEZVOUS name a folder that "
         "all of them may write",
         what, path, std::strerror(error));
}

void make_shared_folder(const std::string& folder) {
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) fail_shared("make the folder", folder, errno);
    struct stat facts = {};
    if (lstat(folder.c_str(), &facts) != 0) return;  // gone again, with the last process of an earlier run
    if (S_ISDIR(facts.st_mode) && facts.st_uid == geteuid() && (facts.st_mode & 022) == 0) return;
    fail(Exit::cuda_error,
         "{} is not a folder that you alone may write; remove it, or let GRIDUTILS_RENDEZVOUS name another place",
         folder);
}

std::vector<std::string> names_in_folder(const std::string& folder) {
    std::vector<std::string> names;
    DIR* const entries = opendir(folder.c_str());
    if (!entries) return names;
    while (const dirent* entry = readdir(entries))
        if (*entry->d_name != '.') names.emplace_back(entry->d_name);
    closedir(entries);
    return names;
}

std::optional<OpenFile> publish(const std::string& folder, const std::string& name, const std::string& content) {
    const std::string draft = text("{}/new-{:x}", folder, random_number()), path = folder + "/" + name;
    const int number = open_shared(draft, O_RDWR | O_CREAT | O_EXCL);
    if (number < 0) fail_shared("create", draft, errno);
    OpenFile file(number);
    struct flock lock = whole_file();
    const bool is_whole = file.write(content.data(), content.size()) && fcntl(number, F_OFD_SETLK, &lock) == 0;
    const bool is_there = is_whole && link(draft.c_str(), path.c_str()) == 0;
    const int error = errno;
    unlink(draft.c_str());
    if (is_there) return file;
    if (is_whole && error == EEXIST) return std::nullopt;
    fail_shared(is_whole ? "create" : "write and lock", path, error);
}

std::optional<std::string> read_shared_file(const std::string& path) {
    const int number = open_shared(path, O_RDONLY);
    if (number < 0) return std::nullopt;
    const OpenFile file(number);
    struct stat facts = {};
    if (fstat(number, &facts) != 0) return std::nullopt;
    std::string content(static_cast<std::size_t>(facts.st_size), '\0');
    if (pread(number, content.data(), content.size(), 0) != facts.st_size) return std::nullopt;
    return content;
}

bool is_locked(const std::string& path) {
    const int number = open_shared(path, O_RDWR);
    if (number < 0) return false;
    const OpenFile file(number);
    struct flock lock = whole_file();
    return fcntl(number, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

void look_afresh(const std::string& folder) {
    const std::string scratch = text("{}/look-{:x}", folder, random_number());
    const int number = open_shared(scratch, O_RDWR | O_CREAT);
    if (number < 0) return;
    close(number);
    unlink(scratch.c_str());
}

void remove_abandoned_folders(const std::string& folder, const std::string& prefix) {
    const std::string parent = folder.substr(0, folder.rfind('/'));
    for (const std::string& name : names_in_folder(parent)) {
        const std::string other = parent + "/" + name;
        struct stat facts = {};
        if (name.compare(0, prefix.size(), prefix) != 0 || other == folder) continue;
        if (lstat(other.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode) || facts.st_uid != geteuid()) continue;
        std::time_t last_change = facts.st_mtime;
        bool is_in_use = false;
        const std::vector<std::string> files = names_in_folder(other);
        for (const std::string& file : files) {
            const std::string path = other + "/" + file;
            if (lstat(path.c_str(), &facts) == 0) last_change = std::max(last_change, facts.st_mtime);
            is_in_use = is_in_use || is_locked(path);
        }
        if (is_in_use || last_change + seconds_until_abandoned > std::time(nullptr)) continue;
        for (const std::string& file : files) unlink((other + "/" + file).c_str());
        rmdir(other.c_str());
    }
}
