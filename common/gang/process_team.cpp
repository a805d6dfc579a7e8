// SPDX-License-Identifier: MIT
#include "common/gang/process_team.hpp"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <thread>
#include <utility>

#include "common/gang/connection.hpp"
#include "common/gang/device_words.hpp"
#include "common/io/text.hpp"
#include "common/measure/version.hpp"

namespace {

// If all fail alike, the first process speaks for them: the others wait this long.
constexpr std::chrono::milliseconds lead_of_first(100);

// How many seconds the ranks may take to come.
double join_timeout() {
    const char* const words = std::getenv("GRIDUTILS_JOIN_TIMEOUT");
    if (!words || !*words) return 60;
    char* end = nullptr;
    const double seconds = std::strtod(words, &end);
    if (*end != '\0' || !(seconds > 0))
        fail(Exit::usage, "GRIDUTILS_JOIN_TIMEOUT='{}' is not a number of seconds above 0", printable(words, 40));
    return seconds;
}

// All processes have the same parent, the launcher. Its process id may be reused, but not with the same start time.
std::string parent_name() {
    const std::string parent = std::to_string(getppid());
    std::ifstream file("/proc/" + parent + "/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_end = line.rfind(") ");
    if (name_end == line.npos) return parent;
    const std::vector<std::string> fields = split(line.substr(name_end + 2), ' ');
    constexpr std::size_t start_time = 19;  // field 22 in proc(5)
    return fields.size() > start_time ? parent + "-" + fields[start_time] : parent;
}

std::string prefix_of_folders() { return text("gridutils-{}-", geteuid()); }

std::string file_name_of(const std::string& job) {
    std::string name = prefix_of_folders();
    for (const char letter : job.substr(0, 100))
        name += std::isalnum(static_cast<unsigned char>(letter)) || letter == '.' || letter == '-' ? letter : '_';
    return name;
}

// The folder in which the processes meet; "" if there is none, and they meet at NCCL_COMM_ID.
std::string folder_for(const World& world) {
    const char* const shared = std::getenv("GRIDUTILS_RENDEZVOUS");
    if (shared && *shared) return std::string(shared) + "/" + file_name_of(world.job.empty() ? "job" : world.job);
    if (world.is_one_machine()) {
        const char* const temporary = std::getenv("TMPDIR");
        const std::string parent = temporary && *temporary ? temporary : "/tmp";
        return parent + "/" + file_name_of(world.job.empty() ? parent_name() : world.job);
    }
    const char* const address = std::getenv("NCCL_COMM_ID");
    if (address && *address) return "";
    fail(Exit::usage,
         "{} has started {} processes on several machines: set GRIDUTILS_RENDEZVOUS to a folder that all of them see, "
         "or NCCL_COMM_ID to HOST:PORT, an address of rank 0's machine",
         world.launcher, world.processes);
}

std::string hexadecimal(const unsigned char* bytes, std::size_t count) {
    std::string digits;
    for (std::size_t i = 0; i < count; ++i) digits += text("{:02x}", unsigned(bytes[i]));
    return digits;
}

}  // namespace

// The executable's build id in hexadecimal (ld(1), --build-id); "unknown" if it has none.
static std::string build_of_this_program() {
    std::string build = "unknown";
    const auto find = [](dl_phdr_info* program, std::size_t, void* result) {
        for (int i = 0; i < program->dlpi_phnum; ++i) {
            const ElfW(Phdr)& segment = program->dlpi_phdr[i];
            if (segment.p_type != PT_NOTE) continue;
            const auto* note = reinterpret_cast<const unsigned char*>(program->dlpi_addr + segment.p_vaddr);
            const auto* const end = note + segment.p_memsz;
            while (note + sizeof(ElfW(Nhdr)) < end) {
                ElfW(Nhdr) head;
                std::memcpy(&head, note, sizeof head);
                const unsigned char* const words = note + sizeof head + (head.n_namesz + 3) / 4 * 4;
                if (head.n_type == NT_GNU_BUILD_ID) {
                    *static_cast<std::string*>(result) = hexadecimal(words, head.n_descsz);
                    return 1;
                }
                note = words + (head.n_descsz + 3) / 4 * 4;
            }
        }
        return 1;  // the first is the program itself
    };
    dl_iterate_phdr(find, &build);
    return build;
}

std::unique_ptr<GangTeam> join_process_team(const Joining& with) {
    const World world = find_world(std::getenv);
    if (world.processes == 1) return nullptr;
    return std::make_unique<ProcessTeam>(world, with);
}

ProcessTeam::ProcessTeam(const World& world, const Joining& with)
    : world_(world),
      build_(text("gridutils {} (build {:.12})", version_of_rows, build_of_this_program())),
      with_(with) {
    const std::string folder = folder_for(world);
    if (!folder.empty() && world.process == 0) remove_abandoned_folders(folder, prefix_of_folders());
    signals_ = std::make_unique<EndingSignals>();
    if (folder.empty()) {
        contact_ = std::make_unique<Connection>(world, std::getenv("NCCL_COMM_ID"), join_timeout());
    } else {
        auto rendezvous = std::make_unique<Rendezvous>(world, folder, own_words(), join_timeout());
        rendezvous_ = rendezvous.get();
        contact_ = std::move(rendezvous);
    }
    watch_ = std::make_unique<Watch>(*contact_, world.process, with_.say, with_.last_words);
}

