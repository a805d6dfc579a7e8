// SPDX-License-Identifier: MIT
// Direction vectors of Sobol's sequences.
#pragma once

#include <array>
#include <cstdint>

namespace simt::rand {

unsigned most_dimensions();

/// The vectors of a dimension, counted from 0; those of 32 bits are their upper halves.
std::array<uint64_t, 64> direction_vectors(unsigned dimension);

}  // namespace simt::rand
