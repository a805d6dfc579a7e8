#include "common/io/removed_at_end.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace {

// The files and folders to remove when a signal ends the program: a signal handler can only reach a global. An entry in
// the list is reused, and never freed.
struct Unfinished {
    std::atomic<const char*> path;
    Unfinished* next;
    std::atomic<bool> is_own;
};
std::atomic<Unfinished*> unfinished_files;
struct sigaction previous_actions[NSIG];

// As the kernel lists a folder.
struct Entry {
    ino64_t number;
    off64_t next;
    unsigned short length;
    unsigned char type;
    char name[];
};

// Removes what is in an open folder, with nothing but system calls: a signal handler may do no more.
void remove_entries(int folder) {
    alignas(Entry) char buffer[2048];
    bool removed = true;
    while (std::exchange(removed, false)) {  // entries may be passed over while others are removed
        lseek(folder, 0, SEEK_SET);
        for (long bytes = 0; (bytes = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
            for (long at = 0; at < bytes;) {
                const auto* entry = reinterpret_cast<const Entry*>(buffer + at);
                at += entry->length;
                const char* name = entry->name;
                if (name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'))) continue;
                const int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
                if (inner >= 0) {
                    remove_entries(inner);
                    close(inner);
                }
                removed |= unlinkat(folder, name, inner >= 0 ? AT_REMOVEDIR : 0) == 0;
            }
    }
}

void remove_unfinished(bool own_alone) {
    for (Unfinished* one = unfinished_files; one; one = one->next) {
        if (own_alone && !one->is_own) continue;
        const char* path = one->path.exchange(nullptr);
        if (!path || unlink(path) == 0) continue;
        const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (folder < 0) continue;
        remove_entries(folder);
        close(folder);
        rmdir(path);
    }
}

void remove_and_end(int signal, siginfo_t* information, void* context) {
    const int error = errno;
    // (Not the file of another process, which has to learn of the signal before it misses its file.)
    remove_unfinished(true);
    errno = error;
    // The previous handler comes next: the checkers' report, or the end by this signal.
    const struct sigaction& previous = previous_actions[signal];
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(signal, information, context);
    } else if (previous.sa_handler != SIG_DFL) {
        previous.sa_handler(signal);
    } else {
        sigaction(signal, &previous, nullptr);
        raise(signal);
    }
}

bool ends_programs(int signal) {
    for (int other : {SIGKILL, SIGSTOP, SIGCHLD, SIGCONT, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH})
        if (signal == other) return false;
    return signal < SIGSYS + 1 || signal >= SIGRTMIN;
}

// Called once: handlers that are installed later, such as the simulator's, pass signals on to ours.
bool catch_ends() {
    struct sigaction action = {};
    action.sa_sigaction = remove_and_end;
    action.sa_flags = SA_ONSTACK | SA_SIGINFO;
    for (int signal = 1; signal < NSIG; ++signal) {
        struct sigaction previous = {};
        if (!ends_programs(signal) || sigaction(signal, nullptr, &previous) != 0) continue;
        // Signals that the caller ignores stay ignored, as under nohup. (The simulator uses a real-time one for its
        // threads.)
        if (previous.sa_handler == SIG_IGN || (signal >= SIGRTMIN && previous.sa_handler != SIG_DFL)) continue;
        previous_actions[signal] = previous;
        sigaction(signal, &action, nullptr);
    }
    return std::at_quick_exit([] { remove_unfinished(false); }) == 0;
}

}  // namespace

void remember(const std::string& path, bool is_own) {
    for (Unfinished* one = unfinished_files; one; one = one->next) {
        const char* none = nullptr;
        if (one->path.compare_exchange_strong(none, path.c_str())) return void(one->is_own = is_own);
    }
    auto* const one = new Unfinished{path.c_str(), unfinished_files, is_own};
    while (!unfinished_files.compare_exchange_weak(one->next, one)) continue;
}

void forget(std::string& path) {
    for (Unfinished* one = unfinished_files; one; one = one->next) {
        const char* name = path.c_str();
        one->path.compare_exchange_strong(name, nullptr);
    }
    path.clear();
}

void catch_ends_once() {
    static const bool is_caught = catch_ends();
    static_cast<void>(is_caught);
}

RemovedAtEnd::RemovedAtEnd(const std::string& folder) : folder_(folder) {
    catch_ends_once();
    remember(folder_, true);
}

RemovedAtEnd::~RemovedAtEnd() { forget(folder_); }
