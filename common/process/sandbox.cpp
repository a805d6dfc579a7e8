// SPDX-License-Identifier: MIT
// A run has up to four processes: the caller's; a supervisor, which makes the namespaces; in these an init, process 1,
// with which all others end, and which makes the root folder; and the program. Without isolation the supervisor does
// without an init, and orphans become children of the caller, who ends them.
#include "common/process/sandbox.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include "common/io/text.hpp"

namespace {

namespace fs = std::filesystem;
using Clock = Sandbox::Clock;

constexpr uid_t nobody = 65534;
constexpr int spaces = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
constexpr const char* folder_size = "mode=1777,size=512m";

// Written by a signal handler, so it must be a global.
volatile std::sig_atomic_t caught_signal = 0;

void remember_signal(int signal) { caught_signal = signal; }

// What the supervisor, the init and the program tell the caller.
struct News {
    enum { no_isolation, not_started, ended } kind;
    int value;          // errno, or the status from wait()
    double seconds;     // of processor time
    const char* where;  // a literal: all of them have the same
};

struct Place {
    const std::string& folder;
    const std::vector<std::string>& readable;
    bool isolated;
    rlim_t threads;  // of this user, which a limit on threads counts, too
};

// ---- in the new processes

class Supervised {
public:
    Supervised(const Task& task, const Place& place, int news) : task_(task), place_(place), news_(news) {}

    // The supervisor's life.
    [[noreturn]] void supervise(int output, int errors) {
        umask(022);
        // If memory runs out, this goes first.
        std::ofstream("/proc/self/oom_score_adj") << "1000";
        try {
            need(dup2(output, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0, "dup2()");
            open_results();
            if (place_.isolated) make_namespaces();
            else becomes_nobody_ = geteuid() == 0 && can_be_nobody(place_.readable);
            end_with_parent();
            if (!place_.isolated) serve();
            const pid_t init = fork();
            need(init >= 0, "fork()");
            if (init == 0) {
                end_with_parent();
                make_root();
                serve();
            }
            waitpid(init, nullptr, 0);
            _exit(0);
        } catch (const std::exception&) {
            tell({News::no_isolation, errno, 0, "its folders"});
        }
    }

private:
    [[noreturn]] void tell(const News& news) const {
        static_cast<void>(!write(news_, &news, sizeof news));
        _exit(0);
    }

    void need(bool done, const char* where) const {
        if (!done) tell({News::no_isolation, errno, 0, where});
    }

    static void end_with_parent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

    // Whether there is that user here, who can read these paths.
    static bool can_be_nobody(const std::vector<std::string>& paths) {
        const bool can = setgroups(0, nullptr) == 0 && setegid(nobody) == 0 && seteuid(nobody) == 0 &&
                         std::all_of(paths.begin(), paths.end(), [](const std::string& path) {
                             return faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) == 0;
                         });
        return seteuid(0) == 0 && setegid(0) == 0 && can;
    }

    // Root makes them as root, whom limits on processes do not concern, and becomes nobody later. In a container root
    // may be the only user, or have no right to make them.
    void make_namespaces() {
        if (geteuid() == 0 && can_be_nobody({}) && unshare(spaces) == 0) {
            becomes_nobody_ = true;
            return;
        }
        if (geteuid() == 0 && can_be_nobody(place_.readable)) {
            become_nobody();
            prctl(PR_SET_DUMPABLE, 1);  // or else its files in /proc stay root's
        }
        const uid_t user = geteuid();
        const gid_t group = getegid();
        need(unshare(CLONE_NEWUSER | spaces) == 0, "unshare()");
        const auto write_line = [&](const char* path, const std::string& line) {
            std::ofstream file(path);
            need(bool((file << line).flush()), path);
        };
        write_line("/proc/self/setgroups", "deny");
        write_line("/proc/self/uid_map", text("{} {} 1", nobody, user));
        write_line("/proc/self/gid_map", text("{} {} 1", nobody, group));
    }

