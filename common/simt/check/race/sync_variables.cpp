// SPDX-License-Identifier: MIT
#include "common/simt/check/race/sync_variables.hpp"

#include <thread>

namespace simt::check {

void SyncVariables::Stripe::lock() {
    while (locked_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
}

std::shared_ptr<SyncLog> SyncVariables::Stripe::find(uintptr_t address) const {
    const auto found = logs_.find(address);
    return found == logs_.end() ? nullptr : found->second;
}

std::shared_ptr<SyncLog> SyncVariables::Stripe::at(uintptr_t address) {
    auto& log = logs_[address];
    if (!log) log = std::make_shared<SyncLog>();
    return log;
}

void SyncVariables::forget() {
    for (Stripe& stripe : stripes_) {
        stripe.lock();
        stripe.logs_.clear();
        stripe.unlock();
    }
}

}  // namespace simt::check
