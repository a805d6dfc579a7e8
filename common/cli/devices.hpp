// The choice of a device: auto, gpu, ordinals, all, UUID, PCI id or the simulator.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/cli/backend.hpp"

struct Chosen {
    const Backend* backend;
    DeviceInfo device;
};

// The devices that `spec` names, in its order; "auto" is the first GPU, or every one. For "auto" without a GPU: the simulated
// device that `simulator` makes, with the reason in `notice`, in full if `verbose`.
// Throws Failure(unavailable) when a GPU is asked for and there is none, Failure(usage) for a spec that names nothing.
std::vector<Chosen> choose_devices(const std::string& spec, bool every_device, bool verbose, std::string& notice,
                                   const std::function<Chosen()>& simulator);

// The devices that work together when these are chosen: in the simulator all that there are. Failure(usage) if one is
// chosen twice.
std::vector<DeviceInfo> gang_of(const std::vector<Chosen>& chosen);
// What a user has to know of devices of several models that share a problem; "" if there is one model.
std::string notice_of_models(const std::vector<DeviceInfo>& gang);

// The simulated device, and the one that checks every access.
Chosen simulated_device();
Chosen checked_device();

// Why there is no GPU, by cause, and what to do about it.
std::string reason_for(const Probe& probe);
std::string remedy_for(const Probe& probe);