    // ---- the init's folders

    void put(const std::string& source, const std::string& target, bool read_only = true) const {
        need(mount(source.c_str(), target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0, "mount(MS_BIND)");
        if (read_only) make_read_only(target, AT_RECURSIVE);
    }

    void make_read_only(const std::string& target, unsigned flags) const {
        struct {
            std::uint64_t set, clear, propagation, user_namespace;
        } attributes = {MS_RDONLY | MS_NOSUID, 0, 0, 0};  // (MOUNT_ATTR_RDONLY and so on have the same values)
#ifndef SYS_mount_setattr
        constexpr long SYS_mount_setattr = 442;
#endif
        need(syscall(SYS_mount_setattr, -1, target.c_str(), flags, &attributes, sizeof attributes) == 0,
             "mount_setattr()");
    }

    // Shows a path of the system's under the new root, unless it is already there, or not in the system.
    void show(const std::string& root, const std::string& path, bool read_only = true) const {
        if (!fs::exists(path) || fs::exists(root + path)) return;
        fs::create_directories(fs::path(root + path).parent_path());
        if (fs::is_symlink(path)) return fs::create_symlink(fs::read_symlink(path), root + path);
        if (fs::is_directory(path)) fs::create_directory(root + path);
        else std::ofstream(root + path).flush();
        put(path, root + path, read_only);
    }

    void make_root() {
        // A program that looks for network interfaces finds one, which leads nowhere.
        const int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
        struct ifreq loopback = {};
        std::strcpy(loopback.ifr_name, "lo");
        loopback.ifr_flags = IFF_UP;
        ioctl(any, SIOCSIFFLAGS, &loopback);
        close(any);

        const std::string root = place_.folder + "/root", work = root + place_.folder + "/work";
        const auto memory = [&](const std::string& target, const char* options) {
            need(mount("tmpfs", target.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options) == 0, "mount(tmpfs)");
        };
        need(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "mount(MS_PRIVATE)");
        memory(root, "mode=755,size=1m");
        for (const char* path : {"/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32", "/etc/alternatives",
                                 "/etc/ld.so.cache", "/opt", "/nix/store"})
            show(root, path);
        for (const std::string& path : place_.readable) show(root, path, path.rfind("/dev/", 0) != 0);
        for (const char* path : {"/dev/null", "/dev/urandom"}) show(root, path, false);
        fs::create_directory(root + "/proc");
        need(mount("proc", (root + "/proc").c_str(), "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, nullptr) == 0,
             "mount(proc)");
        fs::create_directories(root + place_.folder);
        need(mount(place_.folder.c_str(), (root + place_.folder).c_str(), nullptr, MS_BIND, nullptr) == 0,
             "mount(MS_BIND)");
        make_read_only(root + place_.folder, 0);
        memory(work, folder_size);
        need(chdir(root.c_str()) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 && umount2(".", MNT_DETACH) == 0,
             "pivot_root()");
        make_read_only("/", 0);
        need(chdir("/") == 0, "chdir()");
    }

    // ---- what the init does, or without one the supervisor

    [[noreturn]] void serve() {
        // Nobody can look into this process, which has the sandbox's own files open.
        prctl(PR_SET_DUMPABLE, 0);
        if (task_.command.empty()) {
            need(forbid_processes(), "seccomp()");
            tell({News::ended, 0, 0, ""});
        }
        const pid_t program = fork();
        if (program < 0) tell({News::not_started, errno, 0, ""});
        if (program == 0) become_program_of_task();
        int status = 0;
        rusage used = {};
        for (pid_t ended = 0; ended != program;) {
            ended = wait4(-1, &status, 0, &used);
            if (ended < 0 && errno != EINTR) break;
        }
        if (place_.isolated) {
            kill(-1, SIGKILL);  // all but this process
            while (waitpid(-1, nullptr, 0) > 0 || errno == EINTR) continue;
        } else {
            kill(-program, SIGKILL);
        }
        for (std::size_t i = 0; i < results_.size(); ++i) keep(task_.results[i], results_[i]);
        const auto seconds = [](const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
        tell({News::ended, status, seconds(used.ru_utime) + seconds(used.ru_stime), ""});
    }

    // Makes the sandbox's own files, which who runs later may have no right to make.
    void open_results() {
        for (const std::string& name : task_.results) {
            const std::string path = place_.folder + "/" + name;
            results_.push_back(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0755));
            need(results_.back() >= 0, "open()");
        }
    }

    // Copies a result into the sandbox's own file. (It may be a link or a pipe, where a file is expected.)
    void keep(const std::string& name, int to) const {
        const std::string path = place_.folder + "/work/" + name;
        const int from = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        struct stat about = {};
        if (from < 0 || fstat(from, &about) != 0 || !S_ISREG(about.st_mode)) return;
        off_t left = about.st_size;
        for (ssize_t sent = 1; left > 0 && sent > 0; left -= sent)
            sent = sendfile(to, from, nullptr, static_cast<std::size_t>(left));
        if (left > 0) static_cast<void>(!ftruncate(to, 0));
        close(from);
    }

    // ---- the program

    static void limit(int resource, rlim_t value, rlim_t hard) {
        rlimit before = {};
        getrlimit(static_cast<__rlimit_resource_t>(resource), &before);
        const rlimit now = {std::min(value, before.rlim_max), std::min(hard, before.rlim_max)};
        setrlimit(static_cast<__rlimit_resource_t>(resource), &now);
    }

    void set_limits() const {
        const Limits& limits = task_.limits;
        const rlim_t most_threads = place_.threads + 64 + 4 * std::thread::hardware_concurrency();
        limit(RLIMIT_NPROC, most_threads, most_threads);
        limit(RLIMIT_CPU, limits.processor_seconds, limits.processor_seconds + 1);
        limit(RLIMIT_FSIZE, limits.file, limits.file);
        limit(RLIMIT_CORE, 0, 0);
        limit(RLIMIT_NOFILE, 1024, 1024);
        if (limits.memory != 0) limit(RLIMIT_AS, limits.memory, limits.memory);
    }

    void become_nobody() const {
        need(setgroups(0, nullptr) == 0 && setresgid(nobody, nobody, nobody) == 0 &&
                 setresuid(nobody, nobody, nobody) == 0,
             "setresuid()");
    }

    [[noreturn]] void become_program_of_task() {
        setsid();
        const std::string work = place_.folder + "/work";
        const std::string input = task_.input.empty() ? "/dev/null" : place_.folder + "/" + task_.input;
        const int in = open(input.c_str(), O_RDONLY);
        if (in < 0 || dup2(in, STDIN_FILENO) < 0) tell({News::not_started, errno, 0, ""});
        for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
            const int descriptor = std::atoi(entry.path().filename().c_str());
            if (descriptor > STDERR_FILENO) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
        }
        set_limits();
        if (becomes_nobody_) become_nobody();
        end_with_parent();
        for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, nullptr);
        clearenv();
        for (const auto& [name, value] : task_.environment) setenv(name.c_str(), value.c_str(), 1);
        setenv("TMPDIR", work.c_str(), 1);
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        if (!task_.limits.starts_processes && !forbid_processes() && place_.isolated)
            tell({News::not_started, errno, 0, ""});
        if (chdir(work.c_str()) == 0) become_program(task_.command.front(), task_.command);
        tell({News::not_started, errno, 0, ""});
    }

