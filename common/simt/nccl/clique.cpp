// SPDX-License-Identifier: MIT
#include "common/simt/nccl/clique.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstring>
#include <ctime>

#include "common/simt/exec/address_space.hpp"
#include "common/simt/exec/machine.hpp"
#include "common/simt/exec/worker_pool.hpp"
#include "common/simt/nccl/clique_entry.hpp"

namespace simt::nccl {
namespace {

static_assert(std::atomic<uint64_t>::is_always_lock_free, "ranks in different processes share it");

constexpr uint64_t format_number = 0x6e63636c00000000 + sizeof(Header) + sizeof(RankState) + (NCCL_VERSION_CODE << 16);

// Small enough for pieces to stay in a processor's cache. With more ranks, each gets less memory.
constexpr size_t largest_slot = 256 << 10, all_slots = 8 << 20;
constexpr size_t largest_mailbox = 64 << 10, smallest_mailbox = 1 << 10, all_mailboxes = 4 << 20;

// How often a waiting rank calls `look`: less often if there are many ranks.
constexpr double seconds_between_looks = 0.05, more_per_rank = 0.001;
// It first polls this many times without sleeping, as another rank's step is often imminent.
constexpr int looks_without_sleep = 200;

constexpr double longest_time = 1e6;

size_t slot_bytes_for(size_t ranks) { return std::min(largest_slot, all_slots / ranks / 64 * 64); }
size_t mailbox_bytes_for(size_t ranks) {
    return std::clamp(all_mailboxes / (ranks * ranks) / 64 * 64, smallest_mailbox, largest_mailbox);
}

// Where the parts of the object begin.
struct Layout {
    size_t states, slots, mailboxes, end;
    explicit Layout(size_t ranks)
        : states(round_up(sizeof(Header), 64)),
          slots(round_up(states + ranks * sizeof(RankState), 4096)),
          mailboxes(slots + ranks * slot_bytes_for(ranks)),
          end(mailboxes + ranks * ranks * stride_for(ranks)) {}

    static size_t stride_for(size_t ranks) { return round_up(sizeof(Mailbox), 64) + mailbox_bytes_for(ranks); }
};

long futex(std::atomic<uint32_t>& word, int operation, uint32_t value, const timespec* timeout) {
    return syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

double now() {
    using namespace std::chrono;
    return duration<double>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

const char* name_of(Kind kind) {
    static constexpr const char* names[] = {"ncclAllReduce", "ncclReduce",   "ncclBroadcast", "ncclReduceScatter",
                                            "ncclAllGather", "ncclAlltoAll", "ncclGather",    "ncclScatter",
                                            "ncclSend",      "ncclRecv"};
    return names[static_cast<int>(kind)];
}

double join_timeout() {
    static const double seconds = environment_seconds("SIMCC_NCCL_TIMEOUT", longest_time, 60);
    return seconds;
}

double quiet_timeout() { return WorkerPool::instance().timeout(); }

// (A fork's child has the same random number as its parent.)
uint64_t process_number() {
    static const uint64_t random = [] {
        uint64_t number = 0;
        return getrandom(&number, sizeof number, 0) == sizeof number ? number : 0;
    }();
    return random + static_cast<uint64_t>(getpid());
}

size_t Clique::bytes_for(int ranks) { return Layout(static_cast<size_t>(ranks)).end; }

void Clique::format(void* memory, int ranks) {
    auto& header = *static_cast<Header*>(memory);
    header.ranks = ranks;
    header.slot_bytes = slot_bytes_for(static_cast<size_t>(ranks));
    header.mailbox_bytes = mailbox_bytes_for(static_cast<size_t>(ranks));
    header.format = format_number;
}

bool Clique::is_formatted(const void* memory) { return static_cast<const Header*>(memory)->format == format_number; }

Clique::Clique(void* memory, int file, int rank) : memory_(memory), file_(file), rank_(rank), bytes_(0) {
    bytes_ = bytes_for(ranks());
}

Clique::~Clique() {
    if (is_member_) {
        mine().left = 1;
        ring();
    }
    munmap(memory_, bytes_);
    close(file_);  // releases the lock
}

RankState& Clique::state(int rank) const {
    const Layout layout(static_cast<size_t>(ranks()));
    return reinterpret_cast<RankState*>(static_cast<char*>(memory_) + layout.states)[rank];
}

char* Clique::slot(int rank) const {
    return static_cast<char*>(memory_) + Layout(static_cast<size_t>(ranks())).slots + rank * slot_bytes();
}

Mailbox& Clique::mailbox(int from, int to) const {
    const size_t all = static_cast<size_t>(ranks());
    const Layout layout(all);
    const size_t index = static_cast<size_t>(from) * all + static_cast<size_t>(to);
    return *reinterpret_cast<Mailbox*>(static_cast<char*>(memory_) + layout.mailboxes +
                                       index * Layout::stride_for(all));
}

bool Clique::is_here(int rank) const { return state(rank).process_number == process_number(); }

void Clique::ring() const {
    Header& shared = header();
    ++shared.bell;
    if (shared.sleepers.load() > 0) futex(shared.bell, FUTEX_WAKE, INT_MAX, nullptr);
}

void Clique::break_off(const std::string& text) const {
    uint32_t whole = 0;
    if (!header().broken.compare_exchange_strong(whole, 1)) return;
    std::strncpy(header().broken_text, text.c_str(), sizeof header().broken_text - 1);
    header().broken = 2;
    ring();
}

Outcome Clique::wait(const std::function<bool()>& ready, const std::function<void(double)>& look) const {
    Header& shared = header();
    const double slice = seconds_between_looks + more_per_rank * ranks();
    double last_look = now();
    for (int looks = 0;; ++looks) {
        const uint32_t bell = shared.bell;
        if (ready()) return Outcome::done;
        if (mine().aborted) return Outcome::aborted;
        if (is_broken()) return Outcome::broken;
        if (looks < looks_without_sleep) continue;
        ++shared.sleepers;
        const timespec pause = {0, static_cast<long>(slice * 1e9)};
        futex(shared.bell, FUTEX_WAIT, bell, &pause);
        --shared.sleepers;
        const double time = now();
        if (time - last_look < slice) continue;
        look(time - last_look);
        last_look = time;
    }
}

Outcome Clique::meet(const std::function<void(double)>& look) const {
    const uint64_t phase = ++mine().phase;
    ring();
    int met = 0;  // the ranks below this have come
    return wait(
        [&] {
            while (met < ranks() && has_come(met, phase)) ++met;
            return met == ranks();
        },
        look);
}

bool Clique::is_alive(int rank) const { return is_here(rank) || is_byte_locked(file_, rank + 1); }

}  // namespace simt::nccl
