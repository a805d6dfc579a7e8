// What a deadlock or timeout message says about the lanes of a block.
#include <bit>
#include <map>
#include <sstream>
#include <tuple>

#include "common/simt/resident_block.hpp"

namespace simt {

namespace {

// Lanes that wait in the same way in the same place.
struct WaitingGroup {
    unsigned lanes = 0;
    const Context* first = nullptr;
};

using Place = std::tuple<std::string, unsigned, std::string>;  // file, line, kind of wait

const char* kind_of_wait(const Warp& warp, unsigned bit) {
    if (warp.meeting & bit) return "for lanes of their warp (shuffle, vote or __syncwarp)";
    if (warp.asking & bit) return "at __activemask()";
    if (warp.at_grid & bit) return "at grid.sync()";
    return "at a block barrier";
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

std::string ResidentBlock::describe_waiting() const {
    if (!detached_) return "  a thread is in a loop that neither ends nor waits\n";
    std::map<Place, WaitingGroup> groups;
    unsigned live = 0;
    for (size_t i = 0; i < warp_count_; ++i) {
        const Warp& warp = warps_[i];
        live += std::popcount(warp.live);
        // After the last round of polling, the lanes that poll are ready to look again.
        const unsigned polling = pause_ == Pause::polling ? warp.ready : warp.yielded;
        for (unsigned lanes = warp.live & ~warp.unstarted; lanes; lanes &= lanes - 1) {
            const unsigned lane = std::countr_zero(lanes);
            const Context& context = warp.contexts[lane];
            const char* kind = polling >> lane & 1 ? "in a loop that polls" : kind_of_wait(warp, 1u << lane);
            WaitingGroup& group = groups[{context.file ? context.file : "?", context.line, kind}];
            if (group.lanes++ == 0) group.first = &context;
        }
    }
    std::ostringstream text;
    for (const auto& [place, group] : groups) {
        const auto& [file, line, kind] = place;
        text << "  " << group.lanes << (group.lanes == 1 ? " thread waits " : " threads wait ") << kind << ", " << file
             << ':' << line << ", first ";
        print_index(text, group.first->x, group.first->y, group.first->z);
        text << '\n';
    }
    if (live < lane_count_) text << "  " << lane_count_ - live << " have left the kernel\n";
    return text.str();
}

}  // namespace simt
