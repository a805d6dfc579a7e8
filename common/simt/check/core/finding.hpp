// SPDX-License-Identifier: MIT
// A finding of the checkers, and where findings go.
#pragma once

#include <compare>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "common/simt/include/simt/kernel_launch.hpp"

namespace simt::check {

inline std::string hexadecimal(uintptr_t number) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "0x%zx", static_cast<size_t>(number));
    return digits;
}

/// "1,024"
inline std::string grouped(uint64_t number) {
    std::string digits = std::to_string(number);
    for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
    return digits;
}

/// "1 byte", "1,024 bytes"
inline std::string counted(uint64_t count, const std::string& noun) {
    return grouped(count) + " " + noun + (count == 1 ? "" : "s");
}

enum class Tool { memcheck, racecheck, initcheck, synccheck };
enum class Severity { error, warning, info };

/// A place in device code: the return address of an instrumentation hook, or a source line where that is known.
struct Place {
    const void* pc = nullptr;
    const char* file = nullptr;
    unsigned line = 0;
};

/// A thread of a grid. With `warp`, an unknown thread of this warp of the block; `thread` is then the warp's first.
struct ThreadName {
    Extent thread = {0, 0, 0};
    Extent block = {0, 0, 0};
    std::optional<unsigned> warp = {};
};

/// In the order of blocks and their threads.
inline auto rank_of(const ThreadName& who) {
    return std::tuple(who.block.z, who.block.y, who.block.x, who.thread.z, who.thread.y, who.thread.x);
}

/// One side of a race, or the place of any other finding.
struct Side {
    std::string what;  ///< "Write access", "Read access"; "" for the place of the finding itself
    Place place;
    ThreadName who;
};

struct Finding {
    Tool tool = Tool::memcheck;
    Severity severity = Severity::error;
    std::string title;                 ///< "Invalid __global__ write of size 4 bytes"; of two sides "Race reported"
    std::string kernel;                ///< "" for findings on the host
    std::vector<Side> sides;           ///< none for findings on the host
    std::vector<std::string> details;  ///< further lines: "Address 0x7f... is out of bounds"
    uint64_t times = 1;                ///< how often it was seen, if reported as a sum
    uint64_t allocation_serial = 0;    ///< print the host's backtrace of this allocation; 0: none
    /// Where the host was, and when: "at kernel launch time". report() adds it to findings in kernels.
    std::vector<const void*> backtrace;
    std::string backtrace_time;
};

/// The most severe finding (or race), then the first thread's, stands for all of its kind, in whatever order they come.
template <typename T>
bool speaks_for(const T& one, const T& other) {
    if (one.severity != other.severity) return one.severity < other.severity;
    const auto threads_of = [](const auto& sides) {
        return sides.empty() ? std::pair(rank_of(ThreadName()), rank_of(ThreadName()))
                             : std::pair(rank_of(sides.front().who), rank_of(sides.back().who));
    };
    return threads_of(one.sides) < threads_of(other.sides);
}

/// A reported finding.
struct Collected;

/// Counts a finding. Findings with the same tool, title and places are one finding with a count. Thread-safe. The
/// result stays valid.
Collected* report(Finding finding);
/// Counts it once more.
void report_again(Collected* collected);

/// Prints what has been collected since the last call, in the order of blocks and threads. Called after every launch.
void print_findings();

/// Does the same and prints the summary at the end of the program. Returns the number of findings, not counting those
/// that are only information.
uint64_t print_summary();

/// What the checks of one block have reported about a launch. A finding that an earlier thread already had at the same
/// place is only counted: a faulty kernel usually fails in every thread, and writing a text for each would take long.
class RepeatedFindings {
public:
    /// Called when a block begins. The first thread of the lowest-numbered block stands for a finding.
    void begin_block(uint64_t launch, uint64_t block) {
        if (launch != launch_) known_.clear();
        launch_ = launch;
        block_ = block;
    }

    /// Reports the finding that `make` returns, or only counts it once more. `what`: a number for the finding's tool
    /// and title; `lane`: the thread in the block.
    template <typename Make>
    void report(uint64_t what, const Place& place, unsigned lane, Make make) {
        const std::pair<uint64_t, unsigned> thread(block_, lane);
        const auto [position, is_new] = known_.try_emplace({what, place.pc, place.file, place.line});
        Known& known = position->second;
        if (!is_new && known.thread <= thread) return report_again(known.finding);
        known = {check::report(make()), thread};
    }

private:
    struct Key {
        uint64_t what;
        const void* pc;
        const char* file;
        unsigned line;
        auto operator<=>(const Key& other) const = default;
    };
    struct Known {
        Collected* finding = nullptr;
        std::pair<uint64_t, unsigned> thread;  // the first one, as far as this object knows
    };

    uint64_t launch_ = 0, block_ = 0;
    std::map<Key, Known> known_;
};

// ---- where the host was when it allocated the memory that kernels use

/// Records the calling thread's backtrace as that of this allocation (Allocation::serial).
void log_allocation(uint64_t serial);

/// Return addresses, innermost first; none if the allocation is not known.
std::vector<const void*> backtrace_of_allocation(uint64_t serial);

}  // namespace simt::check
