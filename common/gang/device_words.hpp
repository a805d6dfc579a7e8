// SPDX-License-Identifier: MIT
// A device as a line of text: what the other processes of a gang need to know about it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/cuda/device_info.hpp"
#include "common/io/text.hpp"

// Separates the fields of the texts that processes exchange.
constexpr char separator[] = "\x1f";

inline std::string words_of(const DeviceInfo& device) {
    std::string words;
    const auto add = [&](const auto& field) { words += text("{}{}", field, separator); };
    add(device.ordinal), add(int(device.simulated)), add(device.uuid), add(device.compute_capability);
    add(device.multiprocessors), add(device.clock_khz), add(device.peak_gbyte_per_s);
    return words + device.name;
}

inline DeviceInfo device_in_words(const std::string& words, std::size_t process) {
    const std::vector<std::string> fields = split(words, *separator);
    DeviceInfo device;
    device.ordinal = std::stoi(fields[0]);
    device.simulated = fields[1] == "1";
    device.uuid = fields[2];
    device.compute_capability = std::stoi(fields[3]);
    device.multiprocessors = std::stoi(fields[4]);
    device.clock_khz = std::stoi(fields[5]);
    device.peak_gbyte_per_s = std::stod(fields[6]);
    device.name = fields[7];
    device.process = process;
    return device;
}
