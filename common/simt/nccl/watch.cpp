// SPDX-License-Identifier: MIT
#include "common/simt/nccl/watch.hpp"

#include <unistd.h>

#include <cstdint>
#include <ctime>
#include <set>
#include <utility>

#include "common/simt/exec/worker_pool.hpp"

namespace simt::nccl {
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

}  // namespace simt::nccl
