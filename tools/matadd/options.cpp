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
    if (name == "all") return multiprocessor_limits();
    std::vector<std::string> known;
    for (const MultiprocessorLimits& limits : multiprocessor_limits()) {
        if (limits.name() == name) return {limits};
        known.push_back(limits.name());
    }
    known.push_back("all");
    fail(Exit::usage, "--occupancy cc '{}' is not {}", name, list_text(known, "or"));
}

OccupancyQuestion parse_occupancy(const std::string& list) {
    static const std::vector<std::string> keys = {"registers", "smem", "block", "cc", "carveout"};
    OccupancyQuestion question;
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
        if (key == "registers") resources.registers = static_cast<unsigned>(count(0, most_registers_per_thread));
        else if (key == "smem") resources.dynamic_shared_bytes = count(0, std::size_t{1} << 20);
        else if (key == "block") resources.threads = static_cast<unsigned>(count(1, most_threads_per_block));
        else if (key == "carveout") resources.carveout_percent = static_cast<int>(count(0, 100));
        else if (key == "cc") question.devices = parse_capability(value);
        else {
            const std::string nearest = nearest_name(key, keys);
            fail(Exit::usage, "--occupancy '{}' is not one of {}, each with = and a value{}", key,
                 list_text(keys, "or"), nearest.empty() ? "" : "; did you mean '" + nearest + "'?");
        }
    }
    return question;
}