    // From now on this process has threads alone. False, and errno, if the system cannot do that.
    static bool forbid_processes() {
#if defined(__x86_64__) || defined(__aarch64__)
#ifdef __x86_64__
        constexpr std::uint32_t machine = AUDIT_ARCH_X86_64, most = 0x3fffffff;  // (what is above is another interface)
#else
        constexpr std::uint32_t machine = AUDIT_ARCH_AARCH64, most = 0xffffffff;
#endif
        const std::uint32_t refused = SECCOMP_RET_ERRNO | EPERM, self = static_cast<std::uint32_t>(getpid());
        std::vector<sock_filter> filter;
        const auto load = [&](std::size_t at) {
            filter.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(at)));
        };
        // Ends the filter with `answer` if the loaded word is, or is not, related to a value.
        const auto answer = [&](std::uint32_t answer, std::uint16_t relation, std::uint32_t value, bool if_so) {
            filter.push_back(BPF_JUMP(BPF_JMP | relation | BPF_K, value, std::uint8_t(!if_so), std::uint8_t(if_so)));
            filter.push_back(BPF_STMT(BPF_RET | BPF_K, answer));
        };
        // Calls that are allowed if their first argument has one of these values, or some of these bits.
        const auto unless = [&](long call, std::uint16_t relation, std::uint32_t value, std::uint32_t other) {
            filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 6));
            load(offsetof(seccomp_data, args[0]));
            answer(SECCOMP_RET_ALLOW, relation, value, true);
            answer(SECCOMP_RET_ALLOW, relation, other, true);
            filter.push_back(BPF_STMT(BPF_RET | BPF_K, refused));
        };
        load(offsetof(seccomp_data, arch));
        answer(SECCOMP_RET_KILL_PROCESS, BPF_JEQ, machine, false);
        load(offsetof(seccomp_data, nr));
        answer(refused, BPF_JGT, most, true);
        unless(SYS_clone, BPF_JSET, CLONE_THREAD, CLONE_THREAD);
        for (long call : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_prlimit64})
            unless(call, BPF_JEQ, self, call == SYS_prlimit64 ? 0 : self);
        constexpr long clone3 = 435, never[] = {
#ifdef __x86_64__
                                         SYS_fork,
                                         SYS_vfork,
#endif
                                         SYS_socket,
                                         SYS_socketpair,
                                         SYS_ptrace,
                                         SYS_process_vm_readv,
                                         SYS_process_vm_writev,
                                         SYS_tkill,
                                         SYS_bpf,
                                         SYS_perf_event_open,
                                         SYS_unshare,
                                         SYS_setns,
                                         SYS_keyctl,
                                         SYS_memfd_create,
                                         SYS_shmget,
                                         SYS_msgget,
                                         SYS_semget,
                                         SYS_mq_open,
                                         424 /* pidfd_send_signal */,
                                         425 /* io_uring_setup */,
                                         434 /* pidfd_open */,
                                         438 /* pidfd_getfd */};
        answer(SECCOMP_RET_ERRNO | ENOSYS, BPF_JEQ, clone3, true);  // the C library then calls clone()
        for (long call : never) answer(refused, BPF_JEQ, static_cast<std::uint32_t>(call), true);
        filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
        const sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#else
        return true;
