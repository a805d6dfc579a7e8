// SPDX-License-Identifier: MIT
// make: program (it refers to the program's backends)
#include "common/cli/devices.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/io/process.hpp"
#include "common/io/text.hpp"

std::string reason_for(const Probe& probe) {
    switch (probe.status) {
        case Probe::found: return "";
        case Probe::no_driver: return "no NVIDIA driver is installed (libcuda.so.1 is missing)";
        case Probe::driver_too_old: return "the NVIDIA driver is too old for this build (" + probe.detail + ")";
        case Probe::no_device: return "the NVIDIA driver reports no GPU (" + probe.detail + ")";
        case Probe::no_gpu_code: return "this build has no GPU code because nvcc was missing";
        default: return "the GPU could not be initialized (" + probe.detail + ")";
    }
}

static std::string short_reason_for(const Probe& probe) {
    switch (probe.status) {
        case Probe::found: return "";
        case Probe::no_driver: return "no NVIDIA driver";
        case Probe::driver_too_old: return "the NVIDIA driver is too old";
        case Probe::no_device: return "no GPU";
        case Probe::no_gpu_code: return "built without nvcc";
        default: return "the GPU does not start";
    }
}

std::string remedy_for(const Probe& probe) {
    switch (probe.status) {
        case Probe::found: return "";
        case Probe::no_driver: return "install the driver to use a GPU";
        case Probe::driver_too_old: return "update the driver";
        case Probe::no_device: return "check nvidia-smi and CUDA_VISIBLE_DEVICES";
        case Probe::no_gpu_code: return "install the CUDA toolkit and build again";
        default: return "check nvidia-smi";
    }
}

static Probe probe_gpus() {
    if (gpu::backend) return gpu::backend().probe();
    Probe probe;
    probe.status = Probe::no_gpu_code;
    return probe;
}

static std::vector<ChosenDevice> all_of(const Backend& backend, const Probe& probe) {
    std::vector<ChosenDevice> chosen;
    for (const DeviceInfo& device : probe.devices) chosen.push_back({&backend, device});
    return chosen;
}

// Any unambiguous prefix of a UUID or PCI id names a device, with or without "GPU-" and the PCI domain.
static bool is_named(const DeviceInfo& device, const std::string& name) {
    if (name.size() < 4) return false;
    const auto begins = [&](const std::string& id) { return id.compare(0, name.size(), name) == 0; };
    return begins(device.uuid) || (device.uuid.size() > 4 && begins(device.uuid.substr(4))) ||
           begins(device.pci_bus_id) || (device.pci_bus_id.size() > 5 && begins(device.pci_bus_id.substr(5)));
}

static ChosenDevice find_gpu(const std::string& name, const std::vector<ChosenDevice>& gpus) {
    const bool ordinal = !name.empty() && name.find_first_not_of("0123456789") == name.npos;
    if (ordinal)
        for (const ChosenDevice& gpu : gpus)
            if (std::to_string(gpu.device.ordinal) == name) return gpu;
    // (A prefix of a UUID may be all digits.)
    std::vector<ChosenDevice> found;
    for (const ChosenDevice& gpu : gpus)
        if (is_named(gpu.device, name)) found.push_back(gpu);
    if (found.empty())
        fail(Exit::unavailable, "no GPU '{}': there {}; {} --list shows them", name,
             gpus.size() == 1 ? "is only number 0" : text("are numbers 0 to {}", gpus.size() - 1), called("devquery"));
    if (found.size() > 1) fail(Exit::usage, "'{}' names {} GPUs; give more of the id", name, found.size());
    return found.front();
}

static ChosenDevice device_of(const Backend& backend) {
    const std::vector<ChosenDevice> devices = all_of(backend, backend.probe());
    if (devices.empty()) fail(Exit::cuda_error, "the simulator has no device: SIMCC_DEVICES is 0; unset it");
    return devices.front();
}

std::vector<DeviceInfo> gang_of(const std::vector<ChosenDevice>& chosen) {
    const Backend& backend = *chosen.front().backend;
    if (chosen.front().device.simulated) return backend.probe().devices;
    std::vector<DeviceInfo> gang;
    for (const ChosenDevice& one : chosen) {
        for (const DeviceInfo& other : gang)
            if (other.ordinal == one.device.ordinal)
                fail(Exit::usage, "device {} is named twice; each device of a gang has one rank", other.ordinal);
        gang.push_back(one.device);
    }
    return gang;
}

std::string notice_of_models(const std::vector<DeviceInfo>& gang) {
    std::vector<std::pair<std::string, std::size_t>> models;
    for (const DeviceInfo& device : gang) {
        const auto is_same = [&](const auto& model) { return model.first == device.name; };
        const auto known = std::find_if(models.begin(), models.end(), is_same);
        if (known == models.end()) models.emplace_back(device.name, 1);
        else ++known->second;
    }
    if (models.size() < 2) return "";
    std::vector<std::string> counts;
    for (const auto& [name, count] : models) counts.push_back(text("{} {}", count, name));
    return text(
        "the devices differ, {}: each has an equal share, so the slowest sets the time; percentages of peak are of "
        "the sum of all, and kernel details in the rows are rank 0's",
        list_text(counts, "and"));
}

ChosenDevice simulated_device() { return device_of(sim::backend()); }

std::vector<ChosenDevice> choose_devices(const std::string& spec, bool every_device, bool verbose, std::string& notice,
                                         const std::function<ChosenDevice()>& simulator) {
    const std::string help = "choose auto, gpu, a number, a list of numbers, all, a UUID, a PCI id or sim";
    if (spec == "sim") return {simulator()};
    const bool looks_like_name = spec.find_first_not_of("0123456789abcdefABCDEFGPU-:.,") == spec.npos;
    if (spec != "auto" && spec != "gpu" && spec != "all" && !looks_like_name)
        fail(Exit::usage, "unknown device '{}'; {}", spec, help);

    const Probe probe = probe_gpus();
    if (probe.devices.empty()) {
        if (spec != "auto")
            fail(Exit::unavailable, "{}; {}, or run in the simulator with -d sim", reason_for(probe),
                 remedy_for(probe));
        notice = (verbose ? reason_for(probe) : short_reason_for(probe)) + ": using the SIMT simulator";
        return {simulator()};
    }
    const std::vector<ChosenDevice> gpus = all_of(gpu::backend(), probe);
    if (spec == "all" || (spec == "auto" && every_device)) return gpus;
    if (spec == "auto" || spec == "gpu") return {gpus.front()};
    std::vector<ChosenDevice> chosen;
    for (const std::string& name : split(spec, ',')) chosen.push_back(find_gpu(name, gpus));
    return chosen;
}

ChosenDevice checked_device() {
    if (!checked::backend)
        fail(Exit::unavailable, "this program was built without its checked simulator; make all builds it, with g++");
    return device_of(checked::backend());
}
