// SPDX-License-Identifier: MIT
#include "common/simt/nccl/clique_entry.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>
#include <thread>
#include <vector>

namespace simt::nccl {
namespace {

constexpr const char* file_prefix = "gridutils-nccl-";
constexpr const char* id_prefix = "gridutils:";
// A folder with less room than this is not used. (Two ranks need about 1 MiB, 64 need 20.)
constexpr size_t room_wanted = 32 << 20;
// A file without a lock belongs to a dead run, unless it has just been made.
constexpr time_t seconds_until_stale = 60;

constexpr int byte_of_gate = 0;  // locked by the rank that enters; byte rank + 1 by each rank that has
constexpr int byte_of_maker = most_ranks + 1;

class File {
public:
    explicit File(int number) : number_(number) {}
    ~File() {
        if (number_ >= 0) close(number_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    int number() const { return number_; }
    int release() {
        const int number = number_;
        number_ = -1;
        return number;
    }

private:
    int number_;
};

std::string error_text() { return std::strerror(errno); }

flock lock_of(int byte) {
    flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = byte;
    lock.l_len = 1;
    return lock;
}

// Locks belong to the open file, not to the process, so ranks that are threads have their own.
bool lock_byte(int file, int byte, bool waits) {
    flock lock = lock_of(byte);
    while (fcntl(file, waits ? F_OFD_SETLKW : F_OFD_SETLK, &lock) != 0) {
        if (errno != EINTR) return false;
    }
    return true;
}

void unlock_byte(int file, int byte) {
    flock lock = lock_of(byte);
    lock.l_type = F_UNLCK;
    fcntl(file, F_OFD_SETLK, &lock);
}

bool has_room(const char* folder) {
    struct statvfs place = {};
    if (access(folder, W_OK | X_OK) != 0 || statvfs(folder, &place) != 0) return false;
    return place.f_bavail * place.f_frsize >= room_wanted;
}

std::string folder_for_files() {
    const char* const temporary = std::getenv("TMPDIR");
    for (const char* folder : {"/dev/shm", temporary ? temporary : "/tmp", "/tmp"}) {
        if (has_room(folder)) return folder;
    }
    throw Refusal{ncclSystemError,
                  "neither /dev/shm nor TMPDIR nor /tmp has 32 MiB for what the ranks share; make room, or set TMPDIR"};
}

// Removes the files of runs that were killed before all ranks had joined.
void remove_stale_files(const std::string& folder) {
    DIR* const entries = opendir(folder.c_str());
    if (!entries) return;
    while (const dirent* entry = readdir(entries)) {
        if (std::strncmp(entry->d_name, file_prefix, std::strlen(file_prefix)) != 0) continue;
        const std::string path = folder + "/" + entry->d_name;
        const File file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
        struct stat facts = {};
        if (file.number() < 0 || fstat(file.number(), &facts) != 0 || facts.st_uid != geteuid()) continue;
        flock all = lock_of(0);
        all.l_len = 0;
        const bool is_in_use = fcntl(file.number(), F_OFD_GETLK, &all) != 0 || all.l_type != F_UNLCK;
        if (!is_in_use && facts.st_mtime + seconds_until_stale < time(nullptr)) unlink(path.c_str());
    }
    closedir(entries);
}

// The files of this process's ids until all ranks have joined: removed if the process ends before that.
class OwnFiles {
public:
    void add(const std::string& path, int file) {
        const std::lock_guard lock(mutex_);
        static const int removes_at_exit =
            std::atexit([] { instance().remove_all(); }) + std::at_quick_exit([] { instance().remove_all(); });
        static_cast<void>(removes_at_exit);
        files_.push_back({path, file, getpid()});
    }
    // To be called when all ranks have joined.
    void forget(const std::string& path) {
        const std::lock_guard lock(mutex_);
        std::erase_if(files_, [&](const Entry& entry) {
            if (entry.path != path) return false;
            close(entry.file);
            return true;
        });
    }
    static OwnFiles& instance() {
        static OwnFiles& all = *new OwnFiles;
        return all;
    }

private:
    struct Entry {
        std::string path;
        int file;
        pid_t process;
    };

    // (A fork's child leaves its parent's files alone.)
    void remove_all() {
        const std::lock_guard lock(mutex_);
        for (const Entry& entry : files_) {
            struct stat by_name = {}, by_number = {};
            const bool is_there = stat(entry.path.c_str(), &by_name) == 0 && fstat(entry.file, &by_number) == 0;
            if (is_there && by_name.st_ino == by_number.st_ino && entry.process == getpid()) unlink(entry.path.c_str());
        }
    }

    std::mutex mutex_;
    std::vector<Entry> files_;
};

ncclUniqueId id_of(const std::string& path) {
    ncclUniqueId id = {};
    const std::string text = id_prefix + path;
    if (text.size() >= sizeof id.internal) {
        throw Refusal{ncclSystemError, "the path of the temporary folder is too long for a unique id: " + path};
    }
    std::memcpy(id.internal, text.c_str(), text.size());
    return id;
}

std::string path_of(const ncclUniqueId& id) {
    const std::string text(id.internal, strnlen(id.internal, sizeof id.internal));
    const std::string prefix = id_prefix;
    if (text.compare(0, prefix.size(), prefix) != 0) {
        throw Refusal{ncclInvalidArgument, "the unique id is not one that ncclGetUniqueId of the simulator has made"};
    }
    return text.substr(prefix.size());
}

// The file of an address has the address in its name, and the first rank to come makes it.
bool is_of_address(const std::string& path) { return path.find("-at-") != std::string::npos; }

ncclUniqueId id_of_address(const std::string& folder, const std::string& address) {
    if (address.find(':') == std::string::npos) {
        throw Refusal{ncclInvalidArgument, "NCCL_COMM_ID=" + address + " is not of the form HOST:PORT"};
    }
    std::string name = file_prefix + std::to_string(geteuid()) + "-at-";
    for (const char letter : address) name += letter == '/' ? '_' : letter;
    return id_of(folder + "/" + name);
}

// Whether a rank that had joined has ended, or the communicator is broken.
bool is_stale(const Clique& clique) {
    for (int rank = 0; rank < clique.ranks(); ++rank) {
        if (clique.state(rank).joined && !is_byte_locked(clique.file(), rank + 1)) return true;
    }
    return clique.is_broken();
}

// Gives a new file its size and its header.
void make_object(int file, int ranks, const std::string& path) {
    const size_t bytes = Clique::bytes_for(ranks);
    if (const int error = posix_fallocate(file, 0, static_cast<off_t>(bytes))) {
        const bool is_full = error == ENOSPC;
        throw Refusal{ncclSystemError, "no room for the " + std::to_string(bytes >> 10) +
                                           " KiB that the ranks share in " + path + ": " + std::strerror(error) +
                                           (is_full ? "; make room there, or set TMPDIR to another place" : "")};
    }
}

void* map_object(int file, size_t bytes, const std::string& path) {
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) throw Refusal{ncclSystemError, "cannot map " + path + ": " + error_text()};
    return memory;
}

std::string count_of(int number, const char* noun) {
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

// Enters the rank into the object. The caller holds the lock of the gate.
void enter(Clique& clique, int ranks, int device, const std::string& path) {
    RankState& state = clique.mine();
    state.process = getpid();
    state.process_number = process_number();
    state.device = device;
    for (int other = 0; other < ranks; ++other) {
        const bool is_same =
            clique.state(other).joined && clique.is_here(other) && clique.state(other).device == device;
        if (is_same && other != clique.rank()) {
            throw Refusal{ncclInvalidUsage, "ranks " + std::to_string(other) + " and " + std::to_string(clique.rank()) +
                                                " of one communicator are both on device " + std::to_string(device) +
                                                "; a communicator takes each device once"};
        }
    }
    state.joined = 1;
    if (static_cast<int>(++clique.header().joined) == ranks) unlink(path.c_str());
    clique.ring();
}

// Whatever ended another process, such as Ctrl-C or a launcher, may soon end this one, too. Then nothing is to be
// reported.
void await_own_end() { std::this_thread::sleep_for(std::chrono::seconds(1)); }

}  // namespace

bool is_byte_locked(int file, int byte) {
    flock lock = lock_of(byte);
    return fcntl(file, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

ncclUniqueId make_unique_id() {
    const char* const address = std::getenv("NCCL_COMM_ID");
    return address && *address ? id_of_address(folder_for_files(), address) : make_private_id();
}

ncclUniqueId make_private_id() {
    const std::string folder = folder_for_files();
    remove_stale_files(folder);
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) {
        throw Refusal{ncclSystemError, "no random number for a unique id: " + error_text()};
    }
    char name[64];
    std::snprintf(name, sizeof name, "%s%d-%016llx", file_prefix, static_cast<int>(getpid()),
                  static_cast<unsigned long long>(number));
    const std::string path = folder + "/" + name;
    const ncclUniqueId id = id_of(path);
    // It stays open: the lock shows that its maker lives.
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) throw Refusal{ncclSystemError, "cannot create " + path + ": " + error_text()};
    lock_byte(file, byte_of_maker, false);
    OwnFiles::instance().add(path, file);
    return id;
}

std::unique_ptr<Clique> join(const ncclUniqueId& id, int ranks, int rank, int device) {
    const std::string path = path_of(id);
    const bool is_address = is_of_address(path);
    while (true) {
        File file(open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | (is_address ? O_CREAT : 0), 0600));
        if (file.number() < 0) {
            const std::string error = error_text();
            await_own_end();
            throw Refusal{ncclSystemError,
                          "the unique id is no longer valid: the process that made it has ended, or all ranks of the "
                          "communicator have already joined (" +
                              path + ": " + error + ")"};
        }
        if (!lock_byte(file.number(), byte_of_gate, true)) {
            throw Refusal{ncclSystemError, "cannot lock " + path + ": " + error_text()};
        }
        struct stat facts = {};
        if (fstat(file.number(), &facts) != 0 || facts.st_nlink == 0) continue;  // completed or removed meanwhile
        const bool is_new = facts.st_size == 0;
        if (is_new) make_object(file.number(), ranks, path);
        else if (static_cast<size_t>(facts.st_size) < sizeof(Header))
            throw Refusal{ncclSystemError, path + " is damaged"};
        const size_t bytes = is_new ? Clique::bytes_for(ranks) : static_cast<size_t>(facts.st_size);
        void* const memory = map_object(file.number(), bytes, path);
        if (is_new) Clique::format(memory, ranks);
        const int said_before = static_cast<const Header*>(memory)->ranks;
        if (!Clique::is_formatted(memory) || Clique::bytes_for(said_before) != bytes) {
            munmap(memory, bytes);
            if (!is_address) {
                throw Refusal{ncclSystemError, "the ranks were built with different versions of simcc (" + path + ")"};
            }
            unlink(path.c_str());
            continue;
        }
        const int number = file.release();
        auto clique = std::make_unique<Clique>(memory, number, rank);
        if (is_address && is_stale(*clique)) {
            unlink(path.c_str());
            clique->disown();
            continue;
        }
        const auto refuse = [&](const std::string& text) {
            clique->disown();
            throw Refusal{ncclInvalidUsage, text};
        };
        if (clique->is_broken()) refuse(clique->broken_text());
        if (said_before != ranks) {
            refuse("rank " + std::to_string(rank) + " asks for a communicator of " + count_of(ranks, "rank") +
                   ", but the first rank that joined it asked for " + std::to_string(said_before));
        }
        if (!lock_byte(number, rank + 1, false)) refuse("rank " + std::to_string(rank) + " has joined twice");
        try {
            enter(*clique, ranks, device, path);
        } catch (const Refusal& refusal) {
            clique->break_off(refusal.text);
            clique->disown();
            throw;
        }
        unlock_byte(number, byte_of_gate);
        return clique;
    }
}

void await_all(const Clique& clique, const ncclUniqueId& id) {
    const auto missing = [&] {
        std::string list;
        for (int rank = 0; rank < clique.ranks(); ++rank) {
            if (!clique.state(rank).joined) list += (list.empty() ? "" : ", ") + std::to_string(rank);
        }
        return list;
    };
    double waited = 0;
    const Outcome outcome = clique.wait(
        [&] { return static_cast<int>(clique.header().joined) == clique.ranks(); },
        [&](double seconds) {
            waited += seconds;
            for (int rank = 0; rank < clique.ranks(); ++rank) {
                if (!clique.state(rank).joined || clique.is_alive(rank)) continue;
                clique.break_off("the process of rank " + std::to_string(rank) + " of " +
                                 std::to_string(clique.ranks()) + " has ended before all ranks had joined");
            }
            if (join_timeout() == 0 || waited < join_timeout()) return;
            clique.break_off(std::to_string(clique.header().joined) + " of " + count_of(clique.ranks(), "rank") +
                             " have joined the communicator within SIMCC_NCCL_TIMEOUT=" +
                             std::to_string(static_cast<int>(join_timeout())) + " seconds; missing: " + missing() +
                             ". A thread that makes several communicators calls ncclCommInitRank for them between "
                             "ncclGroupStart and ncclGroupEnd");
        });
    if (outcome == Outcome::done) return OwnFiles::instance().forget(path_of(id));
    unlink(path_of(id).c_str());
    await_own_end();
    throw Refusal{ncclSystemError, clique.broken_text()};
}

}  // namespace simt::nccl
