// What a launcher (mpirun, srun, torchrun) says to each process that it starts: which one it is, and of how many.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "common/cuda/device_info.hpp"

struct World {
    std::size_t process = 0, processes = 1;
    std::size_t local = 0, locals = 1;  // the same among those of one machine
    std::string job;  // a name that all processes of the run know, and no other run has; "" if there is none
    const char* launcher = "";

    bool is_one_machine() const { return locals == processes; }
};

// The value of an environment variable; null: it is not set.
using Variables = std::function<const char*(const char* name)>;

// Of the first launcher whose variables are complete; one process alone, if there are none. Throws Failure(usage) for
// those of which half is missing, or whose numbers do not go together.
World find_world(const Variables& variable);

// The devices of the gang on this machine, `all`, that this process drives: an equal part of them, or one where each
// process sees too few for that. Throws Failure(usage) if they cannot be shared out equally.
std::vector<DeviceInfo> own_devices(const std::vector<DeviceInfo>& all, const World& world);
