// SPDX-License-Identifier: MIT
#include "common/simt/nccl/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/simt/exec/worker_pool.hpp"
#include "common/simt/runtime/copy.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt::nccl {

// ---- a waiting rank

namespace {

// Waiting itself takes less than this share of a processor.
constexpr double share_of_work = 0.02;
// A program that queries asynchronous errors has this long to abort the communicator itself.
constexpr double seconds_to_abort = 5;
// How many times SIMCC_TIMEOUT a working rank may keep the others waiting before it calls: in this process, where the
// time of kernels does not count, and in another one.
constexpr double patience = 30, patience_with_others = 360;
// If a look comes later than this, the machine is busy or the process was stopped.
constexpr double longest_look = 0.5;

// The processor time of all the ranks' processes; negative if that of one is unavailable.
double processor_seconds(const Clique& clique) {
    std::set<int> processes;
    for (int rank = 0; rank < clique.ranks(); ++rank) processes.insert(clique.state(rank).process);
    double sum = 0;
    for (const int process : processes) {
        clockid_t clock = CLOCK_PROCESS_CPUTIME_ID;
        timespec used = {};
        if (process != getpid() && clock_getcpuclockid(process, &clock) != 0) return -1;
        if (clock_gettime(clock, &used) != 0) return -1;
        sum += static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
    }
    return sum;
}

// The call that the others expect from a missing rank.
std::string expected_of(const Call& call) {
    if (call.kind == Kind::send) return "the ncclRecv that matches " + call.text_alone();
    if (call.kind == Kind::receive) return "the ncclSend that matches " + call.text_alone();
    return call.text_alone();
}

std::string called_by(const Call& call) {
    const std::string place = text_of(call.place);
    return ", which rank " + std::to_string(call.communicator->rank()) + " called" +
           (place.empty() ? "" : " at " + place);
}

}  // namespace

Watch::Watch(const Call& call, uint64_t number, std::function<bool(int)> missing)
    : call_(call), communicator_(*call.communicator), number_(number), missing_(std::move(missing)) {}

// To be called if the rank will never come.
void Watch::lose(int rank, const std::string& what, double seconds) {
    communicator_.asynchronous_error = ncclRemoteError;
    lost_ += seconds;
    if (communicator_.is_asked && lost_ < seconds_to_abort) return;
    communicator_.clique->break_off(text_of_rank(rank, communicator_.ranks()) + " " + what + ", but " +
                                    call_.text_alone() + called_by(call_) + ", needs it");
}

bool Watch::has_worked(double seconds) {
    const double before = processor_seconds_;
    processor_seconds_ = processor_seconds(*communicator_.clique);
    return before < 0 || processor_seconds_ < 0 || seconds > longest_look ||
           processor_seconds_ - before > share_of_work * seconds;
}

// Why a rank that has kept the others waiting for long will not come; "" if it still may.
std::string Watch::verdict_on(int rank, bool is_quiet) const {
    const Clique& clique = *communicator_.clique;
    const RankState& state = clique.state(rank);
    const std::string who = text_of_rank(rank, clique.ranks()) + " of the communicator ";
    const std::string last = state.text[0] ? std::string("; its last call is ") + state.text : "";
    const char* const grouped =
        clique.is_here(rank) ? "; put calls for several devices of one thread between ncclGroupStart and ncclGroupEnd"
                             : "";
    if (state.aborted) return who + "has been aborted, but " + call_.text_alone() + called_by(call_) + ", needs it";
    if (number_ > 0 && state.called < number_) {
        return who + "never called " + expected_of(call_) + called_by(call_) + last + grouped;
    }
    if (!is_quiet) return "";
    return who + "does not reach " + expected_of(call_) + called_by(call_) + ", and no process works any more" + last +
           "; all ranks must make their calls in the same order" + grouped;
}

