// The __device__ and __constant__ variables of several devices. A GPU has its own ones, the executable has one of each: what
// these hold belongs to one device at a time. Another device waits until no kernel and no copy uses them any more, and
// then brings what its own ones hold. Devices that hold the same constants, which no kernel changes, need not wait.
#pragma once

#include "common/simt/runtime/device.hpp"
#include "common/simt/runtime/stream.hpp"

namespace simt {

// Who uses variables: kernels may, and copies do, from or to them.
enum class VariableUser { kernel, copy };

// The device's turn, from the constructor's end to the destructor. Nothing if there is one device, or no variable.
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

// The same work, which waits for the device's turn if one of the addresses is that of a variable.
Work in_turn(const Device& device, const void* from, const void* to, Work work);

}  // namespace simt