#endif
    }

    const Task& task_;
    const Place& place_;
    int news_;
    std::vector<int> results_;  // descriptors
    bool becomes_nobody_ = false;
};

// ---- in the caller's process

struct Process {
    pid_t number, parent;
    rlim_t threads;
    uid_t user;
};

std::vector<Process> processes() {
    std::vector<Process> all;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/proc", error)) {
        std::ifstream file(entry.path() / "stat");
        std::string line;
        std::getline(file, line);
        const std::size_t name_end = line.rfind(')');
        struct stat about = {};
        if (name_end == std::string::npos || stat(entry.path().c_str(), &about) != 0) continue;
        const std::vector<std::string> words = split(line.substr(name_end), ' ');
        if (words.size() > 18)
            all.push_back({std::atoi(line.c_str()), std::atoi(words[2].c_str()),
                           static_cast<rlim_t>(std::atoi(words[18].c_str())), about.st_uid});
    }
    return all;
}

rlim_t threads_of_user() {
    // Root's programs run as nobody.
    const uid_t user = geteuid() == 0 ? nobody : geteuid();
    rlim_t count = 0;
    for (const Process& process : processes())
        if (process.user == user) count += process.threads;
    return count;
}

// Also where a program has taken away its own rights to its folders.
void make_empty(const std::string& folder) {
    std::error_code ignored, error;
    for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (fs::is_directory(entry->symlink_status(ignored)))
            fs::permissions(entry->path(), fs::perms::owner_all, ignored);
    for (const auto& entry : fs::directory_iterator(folder, error)) fs::remove_all(entry, ignored);
}

