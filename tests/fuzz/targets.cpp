// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "tests/fuzz/target.hpp"

const Target targets[] = {
    {"npy", fuzz_npy},
    {"text", fuzz_text},
    {"formats", fuzz_formats},
    {"sizes", fuzz_sizes},
    {"globs", fuzz_globs},
    {"options", fuzz_options},
    {"simcc_options", fuzz_simcc_options},
    {"tables", fuzz_tables},
    {"rewrite", fuzz_rewrite},
    {"expression", fuzz_expression},
};
const int target_count = static_cast<int>(std::size(targets));

const Target& find_target(std::string_view name) {
    for (const Target& target : targets)
        if (name == target.name) return target;
    std::fprintf(stderr, "fuzz: no target '%.*s'\n", static_cast<int>(name.size()), name.data());
    std::exit(2);
}

void broken(const char* promise, std::string_view detail) {
    std::fprintf(stderr, "broken: %s: %.*s\n", promise, static_cast<int>(detail.size()), detail.data());
    std::abort();
}

void expect_presentable(std::string_view message) {
    if (message.empty()) broken("a failure says what is wrong");
    for (const char c : message)
        if (c < ' ' || c > '~') broken("a message has no control characters", message);
    if (message.size() > 4096) broken("a message is short", message);
}
