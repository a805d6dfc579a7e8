// SPDX-License-Identifier: MIT
#include "common/simt/runtime/variables.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <vector>

#include "common/simt/runtime/events.hpp"
#include "common/simt/runtime/state.hpp"

namespace simt {
namespace {

// A variable, with its values on all devices but the one whose turn it is.
struct Variable {
    void* address;
    size_t bytes;
    MemoryKind kind;
    std::vector<std::vector<char>> kept;

    void* held_by(size_t device) { return kept[device].data(); }
};

class Turns {
public:
    explicit Turns(size_t devices) : users_(devices) {}

    void begin(size_t device, VariableUser user) {
        std::unique_lock lock(mutex_);
        take_new_variables();
        ended_.wait(lock,
                    [&] { return is_free_for(device) || (user == VariableUser::kernel && holds_the_same(device)); });
        if (device != owner_ && is_free_for(device)) hand_over_to(device);
        ++users_[device];
    }

    void end(size_t device) {
        const std::lock_guard lock(mutex_);
        if (--users_[device] == 0) ended_.notify_all();
    }

private:
    // A variable becomes known before it is used: all devices start with its value at that time.
    void take_new_variables() {
        for (const auto& symbol : symbol_registry().symbols_from(known_)) {
            ++known_;
            if (symbol.is_shared) continue;
            const auto* const bytes = static_cast<const char*>(symbol.address);
            variables_.push_back({const_cast<void*>(symbol.address), symbol.bytes, symbol.kind,
                                  std::vector(users_.size(), std::vector<char>(bytes, bytes + symbol.bytes))});
        }
    }

    // Whether no other device uses the variables.
    bool is_free_for(size_t device) const {
        for (size_t other = 0; other < users_.size(); ++other)
            if (other != device && users_[other] > 0) return false;
        return true;
    }

    bool holds_the_same(size_t device) {
        return std::all_of(variables_.begin(), variables_.end(), [&](Variable& one) {
            const bool is_constant = one.kind == MemoryKind::constant;
            return is_constant && (device == owner_ || std::memcmp(one.address, one.held_by(device), one.bytes) == 0);
        });
    }

    void hand_over_to(size_t device) {
        for (Variable& one : variables_) {
            std::memcpy(one.held_by(owner_), one.address, one.bytes);
            if (std::memcmp(one.address, one.held_by(device), one.bytes) == 0) continue;  // it may be a const
            std::memcpy(one.address, one.held_by(device), one.bytes);
        }
        owner_ = device;
        events().variables_changed_hands();
    }

    std::mutex mutex_;
    std::condition_variable ended_;
    std::vector<Variable> variables_;
    size_t known_ = 0;             // symbols of the registry
    std::vector<unsigned> users_;  // of each device
    size_t owner_ = 0;
};

Turns& turns() {
    static Turns& the_turns = *new Turns(static_cast<size_t>(runtime().device_count()));
    return the_turns;
}

}  // namespace

VariablesTurn::VariablesTurn(const Device& device, VariableUser user)
    : device_(device.index()), takes_part_(runtime().device_count() > 1 && symbol_registry().has_symbols()) {
    if (takes_part_) turns().begin(static_cast<size_t>(device_), user);
}

VariablesTurn::~VariablesTurn() {
    if (takes_part_) turns().end(static_cast<size_t>(device_));
}

Work in_turn(const Device& device, const void* from, const void* to, Work work) {
    const auto is_variable = [](const void* address) {
        const auto allocation = runtime().memory.find(address);
        return allocation && allocation->is_symbol();
    };
    if (runtime().device_count() == 1 || !(is_variable(from) || is_variable(to))) return work;
    return [&device, work = std::move(work)] {
        const VariablesTurn turn(device, VariableUser::copy);
        return work();
    };
}

}  // namespace simt
