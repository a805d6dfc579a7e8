// SPDX-License-Identifier: MIT
// Which thread of a small launch reads and writes what, from what its lanes did in the simulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/io/output.hpp"
#include "common/io/table.hpp"
#include "common/simt/check/trace/actions.hpp"

// An array of the launch, in any memory but the shared one.
struct NamedArray {
    std::string name;
    std::uint64_t address;
    std::size_t elements;
    std::size_t columns = 0;  // of a matrix; 0: it has one index
};

struct AccessedLaunch {
    std::string kernel;
    std::size_t element_bytes;
    unsigned block_width;  // threads in x
    std::vector<NamedArray> arrays;
};

std::vector<Column> access_columns();

// A row for each element that a thread reads or writes, in the order in which it does.
void add_access_rows(const AccessedLaunch& launch, const simt::check::TracedBlock& block, Table& table);

// A line for each thread: what it reads, and behind arrows what it writes; a bar where it has waited for the others. A shuffle
// reads a lane.
void draw_accesses(const AccessedLaunch& launch, const simt::check::TracedBlock& block, Output& output);
