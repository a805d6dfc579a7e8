// SPDX-License-Identifier: MIT
// How devices are chosen by name, among invented GPUs. Prints what each name chooses, or the refusal;
// tests/devquery.bats compiles and runs it.
#include <cstdio>
#include <string>

#include "common/cli/devices.hpp"
#include "common/io/failure.hpp"

static Probe probe_of_three() {
    Probe probe;
    probe.status = Probe::found;
    const char* const ids[][2] = {{"GPU-11223918-0a7c-7c11-9d3f-000000000000", "0000:1b:00.0"},
                                  {"GPU-11224055-0a7c-7c11-9d3f-000000000001", "0000:43:00.0"},
                                  {"GPU-9f5b6a10-0a7c-7c11-9d3f-000000000002", "0000:9d:00.0"}};
    for (const auto& [uuid, pci_bus_id] : ids) {
        DeviceInfo device;
        device.ordinal = static_cast<int>(probe.devices.size());
        device.uuid = uuid;
        device.pci_bus_id = pci_bus_id;
        probe.devices.push_back(device);
    }
    return probe;
}

static const Backend three = {nullptr, probe_of_three, nullptr};

const Backend& gpu::backend() { return three; }
const Backend& sim::backend() { return three; }
const Backend& checked::backend() { return three; }

int main(int count, char** names) {
    for (int i = 1; i < count; ++i) {
        try {
            std::string notice, chosen;
            for (const ChosenDevice& one : choose_devices(names[i], false, false, notice, simulated_device))
                chosen += " " + std::to_string(one.device.ordinal);
            std::printf("%s:%s\n", names[i], chosen.c_str());
        } catch (const Failure& failure) {
            std::printf("%s: %d, %s\n", names[i], static_cast<int>(failure.exit()), failure.what());
        }
    }
}