void Watch::look(double seconds) {
    const Clique& clique = *communicator_.clique;
    // (Kernels that do not end have their own watchdog.)
    const bool has_kernel = WorkerPool::instance().is_running();
    waited_ += has_kernel ? 0 : seconds;
    quiet_ = has_worked(seconds) || has_kernel ? 0 : quiet_ + seconds;
    for (int rank = 0; rank < clique.ranks(); ++rank) {
        const RankState& state = clique.state(rank);
        const bool has_left = state.left, has_ended = !has_left && !clique.is_alive(rank);
        if (state.aborted) communicator_.asynchronous_error = ncclRemoteError;
        // (It may have come just before it left.)
        if ((!has_left && !has_ended) || !missing_(rank)) continue;
        const std::string process = "(process " + std::to_string(state.process) + ") has ended";
        return lose(rank,
                    state.aborted ? "has aborted its communicator"
                    : has_left    ? "has destroyed its communicator"
                                  : process,
                    seconds);
    }
    if (quiet_timeout() == 0) return;
    const bool is_quiet = quiet_ >= quiet_timeout();
    for (int rank = 0; rank < clique.ranks(); ++rank) {
        const double times = clique.is_here(rank) ? patience : patience_with_others;
        if ((!is_quiet && waited_ < times * quiet_timeout()) || !missing_(rank)) continue;
        const std::string verdict = verdict_on(rank, is_quiet);
        if (!verdict.empty()) return clique.break_off(verdict);
    }
}

// ---- collectives

namespace {

// One rank's part in a collective.
class Collective {
public:
    Collective(const Call& call, uint64_t number)
        : call_(call), clique_(*call.communicator->clique), number_(number), size_(call.element()) {}

    Outcome run() {
        if (const Outcome outcome = meet_with_same_call(); outcome != Outcome::done) return outcome;
        announce(call_);
        const size_t piece = clique_.slot_bytes() / size_;
        for (size_t begin = 0; begin < length(); begin += piece) {
            const size_t count = std::min(piece, length() - begin);
            if (gives()) give(begin, count);
            if (const Outcome outcome = meet(); outcome != Outcome::done) return outcome;
            if (reduces()) {
                reduce_share(count);
                if (const Outcome outcome = meet(); outcome != Outcome::done) return outcome;
            }
            take(begin, count);
            // (After the last piece, the first meeting of the next collective does this.)
            const bool is_last = begin + count == length();
            if (is_last) break;
            if (const Outcome outcome = meet(); outcome != Outcome::done) return outcome;
        }
        return Outcome::done;
    }

private:
    int me() const { return clique_.rank(); }
    size_t ranks() const { return static_cast<size_t>(clique_.ranks()); }

    bool reduces() const {
        return call_.kind == Kind::all_reduce || call_.kind == Kind::reduce || call_.kind == Kind::reduce_scatter;
    }
    bool has_root() const { return call_.root >= 0; }
    bool is_root() const { return call_.root == me(); }
    bool gives() const { return (call_.kind != Kind::broadcast && call_.kind != Kind::scatter) || is_root(); }

    // How many elements a rank gives: one block, or one for each rank if each gets a different one.
    bool has_blocks() const {
        return call_.kind == Kind::reduce_scatter || call_.kind == Kind::all_to_all || call_.kind == Kind::scatter;
    }
    size_t length() const { return has_blocks() ? call_.count * ranks() : call_.count; }

    Outcome meet() {
        Watch watch(call_, number_, [&](int rank) { return !clique_.has_come(rank, clique_.mine().phase); });
        return clique_.meet([&](double seconds) { watch.look(seconds); });
    }

    // All ranks come to the same conclusion, because all make the same comparisons.
    Outcome meet_with_same_call() {
        RankState& state = clique_.mine();
        state.signature = call_.signature();
        if (const Outcome outcome = meet(); outcome != Outcome::done) return outcome;
        for (int rank = 1; rank < clique_.ranks(); ++rank) {
            if (clique_.state(rank).signature == clique_.state(0).signature) continue;
            clique_.break_off("collective " + std::to_string(number_) +
                              " of the communicator differs between ranks: rank 0 of " + std::to_string(ranks()) +
                              " called " + text_of(clique_.state(0).signature) + ", rank " + std::to_string(rank) +
                              " called " + text_of(clique_.state(rank).signature) + places_of(rank));
            return Outcome::broken;
        }
        return Outcome::done;
    }

    // Where the two calls were made, unless their hosts have gone on to other calls.
    std::string places_of(int rank) const {
        const char* const one = clique_.state(0).text;
        const char* const other = clique_.state(rank).text;
        return std::string("; their latest calls are ") + one + " and " + other;
    }

    static std::string text_of(const Signature& signature) {
        Call call{signature.kind};
        call.count = signature.count;
        call.type = static_cast<ncclDataType_t>(signature.type);
        call.how.operation = signature.operation;
        call.root = signature.root;
        return call.text_alone();
    }

