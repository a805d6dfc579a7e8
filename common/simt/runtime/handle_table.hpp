// SPDX-License-Identifier: MIT
// Objects that programs hold by handle. A handle is the object's address, but it is looked up rather than dereferenced:
// so a stale or invented handle leads to cudaErrorInvalidResourceHandle.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace simt {

template <typename Object>
class HandleTable {
public:
    void* add(std::shared_ptr<Object> object) {
        const std::lock_guard lock(mutex_);
        Object* const handle = object.get();
        objects_[handle] = std::move(object);
        return handle;
    }

    /// The object, or null.
    std::shared_ptr<Object> find(const void* handle) const {
        const std::lock_guard lock(mutex_);
        const auto found = objects_.find(handle);
        return found == objects_.end() ? nullptr : found->second;
    }

    std::shared_ptr<Object> remove(const void* handle) {
        const std::lock_guard lock(mutex_);
        const auto found = objects_.find(handle);
        if (found == objects_.end()) return nullptr;
        auto object = std::move(found->second);
        objects_.erase(found);
        return object;
    }

    template <typename Predicate>
    void remove_if(Predicate predicate) {
        const std::lock_guard lock(mutex_);
        std::erase_if(objects_, [&](const auto& entry) { return predicate(*entry.second); });
    }

private:
    mutable std::mutex mutex_;
    std::unordered_map<const void*, std::shared_ptr<Object>> objects_;
};

}  // namespace simt
