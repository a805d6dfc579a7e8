// SPDX-License-Identifier: MIT
// What is fuzzed: functions that take any bytes, feed one of the readers with them, and end the program by abort() when
// it breaks a promise. libfuzzer.cpp and driver.cpp call them.
#pragma once

#include <string_view>

struct Target {
    const char* name;
    void (*run)(std::string_view input);
};

extern const Target targets[];
extern const int target_count;

// The target of that name; ends the program if there is none.
const Target& find_target(std::string_view name);

// Says which promise was broken, and aborts.
[[noreturn]] void broken(const char* promise, std::string_view detail = {});

// Messages go to a terminal: they must be one line of printable ASCII of a length that somebody reads.
void expect_presentable(std::string_view message);

void fuzz_npy(std::string_view input);
void fuzz_text(std::string_view input);
void fuzz_formats(std::string_view input);
void fuzz_sizes(std::string_view input);
void fuzz_globs(std::string_view input);
void fuzz_options(std::string_view input);
void fuzz_simcc_options(std::string_view input);
void fuzz_tables(std::string_view input);
void fuzz_rewrite(std::string_view input);
void fuzz_expression(std::string_view input);