struct Pipe {
    Pipe() {
        if (pipe2(ends, O_CLOEXEC) != 0) fail(Exit::cuda_error, "cannot make a pipe: {}", std::strerror(errno));
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
    }
    ~Pipe() {
        close(ends[0]);
        close_writer();
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    void close_writer() {
        if (ends[1] >= 0) close(ends[1]);
        ends[1] = -1;
    }

    // Appends what is there, hardly more than `most` bytes in all. False at the end, or if there are more.
    bool read_into(std::string& text, std::size_t most) const {
        char buffer[65536];
        ssize_t bytes = 0;
        while (text.size() <= most && (bytes = read(ends[0], buffer, sizeof buffer)) > 0)
            text.append(buffer, static_cast<std::size_t>(bytes));
        return text.size() <= most && bytes < 0 && (errno == EAGAIN || errno == EINTR);
    }

    // The same, but false only if there are more.
    bool has_room(std::string& text, std::size_t most) const { return read_into(text, most), text.size() <= most; }

    int ends[2] = {-1, -1};
};

// While it lives, orphans among this process's descendants become its children. In the end all of its children end, and
// theirs, but for those that it had before: in `memcheckdemo ... > >(tee log)` a shell leaves it one.
class Subreaper {
public:
    Subreaper() : strangers_(children()) {
        prctl(PR_GET_CHILD_SUBREAPER, &before_);
        prctl(PR_SET_CHILD_SUBREAPER, 1);
    }
    ~Subreaper() {
        end_children();
        prctl(PR_SET_CHILD_SUBREAPER, before_);
    }
    Subreaper(const Subreaper&) = delete;
    Subreaper& operator=(const Subreaper&) = delete;

    void end_children() const {
        for (bool any = true; any;) {
            any = false;
            for (pid_t child : children()) {
                if (std::find(strangers_.begin(), strangers_.end(), child) != strangers_.end()) continue;
                any = true;
                kill(child, SIGKILL);
                waitpid(child, nullptr, WNOHANG);
            }
            if (any) usleep(500);
        }
    }

private:
    static std::vector<pid_t> children() {
        std::vector<pid_t> all;
        for (const Process& process : processes())
            if (process.parent == getpid()) all.push_back(process.number);
        return all;
    }

    std::vector<pid_t> strangers_;
    int before_ = 0;
};

}  // namespace

HeldSignals::HeldSignals() {
    struct sigaction action = {};
    action.sa_handler = remember_signal;
    for (std::size_t i = 0; i < std::size(signals_); ++i) {
        sigaction(signals_[i], &action, &previous_[i]);
        // nohup, for instance, has it ignored.
        if (previous_[i].sa_handler == SIG_IGN) sigaction(signals_[i], &previous_[i], nullptr);
    }
}

HeldSignals::~HeldSignals() {
    for (std::size_t i = 0; i < std::size(signals_); ++i) sigaction(signals_[i], &previous_[i], nullptr);
    if (caught_signal != 0) std::raise(caught_signal);
}

