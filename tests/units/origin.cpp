// SPDX-License-Identifier: MIT
// The origin of rows, with a fake NVML that knows one device and its driver.
#include <cstdio>

#include "common/measure/origin.hpp"

#ifdef AS_NVML
#include <cstring>
extern "C" int nvmlInit_v2() { return 0; }
extern "C" int nvmlShutdown() { return 0; }
extern "C" int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
    static int one;
    *device = &one;
    return std::strcmp(uuid, "GPU-1") == 0 ? 0 : 6;
}
extern "C" int nvmlSystemGetDriverVersion(char* version, unsigned length) {
    return std::snprintf(version, length, "580.65.06") < int(length) ? 0 : 7;
}
#else
int main() {
    DeviceInfo known, unknown, simulated;
    known.uuid = simulated.uuid = "GPU-1";
    unknown.uuid = "GPU-2";
    simulated.simulated = true;
    for (const DeviceInfo& device : {known, unknown, simulated})
        std::printf("%s\n", origin_of_rows(device).driver_version.c_str());
    std::printf("%d\n", origin_of_rows(known).run_utc == origin_of_rows(simulated).run_utc);
}
#endif