ProcessTeam::~ProcessTeam() {
    watch_.reset();
    // (A failure may leave collectives in flight that never end. Freeing this would wait for them.)
    if (failed_ && faster_) static_cast<void>(new Gather(std::move(faster_)));
}

void ProcessTeam::finish() {
    faster_ = nullptr;
    watch_.reset();
    contact_->finish();
    contact_->leave();  // now, so that a signal after the next line leaves nothing behind
    signals_.reset();
}

std::string ProcessTeam::name_of(std::size_t process) const {
    const std::string host = contact_->host_of(process);
    return host.empty() ? text("rank {}", process) : text("rank {} ({})", process, host);
}

std::string ProcessTeam::own_words() const { return text("{}{}{}", build_, separator, with_.command); }

void ProcessTeam::check_alike() const {
    if (rendezvous_) compare(rendezvous_->words());
}

void ProcessTeam::compare(const std::vector<std::string>& words) const {
    const std::vector<std::string> first = split(words.front(), *separator);
    for (std::size_t process = 1; process < words.size(); ++process) {
        const std::vector<std::string> other = split(words[process], *separator);
        if (other[0] != first[0])
            ::fail(Exit::usage, "{} runs {}, rank 0 {}; install the same everywhere", name_of(process), other[0],
                   first[0]);
        if (other[1] != first[1])
            ::fail(Exit::usage, "{} was started with '{}', rank 0 with '{}'; give all the same command",
                   name_of(process), printable(other[1], 200), printable(first[1], 200));
    }
}

std::vector<std::string> ProcessTeam::gather(const std::string& mine) {
    if (faster_) return faster_(mine);
    return rendezvous_->gather(text("{}", ++questions_), mine);
}

void ProcessTeam::gather_by(Gather faster) {
    faster_ = std::move(faster);
    if (rendezvous_) return;
    // Processes without a common folder can be compared only now.
    compare(faster_(own_words()));
    const std::string mine = std::to_string(own_devices_);
    const std::vector<std::string> all = faster_(mine);
    for (std::size_t process = 0; process < all.size(); ++process)
        if (all[process] != mine)
            ::fail(Exit::usage,
                   "rank {} drives {} devices, and rank {} {}; set GRIDUTILS_RENDEZVOUS to a folder that "
                   "all of them see, so that they can tell each other how many they drive",
                   process, all[process], world_.process, mine);
}

// Waits until the Watch ends this process by the signal that this process or another one has received.
[[noreturn]] static void await_signal() {
    while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
}

// A usage error is the same in all processes, so its message names none. (A failure after a signal is a consequence of
// it, such as a write to a pipe that nobody reads.)
Exit ProcessTeam::fail(const std::string& message, Exit exit) {
    if (failed_) return *failed_;
    if (watch_ && EndingSignals::noted() != 0) await_signal();
    failed_ = exit;
    const std::string words = exit == Exit::usage ? message : name_of(world_.process) + ": " + message;
    if (world_.process > 0) std::this_thread::sleep_for(lead_of_first);
    const Declared counts = contact_->declare({world_.process, exit, words});
    if (counts.signal != 0) await_signal();
    if (counts.process == world_.process && counts.message == words) with_.say(words);
    return *(failed_ = counts.exit);
}

std::vector<DeviceInfo> ProcessTeam::gang_of(const std::vector<DeviceInfo>& all) {
    std::vector<DeviceInfo> own = own_devices(all, world_);
    own_devices_ = own.size();
    std::string mine;
    for (DeviceInfo& device : own) {
        device.process = world_.process;
        mine += (mine.empty() ? "" : "\n") + words_of(device);
    }
    // (Without a folder the others cannot be asked yet: we assume that each drives as many devices as this process.)
    const std::vector<std::string> told = rendezvous_ ? gather(mine) : std::vector(world_.processes, mine);
    std::vector<DeviceInfo> gang;
    for (std::size_t process = 0; process < told.size(); ++process) {
        if (process == world_.process) gang.insert(gang.end(), own.begin(), own.end());
        else
            for (const std::string& one : split(told[process], '\n')) gang.push_back(device_in_words(one, process));
    }
    check_devices(gang);
    return gang;
}

void ProcessTeam::check_devices(const std::vector<DeviceInfo>& gang) const {
    std::map<std::string, std::size_t> drivers;
    for (const DeviceInfo& device : gang) {
        if (device.simulated != gang.front().simulated)
            ::fail(Exit::unavailable,
                   "{} has {} GPU, and rank 0 has {}; give each one, or run all in the simulator with -d sim",
                   name_of(device.process), device.simulated ? "no" : "a", device.simulated ? "one" : "none");
        // (Each process simulates its own devices. Without a folder, the others' UUIDs are a guess.)
        if (device.simulated || !rendezvous_) continue;
        const auto [driver, is_first] = drivers.try_emplace(device.uuid, device.process);
        if (is_first) continue;
        ::fail(
            Exit::usage,
            "{} and {} would both drive {} ({}): start one process per GPU at most, and let each see a GPU of its own "
            "or all of the machine's",
            name_of(driver->second), name_of(device.process), device.name, device.uuid);
    }
}
