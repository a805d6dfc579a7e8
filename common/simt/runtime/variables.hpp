// SPDX-License-Identifier: MIT
// The __device__ and __constant__ variables of several devices. Each GPU has its own copy, but the executable has only
// one, which holds the values of one device at a time. Another device waits until no kernel and no copy uses the
// variables, and then swaps in its own values. Devices with the same constants, which no kernel changes, need not wait.
#pragma once

#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/stream.hpp"

namespace simt {

/// Who uses variables: kernels may use any; copies read or write one.
enum class VariableUser { kernel, copy };

/// The device's turn, from the end of the constructor to the destructor. Does nothing with one device or no variables.
class VariablesTurn {
public:
    VariablesTurn(const Device& device, VariableUser user);
    ~VariablesTurn();
    VariablesTurn(const VariablesTurn&) = delete;
    VariablesTurn& operator=(const VariablesTurn&) = delete;

private:
    const int device_;
    const bool takes_part_;
};

/// The same work, but it waits for the device's turn if one of the addresses is in a variable.
Work in_turn(const Device& device, const void* from, const void* to, Work work);

}  // namespace simt
