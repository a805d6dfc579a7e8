// SPDX-License-Identifier: MIT
// Several devices in one program: which one is current, and which can access each other's memory.
#pragma once

#include <cuda_runtime.h>

#include <map>
#include <utility>

#include "common/cuda/check.cuh"

namespace BACKEND {

// Makes another device current as long as this object lives.
class OnDevice {
public:
    explicit OnDevice(int ordinal) {
        CHECK(cudaGetDevice(&before_));
        CHECK(cudaSetDevice(ordinal));
    }
    ~OnDevice() { static_cast<void>(cudaSetDevice(before_)); }
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

private:
    int before_ = 0;
};

// Which devices can access which others' memory.
class PeerAccess {
public:
    // Lets `here` access the memory of `there`. Returns whether it can; a second call returns what the first one did.
    bool enable(int here, int there) {
        const auto [known, is_new] = reaches_.try_emplace({here, there}, false);
        if (!is_new) return known->second;
        int can = 0;
        CHECK(cudaDeviceCanAccessPeer(&can, here, there));
        if (!can) return false;
        const OnDevice on_it(here);
        const cudaError_t enabled = cudaDeviceEnablePeerAccess(there, 0);
        if (enabled == cudaErrorPeerAccessAlreadyEnabled) static_cast<void>(cudaGetLastError());  // a library did it
        else CHECK(enabled);
        return known->second = true;
    }
    bool enable_both(int one, int other) {
        const bool forth = enable(one, other), back = enable(other, one);
        return forth && back;
    }

private:
    std::map<std::pair<int, int>, bool> reaches_;
};

}  // namespace BACKEND