    void give(size_t begin, size_t count) {
        char* const slot = clique_.slot(me());
        std::memcpy(slot, static_cast<const char*>(call_.send) + begin * size_, count * size_);
        if (reduces()) prepare(slot, count, call_.type, call_.how, clique_.ranks());
    }

    // Each rank reduces its share of the piece, into the slot of rank 0.
    void reduce_share(size_t count) {
        const size_t first = count * static_cast<size_t>(me()) / ranks();
        const size_t share = count * static_cast<size_t>(me() + 1) / ranks() - first;
        char* const sum = clique_.slot(0) + first * size_;
        for (int rank = 1; rank < clique_.ranks(); ++rank) {
            combine(sum, clique_.slot(rank) + first * size_, share, call_.type, call_.how);
        }
        finish(sum, share, call_.type, call_.how, clique_.ranks());
    }

    void take(size_t begin, size_t count) {
        switch (call_.kind) {
            case Kind::all_reduce: return copy_from(0, 0, count, begin);
            case Kind::reduce: return is_root() ? copy_from(0, 0, count, begin) : void();
            case Kind::broadcast: return copy_from(call_.root, 0, count, begin);
            case Kind::all_gather: return take_from_all(begin, count);
            case Kind::gather: return is_root() ? take_from_all(begin, count) : void();
            case Kind::reduce_scatter: return take_own_block(0, begin, count, 0);
            case Kind::scatter: return take_own_block(call_.root, begin, count, 0);
            default:
                for (int rank = 0; rank < clique_.ranks(); ++rank) {
                    take_own_block(rank, begin, count, static_cast<size_t>(rank) * call_.count);
                }
        }
    }

    void take_from_all(size_t begin, size_t count) {
        for (int rank = 0; rank < clique_.ranks(); ++rank) {
            copy_from(rank, 0, count, static_cast<size_t>(rank) * call_.count + begin);
        }
    }

    // Copies the part of the piece that is in this rank's block to its buffer, where the block begins at `base`.
    void take_own_block(int from, size_t begin, size_t count, size_t base) {
        const size_t block = static_cast<size_t>(me()) * call_.count;
        const size_t first = std::max(begin, block), last = std::min(begin + count, block + call_.count);
        if (first < last) copy_from(from, first - begin, last - first, base + first - block);
    }

    void copy_from(int rank, size_t at, size_t count, size_t to) {
        std::memcpy(static_cast<char*>(call_.receive) + to * size_, clique_.slot(rank) + at * size_, count * size_);
    }

    const Call& call_;
    Clique& clique_;
    const uint64_t number_;
    const size_t size_;
};

// A buffer may have been freed since the call.
std::string wrong_by_now(const std::vector<Call>& calls) {
    for (const Call& call : calls) {
        if (const auto wrong = wrong_with_buffers(call)) {
            return text_of_rank(call.communicator->rank(), call.communicator->ranks()) + ": " + call.text() + ": " +
                   *wrong + ", now that the stream has come to it";
        }
    }
    return "";
}

}  // namespace

void announce(const Call& call) {
    BlockCopy out, in;
    out.from = call.send;
    out.width = bytes_sent(call);
    in.to = call.receive;
    in.width = bytes_received(call);
    if (!out.empty()) events().copied(out, call.place.note);
    if (!in.empty()) events().copied(in, call.place.note);
}

int run(const std::vector<Call>& calls) {
    Communicator& communicator = *calls.front().communicator;
    Clique& clique = *communicator.clique;
    if (const std::string wrong = wrong_by_now(calls); !wrong.empty()) clique.break_off(wrong);
    Outcome outcome = clique.is_broken() ? Outcome::broken : Outcome::done;
    for (const Call& call : calls) {
        if (call.is_message() || outcome != Outcome::done) continue;
        const uint64_t number = ++communicator.collectives_begun;
        if (clique.mine().called < number) clique.mine().called = number;  // the graph has been launched again
        outcome = Collective(call, number).run();
    }
    if (outcome == Outcome::done) outcome = exchange(calls);
    if (outcome != Outcome::broken) return cudaSuccess;
    ncclResult_t none = ncclSuccess;
    communicator.asynchronous_error.compare_exchange_strong(none, ncclInvalidUsage);
    return fail_operation(clique.broken_text(), calls.front().place);
}

