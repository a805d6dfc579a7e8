// SPDX-License-Identifier: MIT
// devquery: what a device is and can do, one property per row, and which devices reach each other's memory.
// make: -O1 (it simulates too little to be worth the compile time of a higher level)
#include <cuda_runtime.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/registration.cuh"
#include "common/cuda/buffers.cuh"
#include "common/measure/nvml.hpp"
#include "tools/devquery/table.cuh"

struct DevqueryOptions {
    std::vector<std::string> properties = {"*"};  // names or globs
    bool value = false, p2p = false;

    void add_options(OptionTable& table) {
        table.list("--prop", "LIST", "properties to show: names or globs", properties);
        table.flag("--value", "bare values, one per line, for shell variables", value);
        table.flag("--p2p", "which device can access which other's memory", p2p);
    }
};

namespace BACKEND {
namespace {

std::vector<std::string> names_of_properties(const std::string& option);

const Program program = {
    .name = "devquery",
    .summary = "Describes the CUDA devices, or the simulated one where there is none: one property per row.",
    .examples = {"devquery", "devquery --prop warp_size --value"},
    .benchmark = false,
    .options = own_options<DevqueryOptions>,
    .words = names_of_properties,
    .every_device = true,
};

std::vector<Property> memory_of(const DeviceInfo& device) {
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, device.ordinal));
    CHECK(cudaSetDevice(device.ordinal));
    size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    const char* cuda = "CUDA runtime";
    return {
        {"memory", "total_memory_bytes", std::to_string(properties.totalGlobalMem), "byte", cuda},
        {"memory", "free_memory_bytes", std::to_string(free_bytes), "byte", cuda},
    };
}

std::string rate_text(double rate) { return text("{:.{}f}", rate, computed(rate, 1).digits); }

// Peak rates; "unknown" if our table of throughputs lacks the device's compute capability.
std::vector<Property> derived_of(const DeviceInfo& device) {
    const std::optional<Throughput> per_clock = throughput_of(device.compute_capability, device.name);
    const double clock_hz = 1e3 * attribute(cudaDevAttrClockRate, device.ordinal);
    std::vector<Property> properties = {
        {"derived", "fp32_cores", per_clock ? std::to_string(per_clock->f32 * device.multiprocessors) : "unknown",
         "core", "programming guide by compute capability"},
        {"derived", "peak_memory_gbyte_per_s", rate_text(device.peak_gbyte_per_s), "GB/s",
         "bus width x memory clock x 2"},
    };
    for (const Peak& peak : peaks) {
        std::string value = "unknown";
        if (per_clock)
            value = rate_text(1e-12 * peak_rate((*per_clock).*(peak.multiply_adds), device.multiprocessors, clock_hz));
        properties.push_back(
            {"derived", peak.property, value, peak.unit, "NVIDIA's rate per multiprocessor x multiprocessors x clock"});
    }
    return properties;
}

std::vector<Property> clocks_of(const DeviceInfo& device) {
    const ClockMonitor clocks(device.simulated ? "" : device.uuid);
    return {
        {"clocks", "current_sm_clock_mhz", std::to_string(clocks.sm_clock_mhz()), "MHz", "NVML"},
        {"clocks", "current_memory_clock_mhz", std::to_string(clocks.memory_clock_mhz()), "MHz", "NVML"},
        {"clocks", "throttled", clocks.throttled() ? "1" : "0", "bool", "NVML"},
    };
}

std::vector<Property> properties_of(const DeviceInfo& device) {
    std::vector<Property> all = identity_of(device);
    const auto append = [&](const std::vector<Property>& more) { all.insert(all.end(), more.begin(), more.end()); };
    const auto append_attributes = [&](const std::string& group) {
        for (const Attribute& row : attributes)
            if (group == row.group)
                all.push_back({row.group, row.property, std::to_string(attribute(row.attribute, device.ordinal)),
                               row.unit, "CUDA attribute"});
    };
    append(memory_of(device));
    for (const char* group : {"memory", "multiprocessors", "limits", "features", "clocks"}) append_attributes(group);
    append(clocks_of(device));
    append(derived_of(device));
    return all;
}

// For completion, which must not wait for a driver: taken from the simulated device, which has the same properties.
std::vector<std::string> names_of_properties(const std::string& option) {
    std::vector<std::string> names;
    if (option != "--prop") return names;
    for (const Property& property : properties_of(probe_devices().devices.front())) names.push_back(property.name);
    return names;
}

bool is_selected(const std::string& name, const std::vector<std::string>& patterns) {
    for (const std::string& pattern : patterns)
        if (matches_glob(pattern, name)) return true;
    return false;
}

