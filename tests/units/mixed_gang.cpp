// SPDX-License-Identifier: MIT
// A gang of several invented GPU models: what the user is told about it, what other processes learn about each device,
// and how rates count all devices. Prints nothing if all is well.
#include <cstdio>
#include <string>
#include <vector>

#include "common/cli/devices.hpp"
#include "common/gang/device_words.hpp"

static const Backend none = {nullptr, [] { return Probe(); }, nullptr};

const Backend& gpu::backend() { return none; }
const Backend& sim::backend() { return none; }
const Backend& checked::backend() { return none; }

static int faults = 0;

static void expect(const std::string& got, const std::string& wanted) {
    if (got == wanted) return;
    std::printf("got '%s', expected '%s'\n", got.c_str(), wanted.c_str());
    ++faults;
}

static DeviceInfo device_of(const char* name, int ordinal, double peak) {
    DeviceInfo device;
    device.name = name;
    device.ordinal = ordinal;
    device.uuid = "GPU-0123";
    device.compute_capability = 90;
    device.multiprocessors = 132;
    device.clock_khz = 1980000;
    device.peak_gbyte_per_s = peak;
    return device;
}

static double peak_of(const std::vector<DeviceInfo>& gang, std::size_t count) {
    return sum_of_rates(gang, count, [](const DeviceInfo& device) { return device.peak_gbyte_per_s; });
}

int main() {
    const DeviceInfo large = device_of("NVIDIA H200", 0, 4800.25), small = device_of("NVIDIA H100", 1, 3350),
                     unknown = device_of("NVIDIA X", 2, 0);
    expect(notice_of_models({large}), "");
    expect(notice_of_models({large, large, large}), "");
    const std::string notice = notice_of_models({large, small, large, unknown});
    expect(notice.substr(0, notice.find(':')), "the devices differ, 2 NVIDIA H200, 1 NVIDIA H100 and 1 NVIDIA X");

    const DeviceInfo heard = device_in_words(words_of(large), 7);
    expect(words_of(heard), words_of(large));
    expect(text("{} {} {} {} {} {} {}", heard.name, heard.uuid, heard.compute_capability, heard.multiprocessors,
                heard.clock_khz, heard.peak_gbyte_per_s, heard.process),
           "NVIDIA H200 GPU-0123 90 132 1980000 4800.25 7");
    DeviceInfo simulated;
    simulated.simulated = true;
    simulated.name = "SIMT simulator";
    expect(words_of(device_in_words(words_of(simulated), 0)), words_of(simulated));

    expect(text("{}", peak_of({large}, 1)), "4800.25");
    expect(text("{}", peak_of({large, small}, 1)), "4800.25");
    expect(text("{}", peak_of({large, small}, 2)), "8150.25");
    // Eight devices, predicted from these two.
    expect(text("{}", peak_of({large, small}, 8)), "32601");
    expect(text("{}", peak_of({large, unknown}, 2)), "0");
    return faults > 0;
}
