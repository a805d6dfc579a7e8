// SPDX-License-Identifier: MIT
// The textbook count of the sectors that a block's requests move.
#pragma once

#include <cstddef>

#include "tools/matadd/options.hpp"

// Averages over the requests of all warps, if rows begin at a sector and no block reaches beyond the matrix.
struct RequestTraffic {
    double sectors = 0;
    double efficiency = 0;  // bytes asked for / bytes moved
};

enum class Mapping { row_major, column_major };

// Of loads, which move lines of line_bytes, 32 or 128.
RequestTraffic traffic_of(const BlockShape& block, Mapping mapping, std::size_t word_bytes, unsigned line_bytes);