// ---- messages between pairs of ranks

namespace {

// One half of a message, which advances piece by piece without waiting.
class Half {
public:
    explicit Half(const Call& call)
        : call_(call),
          clique_(*call.communicator->clique),
          mailbox_(call.kind == Kind::send ? clique_.mailbox(clique_.rank(), call.root)
                                           : clique_.mailbox(call.root, clique_.rank())),
          bytes_(call.count * call.element()) {}

    bool is_send() const { return call_.kind == Kind::send; }
    int peer() const { return call_.root; }
    bool is_done() const { return is_done_; }
    bool is_same_lane(const Half& other) const { return &mailbox_ == &other.mailbox_ && is_send() == other.is_send(); }
    const Call& call() const { return call_; }
    // Whether the peer must make the next step.
    bool is_blocked() const { return (mailbox_.full != 0) == is_send(); }

    // Returns whether there was anything to do.
    bool advance() { return is_send() ? send() : receive(); }

private:
    // A message waits for its other half: it is done when the receiver has taken the last piece.
    bool send() {
        if (mailbox_.full) return false;
        if (has_begun_ && moved_ == bytes_) {
            is_done_ = true;
            return true;
        }
        has_begun_ = true;
        mailbox_.signature = call_.signature();
        mailbox_.bytes = std::min(bytes_ - moved_, clique_.mailbox_bytes());
        if (mailbox_.bytes > 0) {
            std::memcpy(Clique::data_of(mailbox_), static_cast<const char*>(call_.send) + moved_, mailbox_.bytes);
        }
        moved_ += mailbox_.bytes;
        mailbox_.full = 1;
        clique_.ring();
        return true;
    }

    bool receive() {
        if (!mailbox_.full) return false;
        const Signature& sent = mailbox_.signature;
        if (sent.count * bytes_of(static_cast<ncclDataType_t>(sent.type)) != bytes_ || sent.type != call_.type) {
            Call other{Kind::send};
            other.count = sent.count;
            other.type = static_cast<ncclDataType_t>(sent.type);
            other.root = clique_.rank();
            clique_.break_off("a message differs between its ranks: rank " + std::to_string(peer()) + " called " +
                              other.text_alone() + ", rank " + std::to_string(clique_.rank()) + " called " +
                              call_.text());
            return false;
        }
        if (mailbox_.bytes > 0) {
            std::memcpy(static_cast<char*>(call_.receive) + moved_, Clique::data_of(mailbox_), mailbox_.bytes);
        }
        moved_ += mailbox_.bytes;
        is_done_ = moved_ == bytes_;
        mailbox_.full = 0;
        clique_.ring();
        return true;
    }

    const Call& call_;
    Clique& clique_;
    Mailbox& mailbox_;
    const size_t bytes_;
    size_t moved_ = 0;
    bool has_begun_ = false, is_done_ = false;
};

}  // namespace

Outcome exchange(const std::vector<Call>& calls) {
    std::vector<Half> halves;
    for (const Call& call : calls) {
        if (!call.is_message()) continue;
        announce(call);
        halves.emplace_back(call);
    }
    if (halves.empty()) return Outcome::done;
    Clique& clique = *calls.front().communicator->clique;
    // Messages from one rank to another go one after another, all others concurrently.
    const auto is_next = [&](size_t index) {
        for (size_t earlier = 0; earlier < index; ++earlier) {
            if (!halves[earlier].is_done() && halves[earlier].is_same_lane(halves[index])) return false;
        }
        return !halves[index].is_done();
    };
    const auto advance = [&] {
        for (bool has_moved = true; has_moved && !clique.is_broken();) {
            has_moved = false;
            for (size_t index = 0; index < halves.size(); ++index) {
                if (is_next(index)) has_moved |= halves[index].advance();
            }
        }
        return std::all_of(halves.begin(), halves.end(), [](const Half& half) { return half.is_done(); });
    };
    std::unique_ptr<Watch> watch;
    const Half* watched = nullptr;
    return clique.wait(advance, [&](double seconds) {
        const auto open = std::find_if(halves.begin(), halves.end(), [](const Half& half) { return !half.is_done(); });
        if (open == halves.end()) return;
        if (watched != &*open) {
            watched = &*open;
            watch = std::make_unique<Watch>(
                watched->call(), 0, [half = watched](int rank) { return rank == half->peer() && half->is_blocked(); });
        }
        watch->look(seconds);
    });
}

