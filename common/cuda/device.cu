// SPDX-License-Identifier: MIT
// make: room -O1 (it simulates too little to be worth the compile time of a higher level)
#include "common/cuda/device.cuh"

#include <cstddef>
#include <string>

#include "common/cuda/check.cuh"
#include "common/io/text.hpp"

namespace BACKEND {

int attribute(cudaDeviceAttr name, int ordinal) {
    int value = 0;
    // An attribute that an older driver does not know reads as 0, as if the device lacked it.
    if (cudaDeviceGetAttribute(&value, name, ordinal) != cudaSuccess) {
        static_cast<void>(cudaGetLastError());
        return 0;
    }
    return value;
}

double peak_bandwidth(int ordinal) {
    const double bytes_per_transfer = attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal) / 8.0;
    const double transfers_per_second = 2 * 1e3 * attribute(cudaDevAttrMemoryClockRate, ordinal);
    return bytes_per_transfer * transfers_per_second / 1e9;
}

std::string capability_text(int compute_capability) {
    return text("{}.{}", compute_capability / 10, compute_capability % 10);
}

// The 16 bytes of a UUID in the notation of nvidia-smi.
static std::string uuid_text(const cudaUUID_t& uuid) {
    constexpr char digits[] = "0123456789abcdef";
    std::string name = "GPU-";
    for (int i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) name += '-';
        const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
        name += digits[byte >> 4];
        name += digits[byte & 15];
    }
    return name;
}

static DeviceInfo describe(int ordinal) {
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, ordinal));
    DeviceInfo device;
    device.ordinal = ordinal;
#ifdef __SIMCC__
    device.simulated = true;
#else
    device.cuda_version = text("{}.{}.{}", __CUDACC_VER_MAJOR__, __CUDACC_VER_MINOR__, __CUDACC_VER_BUILD__);
#endif
#ifdef SIMT_CHECKED
    device.checked = true;
#endif
    device.name = properties.name;
    device.uuid = uuid_text(properties.uuid);
    device.pci_bus_id =
        text("{:04x}:{:02x}:{:02x}.0", properties.pciDomainID, properties.pciBusID, properties.pciDeviceID);
    device.compute_capability = 10 * properties.major + properties.minor;
    device.multiprocessors = properties.multiProcessorCount;
    device.clock_khz = attribute(cudaDevAttrClockRate, ordinal);
    device.memory_bytes = properties.totalGlobalMem;
    device.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
    device.peak_gbyte_per_s = peak_bandwidth(ordinal);
    return device;
}

Probe probe_devices() {
    Probe probe;
    int driver = 0, runtime = 0, count = 0;
    // Without libcuda.so.1 the driver's version reads as 0, without an error: query it first, before anything needs a
    // driver.
    CHECK(cudaRuntimeGetVersion(&runtime));
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
        probe.status = Probe::no_driver;
        return probe;
    }
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorInsufficientDriver) {
        probe.status = Probe::driver_too_old;
        probe.detail = text("it supports CUDA {}.{}, this build needs {}.{}", driver / 1000, driver % 1000 / 10,
                            runtime / 1000, runtime % 1000 / 10);
    } else if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) {
        probe.status = Probe::no_device;
        probe.detail = cudaGetErrorName(cudaErrorNoDevice);
    } else if (error != cudaSuccess) {
        probe.status = Probe::failed;
        probe.detail = text("{} ({})", cudaGetErrorString(error), cudaGetErrorName(error));
    } else {
        probe.status = Probe::found;
        for (int ordinal = 0; ordinal < count; ++ordinal) probe.devices.push_back(describe(ordinal));
    }
    return probe;
}

}  // namespace BACKEND
