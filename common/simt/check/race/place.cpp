// SPDX-License-Identifier: MIT
#include "common/simt/check/race/place.hpp"

#include <mutex>
#include <unordered_map>
#include <vector>

namespace simt::check {

// The places in shared libraries, numbered as they come.
class PlacesElsewhere {
public:
    static PlacesElsewhere& instance() {
        static auto& places = *new PlacesElsewhere;  // outlives the program's own exit handlers
        return places;
    }

    // 0: there are too many.
    uint64_t number_of(const void* pc) {
        const std::lock_guard lock(mutex_);
        const auto [position, is_new] = numbers_.try_emplace(pc, places_.size());
        if (is_new) places_.push_back(pc);
        return position->second < places_in_executable ? places_in_executable + position->second : 0;
    }
    const void* place(uint64_t number) {
        const std::lock_guard lock(mutex_);
        return places_[number - places_in_executable];
    }

private:
    std::mutex mutex_;
    std::unordered_map<const void*, uint64_t> numbers_;
    std::vector<const void*> places_;
};

uint64_t place_elsewhere(const void* pc) {
    // Nearly always the place is one of the few that this thread has seen last.
    struct Known {
        const void* pc = nullptr;
        uint64_t number = 0;
    };
    constexpr size_t remembered = 8;  // (Little: thread-local storage is saved with each suspended block.)
    static thread_local Known known[remembered];
    Known& entry = known[(reinterpret_cast<uintptr_t>(pc) >> 2) % remembered];
    if (entry.pc != pc) entry = {pc, PlacesElsewhere::instance().number_of(pc)};
    return entry.number;
}

const void* pc_of(uint64_t place) {
    if (place == 0) return nullptr;
    if (place >= places_in_executable) return PlacesElsewhere::instance().place(place);
    return reinterpret_cast<const void*>(executable().all.begin + place);
}

}  // namespace simt::check