Sandbox::Sandbox(const std::string& name, const std::vector<std::string>& readable)
    : folder_(name), path_(fs::canonical(folder_.path())), readable_(readable) {
    for (const char* part : {"/work", "/root"}) fs::create_directory(path_ + part);
    // Root's programs run as nobody.
    if (geteuid() == 0) {
        fs::permissions(path_, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec);
        static_cast<void>(!chown(path_.c_str(), 0, nobody));
        static_cast<void>(!chown(working_folder().c_str(), nobody, nobody));
    }
    isolated_ = true;
    const Ended tried = run({}, Clock::now() + std::chrono::seconds(10));
    if (tried.stop == Stop::no) return;
    isolated_ = false;
    missing_ = tried.errors.empty() ? "it takes too long" : tried.errors;
}

Sandbox::~Sandbox() { make_empty(working_folder()); }

std::string Sandbox::write(const std::string& name, const std::string& text) const {
    folder_.write(name, text);
    fs::permissions(file(name), fs::perms(0644));
    return file(name);
}

Ended Sandbox::run(const Task& task, Clock::time_point end) const {
    make_empty(working_folder());
    const Subreaper subreaper;
    Pipe output, errors, news_pipe;
    const Place place{path_, readable_, isolated_, threads_of_user()};
    const pid_t supervisor = fork();
    if (supervisor < 0) fail(Exit::cuda_error, "cannot start a process: {}", std::strerror(errno));
    if (supervisor == 0) Supervised(task, place, news_pipe.ends[1]).supervise(output.ends[1], errors.ends[1]);
    for (Pipe* pipe : {&output, &errors, &news_pipe}) pipe->close_writer();

    Ended ended;
    std::string news_bytes;
    const std::size_t most = task.limits.output;
    while (news_pipe.read_into(news_bytes, sizeof(News) - 1)) {
        const bool fits = output.has_room(ended.output, most) && errors.has_room(ended.errors, most);
        if (caught_signal != 0) break;
        if (!fits || Clock::now() > end) {
            ended.stop = fits ? Stop::time : Stop::output;
            break;
        }
        pollfd ready[] = {{output.ends[0], POLLIN, 0}, {errors.ends[0], POLLIN, 0}, {news_pipe.ends[0], POLLIN, 0}};
        poll(ready, std::size(ready), 20);
    }
    // (Who may not look at other processes in /proc does not find this one.)
    kill(supervisor, SIGKILL);
    waitpid(supervisor, nullptr, 0);
    subreaper.end_children();
    if (caught_signal != 0) fail(Exit::bad_input, "interrupted by signal {}", int(caught_signal));
    for (const std::string& name : task.results)
        if (fs::exists(file(name)) && fs::is_empty(file(name))) fs::remove(file(name));
    output.read_into(ended.output, most);
    errors.read_into(ended.errors, most);
    ended.output.resize(std::min(ended.output.size(), most));
    ended.errors.resize(std::min(ended.errors.size(), most));
    News news = {News::ended, SIGKILL, 0, ""};  // as if it had ended its supervisor
    if (news_bytes.size() >= sizeof news) std::memcpy(&news, news_bytes.data(), sizeof news);
    if (ended.stop != Stop::no) news = {News::ended, SIGKILL, 0, ""};
    const std::string why = text("{}{}{}", news.where, *news.where == '\0' ? "" : ": ", std::strerror(news.value));
    if (news.kind != News::ended && task.command.empty()) return {0, "", why, Stop::time};
    if (news.kind != News::ended)
        fail(Exit::bad_input, "cannot run {}: {}{}", task.command.front(), why,
             news.value == EACCES ? "; set TMPDIR to a folder where programs may run" : "");
    ended.status = shell_status(news.value);
    // (The limit counts ticks of a clock, and so not quite the same seconds.)
    const int signal = WIFSIGNALED(news.value) ? WTERMSIG(news.value) : 0;
    if (signal == SIGXCPU || (signal == SIGKILL && news.seconds >= task.limits.processor_seconds / 2.0))
        ended.stop = Stop::processor_time;
    return ended;
}
