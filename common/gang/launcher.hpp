// SPDX-License-Identifier: MIT
// What a launcher (mpirun, srun, torchrun) tells each process that it starts: which one it is, and of how many.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/cuda/device_info.hpp"

struct World {
    std::size_t process = 0, processes = 1;
    std::size_t local = 0, locals = 1;  // the same among the processes of one machine
    std::string job;  // names the run: the same in all of its processes, and in no other run; "" if unknown
    const char* launcher = "";

    bool is_one_machine() const { return locals == processes; }
};

// The value of an environment variable; null if it is not set.
using Variables = std::function<const char*(const char* name)>;

// Reads the variables of the first launcher that has set all of its own; without any, this process is alone. Throws
// Failure(usage) if a launcher's variables are incomplete or contradict each other.
World find_world(const Variables& variable);

// The devices that this process drives, of those of the gang on this machine, `all`: an equal part of them, or one if
// there are fewer than processes. Throws Failure(usage) if they cannot be divided equally.
std::vector<DeviceInfo> own_devices(const std::vector<DeviceInfo>& all, const World& world);