// ---- buffers

namespace {

size_t ranks_of(const Call& call) { return static_cast<size_t>(call.communicator->ranks()); }
bool is_root(const Call& call) { return call.communicator->rank() == call.root; }
uintptr_t number(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); }

std::string in_hexadecimal(const void* pointer) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%zx", static_cast<size_t>(number(pointer)));
    return text;
}

// (Device variables are allowed on any device: there is one storage for all.)
std::optional<std::string> wrong_with(const char* name, const void* pointer, size_t bytes, const Call& call) {
    if (bytes == 0) return std::nullopt;
    const std::string which = std::string(name) + " " + in_hexadecimal(pointer);
    const std::string device = "device " + std::to_string(call.communicator->device);
    if (!pointer) return std::string(name) + " is null";
    const auto allocation = runtime().memory.find(pointer);
    if (!allocation) {
        if (!runtime().memory.address_space().contains(number(pointer))) {
            return which + " is memory of the host; NCCL needs memory of " + device;
        }
        const std::string where = describe_address(pointer);
        return which + " is in no allocation" + (where.empty() ? "" : ": " + where);
    }
    if (!allocation->host_can_reach() && !allocation->is_symbol() && allocation->device != call.communicator->device) {
        return which + " is memory of device " + std::to_string(allocation->device) +
               ", but the communicator's rank is on " + device;
    }
    if (allocation->contains(number(pointer), bytes)) return std::nullopt;
    return which + ": the call needs " + std::to_string(bytes) + " bytes, but the allocation #" +
           std::to_string(allocation->serial) + " of " + std::to_string(allocation->bytes) + " bytes ends after " +
           std::to_string(allocation->base + allocation->bytes - number(pointer));
}

// The offset of an in-place call's receive buffer from its send buffer, in bytes; none if there is no in-place form.
std::optional<ptrdiff_t> distance_in_place(const Call& call) {
    const auto block = static_cast<ptrdiff_t>(call.count * call.element());
    switch (call.kind) {
        case Kind::all_reduce:
        case Kind::reduce:
        case Kind::broadcast: return 0;
        case Kind::reduce_scatter:
        case Kind::scatter: return call.communicator->rank() * block;
        case Kind::all_gather:
        case Kind::gather: return -(call.communicator->rank() * block);
        default: return std::nullopt;
    }
}

std::optional<std::string> wrong_with_overlap(const Call& call) {
    const uintptr_t from = number(call.send), to = number(call.receive);
    if (from >= to + bytes_received(call) || to >= from + bytes_sent(call)) return std::nullopt;
    const auto distance = static_cast<ptrdiff_t>(to - from);
    const auto in_place = distance_in_place(call);
    if (in_place && distance == *in_place) return std::nullopt;
    std::string text = "sendbuff and recvbuff overlap: recvbuff begins " + std::to_string(distance) +
                       " bytes after the beginning of sendbuff; ";
    if (in_place) return text + "in place it would be " + std::to_string(*in_place);
    return text + "this collective has no in-place form";
}

}  // namespace

size_t bytes_sent(const Call& call) {
    const size_t block = call.count * call.element();
    switch (call.kind) {
        case Kind::reduce_scatter:
        case Kind::all_to_all: return block * ranks_of(call);
        case Kind::broadcast: return is_root(call) ? block : 0;
        case Kind::scatter: return is_root(call) ? block * ranks_of(call) : 0;
        case Kind::receive: return 0;
        default: return block;
    }
}

size_t bytes_received(const Call& call) {
    const size_t block = call.count * call.element();
    switch (call.kind) {
        case Kind::all_gather:
        case Kind::all_to_all: return block * ranks_of(call);
        case Kind::reduce: return is_root(call) ? block : 0;
        case Kind::gather: return is_root(call) ? block * ranks_of(call) : 0;
        case Kind::send: return 0;
        default: return block;
    }
}

std::optional<std::string> wrong_with_buffers(const Call& call) {
    const size_t sent = bytes_sent(call), received = bytes_received(call);
    if (const auto wrong = wrong_with("sendbuff", call.send, sent, call)) return wrong;
    if (const auto wrong = wrong_with("recvbuff", call.receive, received, call)) return wrong;
    return sent > 0 && received > 0 ? wrong_with_overlap(call) : std::nullopt;
}

}  // namespace simt::nccl
