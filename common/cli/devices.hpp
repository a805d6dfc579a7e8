// SPDX-License-Identifier: MIT
// The choice of a device: auto, gpu, ordinals, all, UUID, PCI id or the simulator.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/cli/program.hpp"

struct ChosenDevice {
    const Backend* backend;
    DeviceInfo device;
};

// The devices that `spec` names, in its order. "auto" is the first GPU, or all of them if `every_device`; without a GPU
// it is the device that `simulator` returns, and `notice` says why, in full if `verbose`. Throws Failure(unavailable)
// if a requested GPU does not exist, Failure(usage) for an unknown spec.
std::vector<ChosenDevice> choose_devices(const std::string& spec, bool every_device, bool verbose, std::string& notice,
                                         const std::function<ChosenDevice()>& simulator);

// The devices that work together when these are chosen; in the simulator, all that it has. Failure(usage) if one is
// chosen twice.
std::vector<DeviceInfo> gang_of(const std::vector<ChosenDevice>& chosen);
// What to tell the user if devices of several models share a problem; "" if there is only one model.
std::string notice_of_models(const std::vector<DeviceInfo>& gang);

// The simulated device, and the one that checks every access.
ChosenDevice simulated_device();
ChosenDevice checked_device();

// Why there is no GPU, and what to do about it.
std::string reason_for(const Probe& probe);
std::string remedy_for(const Probe& probe);