std::vector<Property> selected_properties(const Session& session) {
    const std::vector<std::string>& patterns = session.own<DevqueryOptions>().properties;
    std::vector<Property> all = properties_of(session.device), selected;
    std::vector<std::string> names;
    for (const Property& property : all) {
        names.push_back(property.name);
        if (is_selected(property.name, patterns)) selected.push_back(property);
    }
    for (const std::string& pattern : patterns) {
        bool found = false;
        for (const std::string& name : names) found |= matches_glob(pattern, name);
        const std::string nearest = nearest_name(pattern, names);
        if (!found)
            fail(Exit::usage, "unknown property '{}'{}; without --prop all are shown", pattern,
                 nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
    }
    return selected;
}

// A property of a device, as a row of the table.
struct PropertyRow {
    const DeviceInfo& device;
    const Property& property;
};

// "141.0 GiB" for a number of bytes that is too long to read.
std::string in_words(const Property& property) {
    const double value = std::atof(property.value.c_str());
    return property.unit == std::string("byte") && value >= 1024 ? human_bytes(value) : " ";
}

// Numbers as numbers; words and unknown values as text.
Cell cell_of(const Property& property) {
    const std::string& value = property.value;
    const std::size_t point = value.find('.');
    const bool digits = !value.empty() && value.find_first_not_of("0123456789.") == value.npos;
    const bool number = property.unit != "none" || property.name == "ordinal" || property.name == "compute_mode";
    if (!digits || !number) return value;
    if (point == value.npos) return whole(std::atoll(value.c_str()));
    return Fixed{std::atof(value.c_str()), static_cast<int>(value.size() - point - 1)};
}

const ColumnOf<PropertyRow> property_columns[] = {
    {{"device"}, [](const PropertyRow& of) -> Cell { return device_label(of.device); }},
    {{"group", "group", 1, 0, 0, 2}, [](const PropertyRow& of) -> Cell { return of.property.group; }},
    {{"property", "property"}, [](const PropertyRow& of) -> Cell { return of.property.name; }},
    {{"value", "value", 1, as_in_csv}, [](const PropertyRow& of) { return cell_of(of.property); }},
    {{"unit", "unit", 1, 0, 0, 1}, [](const PropertyRow& of) -> Cell { return of.property.unit; }},
    {{"", "about", 1, 0, 0, 3}, [](const PropertyRow& of) -> Cell { return in_words(of.property); }},
    {{"source"}, [](const PropertyRow& of) -> Cell { return of.property.source; }},
};

void show_properties(Session& session) {
    const std::vector<Property> selected = selected_properties(session);
    if (session.own<DevqueryOptions>().value) {
        for (const Property& property : selected) session.output.write(property.value + "\n");
        return session.output.flush();
    }
    Table table(session.output, session.format(), session.options.header, columns_of(property_columns));
    for (const Property& property : selected)
        table.add(cells_of(property_columns, PropertyRow{session.device, property}));
    table.flush(text("device {}: {}", device_label(session.device), session.device.name));
}

// One device's access to another's memory.
struct Peer {
    int from, to, access, native_atomics, rank;
};

const ColumnOf<Peer> peer_columns[] = {
    {{"from_device", "from"}, [](const Peer& of) -> Cell { return whole(of.from); }},
    {{"to_device", "to"}, [](const Peer& of) -> Cell { return whole(of.to); }},
    {{"access", "access"}, [](const Peer& of) -> Cell { return whole(of.access); }},
    {{"native_atomics", "native atomics"}, [](const Peer& of) -> Cell { return whole(of.native_atomics); }},
    {{"performance_rank", "rank (0 is best)"}, [](const Peer& of) -> Cell { return whole(of.rank); }},
};

void show_peers(Session& session) {
    Table table(session.output, session.format(), session.options.header, columns_of(peer_columns));
    int count = 0;
    CHECK(cudaGetDeviceCount(&count));
    const int from = session.device.ordinal;
    for (int to = 0; to < count; ++to) {
        Peer peer{from, to, to == from, to == from, 0};
        if (to != from) {
            CHECK(cudaDeviceCanAccessPeer(&peer.access, from, to));
            if (peer.access) {
                CHECK(cudaDeviceGetP2PAttribute(&peer.native_atomics, cudaDevP2PAttrNativeAtomicSupported, from, to));
                CHECK(cudaDeviceGetP2PAttribute(&peer.rank, cudaDevP2PAttrPerformanceRank, from, to));
            }
        }
        table.add(cells_of(peer_columns, peer));
    }
    table.flush();
}

const ColumnOf<DeviceInfo> device_columns[] = {
    {{"device", "device"}, [](const DeviceInfo& of) -> Cell { return device_label(of); }},
    {{"name", "name"}, [](const DeviceInfo& of) -> Cell { return of.name; }},
    {{"compute_capability", "cc"}, [](const DeviceInfo& of) -> Cell { return capability_text(of.compute_capability); }},
    {{"multiprocessors", "SMs"}, [](const DeviceInfo& of) -> Cell { return whole(of.multiprocessors); }},
    {{"memory_bytes", "memory GiB", 1.0 / (1u << 30), 1},
     [](const DeviceInfo& of) -> Cell { return whole(of.memory_bytes); }},
    {{"uuid", "uuid", 1, 0, 0, 2}, [](const DeviceInfo& of) -> Cell { return of.uuid; }},
    {{"pci_bus_id", "PCI bus id", 1, 0, 0, 1}, [](const DeviceInfo& of) -> Cell { return of.pci_bus_id; }},
};

void list_device(Session& session) {
    Table table(session.output, session.format(), session.options.header, columns_of(device_columns));
    table.add(cells_of(device_columns, session.device));
    table.flush();
}

void run(Session& session) {
    if (session.options.list) list_device(session);
    else if (session.own<DevqueryOptions>().p2p) show_peers(session);
    else show_properties(session);
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(program, run)
