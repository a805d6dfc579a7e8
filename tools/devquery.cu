// SPDX-License-Identifier: MIT
// devquery: what a device is and can do, one property per row; which devices reach each other's memory; and what follows from
// a device's figures: the parallelism that hides latency, and the arithmetic that its bandwidth allows.
// make: -O1 (it simulates too little to be worth the compile time of a higher level)
#include <cuda_runtime.h>

#include <any>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/cli/registration.cuh"
#include "tools/devquery/calculations.cuh"
#include "tools/devquery/devices.cuh"
#include "tools/devquery/questions.hpp"
#include "tools/devquery/table.cuh"

struct DevqueryOptions {
    std::vector<std::string> properties = {"*"};  // names or globs
    bool value = false, p2p = false, capabilities = false;
    std::optional<Question> little, roofline;

    void add_options(OptionTable& table) {
        table.list("--prop", "LIST", "properties to show: names or globs", properties);
        table.flag("--value", "bare values, one per line, for shell variables", value);
        table.flag("--p2p", "which device can access which other's memory", p2p);
        table.flag("--capabilities", "all compute capabilities: architecture, limits, what came with each",
                   capabilities);
        table.read("--little", "[=LIST]",
                   "how much in flight hides latency: gpu=NAME,latency=N,lanes=N, ... change figures", "", little,
                   parse_little);
        table.read("--roofline", "[=LIST]",
                   "GFLOP/s for bytes_per_flop=N; gpu=NAME, gbyte_per_s=N and gflop_per_s=N change figures", "",
                   roofline, parse_roofline);
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
    .needs_no_device = [](const std::any& own) { return std::any_cast<const DevqueryOptions&>(own).capabilities; },
};

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

// Each of these has its own table.
void refuse_two_tables(const Session& session) {
    const auto& asked = session.own<DevqueryOptions>();
    const std::pair<bool, const char*> tables[] = {
        {session.options.list, "--list"},           {asked.p2p, "--p2p"},
        {asked.capabilities, "--capabilities"},     {asked.little.has_value(), "--little"},
        {asked.roofline.has_value(), "--roofline"}, {asked.value, "--value"}};
    const char* first = nullptr;
    for (const auto& [given, name] : tables) {
        if (given && first) fail(Exit::usage, "{} and {} print different tables; leave one of them out", first, name);
        if (given) first = name;
    }
}

void run(Session& session) {
    const auto& asked = session.own<DevqueryOptions>();
    refuse_two_tables(session);
    if (session.options.list) list_device(session);
    else if (asked.p2p) show_peers(session);
    else if (asked.capabilities) show_capabilities(session);
    else if (asked.little) show_ways_to_hide(session, *asked.little);
    else if (asked.roofline) show_roofline(session, *asked.roofline);
    else show_properties(session);
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(program, run)
