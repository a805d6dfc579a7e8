// SPDX-License-Identifier: MIT
#include "common/simt/runtime/kernels.hpp"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "common/simt/exec/machine.hpp"
#include "common/simt/runtime/properties.hpp"

namespace simt {
namespace {

class KernelTable {
public:
    void remember(const void* kernel, KernelTrampoline* trampoline) {
        const std::lock_guard lock(mutex_);
        kernels_[kernel].trampoline = trampoline;
    }

    KernelTrampoline* trampoline(const void* kernel) const {
        const std::lock_guard lock(mutex_);
        const auto found = kernels_.find(kernel);
        return found == kernels_.end() ? nullptr : found->second.trampoline;
    }

    void set_dynamic_shared_bytes(const void* kernel, size_t bytes) {
        const std::lock_guard lock(mutex_);
        kernels_[kernel].dynamic_shared_bytes = bytes;
        largest_ = std::max(largest_, bytes);
    }

    size_t dynamic_shared_bytes(const void* kernel) const {
        const std::lock_guard lock(mutex_);
        const auto found = kernels_.find(kernel);
        return found == kernels_.end() ? shared_bytes_per_block : found->second.dynamic_shared_bytes;
    }

    size_t largest() const {
        const std::lock_guard lock(mutex_);
        return largest_;
    }

private:
    struct Kernel {
        KernelTrampoline* trampoline = nullptr;
        size_t dynamic_shared_bytes = shared_bytes_per_block;
    };

    mutable std::mutex mutex_;
    std::unordered_map<const void*, Kernel> kernels_;
    size_t largest_ = shared_bytes_per_block;
};

KernelTable& kernels() {
    static KernelTable& table = *new KernelTable;
    return table;
}

}  // namespace

void remember_kernel(const void* kernel, KernelTrampoline* trampoline) {
    unless_short([&] { kernels().remember(kernel, trampoline); });
}

KernelTrampoline* kernel_trampoline(const void* kernel) { return kernels().trampoline(kernel); }

size_t dynamic_shared_bytes_of(const void* kernel) { return kernels().dynamic_shared_bytes(kernel); }

void set_dynamic_shared_bytes(const void* kernel, size_t bytes) { kernels().set_dynamic_shared_bytes(kernel, bytes); }

size_t largest_dynamic_shared_bytes() { return kernels().largest(); }

}  // namespace simt
