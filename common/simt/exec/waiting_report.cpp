// SPDX-License-Identifier: MIT
// What the messages about deadlocks, timeouts and stack overflows say about the lanes of a block.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>

#include "common/simt/exec/address_space.hpp"
#include "common/simt/exec/resident_block.hpp"

namespace simt {

namespace {

// Lanes that do the same thing in the same place.
struct LaneGroup {
    unsigned lanes = 0;
    const Context* first = nullptr;
    std::string of_one;  // what a single one does: "thread runs"
};

using Place = std::tuple<std::string, unsigned, std::string>;  // file, line, what they do: "threads run"

// `warp_function`: the function in which lanes wait for others of their warp.
std::string kind_of_wait(const Warp& warp, unsigned bit, const char* warp_function) {
    if (warp.meeting & bit) return std::string("for lanes of their warp (") + warp_function + ")";
    if (warp.asking & bit) return "at __activemask()";
    if (warp.at_grid & bit) return "at grid.sync()";
    return "at a block barrier";
}

std::string counted(uint64_t count, const std::string& one, const std::string& many) {
    return "  " + std::to_string(count) + ' ' + (count == 1 ? one : many);
}

void print_index(std::ostream& out, unsigned x, unsigned y, unsigned z) {
    out << '(' << x << ',' << y << ',' << z << ')';
}

}  // namespace

std::string ResidentBlock::describe_position() const {
    std::ostringstream text;
    text << "kernel " << launch_->launch.name << ", block ";
    print_index(text, identity_.index_x, identity_.index_y, identity_.index_z);
    return text.str();
}

// Whether the lane was polling again when the launch failed. Only an observer knows.
bool ResidentBlock::polls_again(const Warp& warp, unsigned lane) const {
    return observer_ && observer_->polls_again(static_cast<unsigned>(&warp - warps_.data()) * 32 + lane);
}

bool ResidentBlock::is_running(const Warp& warp, unsigned lane) const {
    if (polls_again(warp, lane)) return false;
    if (&warp.contexts[lane] == current_lane) return true;  // abandoned where it was
    // In a block that lets other blocks run first, the lanes that wait for those are ready.
    const bool lets_others_run = pause_ == Pause::polling || pause_ == Pause::at_grid;
    return (warp.paused | (lets_others_run ? 0 : warp.ready)) >> lane & 1;
}

// Called when only polling lanes can run and each has just looked. Paused lanes of the same warps are ahead of them,
// and must wait until they leave their loops.
void ResidentBlock::note_held_back() {
    held_back_.assign(warp_count_, 0);
    for (size_t i = 0; i < warp_count_; ++i) {
        if (observer_->waiting_loop_lanes(static_cast<unsigned>(i)) & warps_[i].ready) held_back_[i] = warps_[i].paused;
    }
}

unsigned ResidentBlock::held_back(const Warp& warp) const {
    return held_back_.empty() ? 0 : held_back_[static_cast<size_t>(&warp - warps_.data())] & warp.paused;
}

bool ResidentBlock::holds_back_lanes() const {
    for (size_t i = 0; i < warp_count_; ++i)
        if (held_back(warps_[i])) return true;
    return false;
}

std::string ResidentBlock::describe_waiting() const {
    if (!detached_) return "  a thread is in a loop that neither ends nor waits\n";
    std::map<Place, LaneGroup> waiting, running;
    unsigned live = 0;
    for (size_t i = 0; i < warp_count_; ++i) {
        const Warp& warp = warps_[i];
        live += std::popcount(warp.live);
        // After the last round of polling, the lanes that poll are ready to look again.
        const unsigned polling = pause_ == Pause::polling ? warp.ready : warp.yielded;
        for (unsigned lanes = warp.live & ~warp.unstarted; lanes; lanes &= lanes - 1) {
            const unsigned lane = std::countr_zero(lanes);
            const Context& context = warp.contexts[lane];
            const unsigned rank = static_cast<unsigned>(i) * 32 + lane;
            LaneGroup* group = nullptr;
            if (is_running(warp, lane)) {
                const bool is_held_back = held_back(warp) >> lane & 1;
                const std::string what =
                    is_held_back ? " held back by lanes of the same warp that wait" : " without waiting";
                const SourceLine place = observer_ ? observer_->place_of(rank) : SourceLine{};
                group = &running[{place.file, place.line, (is_held_back ? "threads are" : "threads run") + what}];
                group->of_one = (is_held_back ? "thread is" : "thread runs") + what;
            } else {
                const bool is_polling = polling >> lane & 1 || polls_again(warp, lane);
                const char* const known_function = observer_ ? observer_->warp_function_of(rank) : nullptr;
                const char* const warp_function = known_function ? known_function : "shuffle, vote or __syncwarp";
                const std::string kind = pause_ == Pause::at_grid ? "at grid.sync()"
                                         : is_polling             ? "in a loop that polls"
                                                                  : kind_of_wait(warp, 1u << lane, warp_function);
                group = &waiting[{context.file ? context.file : "?", context.line, "threads wait " + kind}];
                group->of_one = "thread waits " + kind;
            }
            if (group->lanes++ == 0) group->first = &context;
        }
    }
    std::ostringstream text;
    for (const auto& groups : {waiting, running}) {
        for (const auto& [place, group] : groups) {
            const auto& [file, line, of_many] = place;
            text << counted(group.lanes, group.of_one, of_many);
            if (!file.empty()) text << ", " << file << ':' << line;
            text << ", first ";
            print_index(text, group.first->x, group.first->y, group.first->z);
            text << '\n';
        }
    }
    if (live < lane_count_) text << "  " << lane_count_ - live << " have left the kernel\n";
    if (const uint64_t missing = launch_->grid_barrier.missing()) {
        text << counted(missing, "block has", "blocks have") << " ended without coming to grid.sync()\n";
    }
    return text.str();
}

// One message per launch: a kernel that overflows usually does so in every block.
void ResidentBlock::tell_overflow() const {
    if (launch_->overflow_reported.exchange(true)) return;
    std::fprintf(stderr, "simcc: %s: a thread used more stack than the %zu KiB that each has\n",
                 describe_position().c_str(), (LaneStacks::bytes_per_lane - page_bytes()) >> 10);
}

// Found after the fact: the stack of another lane may be damaged.
void ResidentBlock::report_overflow() {
    tell_overflow();
    launch_->fail(error_illegal_address);
    pause_ = Pause::failed;
    stacks_.clear();
}

}  // namespace simt
