// SPDX-License-Identifier: MIT
#include "tools/matadd/options.hpp"

#include "common/io/text.hpp"

// Every shape of up to 1024 threads whose extents `next` goes through, from the tallest to the widest.
template <typename Next>
static void append_shapes(std::vector<BlockShape>& shapes, Next next) {
    for (unsigned x = 1; x <= most_threads_per_block; x = next(x))
        for (unsigned y = 1; x * y <= most_threads_per_block; y = next(y)) shapes.push_back({x, y});
}

std::vector<BlockShape> parse_blocks(const std::string& list) {
    std::vector<BlockShape> shapes;
    for (const std::string& word : split(list, ',')) {
        if (word == "all") append_shapes(shapes, [](unsigned extent) { return 2 * extent; });
        else if (word == "every") append_shapes(shapes, [](unsigned extent) { return extent + 1; });
        else shapes.push_back(parse_block_shape(word, "--blocks", ", nor all or every"));
    }
    return shapes;
}

static std::vector<MultiprocessorLimits> parse_capability(const std::string& name) {
    std::vector<MultiprocessorLimits> all;
    std::vector<std::string> known;
    for (const Capability& capability : capabilities()) {
        if (capability.limits.name() == name) return {capability.limits};
        all.push_back(capability.limits);
        known.push_back(capability.limits.name());
    }
    if (name == "all") return all;
    known.push_back("all");
    fail(Exit::usage, "--occupancy cc '{}' is not {}", name, list_text(known, "or"));
}

OccupancyQuestion parse_occupancy(const std::string& list) {
    static const std::vector<std::string> keys = {"registers", "smem",    "block",  "cc",
                                                  "carveout",  "threads", "blocks", "shared"};
    constexpr std::size_t most_registers_per_thread = 255;
    OccupancyQuestion question;
    MultiprocessorLimits own = {0, 0, 0, {}};  // what the list says of the multiprocessor; 0: nothing
    own.registers = 0;
    BlockResources& resources = question.resources;
    for (const std::string& word : split(list, ',')) {
        const std::size_t equals = word.find('=');
        const std::string key = word.substr(0, equals);
        const std::string value = equals == word.npos ? "" : word.substr(equals + 1);
        const auto count = [&](std::size_t smallest, std::size_t largest) {
            const std::size_t number = parse_count(value, "--occupancy " + key);
            if (number < smallest || number > largest)
                fail(Exit::usage, "--occupancy {} '{}' is not from {} to {}", key, value, smallest, largest);
            return number;
        };
        const bool describes_own = own.threads > 0 || own.blocks > 0;
        if (key == "threads") own.threads = static_cast<unsigned>(count(32, 1 << 16));
        else if (key == "blocks") own.blocks = static_cast<unsigned>(count(1, 1 << 16));
        else if (key == "shared") own.shared_kib = {static_cast<unsigned>(count(1, 1 << 16))};
        else if (key == "registers" && describes_own && value.size() > 3) own.registers = count(1, 1 << 30);
        else if (key == "registers") resources.registers = static_cast<unsigned>(count(0, most_registers_per_thread));
        else if (key == "smem") resources.dynamic_shared_bytes = count(0, std::size_t{1} << 20);
        else if (key == "block" && value.find('x') != value.npos) {
            const BlockShape shape = parse_block_shape(value, "--occupancy block");
            resources.threads = shape.x * shape.y;
        } else if (key == "block") resources.threads = static_cast<unsigned>(count(1, most_threads_per_block));
        else if (key == "carveout") resources.carveout_percent = static_cast<int>(count(0, 100));
        else if (key == "cc") question.devices = parse_capability(value);
        else {
            const std::string nearest = nearest_name(key, keys);
            fail(Exit::usage, "--occupancy '{}' is not one of {}, each with = and a value{}", key,
                 list_text(keys, "or"), nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
        }
    }
    if (own.threads == 0 && own.blocks == 0 && own.registers == 0 && own.shared_kib.empty()) return question;
    if (question.devices.size() > 1)
        fail(Exit::usage, "--occupancy: threads, blocks and shared describe one multiprocessor; leave out cc=all");
    // What is not said is as on the capability that is named, or as on the newest.
    MultiprocessorLimits limits = question.devices.empty() ? capabilities().back().limits : question.devices.front();
    limits.compute_capability = 0;
    if (own.threads > 0) limits.threads = own.threads;
    if (own.blocks > 0) limits.blocks = own.blocks;
    if (own.registers > 0) limits.registers = own.registers;
    if (!own.shared_kib.empty()) limits.shared_kib = own.shared_kib;
    question.devices = {limits};
    return question;
}
